#!/usr/bin/env python3
"""Signs with Python's integers by the definition in the documentation of parcrypt-rw, and prints tests/vectors.txt.

    python3 crates/kernels/rw/tests/vectors.py > crates/kernels/rw/tests/vectors.txt
    python3 crates/kernels/rw/tests/vectors.py digest BITS SIGNATURES

The second prints SHA-256 of the signatures, one after the other, that the key of that size in vectors.txt makes of SHA-256 of the numbers
0, 1, 2, ... as 8 bytes little-endian: what workload `rw-sign` with `output=signatures` gives.

Each line: p, q, message, signature, in hexadecimal (`-` stands for the empty message). It shares no code with the crate: the tweak comes
from Legendre's symbols by Euler's criterion, the root from roots modulo each prime, joined by the Chinese remainder theorem.
"""

import hashlib
import math
import pathlib
import random
import sys


def is_prime(n: int, rng: random.Random) -> bool:
    if any(n % small == 0 for small in range(3, 2000, 2)):
        return False
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(30):
        x = pow(rng.randrange(2, n - 1), odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def prime(bits: int, residue: int, rng: random.Random) -> int:
    while True:
        candidate = rng.getrandbits(bits) | 3 << (bits - 2)
        candidate += (residue - candidate) % 8
        if candidate.bit_length() == bits and is_prime(candidate, rng):
            return candidate


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def full_domain_hash(n: int, message: bytes) -> int:
    length = (n.bit_length() + 7) // 8
    key = sha256(b"parcrypt-rw-fdh-sha256-v1", b"\0", n.bit_length().to_bytes(4, "big"), n.to_bytes(length, "big"))
    seed = sha256(key, message)
    mask = b""
    while len(mask) < length + 16:
        mask += sha256(seed, (len(mask) // 32).to_bytes(4, "big"))
    return int.from_bytes(mask[: length + 16], "big") % n


def legendre(x: int, prime: int) -> int:
    return 1 if pow(x, (prime - 1) // 2, prime) == 1 else -1


def sign(p: int, q: int, message: bytes) -> bytes:
    n = p * q
    h = full_domain_hash(n, message)
    # The definition: the one pair for which h/(e*f) is a square modulo both primes.
    pairs = []
    for e in (1, -1):
        for f in (1, 2):
            u = h * pow(e * f, -1, n) % n
            if legendre(u, p) == 1 and legendre(u, q) == 1:
                pairs.append((e, f, u))
    ((e, f, u),) = pairs
    roots = []
    for root_p in (pow(u, (p + 1) // 4, p), p - pow(u, (p + 1) // 4, p)):
        for root_q in (pow(u, (q + 1) // 4, q), q - pow(u, (q + 1) // 4, q)):
            s = (root_p * q * pow(q, -1, p) + root_q * p * pow(p, -1, q)) % n
            assert s * s % n == u
            if legendre(s, p) == 1 and legendre(s, q) == 1:
                roots.append(s)
    (principal,) = roots
    s = min(principal, n - principal)
    assert e * f * s * s % n == h and math.gcd(s, n) == 1
    tweak = (1 if e == -1 else 0) | (2 if f == 2 else 0)
    return bytes([tweak]) + s.to_bytes(n.bit_length() // 8, "big")


def digest(bits: int, signatures: int) -> str:
    lines = (pathlib.Path(__file__).parent / "vectors.txt").read_text().splitlines()[1:]
    keys = ([int(number, 16) for number in line.split()[:2]] for line in lines)
    p, q = next((p, q) for p, q in keys if (p * q).bit_length() == bits)
    return sha256(*(sign(p, q, sha256(i.to_bytes(8, "little"))) for i in range(signatures))).hex()


def main() -> None:
    if sys.argv[1:2] == ["digest"]:
        print(digest(int(sys.argv[2]), int(sys.argv[3])))
        return
    rng = random.Random(20081)
    print("# Printed by vectors.py: p, q, message, signature.")
    for bits in (1024, 1152, 2048, 3072, 4096):
        p, q = prime(bits // 2, 3, rng), prime(bits // 2, 7, rng)
        messages = [b"", b"abc", bytes(range(256)) * 4] if bits > 2048 else [b""] + [b"message %d" % i for i in range(12)]
        for message in messages:
            print(f"{p:x} {q:x} {message.hex() or '-'} {sign(p, q, message).hex()}")


if __name__ == "__main__":
    main()
