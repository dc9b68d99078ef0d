#!/usr/bin/env python3
"""A candidate for the lab that counts: `parcrypt candidate` under Valgrind, instructions in place of time.

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

VALGRIND = [
    "valgrind",
    "--tool=callgrind",
    "--callgrind-out-file=/dev/null",
    # What the command measures is one function, whatever the kernel.
    "--toggle-collect=*Prepared>::iterate*",
]


class Wrong(Exception):
    """What cannot be counted, in a sentence."""


def conversation(program: list[str], prepare: dict, iterations: int) -> tuple[dict, str, int]:
    """Lets the program do its work under Valgrind: what it said when ready, its digest, and its count."""
    requests = [prepare, {"sample": {"iterations": iterations}}, {"digest": {}}, {"quit": {}}]
    said = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([*VALGRIND, *program], input=said, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if answers and "unsupported" in answers[0]:
        raise Wrong(answers[0]["unsupported"])
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or len(answers) != 3 or counted is None:
        raise SystemExit(f"{program[0]} ended with {done.returncode} under Valgrind: {done.stderr[-2000:]}")
    return answers[0]["ready"], answers[2]["digest"], int(counted[1])


def main() -> None:
    program, prepare, digest, count = sys.argv[1:], {}, "", 0
    if not program:
        raise SystemExit(__doc__)
    for line in sys.stdin:
        request = json.loads(line)
        match next(iter(request)):
            case "prepare":
                prepare = request
                try:
                    if shutil.which("valgrind") is None or shutil.which(program[0]) is None:
                        missing = "valgrind" if shutil.which("valgrind") is None else program[0]
                        raise Wrong(f"`{missing}` is not there")
                    # The count of one iteration comes with it, and one is what the lab asks for.
                    ready, digest, count = conversation(program, prepare, 1)
                    ready.pop("phases", None)
                    answer = {"ready": ready}
                except Wrong as why:
                    answer = {"unsupported": str(why)}
            case "sample":
                if request["sample"]["iterations"] > 1:
                    _, digest, count = conversation(program, prepare, request["sample"]["iterations"])
                answer = {"counts": {"instructions": count}}
            case "digest":
                answer = {"digest": digest}
            case _:
                return
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
