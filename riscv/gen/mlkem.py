"""ML-KEM's transform (FIPS 203, algorithms 9 and 10: n = 256, q = 3329, seven levels) in place at VLEN 128.

32 registers hold the polynomial, so after the level of stride 128 the halves are worked on one after the other. The
levels of strides 64 to 8 are between registers. For those of strides 4 and 2 four registers are transposed as a 4 x 4
matrix of pairs; a store of four-field segments turns that back as it writes.
"""

import random

import rvv
from rvv import Machine, Products, Q, centred, quotient_factor

N = 256


def zeta(i):
    """Returns the i-th twiddle of FIPS 203: 17^BitRev7(i)."""
    return centred(pow(17, int(f"{i:07b}"[::-1], 2), Q))


def forward_reference(f):
    """FIPS 203, algorithm 9."""
    return rvv.forward_reference(f, zeta, 2)


def inverse_reference(f):
    """FIPS 203, algorithm 10."""
    return rvv.inverse_reference(f, zeta, 2)


def inputs():
    random.seed(256)
    top = Q - 1
    rows = [[top] * N, [-top] * N, [top * (-1) ** i for i in range(N)], [top * (-1) ** (i >> 1) for i in range(N)]]
    rows += [[top * (-1) ** (i >> 2) for i in range(N)], [top] + [0] * (N - 1)]
    return rows + [[random.randrange(1 - Q, Q) for _ in range(N)] for _ in range(4)]


def begin(canonical_input):
    rows = inputs()
    if canonical_input:
        rows = [[x % Q for x in row] for row in rows]
    m = Machine(128, len(rows))
    m.space("r", rows, [(0 if canonical_input else 1 - Q, Q - 1)] * N, 16)
    for level in (5, 6):
        for sign in (1, -1):
            for half in (0, 1):
                for group in range(4):
                    vectors(m, level, half, group, sign)
    m.space("table", [m.table for _ in rows], [(-32768, 32767)] * len(m.table), 16)
    m.point("a0", "r")
    m.point(m.TABLE, "table")
    return m, rows


def vectors(m, level, half, group, sign):
    """Table entries of the twiddles of a group of four registers: offset, and the lists of w.

    Level 5 (stride 4) has a list w for its 4 blocks, level 6 (stride 2) two, for the lower and upper halves of these.
    The entry has all w, then all w', each twice, because a lane of 32 bits holds a pair. For sign -1 it is -1 / w.
    """
    block = 16 * half + 4 * group
    lists = []
    for upper in range(level - 4):
        index = [(32 if level == 5 else 64) + (level - 4) * (block + i) + upper for i in range(4)]
        ws = [zeta(i) if sign > 0 else centred(-pow(zeta(i), -1, Q)) for i in index]
        lists.append([w for w in ws for _ in (0, 1)])
    words = [w for ws in lists for w in ws] + [quotient_factor(w) for ws in lists for w in ws]
    return m.entry(words), lists


def load_vectors(m, first, *where):
    """Loads an entry to registers from `first`; gives (w, w', list) for each of its lists."""
    offset, lists = vectors(m, *where)
    m.add_pointer("a6", m.TABLE, offset)
    m.load_registers(first, 2 * len(lists), "a6")
    m.forget("a6")
    return [(first + i, first + len(lists) + i, ws) for i, ws in enumerate(lists)]


def butterflies(m, jobs, spare, level):
    """(u, v) becomes (u + w v, u - w v); each job is (u, v, w)."""
    size, products, sums = m.lmul, Products(m), []
    for i, (u, v, w) in enumerate(jobs):
        t, r = spare[2 * i * size], spare[(2 * i + 1) * size]
        products.add(r, v, w, t)
        sums.append((u, v, r))
    products.emit("twiddle multiplication")
    for u, v, r in sums:
        m.sub(v, u, r)
    for u, v, r in sums:
        m.add(u, u, r)
    for u, v, _ in sums:
        m.note(f"stride {128 >> level}", m.intervals(u, 16, size) + m.intervals(v, 16, size))


def forward():
    m, rows = begin(False)
    m.line("csrwi   vxrm, 0")
    m.line(f"lla     {m.TABLE}, 1f")
    m.phase("LOAD")
    m.add_pointer("a1", "a0", 128)
    m.add_pointer("a2", "a0", 256)
    m.load_registers(16, 8, "a2")
    m.add_pointer("a3", "a0", 384)
    m.load_registers(24, 8, "a3")
    m.phase("FORWARD")
    m.comment("stride 128")
    m.vset(16, 8)
    w = zeta(1)
    Products(m).add(16, 16, w, 0).add(24, 24, w, 8).emit("twiddle multiplication")
    m.phase("LOAD")
    m.load_registers(0, 8, "a0")
    m.load_registers(8, 8, "a1")
    m.phase("FORWARD")
    m.trivial([(0, 16), (8, 24)], "stride 128")
    m.phase("STORE")
    m.store_registers(16, 8, "a2")
    m.store_registers(24, 8, "a3")
    m.forget("a3")
    for half in (0, 1):
        if half:
            m.phase("LOAD")
            m.load_registers(0, 8, "a2")
            m.add_pointer("a0", "a0", 384)
            m.load_registers(8, 8, "a0")
        m.phase("FORWARD")
        for level in range(1, 5):
            size = 16 >> level
            m.comment(f"half {half}, stride {128 >> level}")
            m.vset(16, size)
            first = (1 << level) + (half << (level - 1))
            jobs = [(2 * size * b, 2 * size * b + size, zeta(first + b)) for b in range(1 << (level - 1))]
            butterflies(m, jobs, range(16, 32), level)
        m.phase("PERMUTE")
        m.comment(f"half {half}: transposition of pairs")
        m.vset(32, 2)
        m.zip_pairs([(16 + 4 * g, 4 * g, 4 * g + 2) for g in range(4)])
        m.zip_pairs([(4 * g, 16 + 4 * g, 16 + 4 * g + 2) for g in range(4)])
        m.phase("FORWARD")
        m.comment(f"half {half}, stride 4")
        m.vset(16, 1)
        ws = [load_vectors(m, 16 + 2 * g, 5, half, g, 1)[0] for g in range(4)]
        pairs = [(4 * g + i, 4 * g + 2 + i, w) for g, w in enumerate(ws) for i in (0, 1)]
        products = Products(m)
        for i, (_, v, w) in enumerate(pairs):
            products.add(v, v, w, 24 + i)
        products.emit("twiddle multiplication")
        m.trivial([(u, v) for u, v, _ in pairs], "stride 4")
        for part in (0, 1):
            m.phase("FORWARD")
            m.comment(f"half {half}, stride 2")
            m.vset(16, 1)
            groups = [2 * part, 2 * part + 1]
            pairs = []
            for i, g in enumerate(groups):
                for upper, w in enumerate(load_vectors(m, 16 + 4 * i, 6, half, g, 1)):
                    pairs.append((4 * g + 2 * upper, 4 * g + 2 * upper + 1, w, 24 + 4 * upper + i))
            products = Products(m)
            for _, v, w, _ in pairs:
                products.add(v, v, w, w[1])
            products.emit("twiddle multiplication")
            for u, v, _, target in pairs:
                m.add(target, u, v)
                m.sub(target + 2, u, v)
                m.note("stride 2", m.intervals(target, 16, 1) + m.intervals(target + 2, 16, 1))
            m.phase("CANONICAL")
            m.vset(16, 8)
            m.barrett([24], [16], "reduced")
            m.canonical(24, 16, "output")
            m.phase("STORE")
            m.vset(32, 2)
            target = ("a0", "a1", "a2", "a0")[2 * half + part]
            m.store_segments([24, 26, 28, 30], 2, target)
    m.line("ret")
    check(m, rows, forward_reference)
    return m


def field(group, index):
    """Returns the register of field `index` of a segment: the pairs of that index of four blocks of 8 coefficients."""
    return 16 + 8 * (group >> 1) + 2 * index + (group & 1)


def inverse():
    m, rows = begin(True)
    m.line("csrwi   vxrm, 0")
    m.line(f"lla     {m.TABLE}, 1f")
    for i, register in enumerate(("a1", "a2", "a3")):
        m.add_pointer(register, "a0", 128 * (i + 1))
    pointers = ("a0", "a1", "a2", "a3")
    for half in (0, 1):
        m.phase("LOAD")
        m.vset(32, 2)
        for part in (0, 1):
            m.load_segments([field(2 * part, f) for f in range(4)], 2, pointers[2 * half + part])
        m.phase("INVERSE")
        m.vset(16, 1)
        m.comment(f"half {half}, stride 2 backwards")
        for part in (0, 1):
            jobs = []
            for i, g in enumerate((2 * part, 2 * part + 1)):
                for upper, w in enumerate(load_vectors(m, 4 * i, 6, half, g, -1)):
                    jobs.append((field(g, 2 * upper), field(g, 2 * upper + 1), w, 8 + 2 * i + upper))
            back(m, jobs, "stride 2")
        m.comment(f"half {half}, stride 4 backwards")
        jobs = []
        for g in range(4):
            w = load_vectors(m, 2 * g, 5, half, g, -1)[0]
            jobs += [(field(g, f), field(g, f + 2), w, 8 + 2 * g + f) for f in (0, 1)]
        back(m, jobs, "stride 4")
        m.comment("reduce what is sums in both levels")
        m.vset(16, 2)
        m.barrett([16, 24], [0, 2], "reduced")
        m.phase("PERMUTE")
        m.comment(f"half {half}: transposition of pairs")
        m.vset(32, 1)
        m.zip_pairs([(4 * g + 2 * f, field(g, f), field(g, f + 2)) for g in range(4) for f in (0, 1)])
        m.vset(32, 2)
        m.zip_pairs([(16 + 4 * g, 4 * g, 4 * g + 2) for g in range(4)])
        m.phase("INVERSE")
        for level in range(4, 0, -1):
            size = 16 >> level
            m.comment(f"half {half}, stride {128 >> level} backwards")
            if level == 1:
                m.comment("reduce one of the two that are sums in four levels")
                m.vset(16, 1)
                m.barrett([24], [0], "reduced")
            m.vset(16, size)
            first = (1 << level) + (half << (level - 1))
            jobs = [
                (16 + 2 * size * b, 16 + 2 * size * b + size, centred(-pow(zeta(first + b), -1, Q)), size * b)
                for b in range(1 << (level - 1))
            ]
            back(m, jobs, f"stride {128 >> level}")
        if not half:
            m.phase("STORE")
            m.store_registers(16, 8, "a0")
            m.store_registers(24, 8, "a1")
    m.comment("reduce what is sums in all levels")
    m.vset(16, 1)
    m.barrett([16], [0], "reduced")
    # The last level, with the factor 1/128: (u + v) / 128 and (v - u) (-1 / w) / 128.
    scale = pow(128, -1, Q)
    last = centred(-pow(zeta(1), -1, Q) * scale)
    m.comment("stride 128 backwards, and the factor 1/128")
    m.vset(16, 8)
    for low, high, data in (("a0", "a2", 16), ("a1", "a3", 24)):
        m.phase("LOAD")
        m.load_registers(0, 8, low)
        m.phase("INVERSE")
        m.sub(8, data, 0)
        m.add(0, 0, data)
        m.note("stride 128", m.intervals(0, 16, 8) + m.intervals(8, 16, 8))
        m.phase("CANONICAL")
        for group, w in ((0, centred(scale)), (8, last)):
            Products(m).add(group, group, w, data).emit("scaled by 1/128")
            m.canonical(group, data, "output")
        m.phase("STORE")
        m.store_registers(0, 8, low)
        m.store_registers(8, 8, high)
    m.line("ret")
    check(m, rows, inverse_reference)
    return m


def back(m, jobs, what):
    """(u, v) becomes (u + v, (v - u) w); each job is (u, v, w, spare)."""
    products = Products(m)
    for u, v, w, spare in jobs:
        m.sub(spare, v, u)
        products.add(v, spare, w, None)
    for u, v, _, _ in jobs:
        m.add(u, u, v)
        m.note(what, m.intervals(u, 16, m.lmul))
    products.emit("twiddle multiplication")


def check(m, rows, reference):
    for row, got in zip(rows, m.memory["r"]):
        if got != reference(row):
            raise ValueError("the kernel's answer is wrong")
