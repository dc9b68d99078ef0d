"""The schedules of the kernels in C, in intervals: the same steps in the same order.

A value represents a run or a field, whose elements have one bound. `Bounds` is raised where a value might exceed its
element.
"""

import collections
import math
from fractions import Fraction

import mldsa
import mldsa_products
import tables
from mlkem import zeta
from rvv import Q, Bounds, centred, full, product_interval, quotient_factor


class Schedule:
    """Coefficients of `bits` bits, multiplied by constants w with the help of `factor(w)` = round(2^(bits - 1) w / q)."""

    def __init__(self, bits=16, factor=quotient_factor, q=Q):
        self.bits, self.factor, self.q = bits, factor, q
        self.greatest = collections.OrderedDict()

    def value(self, interval, what, bits=None):
        low, high = full(bits or self.bits)
        if interval[0] < low or interval[1] > high:
            raise Bounds(f"{what}: {interval} does not fit {bits or self.bits} bits")
        self.greatest[what] = max(self.greatest.get(what, 0), -interval[0], interval[1])
        return interval

    def add(self, x, y, what):
        return self.value((x[0] + y[0], x[1] + y[1]), what)

    def sub(self, x, y, what):
        return self.value((x[0] - y[1], x[1] - y[0]), what)

    def multiply(self, x, w, what="constant multiplication"):
        return self.value(product_interval(x, w, self.factor(w), self.bits - 1, self.q), what)

    def forward(self, v, u, t, w, what):
        product = self.multiply(v[t], w)
        v[u], v[t] = self.add(v[u], product, what), self.sub(v[u], product, what)

    def inverse(self, v, u, t, w, what):
        difference = self.sub(v[u], v[t], what)
        v[u], v[t] = self.add(v[u], v[t], what), self.multiply(difference, w)

    def canonical(self, x, what):
        """Returns the lesser of x and x + q as unsigned numbers."""
        if x[0] <= -self.q or x[1] >= self.q:
            raise Bounds(f"{what}: {x} is not within (-q, q)")
        return 0, self.q - 1

    def below(self, x, what):
        """The lesser of x and x - q as unsigned numbers, or of x and x + q where x may be negative."""
        if x[0] < 0 or x[1] >= 2 * Q:
            raise Bounds(f"{what}: {x} is not within [0, 2 q)")
        return 0, Q - 1

    def barrett(self, x, what):
        """x - q floor(x floor(2^32 / q) / 2^32) of 32-bit elements."""
        self.value(x, what, 32)
        slack = Fraction(Q) * (Fraction(1 << 32, Q) - (1 << 32) // Q) / (1 << 32)
        low, high = math.floor(min(0, x[0] * slack)), math.ceil(max(0, x[1] * slack))
        return self.value((low, Q - 1 + high), f"{what}, reduced")


def pairs(level, count=16):
    """(node, u, v) of a level, 1 to 4, of sixteen runs; or of 1 to 3 with eight fields."""
    size = count >> level
    return [((1 << level - 1) + b, 2 * size * b + i, 2 * size * b + size + i) for b in range(1 << level - 1) for i in range(size)]


def forward_4(s, v, w):
    """forward_4 of the C code; w[i - 1] belongs to node i."""
    for level in range(1, 5):
        for node, u, t in pairs(level):
            if node == 1 and w[0] == 1:
                v[u], v[t] = s.add(v[u], v[t], "forward, level 1"), s.sub(v[u], v[t], "forward, level 1")
            else:
                s.forward(v, u, t, w[node - 1], f"forward, level {level}")


def inverse_4(s, v, w, scale, last):
    for level in (4, 3, 2):
        for node, u, t in pairs(level):
            s.inverse(v, u, t, w[node - 1], f"inverse, level {level}")
        if level == 3:
            for u in (0, 4, 8, 12):
                v[u] = s.multiply(v[u], 1, "reduced")
    for _, u, t in pairs(1):
        s.canonical(s.multiply(s.add(v[u], v[t], "inverse, level 1"), scale, "scaled"), "output")
        s.canonical(s.multiply(s.sub(v[u], v[t], "inverse, level 1"), last, "scaled"), "output")


def product():
    s = Schedule()
    w = tables.cyclic()[:15]
    v = [(0, Q - 1)] * 16
    forward_4(s, v, w)
    results = []
    for a, leaf in zip(v, tables.leaves()):
        scaled = s.multiply(a, leaf)
        top = max(-a[0], a[1])
        scaled_top = max(-scaled[0], scaled[1])
        for wrapped in range(8):
            total = top * (top * (8 - wrapped) + scaled_top * wrapped)
            s.value((-total, total), "sum of products", 32)
        total = 8 * top * max(top, scaled_top)
        results.append(s.barrett((-total, total), "sum of products"))
    scale = tables.inverse(16)
    inverse_4(s, results, [tables.inverse(x) for x in w], scale, scale)
    return s


def mlkem_forward():
    s = Schedule()
    v = [(1 - Q, Q - 1)] * 16
    forward_4(s, v, [zeta(i) for i in range(1, 16)])
    for block in range(16):
        fields = [v[block]] * 8
        for level, stride in ((1, 8), (2, 4), (3, 2)):
            for node, u, t in pairs(level, 8):
                index = (16 << level - 1) + (block << level - 1) + node - (1 << level - 1)
                s.forward(fields, u, t, zeta(index), f"stride {stride}")
        for field in fields:
            s.canonical(s.multiply(field, 1, "reduced"), "output")
    return s


def mlkem_inverse():
    s = Schedule()
    runs = []
    for block in range(16):
        fields = [(0, Q - 1)] * 8
        for level, stride in ((3, 2), (2, 4), (1, 8)):
            for node, u, t in pairs(level, 8):
                index = (16 << level - 1) + (block << level - 1) + node - (1 << level - 1)
                s.inverse(fields, u, t, tables.inverse(zeta(index)), f"stride {stride}")
        fields[0], fields[1] = s.multiply(fields[0], 1, "reduced"), s.multiply(fields[1], 1, "reduced")
        runs.append((min(low for low, _ in fields), max(high for _, high in fields)))
    w = [tables.inverse(zeta(i)) for i in range(1, 16)]
    inverse_4(s, runs, w, tables.inverse(128), centred(tables.inverse(128) * w[0]))
    return s


def mldsa_factor(w):
    return quotient_factor(w, mldsa.Q, 31)


def mldsa_forward():
    s = Schedule(32, mldsa_factor, mldsa.Q)
    v = [(1 - s.q, s.q - 1)] * 16
    for first in (1, 16):  # the blocks of the second pass differ in their twiddles only
        for level in range(1, 5):
            for node, u, t in pairs(level):
                nodes = mldsa_nodes(first, level, node)
                reached = [list(v) for _ in nodes]
                for values, i in zip(reached, nodes):
                    s.forward(values, u, t, mldsa.zeta(i), f"forward, stride {(256 if first == 1 else 16) >> level}")
                v = union(reached)
    for x in v:
        s.canonical(s.multiply(x, 1, "reduced"), "output")
    return s


def mldsa_inverse():
    s = Schedule(32, mldsa_factor, mldsa.Q)
    v = [(0, s.q - 1)] * 16
    for first in (16, 1):
        for level in (4, 3, 2) + ((1,) if first > 1 else ()):
            for node, u, t in pairs(level):
                nodes = mldsa_nodes(first, level, node)
                reached = [list(v) for _ in nodes]
                for values, i in zip(reached, nodes):
                    w = centred(pow(mldsa.zeta(i), -1, s.q), s.q)
                    s.inverse(values, u, t, w, f"inverse, stride {(256 if first == 1 else 16) >> level}")
                v = union(reached)
        if first > 1:
            v[0] = s.multiply(v[0], 1, "reduced")
            v = [(min(x for x, _ in v), max(x for _, x in v))] * 16
    scale = pow(256, -1, s.q)
    for _, u, t in pairs(1):
        s.canonical(s.multiply(s.add(v[u], v[t], "inverse, stride 128"), centred(scale, s.q), "scaled"), "output")
        last = centred(scale * pow(mldsa.zeta(1), -1, s.q), s.q)
        s.canonical(s.multiply(s.sub(v[u], v[t], "inverse, stride 128"), last, "scaled"), "output")
    return s


def mldsa_multiply():
    s = Schedule(32, mldsa_factor, mldsa.Q)
    s.canonical(s.value(mldsa_products.product_bounds(), "product"), "output")
    return s


def mldsa_sum_of_products():
    s = Schedule(32, mldsa_factor, mldsa.Q)
    total = tuple(mldsa_products.MAX * x for x in mldsa_products.product_bounds())
    s.canonical(s.multiply(s.value(total, "sum of products"), 1, "reduced"), "output")
    return s


def mldsa_nodes(first, level, node):
    """FIPS 204's numbers of a node of `pairs` of a level: one in the first pass, those of all sixteen blocks in the second."""
    below = node - (1 << level - 1)
    return [((first + block) << level - 1) + below for block in range(first)]


def union(reached):
    """Intervals that hold the values of all of these."""
    return [(min(x for x, _ in row), max(x for _, x in row)) for row in zip(*reached)]


# --- the steps with 16-bit coefficients: an interval for each coefficient ---


def places(level):
    """(node, u, v) of a level, 1 to 7, of 128 coefficients."""
    return pairs(level, 128)


def steps_forward(s, v):
    w = tables.cyclic()
    for level in range(1, 8):
        for node, u, t in places(level):
            s.forward(v, u, t, w[node - 1], f"forward, level {level}")


def steps_inverse(s, v, reduced, levels=range(7, 0, -1)):
    """Levels backwards; after level l the coefficients for which reduced(l, place) holds are reduced."""
    w = [tables.inverse(x) for x in tables.cyclic()]
    for level in levels:
        for node, u, t in places(level):
            s.inverse(v, u, t, w[node - 1], f"inverse, level {level}")
        for i in range(128):
            if reduced(level, i):
                v[i] = s.multiply(v[i], 1, "reduced")


def lazy(s, reduced):
    """steps/unpermuted.c without corrections: CORRECT ONCE."""
    v = [(0, Q - 1)] * 128
    steps_forward(s, v)
    top = max(max(-low, high) for low, high in v) ** 2
    v = [s.barrett((-top, top), "product")] * 128
    steps_inverse(s, v, reduced)
    for interval in v:
        s.canonical(s.multiply(interval, tables.inverse(128), "scaled"), "output")
    return s


def sixteen_bit():
    """Passes of 3, 3 and 1 levels; sums of the last level of each pass back are reduced."""
    # Level l splits blocks of 256 >> l coefficients, whose first halves are its sums.
    return lazy(Schedule(), lambda level, i: level in (7, 4, 1) and i % (256 >> level) < (128 >> level))


def correct_once():
    return lazy(Schedule(32, tables.wide_factor), lambda level, i: False)


def corrected():
    """The steps that correct every result to [0, q): steps/permuted.c, and CORRECT ALWAYS of steps/unpermuted.c."""
    s = Schedule(32, tables.wide_factor)
    x = 0, Q - 1
    s.below(s.value((0, 2 * (Q - 1)), "sum"), "sum")
    s.below(s.value((1, 2 * Q - 1), "difference plus q"), "difference plus q")
    s.canonical(s.value((1 - Q, Q - 1), "difference"), "difference")
    # Constants: in [0, q) with a permutation, centred without.
    for w in {tables.root(i) % Q for i in range(128)} | set(tables.cyclic()) | {pow(128, -1, Q)}:
        s.canonical(s.multiply(x, w), "constant multiplication")
        s.canonical(s.multiply(x, -w), "constant multiplication")
    s.below(s.barrett((0, (Q - 1) ** 2), "product"), "product")
    return s


def scalar():
    """steps/scalar.c: sums of 128 products, and products with 1/128, before their remainders."""
    s = Schedule(32)
    s.value((0, 128 * (Q - 1) ** 2), "sum of products")
    s.value((0, 2 * Q - 1), "sum, and difference plus q")
    return s


def in_registers():
    """steps/registers.c: Montgomery's product, and the reductions of deep_inverse and TRANSFORM_BACK."""
    s = Schedule()
    v = [(0, Q - 1)] * 128
    steps_forward(s, v)
    top = max(max(-low, high) for low, high in v)
    top = top * top // 65536 + Q // 2 + 2
    v = [s.value((-top, top), "product")] * 128
    # A coefficient's register while blocks are lanes is its place in a block of 8; before that, its row of 8.
    reduced = {6: lambda i: i % 8 in (0, 4), 5: lambda i: i % 8 == 1, 3: lambda i: i // 8 in (0, 4, 8, 12)}
    steps_inverse(s, v, lambda level, i: level in reduced and reduced[level](i))
    for interval in v:
        s.canonical(s.multiply(interval, centred(512), "scaled"), "output")
    return s


def refused():
    """Returns the reason why the step sixteen-bit would be refused without its reductions; None if it would not."""
    try:
        lazy(Schedule(), lambda level, i: False)
    except Bounds as reason:
        return str(reason)
    return None


SCHEDULES = {
    "product128_agnostic": product,
    "mlkem_forward_agnostic": mlkem_forward,
    "mlkem_inverse_agnostic": mlkem_inverse,
    "mldsa_forward_agnostic": mldsa_forward,
    "mldsa_inverse_agnostic": mldsa_inverse,
    "mldsa_multiply_agnostic": mldsa_multiply,
    "mldsa_sum_of_products_agnostic": mldsa_sum_of_products,
    "the scalar steps": scalar,
    "the steps strided to fused-five": corrected,
    "the step correct-once": correct_once,
    "the step sixteen-bit": sixteen_bit,
    "the steps fused-all and fused-product": in_registers,
}
