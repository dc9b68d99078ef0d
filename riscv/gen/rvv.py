"""An assembler for straight-line RVV kernels at one vector length that checks the code that it writes.

Each method of `Machine` emits one instruction and, at the same time,

- executes it on a handful of sample inputs, exactly as the vector specification 1.0 says, and
- follows for every element an interval that holds its value for all inputs that the kernel allows.

An instruction that reads a register that was not written, a group that is not aligned, a sum that could leave its element, or a
sample outside its interval ends the program with an error. So a kernel that comes out has its bounds proved, under the
rules below, and has computed the right answer once.

Rules for intervals: sums, differences and products follow interval arithmetic and must fit (`Bounds` otherwise).
Instructions that may wrap have the whole range of the element as their interval; the method that uses them (`multiply`,
`barrett`, `zip`, ...) then states the interval of the result with the argument why, in its own words.
"""

import collections
import math
from fractions import Fraction

Q = 3329


class Bounds(Exception):
    """A value that may leave its element, or a sample outside its interval."""


def centred(value, modulus=Q):
    """The representative of `value` in [-modulus/2, modulus/2)."""
    value %= modulus
    return value - modulus if 2 * value >= modulus else value


def forward_reference(f, zeta, shortest, q=Q):
    """Returns the transform by the levels of strides 128 to `shortest`, with the i-th of all butterflies' twiddles."""
    f, i, length = list(f), 1, 128
    while length >= shortest:
        for start in range(0, len(f), 2 * length):
            for j in range(start, start + length):
                t = zeta(i) * f[j + length]
                f[j + length], f[j] = (f[j] - t) % q, (f[j] + t) % q
            i += 1
        length //= 2
    return [x % q for x in f]


def inverse_reference(f, zeta, shortest, q=Q):
    """Returns the polynomial of a transform, by the same levels backwards."""
    f, i, length = list(f), len(f) // shortest - 1, shortest
    while length <= 128:
        for start in range(0, len(f), 2 * length):
            for j in range(start, start + length):
                t = f[j]
                f[j] = (t + f[j + length]) % q
                f[j + length] = zeta(i) * (f[j + length] - t) % q
            i -= 1
        length *= 2
    return [x * pow(len(f) // shortest, -1, q) % q for x in f]


def quotient_factor(w, q=Q, shift=15):
    """Returns w' = round(2^shift w / q), by which vsmul, which rounds, gives the quotient of a product with w."""
    return ((w << shift + 1) + q) // (2 * q)


def product_interval(interval, w, factor, shift=15, q=Q):
    """Interval of r = a w - q round(a w' / 2^shift) for a in `interval`.

    With e = 2^shift w / q - w' the product is a w / q = a w' / 2^shift + a e / 2^shift, so r / q is the part that rounding
    took away, which is at most 1/2 either way, and a e / 2^shift.
    """
    e = Fraction(w << shift, q) - factor
    ends = [Fraction(q) * a * e / (1 << shift) for a in interval]
    half = Fraction(q, 2)
    return math.ceil(min(ends + [0]) - half), math.floor(max(ends + [0]) + half)


def signed(value, bits):
    """The two's complement value of the lowest bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def full(sew):
    """All values of a signed element."""
    return -(1 << (sew - 1)), (1 << (sew - 1)) - 1


class Machine:
    """Emits assembly for one function; `lanes` 16-bit elements are in a register."""

    # Registers for constants, in the order of allocation. Arguments and the table's address are excluded.
    SCALARS = ("t0", "t1", "t2", "t3", "t4", "t5", "t6", "a3", "a4", "a5", "a6")
    TABLE = "a7"
    # Whether the table has constants of 32 bits too. Then it has no others.
    wide_table = False

    def __init__(self, vlen, samples, q=Q):
        self.q = q
        self.vlen, self.lanes, self.samples = vlen, vlen // 16, samples
        self.lines, self.sew, self.lmul = [], None, None
        # A register: for each sample its 16-bit patterns; and the intervals, as (element width, list).
        self.value, self.bound = [None] * 32, [None] * 32
        self.memory, self.memory_bound = {}, {}
        self.pointers = {}
        self.held = collections.OrderedDict()  # constant -> register, least recently used first
        self.table, self.table_index = [], {}
        self.greatest = collections.OrderedDict()  # name -> maximum absolute value that was stated

    # --- text ---

    def line(self, text):
        self.lines.append("        " + text)

    def comment(self, text):
        self.lines.append(f"        # {text}")

    def phase(self, name):
        self.lines.append(f"        phase PHASE_{name}")

    # --- memory: named spaces of 16-bit patterns ---

    def space(self, name, values, bounds, sew):
        """Creates a space; `values` has its elements for each sample, `bounds` an interval for each element."""
        self.memory[name] = [split(row, sew) for row in values]
        self.memory_bound[name] = (sew, list(bounds))

    def point(self, register, space, offset=0):
        """Declares that a register points to a byte of a space."""
        self.pointers[register] = (space, offset)

    def add_pointer(self, target, source, offset):
        space, old = self.pointers[source]
        self.line(f"addi    {target}, {source}, {offset}")
        for key in [key for key, register in self.held.items() if register == target]:
            del self.held[key]
        self.pointers[target] = (space, old + offset)

    def load_registers(self, first, count, pointer, sew=16):
        """vl<count>re<sew>.v: whole registers, whatever vl and vtype are."""
        self.aligned(first, count)
        space, offset = self.pointers[pointer]
        self.line(f"vl{count}re{sew}.v v{first}, ({pointer})")
        self.take(first, count, space, offset // 2)

    def take(self, first, count, space, start):
        width, bounds = self.memory_bound[space]
        step = width // 16
        for i in range(count):
            at = start + i * self.lanes
            rows = [row[at : at + self.lanes] for row in self.memory[space]]
            intervals = bounds[at // step : (at + self.lanes) // step]
            if any(len(row) < self.lanes for row in rows) or None in intervals:
                raise Bounds(f"read outside of what was written in {space}")
            self.value[first + i], self.bound[first + i] = rows, (width, intervals)

    def store_registers(self, first, count, pointer):
        """vs<count>r.v"""
        self.aligned(first, count)
        space, offset = self.pointers[pointer]
        self.line(f"vs{count}r.v  v{first}, ({pointer})")
        for i in range(count):
            self.put(first + i, space, offset // 2 + i * self.lanes)

    def put(self, register, space, at):
        width, bounds = self.memory_bound[space]
        self.defined(register, 1, width)
        for row, new in zip(self.memory[space], self.value[register]):
            if at + self.lanes > len(row):
                raise Bounds(f"write outside of {space}")
            row[at : at + self.lanes] = new
        step = width // 16
        bounds[at // step : (at + self.lanes) // step] = self.bound[register][1]

    def segments(self, groups, count, offset, space, stride):
        """Where the 16-bit halves of each register of each group are in memory: element i of each group is in segment i."""
        if any(b != a + count for a, b in zip(groups, groups[1:])):
            raise ValueError("segments are in consecutive groups")
        per = self.lanes // 2
        step = self.memory_bound[space][0] // 16
        for field, first in enumerate(groups):
            for i in range(count):
                starts = [offset + stride * (i * per + lane) + 4 * field for lane in range(per)]
                halves = [start // 2 + half for start in starts for half in (0, 1)]
                yield first + i, halves, [at // step for at in halves[::step]]

    def segment_instruction(self, letter, groups, pointer, stride):
        """Writes v<letter>sseg<n>e32.v if a register has the bytes between segments, else v<letter>seg<n>e32.v"""
        operands = f"v{groups[0]}, ({pointer})"
        if stride is None:
            self.line(f"v{letter}seg{len(groups)}e32.v {operands}")
            return 4 * len(groups)
        self.line(f"v{letter}sseg{len(groups)}e32.v {operands}, {self.scalar(stride)}")
        return stride

    def store_segments(self, groups, count, pointer, stride=None):
        """At e32: element i of each group of `count` registers, then element i + 1, and so on."""
        self.need(32, count)
        space, offset = self.pointers[pointer]
        stride = self.segment_instruction("s", groups, pointer, stride)
        width, bounds = self.memory_bound[space]
        for register, halves, places in self.segments(groups, count, offset, space, stride):
            self.defined(register, 1, width)
            for row, new in zip(self.memory[space], self.value[register]):
                for at, half in zip(halves, new):
                    row[at] = half
            for at, interval in zip(places, self.bound[register][1]):
                bounds[at] = interval

    def load_segments(self, groups, count, pointer, stride=None):
        """The reverse."""
        self.need(32, count)
        space, offset = self.pointers[pointer]
        stride = self.segment_instruction("l", groups, pointer, stride)
        width, bounds = self.memory_bound[space]
        for register, halves, places in self.segments(groups, count, offset, space, stride):
            self.value[register] = [[row[at] for at in halves] for row in self.memory[space]]
            self.bound[register] = (width, [bounds[at] for at in places])
            if None in self.bound[register][1]:
                raise Bounds(f"read outside of what was written in {space}")

    # --- constants ---

    def entry(self, values):
        """Returns the byte offset of these 16-bit values in the table, to which they are added once."""
        key = tuple(values)
        if key not in self.table_index:
            self.table_index[key] = 2 * len(self.table)
            self.table.extend(key)
        return self.table_index[key]

    def scalar(self, value, width=16):
        """Returns the register with a constant, which is loaded where there is none."""
        if value == 0:
            return "zero"
        if value in self.held:
            self.held.move_to_end(value)
            return self.held[value]
        taken = set(self.held.values()) | set(self.pointers)
        free = [register for register in self.SCALARS if register not in taken]
        register = free[0] if free else self.held.popitem(last=False)[1]
        if -2048 <= value < 2048 or width == 32 and not self.wide_table:
            self.line(f"li      {register}, {value}")
        elif self.wide_table:
            self.line(f"lw      {register}, {self.entry(split([value], 32))}({self.TABLE})")
        else:
            self.line(f"lh      {register}, {self.entry([value])}({self.TABLE})")
        self.held[value] = register
        return register

    def free_scalars(self):
        """Returns the number of constants that fit in registers at once."""
        return len(set(self.SCALARS) - set(self.pointers))

    def scalars(self, *values):
        """Loads constants ahead of their use."""
        for value in values:
            self.scalar(value)

    def forget(self, register):
        """Frees a register that was a pointer."""
        del self.pointers[register]

    # --- loops ---

    def repeat(self, counter, label, times, body, invariant):
        """Emits `body` once, in a loop of as many rounds as `counter` says, at least one; executes it `times` times.

        `invariant` states the intervals that a round begins with; so it follows what any round does. Every round has to
        emit the same code.
        """
        self.lines.append(f"{label}:")
        start, first = len(self.lines), None
        for _ in range(times):
            invariant()
            at = len(self.lines)
            body()
            if first is None:
                first = self.lines[at:]
            elif self.lines[at:] != first:
                raise ValueError("the rounds of a loop differ")
            del self.lines[start + len(first) :]
        self.line(f"addi    {counter}, {counter}, -1")
        self.line(f"bnez    {counter}, {label}b")

    # --- vtype ---

    def vset(self, sew, lmul):
        """vl is the number of elements of the group, which is VLMAX of this vector length."""
        if (self.sew, self.lmul) == (sew, lmul):
            return
        self.sew, self.lmul = sew, lmul
        vl = self.vlen // sew * lmul
        if vl < 32:
            self.line(f"vsetivli zero, {vl}, e{sew}, m{lmul}, ta, ma")
        else:
            self.line(f"vsetvli zero, {self.scalar(vl)}, e{sew}, m{lmul}, ta, ma")

    def need(self, sew, lmul):
        if (self.sew, self.lmul) != (sew, lmul):
            raise ValueError(f"vtype is e{self.sew}, m{self.lmul}, not e{sew}, m{lmul}")

    @staticmethod
    def aligned(first, count):
        if first % count or first + count > 32:
            raise ValueError(f"v{first} begins no group of {count}")

    def defined(self, first, count, sew):
        for register in range(first, first + count):
            if self.bound[register] is None or self.bound[register][0] != sew:
                raise ValueError(f"v{register} is not e{sew}: {self.bound[register]}")

    # --- elements of groups ---

    def read(self, first, sew, count):
        """Returns the signed elements of a group, for each sample."""
        self.aligned(first, count)
        for register in range(first, first + count):
            if self.value[register] is None:
                raise ValueError(f"v{register} was not written")
        return [
            join([half for register in range(first, first + count) for half in self.value[register][s]], sew)
            for s in range(self.samples)
        ]

    def intervals(self, first, sew, count):
        self.defined(first, count, sew)
        return [interval for register in range(first, first + count) for interval in self.bound[register][1]]

    def write(self, first, sew, count, rows, intervals):
        self.aligned(first, count)
        per = self.vlen // sew
        rows = [split(row, sew) for row in rows]
        for i in range(count):
            self.value[first + i] = [row[i * self.lanes : (i + 1) * self.lanes] for row in rows]
            self.bound[first + i] = (sew, list(intervals[i * per : (i + 1) * per]))

    def state(self, first, count, sew, intervals, what):
        """Replaces the intervals of a group by intervals that the caller has proved, and checks them with the samples."""
        for row in self.read(first, sew, count):
            for value, (low, high) in zip(row, intervals):
                if not low <= value <= high:
                    raise Bounds(f"{what}: {value} is not in [{low}, {high}]")
        low, high = full(sew)
        for interval in intervals:
            if interval[0] < low or interval[1] > high:
                raise Bounds(f"{what}: {interval} does not fit {sew} bits")
        per = self.vlen // sew
        for i in range(count):
            self.bound[first + i] = (sew, list(intervals[i * per : (i + 1) * per]))
        self.note(what, intervals)

    def note(self, what, intervals):
        top = max(max(-low, high) for low, high in intervals)
        self.greatest[what] = max(top, self.greatest.get(what, 0))

    # --- single instructions ---

    def arithmetic(self, mnemonic, target, a, b, exact, interval=None):
        """A three-operand instruction; `b` is a group, or ("x", constant) for a scalar operand.

        `exact` computes an element; `interval` computes an interval that must fit. Without it the result may wrap and
        its interval is everything.
        """
        sew, lmul = self.sew, self.lmul
        rows = self.read(a, sew, lmul)
        if isinstance(b, tuple):
            self.line(f"{mnemonic}.vx {self.names(target, a)}, {self.scalar(b[1], sew)}")
            other = [[signed(b[1], sew)] * len(row) for row in rows]
            other_interval = [(b[1], b[1])] * len(rows[0])
        else:
            self.line(f"{mnemonic}.vv {self.names(target, a)}, v{b}")
            other = self.read(b, sew, lmul)
            other_interval = self.intervals(b, sew, lmul) if interval else None
        result = [[signed(exact(x, y), sew) for x, y in zip(row, more)] for row, more in zip(rows, other)]
        if interval:
            bounds = [interval(x, y) for x, y in zip(self.intervals(a, sew, lmul), other_interval)]
            for low, high in bounds:
                if low < full(sew)[0] or high > full(sew)[1]:
                    raise Bounds(f"{mnemonic} v{target}: [{low}, {high}] does not fit {sew} bits")
        else:
            bounds = [full(sew)] * len(rows[0])
        self.write(target, sew, lmul, result, bounds)

    @staticmethod
    def names(target, a):
        return f"v{target}, v{a}"

    def add(self, target, a, b, wrap=False):
        rule = None if wrap else lambda x, y: (x[0] + y[0], x[1] + y[1])
        self.arithmetic("vadd", target, a, b, lambda x, y: x + y, rule)

    def sub(self, target, a, b):
        self.arithmetic("vsub", target, a, b, lambda x, y: x - y, lambda x, y: (x[0] - y[1], x[1] - y[0]))

    def mul(self, target, a, b):
        self.arithmetic("vmul", target, a, b, lambda x, y: x * y)

    def smul(self, target, a, b):
        """vsmul with vxrm = rnu: (x y + 2^(sew - 2)) >> (sew - 1); the one case that saturates is left out."""
        sew = self.sew
        for row in self.read(a, sew, self.lmul):
            assert not (isinstance(b, tuple) and b[1] == full(sew)[0] and full(sew)[0] in row)
        self.arithmetic("vsmul", target, a, b, lambda x, y: (x * y + (1 << (sew - 2))) >> (sew - 1))

    def mulh(self, target, a, b):
        sew = self.sew
        self.arithmetic("vmulh", target, a, b, lambda x, y: (x * y) >> sew)

    def minu(self, target, a, b):
        mask = (1 << self.sew) - 1
        self.arithmetic("vminu", target, a, b, lambda x, y: min(x & mask, y & mask))

    def macc(self, target, factor, a):
        """vmacc.vx: target += factor a; may wrap."""
        sew, lmul = self.sew, self.lmul
        self.line(f"vmacc.vx v{target}, {self.scalar(factor, sew)}, v{a}")
        rows = [
            [signed(x + factor * y, sew) for x, y in zip(row, more)]
            for row, more in zip(self.read(target, sew, lmul), self.read(a, sew, lmul))
        ]
        self.write(target, sew, lmul, rows, [full(sew)] * len(rows[0]))

    def macc_vector(self, target, b, a):
        """vmacc.vv: target += b a, which must fit."""
        sew, lmul = self.sew, self.lmul
        bounds = [
            (x[0] + min(ends), x[1] + max(ends))
            for x, y, z in zip(*(self.intervals(group, sew, lmul) for group in (target, b, a)))
            for ends in [[y[0] * z[0], y[0] * z[1], y[1] * z[0], y[1] * z[1]]]
        ]
        if any(low < full(sew)[0] or high > full(sew)[1] for low, high in bounds):
            raise Bounds(f"vmacc v{target}: does not fit {sew} bits")
        self.line(f"vmacc.vv v{target}, v{b}, v{a}")
        values = zip(*(self.read(group, sew, lmul) for group in (target, b, a)))
        rows = [[x + y * z for x, y, z in zip(*row)] for row in values]
        self.write(target, sew, lmul, rows, bounds)

    def macc_wrapping(self, target, b, a):
        """vmacc.vv: target += b a, which may wrap."""
        sew, lmul = self.sew, self.lmul
        self.line(f"vmacc.vv v{target}, v{b}, v{a}")
        values = zip(*(self.read(group, sew, lmul) for group in (target, b, a)))
        rows = [[signed(x + y * z, sew) for x, y, z in zip(*row)] for row in values]
        self.write(target, sew, lmul, rows, [full(sew)] * len(rows[0]))

    def swap_halves(self, targets, groups):
        """The upper half of each group's elements, then the lower: a slide down, whose other elements are a slide up."""
        half = self.vlen // self.sew * self.lmul // 2
        for target, group in zip(targets, groups):
            self.line(f"vslidedown.vi v{target}, v{group}, {half}")
        for target, group in zip(targets, groups):
            if target == group:
                raise ValueError("vslideup may not overlap its operand")
            self.line(f"vslideup.vi v{target}, v{group}, {half}")
            rows, bounds = self.read(group, self.sew, self.lmul), self.intervals(group, self.sew, self.lmul)
            self.write(target, self.sew, self.lmul, [row[half:] + row[:half] for row in rows], bounds[half:] + bounds[:half])

    def narrow(self, target, group):
        """vnsrl.wi: the lower 16 bits of 32-bit elements, which must hold the value."""
        lmul = self.lmul
        self.need(16, lmul)
        bounds, rows = self.intervals(group, 32, 2 * lmul), self.read(group, 32, 2 * lmul)
        if any(low < full(16)[0] or high > full(16)[1] for low, high in bounds):
            raise Bounds("what is narrowed does not fit 16 bits")
        if group < target + lmul and target < group + 2 * lmul and target != group:
            raise ValueError("a narrow result may only overlap the lower part of its operand")
        self.line(f"vnsrl.wi v{target}, v{group}, 0")
        self.write(target, 16, lmul, rows, bounds)

    def madd(self, target, factor, a):
        """vmadd: target = factor target + a; may wrap. `factor` is a group, or ("x", constant)."""
        sew, lmul = self.sew, self.lmul
        before = self.read(target, sew, lmul)
        if isinstance(factor, tuple):
            self.line(f"vmadd.vx v{target}, {self.scalar(factor[1], sew)}, v{a}")
            factors = [[factor[1]] * len(row) for row in before]
        else:
            self.line(f"vmadd.vv v{target}, v{factor}, v{a}")
            factors = self.read(factor, sew, lmul)
        rows = [
            [signed(f * x + y, sew) for f, x, y in zip(*row)] for row in zip(factors, before, self.read(a, sew, lmul))
        ]
        self.write(target, sew, lmul, rows, [full(sew)] * len(rows[0]))

    def wide(self, mnemonic, target, a, b, accumulate):
        """vwmul.vv, vwmacc.vv: 32-bit products of 16-bit elements, or their sums."""
        lmul = self.lmul
        self.need(16, lmul)
        if any(target <= r < target + 2 * lmul for group in (a, b) for r in range(group, group + lmul)):
            raise ValueError("a wide result may not overlap its operands here")
        self.line(f"{mnemonic}.vv {self.names(target, a)}, v{b}")
        rows, more = self.read(a, 16, lmul), self.read(b, 16, lmul)
        result = [[x * y for x, y in zip(row, other)] for row, other in zip(rows, more)]
        bounds = [
            (min(ends), max(ends))
            for x, y in zip(self.intervals(a, 16, lmul), self.intervals(b, 16, lmul))
            for ends in [[x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1]]]
        ]
        if accumulate:
            old, old_bounds = self.read(target, 32, 2 * lmul), self.intervals(target, 32, 2 * lmul)
            result = [[x + y for x, y in zip(row, other)] for row, other in zip(result, old)]
            bounds = [(x[0] + y[0], x[1] + y[1]) for x, y in zip(bounds, old_bounds)]
        for low, high in bounds:
            if low < full(32)[0] or high > full(32)[1]:
                raise Bounds(f"{mnemonic} v{target}: [{low}, {high}] does not fit 32 bits")
        self.write(target, 32, 2 * lmul, result, bounds)

    # --- parts of kernels ---

    def multiply(self, target, a, w, spare, what):
        """target = a w mod q, in three instructions, for a constant or a pair of groups (w, w')."""
        Products(self).add(target, a, w, spare).emit(what)

    def barrett(self, groups, spares, what):
        """Reduces groups in place: the constant multiplication by 1, without the multiplication."""
        sew, factor = self.sew, self.factor(1)
        before = [self.intervals(group, sew, self.lmul) for group in groups]
        for group, spare in zip(groups, spares):
            self.smul(spare, group, ("x", factor))
        for group, spare in zip(groups, spares):
            self.macc(group, -self.q, spare)
        for group, intervals in zip(groups, before):
            self.state(group, self.lmul, sew, [self.product_interval(x, 1) for x in intervals], what)

    def factor(self, w):
        """Returns the factor of vsmul that gives the quotient of a product with w."""
        return quotient_factor(w, self.q, self.sew - 1)

    def product_interval(self, interval, w):
        """Interval of the product with w of what is in `interval`."""
        return product_interval(interval, w, self.factor(w), self.sew - 1, self.q)

    def trivial(self, pairs, what):
        """(u, v) becomes (u + v, u - v) in place: first u, then v = u - 2 v."""
        sew, lmul = self.sew, self.lmul
        bounds = []
        for u, v in pairs:
            bounds.append(
                [(x[0] - y[1], x[1] - y[0]) for x, y in zip(self.intervals(u, sew, lmul), self.intervals(v, sew, lmul))]
            )
            self.add(u, u, v)
            self.note(what, self.intervals(u, sew, lmul))
        for (u, v), intervals in zip(pairs, bounds):
            self.madd(v, ("x", -2), u)
            self.state(v, lmul, sew, intervals, what)

    def zip(self, pairs):
        """target (2 n registers) = elements of a and b (n registers each) in turn: a + b + 65535 b, in 32 bits."""
        lmul = self.lmul
        self.need(16, lmul)
        for target, a, b in pairs:
            self.wide_free(target, 2 * lmul, (a, b), lmul)
            self.line(f"vwaddu.vv v{target}, v{a}, v{b}")
        for target, a, b in pairs:
            self.line(f"vwmaccu.vx v{target}, {self.scalar(-1)}, v{b}")
            rows, more = self.read(a, 16, lmul), self.read(b, 16, lmul)
            result = [[v for pair in zip(row, other) for v in pair] for row, other in zip(rows, more)]
            bounds = zip(self.intervals(a, 16, lmul), self.intervals(b, 16, lmul))
            self.write(target, 16, 2 * lmul, result, [interval for pair in bounds for interval in pair])

    def zip_pairs(self, pairs):
        """As `zip`, with two neighbouring 16-bit elements as one of 32 bits."""
        lmul = self.lmul
        self.need(32, lmul)
        for target, a, b in pairs:
            self.wide_free(target, 2 * lmul, (a, b), lmul)
            self.line(f"vwaddu.vv v{target}, v{a}, v{b}")
        for target, a, b in pairs:
            self.line(f"vwmaccu.vx v{target}, {self.scalar(-1)}, v{b}")
            rows, more = self.read(a, 16, lmul), self.read(b, 16, lmul)
            result = [twos(row, other) for row, other in zip(rows, more)]
            bounds = twos(self.intervals(a, 16, lmul), self.intervals(b, 16, lmul))
            self.write(target, 16, 2 * lmul, result, bounds)

    @staticmethod
    def wide_free(target, count, groups, width):
        if any(target <= r < target + count for group in groups for r in range(group, group + width)):
            raise ValueError("a wide result may not overlap its operands here")

    def merge(self, target, other, what):
        """target + 65536 other, 32-bit elements of one 16-bit value each: now 16-bit elements in turn.

        No borrow: the values of `target` are not negative.
        """
        lmul = self.lmul
        low, high = self.intervals(target, 32, lmul), self.intervals(other, 32, lmul)
        if any(x[0] < 0 or x[1] > full(16)[1] or y[0] < full(16)[0] or y[1] > full(16)[1] for x, y in zip(low, high)):
            raise Bounds(f"{what}: not 16-bit values, or a negative one in the lower half")
        self.macc(target, 65536, other)
        intervals = [interval for pair in zip(low, high) for interval in pair]
        for register in range(target, target + lmul):
            at = (register - target) * self.lanes
            self.bound[register] = (16, intervals[at : at + self.lanes])
        self.state(target, lmul, 16, intervals, what)

    def reduce_wide(self, groups, spares, what):
        """32-bit elements C become C - q floor(C M / 2^32), with M = floor(2^32 / q).

        M is below 2^32 / q by d < 1, so C M / 2^32 is below C / q by C d / 2^32, and rounding down takes up to 1 away:
        the result is in [0, q) + q C d / 2^32, where C may have either sign.
        """
        factor = (1 << 32) // Q
        d = Fraction(1 << 32, Q) - factor
        before = [self.intervals(group, 32, self.lmul) for group in groups]
        for group, spare in zip(groups, spares):
            self.mulh(spare, group, ("x", factor))
        for group, spare in zip(groups, spares):
            self.macc(group, -Q, spare)
        for group, intervals in zip(groups, before):
            after = [
                (
                    math.ceil(min(0, Fraction(Q) * low * d / (1 << 32))),
                    math.floor(Q + max(0, Fraction(Q) * high * d / (1 << 32))),
                )
                for low, high in intervals
            ]
            self.state(group, self.lmul, 32, after, what)

    def canonical(self, group, spare, what):
        """From (-q, q) to [0, q): the unsigned lesser of r and r + q."""
        sew, lmul = self.sew, self.lmul
        for low, high in self.intervals(group, sew, lmul):
            if low <= -self.q or high >= self.q:
                raise Bounds(f"{what}: [{low}, {high}] is not within (-q, q)")
        self.add(spare, group, ("x", self.q))
        self.minu(group, group, spare)
        self.state(group, lmul, sew, [(0, self.q - 1)] * (self.vlen // sew * lmul), what)

    def exact(self, groups, spares, what):
        """Multiplies 16-bit elements that are not negative by -2^-16; the results are in [0, q).

        With w = -2^-16 mod q, w' = (2^16 w + 1) / q is an integer, and a w' / 2^16 = a w / q + a / (2^16 q). The last term
        is in [0, 1/q), and a w / q is a multiple of 1/q: both have the same floor, so a w - q floor(a w' / 2^16) is the
        remainder.
        """
        self.need(16, self.lmul)
        w = centred(-pow(1 << 16, -1, self.q), self.q)
        factor, rest = divmod((w << 16) + 1, self.q)
        assert rest == 0
        for group in groups:
            if any(low < 0 for low, _ in self.intervals(group, 16, self.lmul)):
                raise Bounds(f"{what}: may be negative: {min(self.intervals(group, 16, self.lmul))}")
        self.scalars(-self.q, factor, w)
        for group, spare in zip(groups, spares):
            self.mulh(spare, group, ("x", factor))
        for group in groups:
            self.mul(group, group, ("x", w))
        for group, spare in zip(groups, spares):
            self.macc(group, -self.q, spare)
            self.state(group, self.lmul, 16, [(0, self.q - 1)] * (self.lanes * self.lmul), what)

    def widen(self, target, group):
        """Zero extension to 32 bits."""
        lmul = self.lmul
        self.wide_free(target, 2 * lmul, (group,), lmul)
        self.line(f"vwaddu.vx v{target}, v{group}, zero")
        bounds = self.intervals(group, 16, lmul)
        if any(low < 0 for low, _ in bounds):
            raise Bounds("zero extension of what may be negative")
        self.write(target, 32, 2 * lmul, self.read(group, 16, lmul), bounds)


class Products:
    """Interleaved constant multiplications: all first instructions, then all second ones, then all third.

    a w - q round(a w' / 2^15), computed modulo 2^16, is a w mod q up to q and a little: see `product_interval`.
    """

    def __init__(self, machine):
        self.machine, self.jobs = machine, []

    def add(self, target, a, w, spare):
        """w is an integer, or two groups with w and w' and the list of w. Without a spare group, a is overwritten."""
        self.jobs.append((target, a, w, spare))
        return self

    def emit(self, what):
        m = self.machine
        before = [m.intervals(a, m.sew, m.lmul) for _, a, _, _ in self.jobs]
        self.constants()
        for target, a, w, spare in self.jobs:
            m.smul(target if spare is None else spare, a, ("x", m.factor(w)) if isinstance(w, int) else w[1])
        for target, a, w, spare in self.jobs:
            m.mul(a if spare is None else target, a, ("x", w) if isinstance(w, int) else w[0])
        for target, a, _, spare in self.jobs:
            if spare is None:
                m.madd(target, ("x", -m.q), a)
            else:
                m.macc(target, -m.q, spare)
        for (target, _, w, _), intervals in zip(self.jobs, before):
            m.state(target, m.lmul, m.sew, self.after(intervals, w), what)
        self.jobs = []

    def constants(self):
        """Loads constants ahead of their use, in its order; no more than there are registers, so that none replaces another."""
        m = self.machine
        ws = [w for _, _, w, _ in self.jobs if isinstance(w, int)]
        constants = list(dict.fromkeys([-m.q, *(c for w in ws for c in (m.factor(w), w))]))
        if len(constants) > m.free_scalars():
            constants = list(dict.fromkeys([*map(m.factor, ws), *ws, -m.q]))[: m.free_scalars()]
        m.scalars(*constants)

    def after(self, intervals, w):
        """Intervals of the products of what is in `intervals` with w."""
        factors = [w] * len(intervals) if isinstance(w, int) else w[2]
        return [self.machine.product_interval(x, f) for x, f in zip(intervals, factors)]

    def butterflies(self, what):
        """(u, v) becomes (r - u, u + r), where r is the product w v, in four instructions; each job is (u, v, w, spare).

        v becomes w v + u, and that less the quotient's multiple of q; then u becomes v - 2 u.
        """
        m = self.machine
        products = [self.after(m.intervals(v, m.sew, m.lmul), w) for _, v, w, _ in self.jobs]
        before = [m.intervals(u, m.sew, m.lmul) for u, _, _, _ in self.jobs]
        self.constants()
        for _, v, w, spare in self.jobs:
            m.smul(spare, v, ("x", m.factor(w)) if isinstance(w, int) else w[1])
        for u, v, w, _ in self.jobs:
            m.madd(v, ("x", w) if isinstance(w, int) else w[0], u)
        for _, v, _, spare in self.jobs:
            m.macc(v, -m.q, spare)
        for (u, v, _, _), rs, us in zip(self.jobs, products, before):
            m.state(v, m.lmul, m.sew, [(x[0] + r[0], x[1] + r[1]) for x, r in zip(us, rs)], what)
            m.madd(u, ("x", -2), v)
            m.state(u, m.lmul, m.sew, [(r[0] - x[1], r[1] - x[0]) for x, r in zip(us, rs)], what)
        self.jobs = []


def split(row, sew):
    """Elements as signed 16-bit patterns."""
    if sew == 16:
        return [signed(value, 16) for value in row]
    return [signed(value >> shift, 16) for value in row for shift in (0, 16)]


def join(halves, sew):
    """The reverse of `split`."""
    if sew == 16:
        return list(halves)
    return [signed((high << 16) | (low & 0xFFFF), 32) for low, high in zip(halves[::2], halves[1::2])]


def twos(a, b):
    """a0 a1 b0 b1 a2 a3 b2 b3 ..."""
    return [value for i in range(0, len(a), 2) for value in a[i : i + 2] + b[i : i + 2]]
