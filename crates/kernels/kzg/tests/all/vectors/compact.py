#!/usr/bin/env python3
"""Writes the compact form of the official vectors, which compact.rs expands.

    python3 crates/kernels/kzg/tests/all/vectors/compact.py ../shared/vectors/kzg > crates/kernels/kzg/tests/all/vectors/compact.txt

Blobs have names, and cells, proofs and commitments are those of these blobs; what has no name is written out. A line
`== FUNCTION CASE SHA256` begins each case, with the hash of all values of the official one. It needs PyYAML.
"""

import hashlib
import pathlib
import sys

import yaml

MODULUS = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001


def blob(element):
    return "0x" + b"".join(element(i).to_bytes(32, "big") for i in range(4096)).hex()


BLOBS = {
    "zeros": blob(lambda i: 0),
    "twos": blob(lambda i: 2),
    "largest": blob(lambda i: MODULUS - 1),
    "bits-of-1": blob(lambda i: 2**256 - 1),
    "powers-of-2": blob(lambda i: pow(2, i + 256, MODULUS)),
    "powers-of-3": blob(lambda i: pow(3, i + 256, MODULUS)),
    "powers-of-5": blob(lambda i: pow(5, i + 256, MODULUS)),
    "one-at-3211": blob(lambda i: int(i == 3211)),
    "modulus-at-2111": blob(lambda i: MODULUS if i == 2111 else 0),
}


def canonical(value):
    """Returns the bytes that are hashed."""
    match value:
        case None:
            return b"n"
        case bool():
            return f"t{str(value).lower()}\0".encode()
        case list():
            return b"[" + b"".join(map(canonical, value)) + b"]"
        case dict():
            return b"{" + b"".join(f"{key}\0".encode() + canonical(each) for key, each in value.items()) + b"}"
        case _:
            return f"t{value}\0".encode()


def learn(names, function, data):
    """Adds names for the points and cells of a case."""
    given, output = data["input"], data["output"]
    of = names.get(given.get("blob", ""), "").removeprefix("blob ")
    if function == "verify_cell_kzg_proof_batch" and output is True:
        lists = [given[key] for key in ("commitments", "cell_indices", "cells", "proofs")]
        for point in sorted(set(lists[0])):
            claims = [claim[1:] for claim in zip(*lists) if claim[0] == point]
            known = [(i, cell) for i, cell, _ in claims if i < 64]
            fits = [of for of, blob in BLOBS.items() if all(blob[2 + 4096 * i :][:4096] == cell[2:] for i, cell in known)]
            if len(fits) == 1:
                name(names, point, f"commitment {fits[0]}")
                for i, cell, proof in claims:
                    name(names, cell, f"cell {fits[0]} {i}")
                    name(names, proof, f"proof {fits[0]} {i}")
    elif of and output is not None and function == "blob_to_kzg_commitment":
        name(names, output, f"commitment {of}")
    elif of and output is not None and function.startswith("compute_cells"):
        cells, proofs = (output, []) if function == "compute_cells" else output
        for kind, these in (("cell", cells), ("proof", proofs)):
            for i, each in enumerate(these):
                name(names, each, f"{kind} {of} {i}")


def name(names, bytes, text):
    # The point at infinity is one of many.
    if not bytes.startswith("0xc00000"):
        names.setdefault(bytes, text)


def short(names, value):
    """Returns the value with names in place of bytes."""
    match value:
        case list() if len(value) == 64 and all(type(each) is str and len(each) == 66 for each in value):
            cell = "0x" + "".join(each[2:] for each in value)
            return f"elements of {names[cell]}" if cell in names else value
        case list():
            return runs([short(names, each) for each in value])
        case dict():
            return {key: short(names, each) for key, each in value.items()}
        case str() if len(value) > 66:
            if value in names:
                return names[value]
            # A byte more or less, or another element.
            for known, text in names.items():
                if value.startswith(known) and len(value) == len(known) + 2:
                    return f"{text} and {value[len(known):]}"
                if known.startswith(value) and len(value) == len(known) - 2:
                    return f"{text} less 1"
                if len(value) == len(known) and len(known) >= 4098:
                    differ = [i for i in range(2, len(known), 64) if known[i : i + 64] != value[i : i + 64]]
                    if len(differ) == 1:
                        at = differ[0]
                        return f"{text} with {at // 64} {value[at : at + 64]}"
            return value
        case _:
            return value


def runs(values):
    """Returns the list with equal texts, and cells or proofs of successive indices, in one."""
    out = []
    for value in values:
        if out and isinstance(value, str):
            last, first, count = out[-1]
            parts = value.rsplit(" ", 1)
            if last == value and (count == 1 or first == value):
                out[-1] = (last, value, count + 1)
                continue
            follows = isinstance(last, str) and last.rsplit(" ", 1)[0] == parts[0] and parts[0].count(" ") == 1
            if follows and (count == 1 or first != last) and last.split()[-1].isdecimal():
                if parts[1].isdecimal() and int(parts[1]) == int(last.split()[-1]) + 1:
                    out[-1] = (value, first, count + 1)
                    continue
        out.append((value, value, 1))
    texts = []
    for last, first, count in out:
        if count == 1:
            texts.append(last)
        elif first == last:
            texts.append(f"{count} times {first}")
        else:
            texts.append(f"{first} to {last.rsplit(' ', 1)[1]}")
    return texts


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


def main():
    cases = {}
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*/kzg-mainnet/*/data.yaml")):
        data = yaml.load(file.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        assert list(data) == ["input", "output"]
        cases[file.parts[-4], file.parts[-2]] = data
    names = {bytes: f"blob {of}" for of, bytes in BLOBS.items()}
    for of, bytes in BLOBS.items():
        for i in range(64):
            names.setdefault("0x" + bytes[2 + 4096 * i :][:4096], f"cell {of} {i}")
    for (function, _), data in cases.items():
        learn(names, function, data)
    for (function, case), data in cases.items():
        print("==", function, case, hashlib.sha256(canonical(data)).hexdigest())
        print(yaml.dump(short(names, data), Dumper=Dumper, sort_keys=False, width=10**9), end="")


main()
