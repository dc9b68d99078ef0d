#!/usr/bin/env python3
"""A candidate for the lab that counts: `parcrypt candidate` under Valgrind, instructions instead of time.

Usage: instructions.py PROGRAM ARGUMENT..., as in `instructions.py parcrypt candidate --runtime serial`

Callgrind counts the instructions between the beginning and the end of each iteration, on the thread that does the work.
The count says nothing of time, but it is the same in every run, so that it shows whether two builds or processes execute
the same. Valgrind knows no AVX-512 and no instructions for SHA: kernels choose what they would on an older processor.
"""

import json
import re
import shutil
import subprocess
import sys

# Version of the protocol.
PROTOCOL = 2

VALGRIND = [
    "valgrind",
    "--tool=callgrind",
    "--callgrind-out-file=/dev/null",
    # The command measures one function, whatever the kernel.
    "--toggle-collect=*Prepared>::iterate*",
]


class Unsupported(Exception):
    """The reason why nothing can be counted here, in a sentence."""


def count(program: list[str], prepare: dict, iterations: int) -> tuple[dict, str, int]:
    """Runs the program under Valgrind; returns what it reported as ready, its digest, and the instructions of all iterations."""
    requests = [{"prepare": prepare}, {"sample": {"iterations": iterations}}, {"digest": {}}, {"quit": {}}]
    lines = "".join(json.dumps({"id": i, **request}) + "\n" for i, request in enumerate(requests, 1))
    done = subprocess.run([*VALGRIND, *program], input=lines, capture_output=True, text=True, check=False)
    responses = [json.loads(line) for line in done.stdout.splitlines()]
    if responses and "unsupported" in responses[0]:
        raise Unsupported(responses[0]["unsupported"])
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or [response.get("id") for response in responses] != [1, 2, 3] or counted is None:
        raise SystemExit(f"{program[0]} ended with {done.returncode} under Valgrind: {done.stderr[-2000:]}")
    return responses[0]["ready"], responses[2]["digest"], int(counted[1])


def main() -> None:
    program, prepare, digest, instructions = sys.argv[1:], {}, "", 0
    if not program:
        raise SystemExit(__doc__)
    for line in sys.stdin:
        request = json.loads(line)
        match next(key for key in request if key != "id"):
            case "prepare":
                prepare = request["prepare"]
                if prepare.get("protocol") != PROTOCOL:
                    raise SystemExit(f"error: this program speaks protocol {PROTOCOL}, and `prepare` is of another")
                try:
                    if shutil.which("valgrind") is None or shutil.which(program[0]) is None:
                        missing = "valgrind" if shutil.which("valgrind") is None else program[0]
                        raise Unsupported(f"`{missing}` not found")
                    # It has the count of one iteration, and the lab asks for one.
                    ready, digest, instructions = count(program, prepare, 1)
                    ready.pop("phases", None)
                    response = {"ready": ready}
                except Unsupported as why:
                    response = {"unsupported": str(why)}
            case "sample":
                if request["sample"]["iterations"] > 1:
                    _, digest, instructions = count(program, prepare, request["sample"]["iterations"])
                response = {"counts": {"instructions": instructions}}
            case "digest":
                response = {"digest": digest}
            case _:
                return
        print(json.dumps({"id": request["id"], **response}), flush=True)


if __name__ == "__main__":
    main()
