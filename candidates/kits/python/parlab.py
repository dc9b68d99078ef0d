"""A candidate of the lab in three functions, by the protocol of Parcrypt's docs/reference/protocol.md.

    import parlab
    parlab.run("python", "sum", prepare, work, output)

`prepare(params, threads, input)` returns the state: it reads the file `input` (None where there is none) and does all that is
not measured. It may raise `Unsupported`. `work(state)` does the work once and returns the result; only this is timed.
`output(result)` returns the bytes of the result, which are hashed.

A request that cannot be answered ends the program with exit code 2 and the reason on standard error. What the candidate,
and programs that it starts, print goes to standard error too; their standard input is empty.
"""

import hashlib
import json
import os
import sys
import time

PROTOCOL = 2
MAX_LINE = 1 << 20


class Unsupported(Exception):
    """The work cannot be done here, with the reason. The lab shows the entry as skipped."""


class RequestError(Exception):
    """A request that cannot be answered, with the reason."""


def run(name, workload, prepare, work, output):
    """Answers the requests on standard input until `quit` or the end."""
    # Programs that the candidate starts have the files 0 and 1, which are other ones from now on.
    requests, responses = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w")
    with open(os.devnull, encoding="ascii") as empty:
        os.dup2(empty.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        serve(requests, responses, name, workload, prepare, work, output)
    except RequestError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


def serve(requests, responses, name, workload, prepare, work, output):
    prepared = sampled = False
    state = result = None
    lines = iter(lambda: requests.readline(MAX_LINE + 1), b"")
    for number, line in enumerate(lines, 1):
        request_id, kind, body = parsed(number, line)
        if kind == "quit":
            return
        if kind == "prepare":
            if prepared:
                raise RequestError("`prepare` came a second time; it comes once")
            if body["workload"] != workload:
                raise RequestError(f"unknown workload `{body['workload']}`: it can be {workload}")
            try:
                state = prepare(body["params"], body["threads"], body.get("input"))
                prepared, response = True, {"ready": {"name": name}}
            except Unsupported as why:
                response = {"unsupported": str(why)}
        elif kind in ("check", "describe"):
            response = {"unsupported": f"this candidate answers no `{kind}`"}
        elif not prepared:
            raise RequestError(f"`{kind}` came before a successful `prepare`")
        elif kind == "sample":
            begun = time.perf_counter_ns()
            for _ in range(body["iterations"]):
                result = work(state)
            elapsed = time.perf_counter_ns() - begun
            sampled, response = True, {"elapsed_ns": max(elapsed, 1), "counts": peak_memory()}
        elif not sampled:
            raise RequestError("`digest` came before the first `sample`")
        else:
            response = {"digest": "sha256:" + hashlib.sha256(output(result)).hexdigest()}
        print(json.dumps({"id": request_id, **response}), file=responses, flush=True)


def parsed(number, line):
    """Returns the id, the kind and the content of a request."""

    def check(condition, why):
        if not condition:
            shown = line.decode(errors="replace").rstrip()[:200]
            raise RequestError(f"line {number} of standard input: `{shown}` is not a request: {why}")

    check(len(line) <= MAX_LINE, f"it has more than {MAX_LINE} bytes")
    try:
        request = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        check(False, error)
    check(isinstance(request, dict), "not an object")
    kinds = request.keys() & {"prepare", "sample", "digest", "quit", "check", "describe"}
    check(is_whole(request.get("id")), "it has no number `id`")
    check(len(kinds) == 1 and len(request) == 2, "it has `id` and one of prepare, sample, digest, quit, check and describe")
    kind = kinds.pop()
    body = request[kind]
    check(isinstance(body, dict), f"{kind}: not an object")
    if kind in ("prepare", "check", "describe"):
        protocol = body.get("protocol")
        check(protocol == PROTOCOL, f"it is of protocol {protocol}, and this program speaks protocol {PROTOCOL}")
    if kind in ("prepare", "check"):
        body.setdefault("params", {})
    work = {"protocol", "workload", "params", "threads"}
    fields = {
        "prepare": work | body.keys() & {"input"},
        "sample": {"iterations"},
        "check": work,
        "describe": {"protocol"},
    }.get(kind, set())
    check(body.keys() == fields, f"{kind}: it has {', '.join(sorted(fields)) or 'no fields'}")
    for field, value in body.items():
        if field in ("threads", "iterations"):
            check(is_whole(value) and value > 0, f"{kind}.{field}: a whole number of at least 1 is needed")
        elif field in ("workload", "input"):
            check(isinstance(value, str), f"{kind}.{field}: not a string")
        elif field == "params":
            known = isinstance(value, dict) and all(is_whole(v) or isinstance(v, str) for v in value.values())
            check(known, f"{kind}.params: a parameter is a whole number of at least 0 or a text")
    return request["id"], kind, body


def is_whole(value):
    return type(value) is int and value >= 0


def peak_memory():
    """Returns the maximum resident memory in bytes as a count, if the system tells it."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            found = [line.split() for line in status if line.startswith("VmHWM:")]
    except OSError:
        found = []
    return {"peak-memory-bytes": int(words[1]) * 1024 for words in found}
