#!/usr/bin/env python3
"""Times the package parcrypt next to hashlib and ckzg, in turns in one process, and prints a table for the guide.

    pip install ckzg target/wheels/parcrypt-*.whl && python3 bindings/python/figures.py SETUP

SETUP is c-kzg-4844's trusted_setup.txt. Each pair takes turns, with one thread and the largest useful tables: 96 MiB in
ckzg (precompute 8), 34 MiB in parcrypt. Results must be equal. The figure is the median of the ratios inside the turns,
with a 99 % interval by the bootstrap.
"""

import hashlib
import os
import random
import statistics
import sys
import time

import ckzg
import parcrypt

ROUNDS = 25


def seconds(call):
    """The time of a call, and its result."""
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def compare(name, theirs, ours):
    """Runs both in turns, the first of a turn changing, and prints a row of the table."""
    times = []
    for turn in range(ROUNDS + 2):
        pair = [seconds(call) for call in ((theirs, ours) if turn % 2 else (ours, theirs))]
        if not turn % 2:
            pair.reverse()
        (their_time, their_result), (our_time, our_result) = pair
        assert their_result == our_result, name
        times.append((their_time, our_time))
    times = times[2:]
    ratios = [their_time / our_time for their_time, our_time in times]
    resampled = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    low, high = resampled[10], resampled[-11]
    their_time, our_time = (1000 * statistics.median(column) for column in zip(*times))
    print(f"| {name} | {their_time:.3g} ms | {our_time:.3g} ms | {statistics.median(ratios):.3g} [{low:.3g}, {high:.3g}] |", flush=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    setup = ckzg.load_trusted_setup(sys.argv[1], 8)
    ours = parcrypt.kzg.Settings(sys.argv[1], tables_mib=34)
    blobs = [b"".join(b"\0" + os.urandom(31) for _ in range(4096)) for _ in range(21)]
    commitments = ours.commitments(blobs)
    proofs = ours.blob_proofs(blobs, commitments)
    joined = [b"".join(items) for items in (blobs, commitments, proofs)]
    blob = blobs[0]
    print("| call | compared with | parcrypt | times as fast |\n|---|---|---|---|")
    compare("commitment (`ckzg`)", lambda: ckzg.blob_to_kzg_commitment(blob, setup), lambda: ours.commitment(blob))
    compare(
        "verification of 21 blobs (`ckzg`)",
        lambda: ckzg.verify_blob_kzg_proof_batch(*joined, setup),
        lambda: ours.verify_blobs(blobs, commitments, proofs),
    )
    compare(
        "128 cells and proofs (`ckzg`)",
        lambda: ckzg.compute_cells_and_kzg_proofs(blob, setup),
        lambda: ours.cells_and_proofs(blob),
    )
    for name, p in (("N = 2^14, r = 8, p = 1", 1), ("N = 2^14, r = 8, p = 4", 4)):
        cost = {"salt": b"16 bytes of salt", "n": 2**14, "r": 8, "p": p, "dklen": 32}
        compare(
            f"scrypt, {name} (`hashlib`)",
            lambda cost=cost: hashlib.scrypt(b"password", maxmem=2**27, **cost),
            lambda cost=cost: parcrypt.scrypt(b"password", **cost),
        )
    words, salts = [str(i).encode() for i in range(8)], [bytes([i]) * 16 for i in range(8)]
    cost = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}
    compare(
        "scrypt of 8 passwords (`hashlib`)",
        lambda: [hashlib.scrypt(word, salt=salt, maxmem=2**27, **cost) for word, salt in zip(words, salts)],
        lambda: parcrypt.scrypt_many(words, salts, **cost),
    )


if __name__ == "__main__":
    main()
