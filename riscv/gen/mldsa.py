"""ML-DSA's transform (FIPS 204, algorithms 41 and 42: n = 256, q = 8380417, eight levels) in place at VLEN 128.

64 registers would hold the polynomial. So sixteen are worked on at a time, twice: first bits 7 to 4 of a coefficient's
index choose the register and bits 1 and 0 the lane; then bits 3 to 0 choose the register and bits 5 and 4 the lane.
Segments change the lanes: the first pass stores four registers as segments to the stack, where bits 5 and 4 are then the
lowest; the second stores its registers as segments 64 bytes apart. Backwards they are loaded so.

Forward. (u, v) becomes (-(u + w v), u - w v), which takes four instructions. After each level a coefficient has the sign
of its block, (-1)^(zeros in the bits of the index of the levels so far); the last level, by a vector of signs, undoes it.

Backwards. The polynomials modulo X^m - w and X^m + w become one by (u + v, (u - v) / w) and a factor 1/2. Here the
factor 1/w is left for later in four levels at a time. Then the upper half, w times too large, meets one that is w'
times too large, and w' / w is the same for all blocks: it is a root of unity of order 16 or less. So four levels are
transforms of length 16 with seven constants, where many butterflies have the constant 1, and afterwards each of the
sixteen registers is multiplied by what was left out.
"""

import random

import rvv
from rvv import Machine, Products, centred, join, split

N, Q = 256, 8380417
FRAME = 1024
SIGNS = 30  # the first of two registers


def zeta(i):
    """Returns the i-th twiddle of FIPS 204: 1753^BitRev8(i)."""
    return centred(pow(1753, int(f"{i:08b}"[::-1], 2), Q), Q)


def inverse_of(x):
    return pow(x, -1, Q)


def forward_reference(f):
    """FIPS 204, algorithm 41."""
    return rvv.forward_reference(f, zeta, 1, Q)


def inverse_reference(f):
    """FIPS 204, algorithm 42."""
    return rvv.inverse_reference(f, zeta, 1, Q)


def inputs():
    random.seed(204)
    top = Q - 1
    rows = [[top] * N, [-top] * N] + [[top * (-1) ** (i >> bit) for i in range(N)] for bit in (0, 1, 4, 7)]
    return rows + [[top] + [0] * (N - 1)] + [[random.randrange(1 - Q, Q) for _ in range(N)] for _ in range(3)]


class Wide(Machine):
    wide_table = True

    def vectors(self, register, lists):
        """Loads a vector of four constants for each list, in registers from `register`."""
        offset = self.entry(split([w for ws in lists for w in ws], 32))
        source, left = self.TABLE, len(lists)
        while left:
            count = 1 << left.bit_length() - 1
            self.add_pointer("a6", source, offset)
            self.load_registers(register, count, "a6", 32)
            source, offset = "a6", 16 * count
            register, left = register + count, left - count
        self.forget("a6")

    def twiddles(self, first, lists):
        """Loads vectors of constants from `first`, then their factors; returns them for `Products`."""
        self.vectors(first, lists + [[self.factor(w) for w in ws] for ws in lists])
        return [(first + i, first + len(lists) + i, ws) for i, ws in enumerate(lists)]


def begin(canonical_input, fill):
    """`fill(m)` makes the table's entries."""
    rows = inputs()
    if canonical_input:
        rows = [[x % Q for x in row] for row in rows]
    m = Wide(128, len(rows), Q)
    m.sew = 32
    m.space("r", rows, [(0 if canonical_input else 1 - Q, Q - 1)] * N, 32)
    m.space("stack", [[0] * N for _ in rows], [None] * N, 32)
    fill(m)
    m.space("table", [join(m.table, 32) for _ in rows], [(-(1 << 31), (1 << 31) - 1)] * (len(m.table) // 2), 32)
    m.point("a0", "r")
    m.point("sp", "stack")
    m.point(m.TABLE, "table")
    m.sew = None
    m.line(f"addi    sp, sp, -{FRAME}")
    m.line("csrwi   vxrm, 0")
    m.line(f"lla     {m.TABLE}, 1f")
    return m, rows


def constants(m, values):
    """Puts constants and their factors at the beginning of the table, where `lw` reaches them."""
    for value in [-Q, Q, *values, *map(m.factor, values)]:
        m.entry(split([value], 32))
    while len(m.table) % 8:
        m.table.append(0)


# --- forward ---


def pass_nodes(block, level):
    """Nodes of the four levels, 0 to 3, below a block of sixteen: FIPS 204's numbers of zeta. `block` is 1, or 16 to 31."""
    return [(block << level) + i for i in range(1 << level)]


def lane_lists(row, level):
    """Constants of a level of the second pass: for each block of a lane the four lanes' constants, negative."""
    nodes = [pass_nodes(16 + 4 * row + lane, level) for lane in range(4)]
    return [[-zeta(lane[i]) for lane in nodes] for i in range(1 << level)]


def signs(row, register, upper=1):
    """The sign of a register of the second pass before the last level, in each lane."""
    return [(-1) ** (f"{row:02b}{lane:02b}{register >> 1:03b}".count("0")) * upper for lane in range(4)]


def last_lists(row):
    """Constants of the last level, which are positive where the sign is."""
    nodes = [pass_nodes(16 + 4 * row + lane, 3) for lane in range(4)]
    return [[zeta(lane[i]) * s for lane, s in zip(nodes, signs(row, 2 * i))] for i in range(8)]


def groups_of(lists, sizes):
    """Splits a list."""
    at = 0
    for size in sizes:
        yield lists[at : at + size]
        at += size


# Sizes of groups of constants of a level of the second pass that are loaded at once.
AT_ONCE = {0: [1], 1: [2], 2: [4], 3: [4, 4]}


def forward_table(m):
    constants(m, [-zeta(i) for i in range(1, 16)])
    m.entry(split([s for upper in (1, -1) for s in signs(0, 0, upper)], 32))
    for row in range(4):
        for level in range(4):
            lists = last_lists(row) if level == 3 else lane_lists(row, level)
            for group in groups_of(lists, AT_ONCE[level]):
                m.entry(split([w for ws in group for w in ws] + [m.factor(w) for ws in group for w in ws], 32))


def forward():
    m, rows = begin(False, forward_table)
    for column in range(4):
        m.phase("LOAD")
        m.comment(f"column {column}: coefficients {4 * column} to {4 * column + 3} of each block of 16")
        for run in range(16):
            pointer = ("a1", "a2")[run % 2]
            m.add_pointer(pointer, "a0", 64 * run + 16 * column)
            m.load_registers(run, 1, pointer, 32)
        m.phase("FORWARD")
        for level in range(4):
            size = 8 >> level
            m.comment(f"column {column}, stride {128 >> level}")
            m.vset(32, size)
            jobs = [(2 * size * b, 2 * size * b + size, -zeta(node)) for b, node in enumerate(pass_nodes(1, level))]
            for part in (jobs[:4], jobs[4:]):  # as many constants as there are registers
                products = Products(m)
                for i, (u, v, w) in enumerate(part):
                    products.add(u, v, w, 16 + size * i)
                products.butterflies(f"stride {128 >> level}")
        m.phase("STORE")
        for row in range(4):
            m.add_pointer("a1", "sp", 256 * row + 64 * column)
            m.store_segments(range(4 * row, 4 * row + 4), 1, "a1")
    # Signs of a row's lanes are these or their opposites.
    m.phase("LOAD")
    m.vectors(SIGNS, [signs(0, 0), signs(0, 0, -1)])
    for row in range(4):
        m.phase("LOAD")
        for part in (0, 1):
            m.add_pointer("a1", "sp", 256 * row + 128 * part)
            m.load_registers(8 * part, 8, "a1", 32)
        m.phase("FORWARD")
        m.vset(32, 1)
        for level in range(3):
            m.comment(f"row {row}, stride {8 >> level}")
            count, size = 1 << level, 8 >> level
            ws = m.twiddles(16, lane_lists(row, level))
            jobs = [(2 * size * b + i, 2 * size * b + size + i, w) for i in range(size) for b, w in enumerate(ws)]
            products = Products(m)
            for i, (u, v, w) in enumerate(jobs):
                last = i >= len(jobs) - count
                products.add(u, v, w, w[1] if last else 16 + 2 * count + i)
            products.butterflies(f"stride {8 >> level}")
        for part, group in enumerate(groups_of(last_lists(row), AT_ONCE[3])):
            m.comment(f"row {row}, stride 1")
            last_level(m, row, part, m.twiddles(16, group))
        m.phase("CANONICAL")
        m.vset(32, 4)
        for pair in ((0, 4), (8, 12)):
            m.barrett(pair, (16, 20), "reduced")
            for group, spare in zip(pair, (16, 20)):
                m.canonical(group, spare, "output")
        m.phase("STORE")
        m.vset(32, 1)
        for quarter in range(4):
            pointer = ("a1", "a2")[quarter % 2]
            m.add_pointer(pointer, "a0", 256 * row + 16 * quarter)
            m.store_segments(range(4 * quarter, 4 * quarter + 4), 1, pointer, 64)
    m.line(f"addi    sp, sp, {FRAME}")
    m.line("ret")
    check(m, rows, forward_reference)
    return m


def last_level(m, row, part, ws):
    """(u, v) with a sign s becomes (s u + r, s u - r), where r is s v times the twiddle: a constant with that sign."""
    pairs = [(8 * part + 2 * i, 8 * part + 2 * i + 1) for i in range(4)]
    products = Products(m)
    for (_, v), w in zip(pairs, ws):
        products.add(v, v, w, w[1])
    products.emit("twiddle multiplication")
    differences = []
    for u, v in pairs:
        sign = signs(row, u)
        us = [x if s > 0 else (-x[1], -x[0]) for x, s in zip(m.intervals(u, 32, 1), sign)]
        rs = m.intervals(v, 32, 1)
        m.madd(u, SIGNS if sign == signs(0, 0) else SIGNS + 1, v)
        m.state(u, 1, 32, [(x[0] + r[0], x[1] + r[1]) for x, r in zip(us, rs)], "stride 1")
        differences.append([(x[0] - r[1], x[1] - r[0]) for x, r in zip(us, rs)])
    for (u, v), intervals in zip(pairs, differences):
        m.madd(v, ("x", -2), u)
        m.state(v, 1, 32, intervals, "stride 1")


# --- backwards ---


def scales(block, level=4):
    """What the coefficients of a block, as a pass leaves them, are times too large, without their signs."""
    if level == 0:
        return [1]
    lower = scales(2 * block, level - 1)
    return lower + [x * zeta(block) % Q for x in lower]


def ratios(blocks, level):
    """Returns the constants of a level of a pass, 0 to 3: of the right halves, to be scaled as the left ones."""
    found = []
    for block in blocks:
        for node in pass_nodes(block, 3 - level):
            pairs = zip(scales(2 * node, level), scales(2 * node + 1, level))
            found.append([centred(left * inverse_of(right), Q) for left, right in pairs])
    if any(row != found[0] for row in found):
        raise ValueError("the constants of a level differ between blocks")
    return found[0]


def flips(level, j):
    """The sign that `small` gives a coefficient: one for each butterfly of which it is the sum, but for those without constant."""
    return (-1) ** sum(1 for t in range(level) if j % (1 << t) and not j >> t & 1)


def small(m, blocks, what):
    """Four levels on v0-15, without the factors of `scales`."""
    for level in range(4):
        size = 1 << level
        m.comment(f"stride {what[level]} backwards")
        starts = range(0, 16, 2 * size)
        m.trivial([(start, start + size) for start in starts], f"stride {what[level]}")
        products = Products(m)
        ws = ratios(blocks, level)
        jobs = [(start + j, start + j + size, -ws[j]) for j in range(1, size) for start in starts]
        for part in (jobs[:4], jobs[4:]):
            for i, (u, v, w) in enumerate(part):
                products.add(u, v, w, 16 + i)
            products.butterflies(f"stride {what[level]}")


def undo_lists(row):
    """For registers 1 to 15 of the first pass backwards the constants of the four lanes that undo `scales` and `flips`."""
    lanes = [scales(16 + 4 * row + lane) for lane in range(4)]
    return [[centred(inverse_of(lane[j]) * flips(4, j), Q) for lane in lanes] for j in range(1, 16)]


def undo_parts(m, row):
    """Four of these at once, the last time three: the first register, the constants, and these with their factors."""
    lists = undo_lists(row)
    for first in range(0, 15, 4):
        part = lists[first : first + 4]
        yield first + 1, part, part + [[m.factor(w) for w in ws] for ws in part]


def inverse_table(m):
    constants(m, [-w for level in (1, 2, 3) for w in ratios([1], level)[1:]] + last_scales())
    for row in range(4):
        for _, _, vectors in undo_parts(m, row):
            m.entry(split([w for ws in vectors for w in ws], 32))


def last_scales():
    """The constants of the sixteen registers of the second pass."""
    return [centred(inverse_of(x * 256) * flips(4, j), Q) for j, x in enumerate(scales(1))]


def inverse():
    m, rows = begin(True, inverse_table)
    for row in range(4):
        m.phase("LOAD")
        m.comment(f"row {row}: coefficients {64 * row} to {64 * row + 63}")
        m.vset(32, 1)
        for quarter in range(4):
            pointer = ("a1", "a2")[quarter % 2]
            m.add_pointer(pointer, "a0", 256 * row + 16 * quarter)
            m.load_segments(range(4 * quarter, 4 * quarter + 4), 1, pointer, 64)
        m.phase("INVERSE")
        small(m, range(16 + 4 * row, 20 + 4 * row), (1, 2, 4, 8))
        m.comment(f"row {row}: scales")
        m.barrett([0], [31], "reduced")
        for first, part, vectors in undo_parts(m, row):
            base = 16 if first in (1, 9) else 24
            m.vectors(base, vectors)
            products = Products(m)
            for i, ws in enumerate(part):
                factor = base + len(part) + i
                products.add(first + i, first + i, (base + i, factor, ws), factor)
            products.emit("scaled")
        m.phase("STORE")
        for part in (0, 1):
            m.add_pointer("a1", "sp", 256 * row + 128 * part)
            m.store_registers(8 * part, 8, "a1")
    for column in range(4):
        m.phase("LOAD")
        m.comment(f"column {column}: coefficients {4 * column} to {4 * column + 3} of each block of 16")
        m.vset(32, 1)
        for row in range(4):
            pointer = ("a1", "a2")[row % 2]
            m.add_pointer(pointer, "sp", 256 * row + 64 * column)
            m.load_segments(range(4 * row, 4 * row + 4), 1, pointer)
        m.phase("INVERSE")
        small(m, [1], (16, 32, 64, 128))
        m.comment(f"column {column}: scales, and the factor 1/256")
        scale = last_scales()
        for first in range(0, 16, 4):
            products = Products(m)
            for i in range(first, first + 4):
                products.add(i, i, scale[i], 16 + i)
            products.emit("scaled by 1/256")
        m.phase("CANONICAL")
        m.vset(32, 8)
        for group in (0, 8):
            m.canonical(group, group + 16, "output")
        m.phase("STORE")
        for run in range(16):
            pointer = ("a1", "a2")[run % 2]
            m.add_pointer(pointer, "a0", 64 * run + 16 * column)
            m.store_registers(run, 1, pointer)
    m.line(f"addi    sp, sp, {FRAME}")
    m.line("ret")
    check(m, rows, inverse_reference)
    return m


def check(m, rows, reference):
    for row, got in zip(rows, m.memory["r"]):
        if join(got, 32) != reference(row):
            raise ValueError("the kernel's answer is wrong")
