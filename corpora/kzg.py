#!/usr/bin/env python3
"""Writes the reference tests of EIP-4844 and EIP-7594 in the compact form that compact.rs of kzg's tests expands.

    corpora/kzg.py ../shared/vectors/kzg > corpora/kzg.txt    or the tests of a clone > ../shared/corpora/kzg.txt

Lists are separated by `;`, their items by `,`. An item is hexadecimal or has a name: `blob:NAME`, `cell:NAME:INDEX` or
`index:NUMBER`, and then perhaps `~` (without its last byte), `+HEX` (with a byte more) or `@I=HEX` (with another element I). `3*ITEM`
and `cell:NAME:0..63` are several items. The hash is of all bytes of the official case. It needs PyYAML.
"""

import functools
import hashlib
import pathlib
import sys

import yaml

HEAD = """\
# The KZG reference tests of ethereum/consensus-specs (CC0), as carried in ethereum/c-kzg-4844 (Apache-2.0), written by kzg.py.
# commit: b7e4098813e02c866d8def4e88524be8a6bedc7f
function name sha256 inputs output"""
MODULUS = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
BLOBS = {
    "zeros": lambda i: 0,
    "twos": lambda i: 2,
    "largest": lambda i: MODULUS - 1,
    "bits-of-1": lambda i: 2**256 - 1,
    "powers-of-2": lambda i: pow(2, i + 256, MODULUS),
    "powers-of-3": lambda i: pow(3, i + 256, MODULUS),
    "powers-of-5": lambda i: pow(5, i + 256, MODULUS),
    "one-at-3211": lambda i: int(i == 3211),
    "modulus-at-2111": lambda i: MODULUS if i == 2111 else 0,
}


def transform(values, root):
    """Returns the values at the powers of a root of unity of the polynomial with these coefficients."""
    if len(values) == 1:
        return values
    even, odd = (transform(values[k::2], root * root % MODULUS) for k in (0, 1))
    factors = [1]
    for _ in odd[1:]:
        factors.append(factors[-1] * root % MODULUS)
    odd = [factor * value for factor, value in zip(factors, odd)]
    return [(a + b) % MODULUS for a, b in zip(even, odd)] + [(a - b) % MODULUS for a, b in zip(even, odd)]


def extended(elements):
    """Returns the elements of all cells of a blob, or the blob if an element is not canonical."""
    if max(elements) >= MODULUS:
        return elements
    root = pow(7, (MODULUS - 1) >> 13, MODULUS)
    order = [int(f"{i:013b}"[::-1], 2) for i in range(8192)]
    values = [elements[order[2 * i]] for i in range(4096)]
    coefficients = transform(values, pow(root, -2, MODULUS))
    values = transform([c * pow(4096, -1, MODULUS) for c in coefficients] + [0] * 4096, root)
    return [values[i] for i in order]


@functools.cache
def names():
    """Returns the names of blobs and cells by their bytes."""
    found = {}
    for name, element in BLOBS.items():
        elements = extended([element(i) for i in range(4096)])
        everything = b"".join(element.to_bytes(32, "big") for element in elements)
        found[everything[:131072]] = f"blob:{name}"
        for i in range(len(elements) // 64):
            found.setdefault(everything[2048 * i :][:2048], f"cell:{name}:{i}")
    return found


def items(value):
    """Returns the items of an input or an output, as bytes."""
    match value:
        case None | bool():
            return [{None: b"null", True: b"true", False: b"false"}[value]]
        case int():
            return [value.to_bytes(8, "big")]
        case str():
            return [bytes.fromhex(value.removeprefix("0x"))]
    return [item for each in value for item in items(each)]


def short(item):
    """Returns an item as a word."""
    if item in (b"null", b"true", b"false"):
        return item.decode()
    if len(item) == 8:
        return f"index:{int.from_bytes(item, 'big')}"
    if item in names() or len(item) < 2000:
        return names().get(item, item.hex())
    for known, name in names().items():
        if item[:-1] == known:
            return f"{name}+{item[-1:].hex()}"
        if item == known[:-1]:
            return f"{name}~"
        if len(item) == len(known):
            differ = [i for i in range(0, len(known), 32) if known[i : i + 32] != item[i : i + 32]]
            if len(differ) == 1:
                return f"{name}@{differ[0] // 32}={item[differ[0] :][:32].hex()}"
    return item.hex()


def runs(words):
    """Returns the words as one, with equal words and successive numbers joined."""
    out = []
    for word in words:
        name, _, number = word.rpartition(":")
        if out and out[-1][0] == word and out[-1][1] == out[-1][2]:
            out[-1][3] += 1
        elif out and name and number.isdecimal() and out[-1][3] == 1 and f"{name}:{int(number) - 1}" == out[-1][2]:
            out[-1][2] = word
        else:
            out.append([word, word, word, 1])
    texts = [f"{first}..{last.rpartition(':')[2]}" if first != last else f"{count}*{first}" if count > 1 else first for _, first, last, count in out]
    return ",".join(texts)


def main():
    print(HEAD)
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*/kzg-mainnet/*/data.yaml")):
        function, case = file.parts[-4], file.parts[-2]
        # A function of C only.
        if function == "compute_verify_cell_kzg_proof_batch_challenge":
            continue
        data = yaml.load(file.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        *inputs, output = [items(value) for value in [*data["input"].values(), data["output"]]]
        parts = [part for each in [*inputs, output] for part in [b"".join(each), *(len(item).to_bytes(4, "big") for item in each), b"end"]]
        print(function, case, hashlib.sha256(b"".join(parts)).hexdigest(), ";".join(runs(map(short, each)) for each in inputs), runs(map(short, output)))


if __name__ == "__main__":
    main()
