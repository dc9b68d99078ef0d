#!/usr/bin/env python3
"""Writes a corpus for BLS12-381 from a clone, bare or not, of the project that has it.

    corpora/bls12_381.py bls-hash|bls-verify|column CLONE > ../shared/corpora/NAME.txt

bls-hash and bls-verify are in C2SP/wycheproof; column is in Consensys/teku: a valid column of a devnet that a released library
refused.
"""

import json
import subprocess
import sys

FILES = {
    "bls-hash": ["testvectors_v1/bls_hash_to_g2_test.json"],
    "bls-verify": [f"testvectors_v1/bls_sig_g2_{kind}_test.json" for kind in ("basic_verify", "pop_verify", "aggregate_verify")],
    "column": ["infrastructure/kzg/src/test/resources/tech/pegasys/teku/kzg/good-sidecar.json"],
}
# A list is separated by commas; its values and other bytes are hexadecimal.
COLUMNS = {"bls-hash": "dst message point", "bls-verify": "dst keys messages signature result", "column": "commitment index cell proof"}


def cases(name, file):
    """Yields the values of each case, in the order of COLUMNS."""
    if name == "column":
        for commitment, cell, proof in zip(file["commitments"], file["cells"], file["proofs"], strict=True):
            yield commitment[2:], cell["column_id"], cell["cell"][2:], proof[2:]
        return
    for group in file["testGroups"]:
        for test in group["tests"]:
            if name == "bls-hash":
                assert test["result"] == "valid"
                yield group["dst"], test["msg"], test["expected"]
            else:
                keys, messages = test.get("pubkeys"), test.get("messages")
                if keys is None:
                    keys, messages = [group["publicKey"]["pk"]], [test["msg"]]
                yield group["ciphersuite"], ",".join(keys), ",".join(messages), test["sig"], test["result"]


def main():
    name, clone = sys.argv[1:]
    git = ["git", "-C", clone]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    print(f"# {', '.join(FILES[name])} (Apache-2.0), written by bls12_381.py.\n# commit: {commit}\n{COLUMNS[name]}")
    for path in FILES[name]:
        text = subprocess.run([*git, "show", f"HEAD:{path}"], check=True, capture_output=True, text=True).stdout
        for case in cases(name, json.loads(text)):
            print(*(str(value) or "-" for value in case))


main()
