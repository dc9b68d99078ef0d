"""The product of two transformed polynomials of ML-DSA (FIPS 204, algorithm 45), and sums of products, at VLEN 128.

Both are element by element, in eight parts of 32 coefficients: a group of eight registers for each operand.
"""

import math
import random
from fractions import Fraction

import mldsa
from rvv import Bounds, Machine, join

N, Q = mldsa.N, mldsa.Q
# The maximum number of products in a sum, for which all partial sums fit 32 bits (about 500 would); and how many the samples have.
MAX, SAMPLE = 255, 3
SUM, A, B, QUOTIENT = 0, 8, 16, 24
LOOP = 2  # the first number of a label


def high_factor(q=Q):
    """Returns floor(2^32 (2^31 / q - 256))."""
    return math.floor((Fraction(1 << 31, q) - 256) * (1 << 32))


def product_bounds(q=Q):
    """Interval of a b - q t for a, b in [0, q), with t = round(a' b / 2^31), a' = 256 a + floor(a high_factor / 2^32).

    a' is 2^31 a / q - d. Both roundings down take less than 1 and a / 2^32 away, so d is in [0, 1 + 2^-9), and a' b / 2^31 is
    a b / q - d b / 2^31. Rounding adds at most 1/2 either way.
    """
    return math.ceil(Fraction(-q, 2)), math.floor(Fraction(q, 2) + q * (1 + Fraction(1, 512)) * q / (1 << 31))


def inputs(count):
    random.seed(45)
    top = Q - 1
    rows = [([top] * N * count, [top] * N * count), ([top] * N * count, [1] * N * count)]
    rows += [([top * (i & 1) for i in range(N * count)], [top * (i >> 1 & 1) for i in range(N * count)])]
    for _ in range(4):
        rows.append(tuple([random.randrange(Q) for _ in range(N * count)] for _ in range(2)))
    return rows


def begin(count):
    rows = inputs(count)
    m = Machine(128, len(rows), Q)
    for i, name in enumerate("ab"):
        m.space(name, [row[i] for row in rows], [(0, Q - 1)] * (N * count), 32)
    m.space("r", [[0] * N for _ in rows], [None] * N, 32)
    for register, name in (("a0", "r"), ("a1", "a"), ("a2", "b")):
        m.point(register, name)
    m.line("csrwi   vxrm, 0")
    m.vset(32, 8)
    # All constants before the loops, which expect them.
    for constant in (high_factor(), 256, -Q, Q):
        m.scalar(constant, 32)
    return m, rows


def product(m, first, before=None):
    """SUM becomes the product of A and B up to a multiple of q, or that is added to it, where it is in `before`."""
    low, high = product_bounds()
    m.mulh(QUOTIENT, A, ("x", high_factor()))
    m.macc(QUOTIENT, 256, A)
    m.smul(QUOTIENT, QUOTIENT, B)
    if first:
        m.mul(SUM, A, B)
    else:
        m.macc_wrapping(SUM, A, B)
        low, high = low + before[0], high + before[1]
    m.macc(SUM, -Q, QUOTIENT)
    m.state(SUM, 8, 32, [(low, high)] * 32, "product" if first else "sum of products")


def load(m, a, b):
    m.phase("LOAD")
    m.load_registers(A, 8, a, 32)
    m.load_registers(B, 8, b, 32)
    if any(interval != (0, Q - 1) for group in (A, B) for interval in m.intervals(group, 32, 8)):
        raise Bounds("an input is not in [0, q)")
    m.phase("POINTWISE")


def store(m, part):
    m.canonical(SUM, QUOTIENT, "output")
    m.phase("STORE")
    m.add_pointer("a6", "a0", 128 * part)
    m.store_registers(SUM, 8, "a6")


def multiply():
    m, rows = begin(1)
    for part in range(8):
        m.comment(f"coefficients {32 * part} to {32 * part + 31}")
        m.add_pointer("a4", "a1", 128 * part)
        m.add_pointer("a5", "a2", 128 * part)
        load(m, "a4", "a5")
        product(m, True)
        m.phase("CANONICAL")
        store(m, part)
    m.line("ret")
    check(m, rows, 1)
    return m


def sum_of_products():
    m, rows = begin(SAMPLE)
    m.point("a3", "count")
    m.point("t6", "left")
    low, high = ((MAX - 1) * x for x in product_bounds())
    for part in range(8):
        m.comment(f"coefficients {32 * part} to {32 * part + 31}")
        m.add_pointer("a4", "a1", 128 * part)
        m.add_pointer("a5", "a2", 128 * part)
        load(m, "a4", "a5")
        product(m, True)
        again, after = LOOP + 2 * part, LOOP + 2 * part + 1
        m.line("addi    t6, a3, -1")
        m.line(f"beqz    t6, {after}f")
        # Before one more product is added, the sum has at most MAX - 1.
        m.state(SUM, 8, 32, [(low, high)] * 32, "sum of products")

        def further():
            m.add_pointer("a4", "a4", 4 * N)
            m.add_pointer("a5", "a5", 4 * N)
            load(m, "a4", "a5")
            product(m, False, (low, high))

        m.repeat("t6", again, SAMPLE - 1, further, lambda: m.state(SUM, 8, 32, [(low, high)] * 32, "sum of products"))
        m.lines.append(f"{after}:")
        m.phase("CANONICAL")
        m.barrett([SUM], [QUOTIENT], "reduced")
        store(m, part)
    m.line("ret")
    check(m, rows, SAMPLE)
    return m


def check(m, rows, count):
    for (a, b), got in zip(rows, m.memory["r"]):
        if join(got, 32) != [sum(a[N * k + i] * b[N * k + i] for k in range(count)) % Q for i in range(N)]:
            raise ValueError("the kernel's answer is wrong")
