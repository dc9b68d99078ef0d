#!/usr/bin/env python3
"""The official vectors, for the C program vectors.c and for binding.py.

    vectors.py VECTORS CASES EXPECTED

writes a line for each case into CASES, with what vectors.c is to call, and into EXPECTED what it is to print.
"""

import pathlib
import re
import sys

# The inputs of each function, in the order of the C function, with the size of one item in bytes; * is a list.
INPUTS = {
    "blob_to_kzg_commitment": [("blob", 131072)],
    "compute_kzg_proof": [("blob", 131072), ("z", 32)],
    "compute_blob_kzg_proof": [("blob", 131072), ("commitment", 48)],
    "verify_kzg_proof": [("commitment", 48), ("z", 32), ("y", 32), ("proof", 48)],
    "verify_blob_kzg_proof": [("blob", 131072), ("commitment", 48), ("proof", 48)],
    "verify_blob_kzg_proof_batch": [("*blobs", 131072), ("*commitments", 48), ("*proofs", 48)],
    "compute_challenge": [("blob", 131072), ("commitment", 48)],
    "compute_cells": [("blob", 131072)],
    "compute_cells_and_kzg_proofs": [("blob", 131072)],
    "recover_cells_and_kzg_proofs": [("*cell_indices", 8), ("*cells", 2048)],
    "verify_cell_kzg_proof_batch": [("*commitments", 48), ("*cell_indices", 8), ("*cells", 2048), ("*proofs", 48)],
    "compute_verify_cell_kzg_proof_batch_challenge": [
        ("*commitments", 48), ("*commitment_indices", 8), ("*cell_indices", 8), ("*cosets_evals", 2048), ("*proofs", 48)
    ],
}

TOKEN = re.compile(r"'([^']*)'|(\[)|(\])|,|([^\s,\[\]']+)")


def scalar(text):
    """Parses null, true, false, a number, or bytes."""
    words = {"null": None, "true": True, "false": False}
    if text in words:
        return words[text]
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    if text.startswith("0x"):
        # Some cases have an odd number of digits: not bytes.
        return bytes.fromhex(text[2:]) if len(text) % 2 == 0 else text
    raise ValueError(f"what is {text[:40]}?")


def flow(text):
    """Parses a scalar, or a list in brackets."""
    stack = [[]]
    for match in TOKEN.finditer(text):
        if match[2]:
            stack.append([])
        elif match[3]:
            done = stack.pop()
            stack[-1].append(done)
        elif match[1] is not None:
            stack[-1].append(scalar(match[1]))
        elif match[4]:
            stack[-1].append(scalar(match[4]))
    [[value]] = stack
    return value


def block(lines):
    """Parses lines, each with its indentation, as one value."""
    first = lines[0][1]
    if first.startswith("- "):
        items = []
        for indent, text in lines:
            if indent == lines[0][0] and text.startswith("- "):
                items.append([(indent + 2, text[2:])])
            else:
                items[-1].append((indent, text))
        return [block(item) for item in items]
    return flow(" ".join(text for _, text in lines))


def mapping(lines):
    """Parses keys and their values; a list may have the same indentation as its key."""
    found = {}
    indent = lines[0][0]
    key = None
    for at, text in lines:
        match = re.fullmatch(r"([a-z_]+):(?: (.*))?", text)
        if at == indent and match:
            key = match[1]
            found[key] = [(at + 2, match[2])] if match[2] else []
        else:
            found[key].append((at, text))
    return found


def read(path):
    """Returns the input, by name, and the output of a case."""
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in path.read_text().splitlines() if line.strip()]
    case = mapping(lines)
    inputs = {key: block(value) for key, value in mapping(case["input"]).items()}
    return inputs, block(case["output"])


def cases(folder):
    """Yields function, name, input and output of each case, in order."""
    found = 0
    for function in INPUTS:
        for path in sorted(pathlib.Path(folder, function).glob("*/*/data.yaml")):
            yield function, path.parent.name, *read(path)
            found += 1
    if not found:
        raise SystemExit(f"{folder}: no vectors there")


def token(value, size):
    """Returns an input as one word, or None where C cannot express it: a C function takes arrays of known lengths."""
    items = value if isinstance(value, list) else [value]
    items = [item.to_bytes(8, "big") if isinstance(item, int) else item for item in items]
    # The values of a coset are the bytes of a cell.
    items = [b"".join(item) if isinstance(item, list) else item for item in items]
    if any(not isinstance(item, bytes) or len(item) != size for item in items):
        return None
    return b"".join(items).hex() or "-"


def text(output):
    """Returns an output as one word."""
    if output is None or isinstance(output, bool):
        return {None: "null", True: "true", False: "false"}[output]
    if isinstance(output, list):
        return "".join(text(item) for item in output)
    return output.hex()


def main():
    folder, calls, expected = sys.argv[1:]
    left_out = 0
    with open(calls, "w") as calls, open(expected, "w") as expected:
        for function, name, inputs, output in cases(folder):
            words, counts = [], set()
            for key, size in INPUTS[function]:
                value = inputs[key.lstrip("*")]
                if key.startswith("*") and not (function.endswith("_challenge") and key == "*commitments"):
                    counts.add(len(value))
                words.append(token(value, size))
            if None in words or len(counts) > 1:
                assert output is None, f"{function}/{name}"
                left_out += 1
                continue
            print(function, name, *words, file=calls)
            print(function, name, text(output), file=expected)
    print(f"vectors: {left_out} cases left out, whose lengths a C program cannot say", file=sys.stderr)


if __name__ == "__main__":
    main()
