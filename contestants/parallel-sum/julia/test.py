"""Lets the contestant in Julia sum inputs of all sorts of sizes over all sorts of ranks, and gives it bad requests.

    python3 test.py scripts/mpi PROGRAM
"""
import hashlib, json, os, random, subprocess, sys, tempfile

MPI, PROGRAM = sys.argv[1:]
SEED = int(os.environ.get("PARCRYPT_SEED", random.randrange(2**32)))
SECONDS = 120  # after which a run counts as hanging


def run(ranks, *requests):
    text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in requests)
    return subprocess.run([MPI, "run", str(ranks), PROGRAM], input=text, capture_output=True, text=True, timeout=SECONDS)


def prepare(path, threads, **params):
    return {"prepare": {"workload": "sum", "params": params, "threads": threads, "input": path}}


def fail(*what):
    print("FAILED:", *what, f"(PARCRYPT_SEED={SEED})")
    sys.exit(1)


def sums(folder):
    """Every algorithm on one rank, a few, and more than there are processors, with sizes around ranks, words and lines."""
    rng, count = random.Random(SEED), 0
    sizes = [0, 1, 2, 7, 63, 64, 65, 1000, 4097, 2**20 + 7]
    for ranks in (1, 2, 5):
        for algorithm, variant in (("tree", "correct"), ("collective", "correct"), ("window", "correct"), ("tree", "boxed")):
            size = sizes[count % len(sizes)] if variant == "correct" else 1000
            # The greatest sum of a lane is that of bytes that are all 255.
            data = b"\xff" * size if count % 3 == 0 else rng.randbytes(size)
            path = os.path.join(folder, "input")
            with open(path, "wb") as file:
                file.write(data)
            what = f"{size} bytes, {ranks} ranks, {algorithm}, {variant}"
            ended = run(ranks, prepare(path, ranks, bytes=size, algorithm=algorithm, variant=variant),
                        {"sample": {"iterations": 1}}, {"sample": {"iterations": 3}}, {"digest": {}}, {"quit": {}})
            if ended.returncode != 0:
                fail(what, ended.returncode, ended.stderr)
            ready, *samples, digest = map(json.loads, ended.stdout.splitlines())
            if ready["ready"]["threads"] != ranks or len(samples) != 2:
                fail(what, ended.stdout)
            for sample in samples:
                if not 0 < sum(sample["phases"].values()) <= sample["elapsed_ns"]:
                    fail(what, sample)
            if digest["digest"] != "sha256:" + hashlib.sha256(sum(data).to_bytes(8, "little")).hexdigest():
                fail(what, "wrong sum")
            count += 1
    return count


def refusals(folder):
    """Each ends all ranks with 2 and one message that holds the words."""
    path = os.path.join(folder, "input")
    with open(path, "wb") as file:
        file.write(bytes(1000))
    good = prepare(path, 2, bytes=1000, algorithm="tree")
    cases = [
        ([prepare(path + "-none", 2, bytes=1000, algorithm="tree")], "there is no such file"),
        ([prepare(path, 2, bytes=1001, algorithm="window")], "it has 1000 bytes, but the parameters say 1001"),
        ([prepare(folder, 2, bytes=1000, algorithm="tree")], "it is no regular file"),
        ([prepare(path, 3, bytes=1000, algorithm="tree")], "3 threads are asked for, but there are 2 ranks"),
        ([prepare(path, 2, bytes=1000.5, algorithm="tree")], "has to be a whole number"),
        ([good, good], "a second time"),
        ([{"sample": {"iterations": 1}}], "before a successful"),
        (['{"quit":{}'], "`}` is missing"),
        (['{"sing":{"iterations":1e999}}'], "is no request"),
        (["[" * 1000], "nested"),
    ]
    for requests, words in cases:
        ended = run(2, *requests)
        messages = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
        if ended.returncode != 2 or len(messages) != 1 or words not in messages[0]:
            fail(words, requests, ended.returncode, ended.stderr)
    ended = run(2, prepare(path, 2, bytes=1000, algorithm="tree", variant="dropped-guard"))
    if ended.returncode != 0 or "unsupported" not in json.loads(ended.stdout):
        fail("a variant of another language", ended.returncode, ended.stdout, ended.stderr)
    if run(2).returncode != 0:
        fail("the end of standard input")
    return len(cases) + 2


with tempfile.TemporaryDirectory() as folder:
    print(f"parallel-sum in Julia: {sums(folder)} sums and {refusals(folder)} refusals are right")
