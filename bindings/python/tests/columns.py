"""Example: one thread verifies the cells of a block in pieces of some milliseconds, between which it does other work.

The cells of the block's columns come over the network, here from a task that sends them in random order. Run by
test_parcrypt.py, or as `python columns.py`.
"""

import asyncio
import random

from parcrypt import kzg


async def receive(verifier, cells):
    """Add cells as they come, some at a time. A node would read them from its peers."""
    for first in range(0, len(cells), 8):
        verifier.add(cells[first:first + 8])
        await asyncio.sleep(0)


async def verify(verifier, count, seconds):
    """Return the verdicts on `count` cells, and the largest piece. No piece is longer than `seconds` by its cost."""
    right, wrong, largest = [], [], 0
    while len(right) + len(wrong) < count:
        verified, failed = verifier.verify_within(seconds)
        right += verified
        wrong += failed
        largest = max(largest, len(verified) + len(failed))
        # Other tasks run between two pieces; a task that is cancelled here loses no cell.
        await asyncio.sleep(0)
    return right, wrong, largest


async def main(setup, blobs, columns, seconds=0.005):
    commitments = setup.commitments(blobs)
    sent = [setup.cells_and_proofs(blob) for blob in blobs]
    cells = [(b, c, sent[b][0][c], sent[b][1][c]) for b in range(len(blobs)) for c in columns]
    random.shuffle(cells)
    # A peer sends the proof of another cell.
    first = cells[0]
    cells[0] = (*first[:3], sent[first[0]][1][first[1] ^ 1])
    verifier = kzg.CellVerifier(setup, commitments)
    ticks = 0

    async def other_work():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    clock = asyncio.create_task(other_work())
    _, (right, wrong, largest) = await asyncio.gather(
        receive(verifier, cells), verify(verifier, len(cells), seconds)
    )
    clock.cancel()
    # The right cell comes from another peer.
    verifier.add([first])
    again, _ = verifier.verify()
    return {
        "right": len(right), "wrong": [cell[:2] for cell in wrong], "bad": [first[:2]], "again": again,
        "largest": largest, "ticks": ticks, "allowed": verifier.cost(largest) <= seconds or largest == 1,
    }


if __name__ == "__main__":
    blobs = [b"".join(b"\0" + random.randbytes(31) for _ in range(4096)) for _ in range(6)]
    print(asyncio.run(main(kzg.Settings(), blobs, range(8))))
