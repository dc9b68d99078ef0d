"""The smallest candidate: the sum of a file's bytes. docs/guides/write-a-candidate.md explains it, plans/python.toml runs it."""
import hashlib, json, sys, time

for request in map(json.loads, sys.stdin):
    if "prepare" in request:
        data, response = open(request["prepare"]["input"], "rb").read(), {"ready": {"name": "python"}}
    elif "sample" in request:
        begun = time.perf_counter_ns()
        for _ in range(request["sample"]["iterations"]): total = sum(data)
        response = {"elapsed_ns": time.perf_counter_ns() - begun}
    elif "digest" in request:
        response = {"digest": "sha256:" + hashlib.sha256(total.to_bytes(8, "little")).hexdigest()}
    else: break
    print(json.dumps({"id": request["id"], **response}), flush=True)
