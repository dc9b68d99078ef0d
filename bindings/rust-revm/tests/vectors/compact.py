#!/usr/bin/env python3
"""Writes the vectors of EIP-2537 in the compact form that `same_as_default.rs` reads.

    python3 bindings/rust-revm/tests/vectors/compact.py EIPs/assets/eip-2537 > bindings/rust-revm/tests/vectors/compact.txt

The vectors are the EIP's, which waives all rights (CC0). Their files are also in constantine, in
tests/protocol_ethereum_evm_precompiles/eip-2537. Those of the table of discounts, which are megabytes of zeros, are left out.
"""

import json
import pathlib
import sys

# Bytes of the parts of an input.
PARTS = {
    "add_G1": [64] * 4,
    "add_G2": [64] * 8,
    "mul_G1": [64, 64, 32],
    "mul_G2": [64] * 4 + [32],
    "msm_G1": [64, 64, 32],
    "msm_G2": [64] * 4 + [32],
    "pairing_check": [64] * 6,
    "map_fp_to_G1": [64],
    "map_fp2_to_G2": [64],
}
HEAD = """\
# The vectors of EIP-2537 (CC0), written by compact.py. A line `= HEX` is a field element, numbered from 0. A line
# `OPERATION : NAME : INPUT : OUTPUT` is a vector, whose bytes are words: `N` is element N after 16 bytes of 0, `z` is 64
# bytes of 0, `sHEX` is a number of 32 bytes, `xHEX` are other bytes. The output of an input that is refused is `fails`."""


def main():
    elements, lines = {}, []

    def words(parts, digits):
        out, at = [], 0
        while at < len(digits):
            part = digits[at : at + 2 * parts[len(out) % len(parts)]]
            at += len(part)
            if part == 128 * "0":
                out.append("z")
            elif len(part) == 128 and part.startswith(32 * "0"):
                out.append(str(elements.setdefault(part[32:], len(elements))))
            elif len(part) == 64 and parts[len(out) % len(parts)] == 32:
                out.append(f"s{int(part, 16):x}")
            else:
                out.append("x" + part)
        return " ".join(out)

    folder = pathlib.Path(sys.argv[1])
    for operation, parts in PARTS.items():
        for prefix in ("", "fail-"):
            # Older copies have the older name of sums.
            names = [operation, operation.replace("msm", "multiexp")]
            file = next(filter(pathlib.Path.is_file, (folder / f"{prefix}{name}_bls.json" for name in names)))
            for case in json.loads(file.read_text()):
                if "discount_table" in case["Name"]:
                    continue
                output = "fails" if prefix else words([64], case["Expected"])
                lines.append(f"{operation} : {case['Name']} : {words(parts, case['Input'])} : {output}")
    print(HEAD)
    for element in elements:
        print("=", element)
    print("\n".join(lines))


main()
