"""The product in Z_q[X] / (X^128 - 1), q = 3329, at VLEN 128: README.md, 'The best kernel', has the idea.

A half is the ring modulo X^64 - 1 or X^64 + 1. Eight registers hold a polynomial of a half, eight coefficients each.
Three levels of butterflies between registers leave in register i a polynomial modulo X^8 - w_i. A transposition then
puts coefficient j of all eight into register j, where they are multiplied by the schoolbook method, eight at once.
"""

import random

from rvv import Machine, Products, Q, centred, quotient_factor

N = 128
OMEGA = pow(17, 2, Q)  # of order 128; 17 is the root of order 256 of FIPS 203
FRAME = {16: 128, 32: 256}
# The product is made this times too large: 1 / SCALE with the factor 1/16 of four levels is -2^-16, by which
# Machine.exact multiplies.
SCALE = centred(-(1 << 12))
BIAS = 4 * Q


def root(exponent):
    return centred(pow(OMEGA, exponent, Q))


def schoolbook(a, b):
    c = [0] * N
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            c[(i + j) % N] += x * y
    return [x % Q for x in c]


def inputs():
    """Sample inputs: extremes and random ones."""
    random.seed(128)
    rows = [
        ([Q - 1] * N, [Q - 1] * N),
        ([Q - 1] * N, [1] + [0] * (N - 1)),
        ([(Q - 1) * (i & 1) for i in range(N)], [(Q - 1) * (i >> 6) for i in range(N)]),
        ([(Q - 1) * (i >> 5 & 1) for i in range(N)], [(Q - 1) * (i < 64) for i in range(N)]),
    ]
    return rows + [([random.randrange(Q) for _ in range(N)], [random.randrange(Q) for _ in range(N)]) for _ in range(4)]


class Half:
    """Modulo X^64 - w^e: exponents of the twiddles, level by level. `first` is the number of its first level."""

    first = 2

    def __init__(self, exponent, levels=3):
        self.exponent = exponent
        # levels[l][b]: block b modulo X^m - w^(2t) splits into X^(m/2) - w^t and X^(m/2) + w^t.
        self.levels, blocks = [], [exponent]
        for _ in range(levels):
            self.levels.append([e // 2 for e in blocks])
            blocks = [t for e in blocks for t in (e // 2, e // 2 + 64)]
        self.leaves = blocks

    @property
    def name(self):
        return "X^64 + 1" if self.exponent else "X^64 - 1"


class Whole(Half):
    """Modulo X^128 - 1, all four levels."""

    first = 1
    name = "X^128 - 1"

    def __init__(self):
        super().__init__(0, 4)


def forward(m, half, bases, spare, scaled=None):
    """Three levels of butterflies on the polynomials in eight registers from each of `bases`.

    Some blocks change their sign, in both polynomials: their product does not. With `scaled` the polynomial at that base
    ends with the factor SCALE.
    """
    for level, twiddles in enumerate(half.levels[:3]):
        size = 4 >> level  # registers in half a block
        number, degree = half.first + level, size * m.lanes
        if number == 4 and half.exponent == 0:
            m.comment("reduce sums of eight inputs")
            m.vset(16, 2)
            m.barrett([base for base in bases if base != scaled], spare[:2:2], "forward, reduced")
        m.comment(f"{half.name}, level {number}: X^{2 * degree} - w^(2t) splits into X^{degree} -+ w^t")
        m.vset(16, size)
        places = [(block, base, base + 2 * size * block) for base in bases for block in range(len(twiddles))]
        scale = {base: SCALE if level == 2 and base == scaled else 1 for base in bases}
        factors, trivial, products = Products(m), [], Products(m)
        for block, base, u in places:
            w, more = root(twiddles[block]), scale[base]
            # Both polynomials have the same sign: so no butterfly where w is 1, also with a factor.
            scales = [u, u + size] if w == 1 else [u]
            for group in scales if more != 1 else []:
                factors.add(group, group, more, spare[len(factors.jobs) * size])
            if w == 1:
                trivial.append((u, u + size))
            else:
                products.add(u, u + size, -centred(w * more), spare[len(products.jobs) * size])
        factors.emit("forward, scaled")
        m.trivial(trivial, f"forward, level {number}")
        products.butterflies(f"forward, level {number}")


def transpose(m, a, b, free):
    """Transposes the 8 x 8 blocks in registers a.. and b..; they end at free[0].. and free[1]..

    A zip of the first with the second four registers turns the six bits of an element's place (three for the register,
    three for the lane) round by one; after three of them registers and lanes have changed places.
    """
    zips(m, (a, b), free, 3)


def zips(m, source, target, count):
    """Zips this number of times between two pairs of eight registers; the first zip writes to `target`."""
    m.vset(16, 4)
    for _ in range(count):
        m.zip([(t, s, s + 4) for s, t in zip(source, target)])
        source, target = target, source


def multiply(m, half, a, b, place):
    """Multiplies modulo X^8 - w, lane by lane: a_j in a + place[j] in v16-23, b_j in b + place[j] in v24-31.

    c_i is the sum of a_j b_(i-j) and w times the sum of a_j b_(8+i-j). Four sums run side by side in 32-bit elements.
    They come in pairs c_i, c_(i+4), whose reduction leaves 16-bit values; putting both into the halves of the 32-bit
    elements is the first zip of the transposition back; its result is in v4-7 and v0-3. To stay in 32 registers, a_7 and a_6 are replaced by w a_7 and
    w a_6 as soon as they have been used without w.
    """
    leaves = [root(e) for e in half.leaves]
    w_at = m.entry(leaves), m.entry([quotient_factor(w) for w in leaves])
    plain, scaled = {j: a + place[j] for j in range(8)}, {}

    def load_w(first, second):
        for register, offset in ((first, w_at[0]), (second, w_at[1])):
            m.add_pointer("a6", m.TABLE, offset)
            m.load_registers(register, 1, "a6")
            m.forget("a6")
        return first, second, leaves

    def scale(jobs, w):
        products = Products(m)
        for j, target, spare in jobs:
            products.add(target, plain[j], w, spare)
        products.emit("pointwise, w a")
        for j, target, _ in jobs:
            scaled[j] = target
            if target in plain.values():
                plain.pop(next(k for k, r in plain.items() if r == target))

    def term(accumulator, i, j, first=False):
        """Adds the term of c_i with a_j."""
        left, right = (plain[j], b + place[i - j]) if j <= i else (scaled[j], b + place[8 + i - j])
        m.wide("vwmul" if first else "vwmacc", accumulator, left, right, not first)

    def turns(lists):
        """Returns one item from each list in turn."""
        for k in range(max(map(len, lists.values()))):
            for i, terms in lists.items():
                if k < len(terms):
                    yield i, terms[k], k

    def reduce(low, high, spares):
        """Sums of c_i, c_(i+1) in four registers from low.., of c_(i+4), c_(i+5) from high..; zipped into low..."""
        m.vset(32, 4)
        for group in (low, high):
            m.note("pointwise, sum of products", m.intervals(group, 32, 4))
        least = min(x for x, _ in m.intervals(low, 32, 4))
        bias = -(least // Q) * Q
        m.add(low, low, ("x", bias))
        m.note("pointwise, sum made positive", m.intervals(low, 32, 4))
        for groups in [[low], [high]] if spares[0] == spares[1] else [[low, high]]:
            m.reduce_wide(groups, spares, "pointwise, reduced")
        m.merge(low, high, "pointwise, reduced")

    m.vset(16, 1)
    m.comment(f"{half.name}, modulo X^8 - w: c_2, c_3, c_6, c_7")
    w = load_w(13, 14)
    scale([(3, 8, 11), (4, 9, 12), (5, 10, 15)], w)
    sums = {7: 6, 6: 4, 3: 2, 2: 0}
    term(6, 7, 7, True)
    term(4, 6, 6, True)
    term(6, 7, 6)
    order = {
        7: [5, 4, 3, 2, 1, 0],
        6: [5, 4, 3, 2, 1, 0, 7],
        3: [3, 2, 1, 0, 4, 5, 6, 7],
        2: [2, 1, 0, 3, 4, 5, 6, 7],
    }
    scale([(7, plain[7], 11), (6, plain[6], 12)], w)
    for i, j, k in turns(order):
        term(sums[i], i, j, first=k == 0 and i < 4)
    reduce(0, 4, (12, 12))
    m.comment(f"{half.name}, modulo X^8 - w: c_0, c_1, c_4, c_5")
    m.vset(16, 1)
    sums = {5: 14, 4: 12, 1: 6, 0: 4}
    term(14, 5, 5, True)
    w = load_w(4, 5)
    scale([(2, 11, 6), (1, plain[5], 7)], w)
    order = {
        5: [4, 3, 2, 1, 0, 6, 7],
        4: [4, 3, 2, 1, 0, 5, 6, 7],
        1: [1, 0, 2, 3, 4, 5, 6, 7],
        0: [0, 1, 2, 3, 4, 5, 6, 7],
    }
    for i, j, k in turns(order):
        term(sums[i], i, j, first=k == 0 and i != 5)
    reduce(4, 12, (a, a + 4))


def transpose_back(m):
    """The remaining two zips; the product's eight polynomials modulo X^8 - w_i are then in v16-23."""
    m.vset(16, 4)
    m.zip([(8, 4, 0)])
    m.zip([(16, 8, 12)])


def inverse(m, half, base, spare):
    """The three levels backwards, without the factor 1/2 of each: (u, v) becomes (u + v, (u - v) / w)."""
    for level in (2, 1, 0):  # of Whole too: its fourth is not between registers
        twiddles, size, number = half.levels[level], 4 >> level, half.first + level
        m.comment(f"{half.name}, level {number} backwards")
        m.vset(16, size)
        places = [(block, base + 2 * size * block) for block in range(len(twiddles))]
        m.trivial([(u, u + size) for block, u in places if twiddles[block] == 0], f"inverse, level {number}")
        products = Products(m)
        jobs = [(block, u, u + size) for block, u in places if twiddles[block]]
        # 1 / w^t = -w^(64 - t), and the minus sign reverses the difference.
        for i, (block, u, v) in enumerate(jobs):
            d, t = spare[2 * i * size], spare[(2 * i + 1) * size]
            m.sub(d, v, u)
            products.add(v, d, root(64 - twiddles[block]), t)
        for _, u, v in jobs:
            m.add(u, u, v)
            m.note(f"inverse, level {number}", m.intervals(u, 16, size))
        products.emit("twiddle multiplication, inverse")
        if level == 1 and half.first == 2:
            m.comment("reduce one of two sums of four")
            m.vset(16, 1)
            m.barrett([base + 4], [spare[0]], "inverse, reduced")


def scales(half, level=0, block=0):
    """What the registers of a block are times too large after `inverse_scaled`, but for its last multiplication."""
    if level == 3:
        return [1]
    lower = scales(half, level + 1, 2 * block)
    return lower + [x * pow(OMEGA, half.levels[level][block], Q) % Q for x in lower]


def inverse_scaled(m, half, base, spare):
    """The three levels backwards, without the factor 1/2 of each and with the factor SCALE, from the leaves.

    The factors 1 / w of differences are left out. A right half is then the same root of unity times too large in all
    blocks, so that most butterflies have the constant 1; the multiplications at the end bring what was left out.
    """
    m.vset(16, 1)
    signs = [1] * 8
    for level in (2, 1, 0):
        size = 4 >> level
        m.comment(f"{half.name}, level {half.first + level} backwards, but for factors")
        starts = range(0, 8, 2 * size)
        ratios = {
            tuple(
                centred(x * pow(y, -1, Q))
                for x, y in zip(scales(half, level + 1, 2 * block), scales(half, level + 1, 2 * block + 1))
            )
            for block in range(1 << level)
        }
        (ratio,) = ratios  # one for all blocks
        what = f"inverse, level {half.first + level}"
        products = Products(m)
        m.trivial([(base + start, base + start + size) for start in starts], what)
        for i, (j, start) in enumerate((j, start) for j in range(1, size) for start in starts):
            products.add(base + start + j, base + start + j + size, -ratio[j], spare[i])
        products.butterflies(what)
        for start in starts:
            for j in range(1, size):
                # The sum is negative; all blocks have the same signs, which the ratio of a right half does not change.
                u, v = start + j, start + j + size
                assert signs[u] == signs[v]
                signs[u], signs[v] = -signs[u], signs[u]
    m.comment(f"{half.name}: the factors that were left out")
    products = Products(m)
    for j, scale in enumerate(scales(half)):
        products.add(base + j, base + j, centred(SCALE * signs[j] * pow(scale, -1, Q)), spare[j])
    products.emit("inverse, scaled")


def load_half_16(m, half):
    """v0-7, v8-15: both inputs modulo X^64 -+ 1."""
    m.phase("LOAD")
    m.comment(f"{half.name}: level 1")
    m.vset(16, 8)
    operation = m.sub if half.exponent else m.add
    for pointer, low, high, target in (("a1", 16, 24, 0), ("a2", 8, 16, 8)):
        m.load_registers(low, 8, pointer)
        m.add_pointer("a6", pointer, 128)
        m.load_registers(high, 8, "a6")
        m.forget("a6")
        operation(target, low, high)


def load_both_32(m):
    """v0-7, v8-15: both inputs modulo X^64 - 1; modulo X^64 + 1 they go to the stack.

    Inputs are below 2^15, so two registers of 32-bit elements become one of 16-bit elements by x + 65536 y. Coefficients
    0 to 3 and 4 to 7 of a register are then in turn, which the transposition makes an order of registers.
    """
    m.phase("LOAD")
    for poly, (pointer, target) in enumerate((("a1", 0), ("a2", 8))):
        for part in (0, 1):
            m.comment(f"{'ab'[poly]}: coefficients from {32 * part} and {64 + 32 * part}")
            if part:
                m.add_pointer(pointer, pointer, 128)
            m.load_registers(16, 8, pointer, 32)
            m.add_pointer("a6", pointer, 256)
            m.load_registers(24, 8, "a6", 32)
            m.forget("a6")
            m.vset(32, 1)
            for register in range(16, 32, 2):
                m.merge(register, register + 1, "input")
            m.vset(16, 1)
            for i in range(4):
                low, high = 16 + 2 * i, 24 + 2 * i
                m.add(target + 4 * part + i, low, high)
                m.sub(16 + i, low, high)
            m.add_pointer("a6", "sp", 128 * poly + 64 * part)
            m.store_registers(16, 4, "a6")
            m.forget("a6")


def load_half_32(m):
    """X^64 + 1 from the stack; the product modulo X^64 - 1, in v16-23, takes its place."""
    m.phase("LOAD")
    m.load_registers(0, 8, "sp")
    m.add_pointer("a6", "sp", 128)
    m.load_registers(8, 8, "a6")
    m.forget("a6")
    m.store_registers(16, 8, "sp")


def finish(m, width):
    """Level 1 backwards, the factor 1 / (16 SCALE), canonical form, store. X^64 + 1 is in v16-23."""
    m.phase("INVERSE")
    m.comment("level 1 backwards")
    m.load_registers(24, 8, "sp")
    m.vset(16, 8)
    m.add(0, 24, 16)
    m.sub(8, 24, 16)
    m.note("inverse, level 1", m.intervals(0, 16, 8) + m.intervals(8, 16, 8))
    m.phase("CANONICAL")
    m.comment("times -2^-16, exactly, in [0, q)")
    m.exact([0, 8], [16, 24], "output")
    m.phase("STORE")
    if width == 16:
        m.store_registers(0, 8, "a0")
        m.add_pointer("a0", "a0", 128)
        m.store_registers(8, 8, "a0")
        return
    m.vset(16, 4)
    for i, (source, target) in enumerate(((0, 16), (4, 24), (8, 0), (12, 16))):
        if i:
            m.add_pointer("a0", "a0", 128)
        m.widen(target, source)
        m.store_registers(target, 8, "a0")


def product(width):
    """Returns the machine with the whole kernel, for arrays of 16 or 32 bits."""
    rows = inputs()
    m = Machine(128, len(rows))
    m.space("a", [a for a, _ in rows], [(0, Q - 1)] * N, width)
    m.space("b", [b for _, b in rows], [(0, Q - 1)] * N, width)
    m.space("r", [[0] * N for _ in rows], [None] * N, width)
    m.space("stack", [[0] * (FRAME[width] // 2) for _ in rows], [None] * (FRAME[width] // 2), 16)
    m.space("table", [table(m) for _ in rows], [(-32768, 32767)] * len(table(m)), 16)
    for register, name in (("a0", "r"), ("a1", "a"), ("a2", "b"), ("sp", "stack"), (m.TABLE, "table")):
        m.point(register, name)
    # Where lanes, and after the transposition registers, have the coefficients 0 to 7.
    places = range(8) if width == 16 else [0, 2, 4, 6, 1, 3, 5, 7]
    m.line(f"addi    sp, sp, -{FRAME[width]}")
    m.line("csrwi   vxrm, 0")
    m.line(f"lla     {m.TABLE}, 1f")
    if width == 32:
        load_both_32(m)
    for half in (Half(0), Half(64)):
        if width == 16:
            load_half_16(m, half)
        elif half.exponent:
            load_half_32(m)
        m.phase("FORWARD")
        forward(m, half, (0, 8), range(16, 32), None if half.exponent else 0)
        m.phase("PERMUTE")
        m.comment(f"{half.name}: transposition of both")
        transpose(m, 0, 8, (16, 24))
        m.phase("POINTWISE")
        multiply(m, half, 16, 24, places)
        m.phase("PERMUTE")
        m.comment(f"{half.name}: transposition back")
        transpose_back(m)
        m.phase("INVERSE")
        if half.exponent:
            inverse_scaled(m, half, 16, range(0, 8))
        else:
            m.comment("a multiple of q that keeps all coefficients from here positive: every one contains this polynomial once")
            m.vset(16, 1)
            m.add(16, 16, ("x", BIAS))
            inverse(m, half, 16, [*range(0, 16), *range(24, 32)])
        if width == 16 and not half.exponent:
            m.store_registers(16, 8, "sp")
    finish(m, width)
    m.line(f"addi    sp, sp, {FRAME[width]}")
    m.line("ret")
    compare(m, rows, width)
    return m


def compare(m, rows, width):
    for (a, b), row in zip(rows, m.memory["r"]):
        got = row if width == 16 else row[::2]
        if got != schoolbook(a, b):
            raise ValueError("the kernel's answer is wrong")


def table(m):
    """The table's vectors, which come first."""
    for half in (Half(0), Half(64)):
        leaves = [root(e) for e in half.leaves]
        m.entry(leaves)
        m.entry([quotient_factor(w) for w in leaves])
    return m.table
