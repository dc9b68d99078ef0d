"""A candidate whose behaviour is its first argument. It sums the bytes of its input."""
import json, os, sys, threading, time

how = sys.argv[1] if len(sys.argv) > 1 else "well"
samples = done = 0
if how == "crash-at-start":
    print("I do not like it here", file=sys.stderr)
    sys.exit(3)


def spin():
    while True:
        pass


def scatter():
    """Leaves the group in three ways: a session of its own, an orphan, a child that lost its environment."""
    import subprocess

    if os.fork() == 0:
        os.setsid()
        threading.Thread(target=spin, daemon=True).start()
        spin()
    middle = os.fork()
    if middle == 0:
        os.setsid()
        if os.fork() == 0:
            spin()
        os._exit(0)
    os.waitpid(middle, 0)
    spinning = [sys.executable, "-c", "while True: pass", sys.argv[2]]
    subprocess.Popen(spinning, env={}, start_new_session=True)


def processes(of):
    """Returns state and processor time of every thread of the processes whose command line contains `of`."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if of.encode() in open(f"/proc/{pid}/cmdline", "rb").read():
                for task in os.listdir(f"/proc/{pid}/task"):
                    stat = open(f"/proc/{pid}/task/{task}/stat").read().rsplit(")", 1)[1].split()
                    found[pid, task] = stat[0], int(stat[11]) + int(stat[12])
        except OSError:
            pass
    return found


# All ranks have the launcher, or its proxy, as their parent.
ranks_may_end = os.environ.get("RANKS_MAY_END", "") + f".{os.getppid()}"
rank = int(os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK", 0)))
if rank > 0:
    while not os.path.exists(ranks_may_end):
        pass
    sys.exit(0)
home = os.sched_getaffinity(0)
for line in sys.stdin:
    message = json.loads(line)
    number = message.pop("id")
    (request, body), = message.items()
    if request == "prepare":
        data = open(body["input"], "rb").read()
        response = {"ready": {"name": how, "threads": body["threads"]}}
        if how == "phases":
            response["ready"]["phases"] = {"start": 1000, "read": 2000}
        if how == "cold":
            response["ready"]["evict"] = body["evict"]
            memory = bytearray(body["evict"])
        if how == "unsupported":
            response = {"unsupported": "there is no such thing here"}
        if how == "hang-in-prepare":
            time.sleep(3600)
        if how == "grandchild":
            if os.fork() == 0:
                time.sleep(3600)
        if how == "scatter":
            scatter()
    elif request == "sample":
        samples += 1
        done += body["iterations"]
        if how == "cold":
            memory[:] = bytes([samples % 256]) * len(memory)
        before = processes("".join(sys.argv[2:])) if how == "watch" else {}
        begun = time.perf_counter_ns()
        ignores = how.startswith("steady") or how in ("constant", "hardly-grows", "ignores-iterations")
        for _ in range(1 if ignores else body["iterations"]):
            total = sum(data)
        response = {"elapsed_ns": time.perf_counter_ns() - begun}
        if how.startswith("steady"):
            # The same time on any machine, with a small difference between processes: sleeps until it has passed.
            ns = int(how.split()[1]) * body["iterations"]
            ns += ns * (os.getpid() * 7919 % 100) // 50_000
            time.sleep(max(0, ns / 1e9 - (time.perf_counter_ns() - begun) / 1e9))
            response = {"elapsed_ns": ns, "counts": {"ran": body["iterations"]}}
        if how == "layouts":
            response = {"elapsed_ns": 10_000 * body["iterations"], "counts": {"layout": int(os.environ["LAYOUT"])}}
            time.sleep(response["elapsed_ns"] / 1e9)
        if how == "cold":
            # Each call finds all memory written since the one before, and there is one in a sample.
            written = memory.count(samples % 256) if body["iterations"] == 1 else 0
            response["counts"] = {"peak-written": written}
        if how == "constant":
            response = {"elapsed_ns": 1}
        if how == "hardly-grows":
            response = {"elapsed_ns": 20 if body["iterations"] == 1 else 50}
        if how == "crash-in-sample" and samples == 4:
            os.abort()
        if how == "crash-in-turns" and samples == 150:
            os.abort()
        if how == "forgets-in-turns" and samples >= 150:
            response = {"counts": {"forgotten": 1}}
        if how == "hang-in-sample" and samples == 4:
            time.sleep(3600)
        if how == "malformed":
            print("I feel fine today", flush=True)
            continue
        if how == "not-text":
            sys.stdout.buffer.write(b"\xff\xfe\n")
            sys.stdout.flush()
            continue
        if how == "endless-line":
            sys.stdout.write("x" * (3 << 20))
            sys.stdout.flush()
            continue
        if how == "other-response":
            response = {"digest": "sha256:" + 64 * "0"}
        if how == "twice":
            response["id"] = number
            print(json.dumps(response) + "\n" + json.dumps(response), flush=True)
            continue
        if how == "own-ids":
            number = samples + 1000
        if how == "without-id":
            print(json.dumps(response), flush=True)
            continue
        if how.startswith("slow around"):
            # Each iteration takes 30 ms beside its time, or says always the same.
            time.sleep(0.001 * body["iterations"] if "constant" in how else 0.03 * body["iterations"])
            response = {"elapsed_ns": 10_000 if "constant" in how else 10_000 * body["iterations"]}
        if how == "boast":
            response = {"elapsed_ns": 10**18}
        if how == "zero":
            response = {"elapsed_ns": 0}
        if how == "where with a thread":
            thread = threading.Thread(target=sum, args=(range(100_000),))
            thread.start()
            thread.join()
        if how.startswith("where"):
            # Where it was bound in the request before, the part that is not measured, and the number of processors now.
            here = os.sched_getaffinity(0)
            response["counts"] = {"home": min(home), "homes": len(home), "processors": len(here)}
            home = here
        if how == "watch":
            after = processes("".join(sys.argv[2:]))
            same = sum(1 for thread, seen in after.items() if seen == before.get(thread) and seen[0] == "T")
            response["counts"] = {"threads": len(before.keys() | after.keys()), "still": same}
        if how.startswith("crowd"):
            response["counts"] = {"alive": len({pid for pid, _ in processes("".join(sys.argv[2:]))})}
        if how.startswith("counts"):
            parts = {"load": 300, "add": 700 - 100 * (how == "counts fewer")}
            parts = {name: part * body["iterations"] for name, part in parts.items()}
            response = {"counts": {"steps": sum(parts.values())}, "phases": parts}
        if how == "phases":
            response["phases"] = {"add": response["elapsed_ns"]}
            response["counts"] = {"bytes": len(data)}
    elif request == "digest":
        if how == "wrong":
            total += 1
        import hashlib

        response = {"digest": "sha256:" + hashlib.sha256(total.to_bytes(8, "little")).hexdigest()}
        if how == "adds-up":
            response = {"digest": "sha256:" + hashlib.sha256(str(done).encode()).hexdigest()}
        if how == "bad-digest":
            response = {"digest": "42"}
    elif request == "quit":
        if how == "hang-in-quit":
            time.sleep(3600)
        if how == "goodbye":
            print("bye", flush=True)
        if "RANKS_MAY_END" in os.environ:
            open(ranks_may_end, "w").close()
        # Hydra fails where it forwards the end of standard input to a proxy whose ranks have ended.
        sys.stdin.read()
        sys.exit(5 if how == "bad-end" else 0)
    print(json.dumps({"id": number, **response}), flush=True)
