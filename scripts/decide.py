#!/usr/bin/env python3
"""Compares two builds of the command on one workload: the ratio of their times with an exact signed-rank interval at 99 %.

usage: decide.py BEFORE AFTER WORKLOAD PARAMS INPUT SECONDS [--params-after PARAMS] [--env-before K=V] [--env-after K=V]

Each round starts a fresh process of either build. Both are bound to one processor, which changes from round to round, and take
turns of 4 ms (TURN_MS), so that what the machine does besides falls on both. BEFORE and AFTER may speak either protocol: that of
`parcrypt contestant`, without numbers, and that of `parcrypt candidate`, whose requests are numbered. The digests of both must
be equal. INPUT is a file, or `-`, or `random:BYTES`, made from a fixed seed.
"""

import argparse
import hashlib
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

CONFIDENCE = 0.99


class Candidate:
    def __init__(self, program, processor, prepare, env):
        self.numbered = speaks_numbers(program)
        command = [program, "candidate" if self.numbered else "contestant", "--runtime", "serial"]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env={**os.environ, **env},
                                      preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
        self.id = 0
        if self.numbered:
            prepare = {"protocol": 2, **prepare}
        ready = self.ask({"prepare": prepare})
        if "ready" not in ready:
            sys.exit(f"{program}: {ready}")

    def ask(self, request):
        if self.numbered:
            self.id += 1
            request = {"id": self.id, **request}
        self.child.stdin.write((json.dumps(request) + "\n").encode())
        line = b""
        while not line.endswith(b"\n"):
            part = self.child.stdout.read(65536)
            if not part:
                sys.exit(f"{self.child.args}: it ended without an answer")
            line += part
        return json.loads(line)

    def sample(self, iterations):
        return self.ask({"sample": {"iterations": iterations}})["elapsed_ns"]

    def end(self):
        digest = self.ask({"digest": {}})["digest"]
        self.child.stdin.close()
        self.child.stdout.close()
        self.child.wait()
        return digest


def speaks_numbers(program, known={}):
    if program not in known:
        found = subprocess.run([program, "candidate", "--help"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        known[program] = found.returncode == 0
    return known[program]


def trim(count):
    """Returns the number of Walsh averages outside the interval at each end (Hollander and Wolfe, table A.4)."""
    ways = [1] + [0] * (count * (count + 1) // 2)
    for rank in range(1, count + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    below = 0
    for total, number in enumerate(ways):
        below += number
        if 2 * below / 2**count > 1 - CONFIDENCE:
            return total
    return None


def interval(logs):
    averages = sorted((logs[i] + logs[j]) / 2 for i in range(len(logs)) for j in range(i, len(logs)))
    left_out = trim(len(logs))
    estimate = statistics.median(averages)
    if not left_out:
        return estimate, -math.inf, math.inf
    return estimate, averages[left_out], averages[-1 - left_out]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ["before", "after", "workload", "params", "input"]:
        parser.add_argument(name)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--params-after")
    parser.add_argument("--env-before", action="append", default=[])
    parser.add_argument("--env-after", action="append", default=[])
    chosen = parser.parse_args()
    turn_ms, round_s = float(os.environ.get("TURN_MS", "4")), float(os.environ.get("ROUND_S", "0.5"))
    params = [json.loads(chosen.params), json.loads(chosen.params_after or chosen.params)]
    envs = [dict(pair.split("=", 1) for pair in pairs) for pairs in [chosen.env_before, chosen.env_after]]
    programs = [chosen.before, chosen.after]
    path = chosen.input
    if path.startswith("random:"):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(random.Random(1).randbytes(int(path.removeprefix("random:"))))
        path = file.name
    processors = sorted(os.sched_getaffinity(0))
    logs, digests, pairs, iterations, begun, number = [], set(), 0, None, time.time(), 0
    while time.time() - begun < chosen.seconds or number < 8:
        processor = processors[number % len(processors)]
        os.sched_setaffinity(0, set(processors) - {processor} or {processor})
        order = [0, 1] if number // len(processors) % 2 == 0 else [1, 0]
        both = [None, None]
        for i in order:
            prepare = {"workload": chosen.workload, "params": params[i], "threads": 1}
            if path != "-":
                prepare["input"] = path
            both[i] = Candidate(programs[i], processor, prepare, envs[i])
        if iterations is None:
            iterations = max(1, round(turn_ms * 1e6 / min(both[0].sample(3) / 3 for _ in range(3))))
        for one in both:
            one.sample(iterations)
        ratios, round_begun = [], time.time()
        while time.time() - round_begun < round_s or len(ratios) < 3:
            times = {}
            for i in (order if len(ratios) % 2 == 0 else order[::-1]):
                times[i] = both[i].sample(iterations)
            ratios.append(math.log(times[1] / times[0]))
        digests |= {one.end() for one in both}
        logs.append(statistics.median(ratios))
        pairs += len(ratios)
        number += 1
    if path != chosen.input:
        os.unlink(path)
    percent = ["%+.2f" % (100 * math.expm1(x)) for x in interval(logs)]
    same = "same answer" if len(digests) == 1 else "DIFFERENT ANSWERS"
    print(f"{chosen.workload} {chosen.params}: {percent[0]} % [{percent[1]}, {percent[2]}], "
          f"{number} rounds, {pairs} pairs of {iterations} iterations, {same}", flush=True)
    sys.exit(len(digests) != 1)


if __name__ == "__main__":
    main()
