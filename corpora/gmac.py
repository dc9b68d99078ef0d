#!/usr/bin/env python3
"""Prints `corpora/gmac-cavp.txt` or `gmac-acvp.txt`: NIST's cases of GCM without plaintext, each with whether its tag is the message's.

gmac.py cavp VERSION FOLDER   `cryptography_vectors/ciphers/AES/GCM` of that version of the package cryptography-vectors
gmac.py acvp COMMIT FOLDER    `gen-val/json-files/ACVP-AES-GMAC-1.0` of usnistgov/ACVP-Server
"""

import json
import pathlib
import re
import sys

SOURCES = {
    "cavp": "NIST's CAVP, gcm*.rsp with PTlen = 0: all cases with nonces of 1 and 12 bytes, every fifth with 128 bytes",
    "acvp": "NIST's ACVP-Server, gen-val/json-files/ACVP-AES-GMAC-1.0/internalProjection.json",
}


def cavp(folder):
    """With all nonces of 128 bytes, the file would have twice the size."""
    for file in sorted(folder.glob("gcm*.rsp")):
        case = {}
        for block in re.split(r"\r?\n\r?\n", file.read_text(encoding="ascii")):
            case |= dict(re.findall(r"(\w+) = ?(\w*)", block))
            if "Count" in block and case["PTlen"] == "0" and (case["IVlen"] != "1024" or int(case["Count"]) % 5 == 0):
                yield case["Key"], case["IV"], case["AAD"], case["Tag"], "FAIL" not in block


def acvp(folder):
    for group in json.loads((folder / "internalProjection.json").read_text(encoding="utf-8"))["testGroups"]:
        for case in group["tests"]:
            yield *(case[name].lower() for name in ("key", "iv", "aad", "tag")), case["testPassed"]


def main():
    name, commit, folder = sys.argv[1:]
    lines = [f"# {SOURCES[name]}", f"# commit: {commit}", "# licence: public domain", "key nonce message tag valid"]
    for *values, valid in globals()[name](pathlib.Path(folder)):
        lines.append(" ".join([*(value or "-" for value in values), str(int(valid))]))
    print(*lines, sep="\n")


main()
