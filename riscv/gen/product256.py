"""The product in Z_q[X] / (X^128 - 1), q = 3329, at VLEN 256: as product.py, but eight registers hold a whole polynomial.

Three levels are between registers. The fourth splits blocks inside one register: forward it comes after the first zip,
which puts the two halves of a register into two; backward before the other three, with the halves swapped by slides. Then
lane i has polynomial i of all sixteen modulo X^8 - w_i, which are multiplied at once.
"""

import product
from rvv import Machine, Products, Q, centred, quotient_factor

N = product.N


def forward_vectors(m, whole):
    """Level 4 after a zip: registers 2 p, 2 p + 1 have blocks p and 4 + p in turn. (offset, lists of w)"""
    w = [product.root(t) for t in whole.levels[3]]
    lists = [[w[p], w[4 + p]] * (m.lanes // 2) for p in range(4)]
    return m.entry([x for ws in lists for x in ws] + [quotient_factor(x) for ws in lists for x in ws]), lists


def inverse_vectors(m, whole, part):
    """Level 4 backwards, of four registers: 1 for sums and 1 / w for differences. (offset, lists of w)"""
    half = m.lanes // 2
    lists = [[1] * half + [product.root(-t)] * half for t in whole.levels[3][4 * part : 4 * part + 4]]
    return m.entry([x for ws in lists for x in ws] + [quotient_factor(x) for ws in lists for x in ws]), lists


def signs(m):
    """Returns 1 for sums and -1 for differences."""
    return m.entry([1] * (m.lanes // 2) + [-1] * (m.lanes // 2))


def table(m, whole):
    leaves = [product.root(e) for e in whole.leaves]
    m.entry(leaves)
    m.entry([quotient_factor(w) for w in leaves])
    forward_vectors(m, whole)
    inverse_vectors(m, whole, 0)
    inverse_vectors(m, whole, 1)
    signs(m)
    return m.table


def load_table(m, first, count, offset):
    m.add_pointer("a6", m.TABLE, offset)
    m.load_registers(first, count, "a6")
    m.forget("a6")


def load(m, width):
    """a in v16-23, b in v24-31."""
    m.phase("LOAD")
    if width == 16:
        m.load_registers(16, 8, "a1")
        m.load_registers(24, 8, "a2")
        return
    for pointer, target in (("a1", 16), ("a2", 24)):
        m.load_registers(0, 8, pointer, 32)
        m.add_pointer("a6", pointer, 256)
        m.load_registers(8, 8, "a6", 32)
        m.forget("a6")
        m.vset(16, 4)
        m.narrow(target, 0)
        m.narrow(target + 4, 8)


def forward_within(m, whole, bases):
    """Level 4 of the registers 2 p, 2 p + 1 from each base; v16-31 are spare."""
    m.comment("level 4: X^16 - w^(2t) splits into X^8 -+ w^t, which the zip has put into two registers")
    offset, lists = forward_vectors(m, whole)
    load_table(m, 16, 8, offset)
    m.vset(16, 1)
    pairs = [(base + 2 * p, base + 2 * p + 1, 24 + 4 * i + p) for i, base in enumerate(bases) for p in range(4)]
    products = Products(m)
    for i, (_, v, r) in enumerate(pairs):
        p = i % 4
        products.add(r, v, (16 + p, 20 + p, lists[p]), None)
    products.emit("twiddle multiplication")
    for u, v, r in pairs:
        m.sub(v, u, r)
        m.note("forward, level 4", m.intervals(v, 16, 1))
    for u, _, r in pairs:
        m.add(u, u, r)
        m.note("forward, level 4", m.intervals(u, 16, 1))


def inverse_within(m, whole, base):
    """Level 4 backwards in the eight registers from `base`, in place: (u | v) becomes (u + v | (u - v) / w)."""
    m.vset(16, 1)
    load_table(m, 8, 1, signs(m))
    # A load of it makes the values known to the bounds.
    m.state(8, 1, 16, [(1, 1)] * (m.lanes // 2) + [(-1, -1)] * (m.lanes // 2), "signs")
    for part in (0, 1):
        m.comment("level 4 backwards, in halves of four registers")
        offset, lists = inverse_vectors(m, whole, part)
        load_table(m, 0, 8, offset)
        registers = [base + 4 * part + i for i in range(4)]
        swapped = range(12, 16)
        m.swap_halves(swapped, registers)
        for t, x in zip(swapped, registers):
            m.macc_vector(t, 8, x)
            m.note("inverse, level 4", m.intervals(t, 16, 1))
        products = Products(m)
        for i, (t, x) in enumerate(zip(swapped, registers)):
            products.add(x, t, (i, 4 + i, lists[i]), None)
        products.emit("twiddle multiplication, inverse")


def finish(m, width):
    """The factor 1/16 of four levels, canonical form, store. The product is in v16-23."""
    m.phase("CANONICAL")
    m.comment("times 1/16, in [0, q)")
    m.vset(16, 8)
    Products(m).add(16, 16, centred(pow(16, -1, Q)), 0).emit("scaled by 1/16")
    m.canonical(16, 0, "output")
    m.phase("STORE")
    if width == 16:
        m.store_registers(16, 8, "a0")
        return
    m.vset(16, 4)
    m.widen(0, 16)
    m.store_registers(0, 8, "a0")
    m.add_pointer("a0", "a0", 256)
    m.widen(8, 20)
    m.store_registers(8, 8, "a0")


def kernel(width):
    """Returns the machine with the whole kernel, for arrays of 16 or 32 bits."""
    rows, whole = product.inputs(), product.Whole()
    m = Machine(256, len(rows))
    m.space("a", [a for a, _ in rows], [(0, Q - 1)] * N, width)
    m.space("b", [b for _, b in rows], [(0, Q - 1)] * N, width)
    m.space("r", [[0] * N for _ in rows], [None] * N, width)
    m.space("table", [table(m, whole) for _ in rows], [(-32768, 32767)] * len(table(m, whole)), 16)
    for register, name in (("a0", "r"), ("a1", "a"), ("a2", "b"), (m.TABLE, "table")):
        m.point(register, name)
    m.line("csrwi   vxrm, 0")
    m.line(f"lla     {m.TABLE}, 1f")
    load(m, width)
    m.phase("FORWARD")
    product.forward(m, whole, (16, 24), range(0, 16))
    m.comment("reduce sums of four and eight inputs")
    m.vset(16, 2)
    m.barrett([16, 24], [0, 2], "forward, reduced")
    m.phase("PERMUTE")
    product.zips(m, (16, 24), (0, 8), 1)
    m.phase("FORWARD")
    forward_within(m, whole, (0, 8))
    m.phase("PERMUTE")
    product.zips(m, (0, 8), (16, 24), 3)
    m.phase("POINTWISE")
    product.multiply(m, whole, 16, 24, range(8))
    m.phase("PERMUTE")
    product.transpose_back(m)
    m.phase("INVERSE")
    inverse_within(m, whole, 16)
    product.inverse(m, whole, 16, [*range(0, 16), *range(24, 32)])
    finish(m, width)
    m.line("ret")
    product.compare(m, rows, width)
    return m
