#!/usr/bin/env python3
"""Writes the test vectors of ML-KEM and ML-DSA from checkouts of C2SP/wycheproof and C2SP/CCTV: `corpora/fips.py WYCHEPROOF CCTV`.

What the schemes compute is in the files by the first 16 bytes of its SHA3-256. An input that they do not compute is there as
bytes, or as `=`, the input of the line before; then come changes, `offset:bytes` each, and one without bytes ends it there.
Inputs that are like no other take most of the space: of each kind of them there is a sample, one of SAMPLE in the files' order.
"""

import collections
import gzip
import hashlib
import itertools
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = {"Public key not reduced": 50, "key length": 10, "length": 10, "ciphertext": 10, "modulus": 20, "violate": 30, "signature": 6}
taken = collections.Counter()


def show(checkout, path):
    return subprocess.check_output(["git", "-C", checkout, "show", f"HEAD:{path}"])


def digest(hexadecimal):
    return hashlib.sha3_256(bytes.fromhex(hexadecimal)).hexdigest()[:32] if hexadecimal else "-"


def is_sampled(kind, which):
    """Returns whether a case is in the file."""
    taken[kind, which] += 1
    return taken[kind, which] % SAMPLE[kind] == 1


def changes(before, after):
    """Returns what makes an input of another one."""
    a, b = bytes.fromhex(before), bytes.fromhex(after)
    differ = [i for i, (x, y) in enumerate(zip(a, b)) if x != y]
    found, common = [], min(len(a), len(b))
    for _, run in itertools.groupby(enumerate(differ), lambda pair: pair[1] - pair[0]):
        run = [place for _, place in run]
        found.append(f"{run[0]}:{b[run[0]:run[-1] + 1].hex()}")
    if len(a) != len(b):
        found.append(f"{common}:{b[common:].hex()}")
    return ",".join(found)


def shortest(after, before):
    """Returns an input and its changes, from the inputs `before` by name if that is shorter."""
    forms = [(after, "-"), *((name, changes(value, after) or "-") for name, value in before.items() if value)]
    return min(forms, key=lambda form: sum(map(len, form)))


def write(name, checkout, columns, lines):
    commit = subprocess.check_output(["git", "-C", checkout, "rev-parse", "HEAD"], text=True).strip()
    source, licence = ("Wycheproof", "Apache-2.0") if "wycheproof" in name else ("CCTV", "CC0-1.0")
    head = [f"# {source}, github.com/C2SP/{source.lower() if source == 'Wycheproof' else source}, by corpora/fips.py. Licence: {licence}.",
            f"# commit: {commit}", " ".join(columns)]
    lines = [" ".join(str(line.get(column) or "-") for column in columns) for line in lines]
    (HERE / f"{name}.txt").write_text("\n".join(head + lines) + "\n", encoding="utf-8")


KEM = ["cases", "function", "set", "seed", "m", "input", "change", "ek", "dk", "c", "k"]


def wycheproof_kem(checkout):
    for size in (512, 768, 1024):
        def tests(name):
            groups = json.loads(show(checkout, f"testvectors_v1/mlkem_{size}{name}_test.json"))["testGroups"]
            return [test for group in groups for test in group["tests"]]

        # One line for the cases that say what follows from a seed and a message.
        decryptions = {test["c"]: test for test in tests("") if test["result"] == "valid"}
        seeds = {}
        for test in tests("_keygen_seed"):
            seeds[test["seed"]] = {"cases": 1, "function": "all", "set": size, "seed": test["seed"], "dk": digest(test["dk"])}
        encapsulations = []
        for test in tests("_encaps"):
            found = decryptions.get(test["c"])
            if found is None or found["ek"] != test["ek"] or found["K"] != test["K"]:
                encapsulations.append(test)
                continue
            del decryptions[test["c"]]
            line = seeds.setdefault(found["seed"], {"cases": 0, "function": "all", "set": size, "seed": found["seed"], "ek": digest(test["ek"])})
            line.update(cases=line["cases"] + 2, m=test["m"], c=digest(test["c"]), k=test["K"])
        yield from seeds.values()
        before = ""
        for test in encapsulations:
            comment = test.get("comment", "")
            kind = "key length" if "short" in comment or "long" in comment else comment
            if kind in SAMPLE and not is_sampled(kind, (size, comment)):
                continue
            given, change = shortest(test["ek"], {"=": before})
            yield {"cases": 1, "function": "encaps", "set": size, "m": test["m"], "input": given, "change": change, "c": digest(test["c"]), "k": test["K"]}
            before = test["ek"]
        for test in tests(""):
            comment = test.get("comment", "")
            if test["result"] == "valid" and test["c"] not in decryptions:
                continue
            kind = "length" if "short" in comment or "long" in comment else "ciphertext"
            if comment and not is_sampled(kind, (size, comment)):
                continue
            given, change = shortest(test["c"], {"=": before})
            yield {"cases": 1, "function": "decaps", "set": size, "seed": test["seed"], "input": given, "change": change, "k": test["K"]}
            before = test["c"]
        ciphertext_before = ""
        for test in tests("_semi_expanded_decaps"):
            given, change = shortest(test["dk"], {"=": before})
            ciphertext = "=" if test["c"] == ciphertext_before else test["c"]
            yield {"cases": 1, "function": "expanded", "set": size, "input": given, "change": change, "c": ciphertext, "k": test.get("K")}
            before, ciphertext_before = test["dk"], test["c"]


def cctv_kem(checkout):
    for size in (512, 768, 1024):
        def values(folder):
            lines = show(checkout, f"ML-KEM/{folder}/ML-KEM-{size}.txt").decode().splitlines()
            return dict(line.split(" = ") for line in lines)

        # Its keys are the draft's, which hashed d without k.
        case = values("unluckysample")
        yield {"cases": 1, "function": "encaps", "set": size, "m": case["m"], "input": case["ek"], "c": digest(case["c"]), "k": case["K"]}
        before = ""
        for ek in gzip.decompress(show(checkout, f"ML-KEM/modulus/ML-KEM-{size}.txt.gz")).decode().split():
            if is_sampled("modulus", size):
                given, change = shortest(ek, {"=": before})
                yield {"cases": 1, "function": "encaps", "set": size, "input": given, "change": change}
                before = ek


def cctv_kem_intermediate(checkout):
    for size in (512, 768, 1024):
        lines = show(checkout, f"ML-KEM/intermediate/ML-KEM-{size}.txt").decode().replace("dkPKE = NTT(s)", "NTT(s)").splitlines()
        # The second `r` is the polynomials.
        values = dict(line.split(" = ") for line in lines if "{" not in line)
        for name in ("ρ", "σ", "z", "m"):
            yield {"set": size, "name": name, "value": values[name]}
        for name in ("A", "s", "NTT(s)", "e", "NTT(e)", "t", "ek", "dk", "K", "μ", "A^T", "r", "NTT(r)", "e1", "e2", "u", "c", "uᵈ", "NTT(uᵈ)", "vᵈ", "w"):
            yield {"set": size, "name": name, "value": digest(values[name])}


DSA = ["cases", "function", "set", "key", "message", "mu", "context", "random", "input", "change", "public", "secret", "signature"]


def wycheproof_dsa(checkout):
    for size in (44, 65, 87):
        def tests(name):
            for group in json.loads(show(checkout, f"testvectors_v1/mldsa_{size}_{name}_test.json"))["testGroups"]:
                for test in group["tests"]:
                    # μ follows from the message.
                    mu = None if "msg" in test else test.get("mu")
                    yield {**group, **test, "what": (group["publicKey"], test.get("msg"), mu, test.get("ctx"), test.get("rnd"))}

        def line(test, function, key, **more):
            _, message, mu, context, random = test["what"]
            return {"cases": 1, "function": function, "set": size, "key": key, "message": message, "mu": mu, "context": context, "random": random, **more}

        signed, seeds = {}, {}
        for test in tests("sign_seed"):
            public, seed = test["publicKey"], test["privateSeed"]
            one = line(test, "all", seed, public=digest(public), signature=digest(test["sig"]))
            if test["result"] == "valid":
                seeds[public] = seed
                one = signed.setdefault(test["what"], {**one, "cases": 0, "sig": test["sig"]})
                assert one["sig"] == test["sig"]
                one["cases"] += 1
            else:
                yield {**one, "function": "refused"}
        others = []
        for test in tests("sign_noseed"):
            one = signed.get(test["what"])
            if test["result"] == "valid" and one and one["sig"] == test["sig"]:
                one["cases"] += 1
                one["secret"] = digest(test["privateKey"])
            else:
                others.append(test)
        verified = []
        for test in tests("verify"):
            one = signed.get(test["what"])
            if test["result"] == "valid" and one and one["sig"] == test["sig"]:
                one["cases"] += 1
            else:
                verified.append(test)
        yield from signed.values()
        before = ""
        for test in others:
            given, change = shortest(test["privateKey"], {"=": before})
            signature = digest(test["sig"]) if test["result"] == "valid" else None
            yield line(test, "secret", "-", input=given, change=change, signature=signature)
            before = test["privateKey"]
        before, public = "", ""
        for test in verified:
            own = signed.get(test["what"], {}).get("sig")
            given, change = shortest(test["sig"], {"=": before, "sign": own})
            if len(given + change) > 1000 and not is_sampled("violate" if "violate" in test["comment"] else "signature", ""):
                continue
            key = seeds.get(test["publicKey"]) or ("=" if test["publicKey"] == public else test["publicKey"])
            yield line(test, "verify", key, input=given, change=change, signature=test["result"])
            before, public = test["sig"], test["publicKey"]


def cctv_dsa(checkout):
    size = None
    for line in show(checkout, "ML-DSA/accumulated/README.md").decode().splitlines():
        if line.startswith("### ML-DSA-"):
            size = line[-2:]
        elif line.startswith("- ") and "iterations: `" in line:
            count, value = line[2:].replace(" ", "").split("iterations:")
            if int(count) <= 10000:
                yield {"set": size, "iterations": count, "digest": value.strip("`")}


wycheproof, cctv = sys.argv[1:]
write("wycheproof-ml-kem", wycheproof, KEM, wycheproof_kem(wycheproof))
write("cctv-ml-kem", cctv, KEM, cctv_kem(cctv))
write("cctv-ml-kem-intermediate", cctv, ["set", "name", "value"], cctv_kem_intermediate(cctv))
write("wycheproof-ml-dsa", wycheproof, DSA, wycheproof_dsa(wycheproof))
write("cctv-ml-dsa-accumulated", cctv, ["set", "iterations", "digest"], cctv_dsa(cctv))
