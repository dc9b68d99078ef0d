#!/usr/bin/env python3
"""Prints `corpora/scrypt-NAME.txt`, a library's test vectors of scrypt. A case without a key has parameters that the library refuses.

scrypt.py NAME COMMIT FILE...

    cryptopp   validat5.cpp
    go         scrypt/scrypt_test.go of golang/crypto
    libsodium  test/default/pwhash_scrypt.c, pwhash_scrypt.exp and pwhash_scrypt_ll.exp
    openssl    test/recipes/30-test_evp_data/evppbe_scrypt.txt
    passlib    passlib/tests/test_crypto_scrypt.py and test_handlers_scrypt.py
"""

import ast
import base64
import pathlib
import re
import sys

LICENCES = {"cryptopp": "public domain", "go": "BSD-3-Clause", "libsodium": "ISC", "openssl": "Apache-2.0", "passlib": "BSD-3-Clause"}
DIGITS64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def cryptopp(text):
    for password, salt, n, r, p, key in re.findall(r'\{ "(.*)", "(.*)", (\d+), (\d+), (\d+), "(\w+)"\}', text):
        yield password.encode(), salt.encode(), n, r, p, key


def go(text):
    """The refused cases with numbers below 0 or above 2^32 are left out."""
    case = r'"(.*)",\s*"(.*)",\s*(\d+), (\d+), (\d+),\s*(?:nil|\[\]byte\{([^}]*)\})'
    for password, salt, n, r, p, key in re.findall(case, text):
        password, salt = (value.replace("\\000", "\0").encode() for value in (password, salt))
        yield password, salt, n, r, p, "".join(f"{int(byte, 16):02x}" for byte in re.findall(r"0x(\w+)", key))


def libsodium(text, expected, low_level):
    """The strings that are refused are left out: libsodium refuses them for their form."""
    keys = iter(expected.splitlines())
    for password, salt, length, operations, memory in re.findall(r'\{((?:\s*"\w*")+),\s*\d+,\s*("\w+"),\s*(\d+),\s*(\d+),\s*(\d+) \}', text):
        key = next(keys)
        if key == "pwhash failure":
            # The key is shorter than libsodium allows.
            next(keys)
            continue
        # r = 8; N and p from the limits, as `pickparams` says.
        operations, memory = max(int(operations), 32768), int(memory)
        few = operations < memory // 32
        half = (operations // 32 if few else memory // 1024) // 2
        n = 2
        while n <= half:
            n *= 2
        p = 1 if few else operations // 4 // n // 8
        password, salt = (bytes.fromhex("".join(re.findall(r"\w+", value))) for value in (password, salt))
        assert len(key) == 2 * int(length)
        yield password, salt, n, 8, p, key
    wrong = set(re.findall(r"pwhash_str failure: \[(\d+)\]", expected))
    number = lambda digits: sum(DIGITS64.index(digit) << 6 * i for i, digit in enumerate(digits))
    for i, strings in enumerate(re.findall(r'\{((?:\s*"[^"]*")+),((?:\s*"[^"]*")+) \}', text)):
        password, hashed = ("".join(re.findall('"([^"]*)"', value)) for value in strings)
        if str(i) not in wrong:
            n, r, p, salt, key = re.fullmatch(r"\$7\$(.)(.{5})(.{5})([^$]*)\$(.{43})", hashed).groups()
            yield password.encode(), salt.encode(), 1 << number(n), number(r), number(p), number(key).to_bytes(32, "little").hex()
    case = r"scrypt\('(.*)', '(.*)', (\d+), (\d+), (\d+), \d+\) =\n([0-9a-f\s]+)"
    for password, salt, n, r, p, key in re.findall(case, low_level):
        yield password.encode(), salt.encode(), n, r, p, "".join(key.split())


def openssl(text):
    case = r'Password = "(.*)"\nSalt = "(.*)"\nN = (\d+)\nr = (\d+)\np = (\d+)\nKey = (\w+)'
    for password, salt, n, r, p, key in re.findall(case, text):
        yield password.encode(), salt.encode(), n, r, p, key


def passlib(engine, strings):
    """The cases with negative numbers and wrong lengths of keys are left out."""
    for password, salt, n, r, p, key in re.findall(r'\("(.*)", "(.*)", (\d+), (\d+), (\d+), \d+, hb\("""([^"]*)', engine):
        yield password.encode(), salt.encode(), n, r, p, "".join(key.split())
    for name, body in re.findall(r"def test_(\w+)_param\(self\):(.*?)(?=\n    def |\n    #=)", engine, re.S):
        texts = {text: ast.literal_eval(value) for text, value in re.findall(r"(TEXT\w*) = (?:u\()?(b?['\"][^'\"]*['\"])", body)}
        calls = [(value, key) for value, key in re.findall(r"run_scrypt\(([^)=]*)\), '(\w+)'", body)]
        calls += [(value, "") for value in re.findall(r"ValueError, run_scrypt, (\d+)\)", body)]
        for value, key in calls:
            given = {"secret": "secret", "salt": "salt", "n": 2, "r": 2, "p": 2}
            given[name] = texts[value] if value in texts else ast.literal_eval(value)
            password, salt = (value if isinstance(value, bytes) else value.encode() for value in (given["secret"], given["salt"]))
            if given.get("keylen") != 0:
                yield password, salt, given["n"], given["r"], given["p"], key
    for password, log_n, r, p, *values in re.findall(r'"(.*)", [\'"]\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]*)\$([^\'"]+)', strings):
        salt, key = (base64.b64decode(value + "==") for value in values)
        yield password.encode(), salt, 1 << int(log_n), r, p, key.hex()


def main():
    name, commit, *files = sys.argv[1:]
    cases = dict.fromkeys(globals()[name](*(pathlib.Path(file).read_text(encoding="utf-8") for file in files)))
    lines = [f"# {name}: {', '.join(pathlib.Path(file).name for file in files)}", f"# commit: {commit}", f"# licence: {LICENCES[name]}"]
    lines.append("password salt n r p key")
    for password, salt, n, r, p, key in cases:
        lines.append(f"{password.hex() or '-'} {salt.hex() or '-'} {n} {r} {p} {key or '-'}")
    print(*lines, sep="\n")


main()
