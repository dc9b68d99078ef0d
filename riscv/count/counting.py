"""Counts the instructions of a kernel that runs under qemu-user, by phase; for the table, the candidate and the tests.

The counts come from our plugin (tally.c) where qemu takes plugins. Where it does not, qemu executes one instruction at a
time and logs where it is; `from_log` makes the same counts of that, some hundred times more slowly.

What is counted, for each phase and in all:

    instructions    all instructions, also those that set vl and vtype
    vector          those of the V extension, without those that set vl and vtype
    operations      vector instructions times the registers they work on: LMUL, at least 1; of whole-register loads,
                    stores and moves the number of registers
    cycles          an estimate of a C908's cycles: throughput of each instruction on its own, without latencies (`COSTS`);
                    only at VLEN 128, which that processor has
"""

import collections
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build"
VLENS = (128, 256, 512, 1024)
# In the order of src/phases.h.
PHASES = ("other", "load", "forward", "permute", "pointwise", "inverse", "canonical", "store")
COUNTS = ("instructions", "vector", "operations", "cycles")
FIRST_MARK, END_MARK = 1024, 1280


def input_size(kernel):
    """Returns the bytes of an input of `run`: 256 words of 16 bits; for ML-DSA as many of 32, for each polynomial."""
    polynomials = {"mldsa-multiply": 2, "mldsa-sum": 8}.get(kernel.rpartition("-")[0], 1)
    return 1024 * polynomials if kernel.startswith("mldsa-") else 512


class Missing(Exception):
    """A missing tool or feature, described in words."""


class Failed(Exception):
    """A failed program, described in words. `code` is its exit status."""

    def __init__(self, text, code=None):
        super().__init__(text)
        self.code = code


# --- classes of instructions ---


def bits(word, high, low):
    return word >> low & ((1 << high - low + 1) - 1)


# Throughput of a C908 (VLEN 128) in cycles for each register, where it is about proportional. From the measurements on
# a CanMV K230 in camel-cdr/rvv-bench-results (MIT licence); loads and stores from that site's curves of whole
# functions. A kind not named here costs 1 for each register.
COSTS = {
    "scalar": 0.5,
    "scalar-multiply": 2,
    "scalar-divide": 4,
    "vset": 1,
    "load": 2,
    "store": 3.2,
    "shift": 2,
    "multiply-subtract": 1.2,  # vnmsac, vnmsub; vmacc and vmadd cost 1
    "widen": 2,
    "extend": 2,
    "narrow": 4,
    "divide": 25.5,
    "move": 2,
    "compare": 1,
    "mask": 2,
    "slide": 2.5,
}
# For each element.
ELEMENT_COSTS = {"strided": 1.2, "indexed": 1.2, "segments": 1.0, "strided-segments": 1.2}
# At LMUL 1, 2, 4, 8: these grow with the square of LMUL.
GATHER_COSTS = {"gather": (4, 16.4, 65.5, 261.8), "compress": (3, 10.2, 36.9, 139.1)}

MEMORY = ("", "indexed", "strided", "indexed")


def memory_kind(word, what):
    """Loads and stores of the V extension; `what` is load or store."""
    if is_whole(word):
        return what
    if bits(word, 31, 29):
        return "strided-segments" if bits(word, 27, 26) == 2 else "segments"
    return MEMORY[bits(word, 27, 26)] or what


def is_memory(word):
    """Widths 0, 5, 6, 7; the others are of the F and D extensions."""
    return word & 0x5F == 0x07 and bits(word, 14, 12) in (0, 5, 6, 7)


def is_whole(word):
    return is_memory(word) and bits(word, 27, 26) == 0 and bits(word, 24, 20) == 8


def is_whole_move(word):
    return word & 0x7F == 0x57 and bits(word, 14, 12) == 3 and bits(word, 31, 26) == 0x27


def integer_kind(funct6):
    """Operations with vectors, scalars or immediates (OPIVV, OPIVX, OPIVI), but vmv<n>r."""
    if funct6 in (0x0C, 0x0E, 0x0F):
        return "gather" if funct6 == 0x0C else "slide"
    if funct6 == 0x17:
        return "move"  # and vmerge
    if 0x18 <= funct6 < 0x20:
        return "compare"
    if funct6 == 0x27:
        return "multiply"  # vsmul
    if funct6 in (0x25, 0x28, 0x29, 0x2A, 0x2B):
        return "shift"
    if 0x2C <= funct6 < 0x30:
        return "narrow"
    return "reduce" if funct6 >= 0x30 else "add"


def other_kind(funct6):
    """Multiplications, divisions, reductions, masks (OPMVV, OPMVX)."""
    if funct6 < 0x08:
        return "reduce"
    if funct6 < 0x0C:
        return "add"  # averages
    if funct6 in (0x0E, 0x0F):
        return "slide"
    if funct6 == 0x12:
        return "extend"
    if funct6 == 0x17:
        return "compress"
    if funct6 < 0x20:
        return "mask"  # and moves of one element
    if funct6 < 0x24:
        return "divide"
    if funct6 in (0x2B, 0x2F):
        return "multiply-subtract"
    return "multiply" if funct6 < 0x30 else "widen"


def scalar_kind(word, size):
    if size == 4 and word & 0x77 == 0x33 and bits(word, 31, 25) == 1:
        return "scalar-divide" if bits(word, 14, 14) else "scalar-multiply"
    return "scalar"


def kind_of(word, size=4):
    """Returns the class of an instruction, as far as the costs distinguish it."""
    if size == 2:
        return "scalar"
    if is_memory(word):
        return memory_kind(word, "store" if word & 0x20 else "load")
    if word & 0x7F != 0x57:
        return scalar_kind(word, size)
    funct3, funct6 = bits(word, 14, 12), bits(word, 31, 26)
    if funct3 == 7:
        return "vset"
    if funct3 in (1, 5):
        return "float"
    if funct3 in (2, 6):
        return other_kind(funct6)
    return "move" if is_whole_move(word) else integer_kind(funct6)


def is_masked(word):
    """Returns whether a vector instruction other than vset works under a mask, or selects by one."""
    return (word & 0x7F == 0x57 and bits(word, 14, 12) != 7 or is_memory(word)) and not bits(word, 25, 25)


def is_scalar(kind):
    return kind.startswith("scalar")


def lmul_of(vtype):
    """Returns LMUL of a vtype, 1 where it is unknown."""
    return (1, 2, 4, 8, 1, 1 / 8, 1 / 4, 1 / 2)[vtype & 7] if vtype >= 0 else 1


def registers(word, vtype):
    """Returns the number of registers that an instruction works on."""
    if is_whole(word):
        return bits(word, 31, 29) + 1
    if is_whole_move(word):
        return bits(word, 19, 15) + 1
    if is_memory(word) and vtype >= 0:
        # EMUL = EEW / SEW LMUL, where the instruction has the width of elements; indexed ones use vtype's.
        width = {0: 8, 5: 16, 6: 32, 7: 64}[bits(word, 14, 12)]
        sew = 8 << (vtype >> 3 & 7) if vtype >> 3 & 7 < 4 else 64
        lmul = lmul_of(vtype)
        return max(1, lmul if bits(word, 26, 26) else lmul * width / sew)
    return max(1, lmul_of(vtype))


def cycles_of(word, size, vtype):
    """Returns the estimate for one instruction at VLEN 128, with vl = VLMAX."""
    kind = kind_of(word, size)
    if is_scalar(kind) or kind == "vset":
        return COSTS[kind]
    count = registers(word, vtype)
    if kind in ELEMENT_COSTS:
        sew = 8 << (vtype >> 3 & 3) if vtype >= 0 else 64
        fields = bits(word, 31, 29) + 1
        return ELEMENT_COSTS[kind] * fields * lmul_of(vtype) * 128 / sew
    if kind in GATHER_COSTS:
        return GATHER_COSTS[kind][(1, 2, 4, 8).index(count)]
    return COSTS.get(kind, 1) * count


# --- counts ---


class Counts:
    """Executed instructions: {(phase, address, word, size, vtype): times}, and the number of calls."""

    def __init__(self, instructions, calls, different=None):
        self.instructions, self.calls = instructions, calls
        self.names = COUNTS
        # Number of calls that differed from the first; None where that was not counted.
        self.different = different

    def phases(self):
        """Returns the executed phases, in order."""
        ran = {key[0] for key in self.instructions}
        return [name for number, name in enumerate(PHASES) if number in ran]

    def of(self, phase=None):
        """Returns the counts of a phase, or of all, over all calls."""
        total = collections.Counter(instructions=0, vector=0, operations=0, cycles=0.0)
        for (number, _, word, size, vtype), times in self.instructions.items():
            if phase is not None and PHASES[number] != phase:
                continue
            kind = kind_of(word, size)
            total["instructions"] += times
            total["cycles"] += times * cycles_of(word, size, vtype)
            if not is_scalar(kind) and kind != "vset":
                total["vector"] += times
                total["operations"] += times * registers(word, vtype)
        return {name: round(total[name]) for name in self.names}

    def kinds(self):
        """Returns the number of executed instructions of each class."""
        total = collections.Counter()
        for (_, _, word, size, _), times in self.instructions.items():
            total[kind_of(word, size)] += times
        return total

    def masked(self):
        """Returns the instructions under a mask, as words."""
        return sorted({word for _, _, word, size, _ in self.instructions if size == 4 and is_masked(word)})


def from_plugin(text):
    instructions, calls, different = {}, None, None
    for line in text.splitlines():
        fields = line.split()
        if fields[0] == "insn":
            phase, address, word, vtype, times = fields[1:]
            instructions[int(phase), int(address, 16), int(word, 16), len(word) // 2, int(vtype)] = int(times)
        elif fields[0] == "calls":
            calls, different = int(fields[1]), int(fields[3])
    if calls is None:
        raise Failed("the plugin's counts are cut off")
    return Counts(instructions, calls, different)


class Code:
    """The instructions of a static RISC-V program, from its ELF file."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        kind, machine = struct.unpack_from("<HH", self.data, 16)
        if self.data[:6] != b"\x7fELF\2\1" or kind != 2 or machine != 243:
            raise Failed(f"{path} is no static RISC-V program of 64 bits at fixed addresses")
        offset, size, count = struct.unpack_from("<Q14xHH", self.data, 32)
        headers = [struct.unpack_from("<IIQQQQQQ", self.data, offset + i * size) for i in range(count)]
        self.segments = [(h[3], h[2], h[5]) for h in headers if h[0] == 1 and h[1] & 1]

    def at(self, address):
        """Returns the instruction at an address, as (word, size)."""
        for start, offset, size in self.segments:
            if start <= address < start + size:
                place = offset + address - start
                (half,) = struct.unpack_from("<H", self.data, place)
                return (half, 2) if half & 3 != 3 else (struct.unpack_from("<I", self.data, place)[0], 4)
        raise Failed(f"the program has no instruction at {address:#x}")


def mark_of(word, size):
    """Returns the phase that begins here, "end", or None."""
    if size == 4 and word & 0xFFFFF == 0x02013:
        number = word >> 20
        if FIRST_MARK <= number < FIRST_MARK + 64:
            return number - FIRST_MARK
        if number == END_MARK:
            return "end"
    return None


def vtype_of(word, size):
    """Returns the vtype that an instruction sets, -1 if from a register; None where it sets none."""
    if size != 4 or word & 0x707F != 0x7057:
        return None
    return word >> 20 & 63 if word >> 31 == 0 or word >> 30 == 3 else -1


def addresses(lines):
    """Where each executed instruction is, from qemu's log with one instruction in each block.

    A line `Trace 0: HOST [CS_BASE/PC/...] NAME` is written before a block runs; `Stopped execution ...` takes it back.
    """
    last = None
    for line in lines:
        if line.startswith("Trace "):
            if last is not None:
                yield last
            last = int(line.split("[", 1)[1].split("/")[1], 16)
        elif line.startswith("Stopped execution"):
            last = None
    if last is not None:
        yield last


def from_log(lines, code):
    counts, seen = collections.Counter(), {}
    phase, vtype, calls = None, -1, 0
    for address in addresses(lines):
        if address not in seen:
            word, size = code.at(address)
            seen[address] = word, size, mark_of(word, size), vtype_of(word, size)
        word, size, mark, sets = seen[address]
        if sets is not None:
            vtype = sets
        if mark == "end":
            calls += phase is not None
            phase = None
        elif mark is not None:
            phase = mark
        elif phase is not None:
            counts[phase, address, word, size, vtype] += 1
    return Counts(dict(counts), calls)


# --- running ---


class Emulator:
    """qemu-user for one vector length."""

    def __init__(self, vlen=128, counter=None):
        """`counter` is "plugin" or "log"; left out, the plugin where qemu takes it."""
        self.command = os.environ.get("QEMU", "qemu-riscv64")
        if shutil.which(self.command) is None:
            raise Missing(f"{self.command} is not installed: `make riscv` brings it")
        for name in ("run", "run-phases"):
            if not (BUILD / name).exists():
                raise Missing(f"riscv/build/{name} is not built: `make riscv` builds it")
        self.cpu = ["-cpu", f"rv64,v=true,vext_spec=v1.0,vlen={vlen}"]
        self.vlen = vlen
        self.counter = counter or ("plugin" if self.takes_plugins() else "log")

    def version(self):
        """As `7.2.22`."""
        first = self.start([], ["--version"], b"").stdout.decode(errors="replace").splitlines()[0]
        return first.split(" version ")[-1].split()[0]

    def start(self, options, program, data):
        return subprocess.run([self.command, *options, *program], input=data, capture_output=True, check=False)

    def takes_plugins(self):
        plugin = BUILD / "libtally.so"
        if not plugin.exists():
            return False
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "counts")
            ran = self.start([*self.cpu, "-plugin", f"{plugin},out={out}"], [BUILD / "run", "list"], b"")
            return ran.returncode == 0 and out.exists() and out.read_text().startswith("calls ")

    def kernels(self):
        """Returns the output of `run list`, as {name: (shape, least vlenb, greatest vlenb, change of the step)}."""
        rows = self.checked(self.start(self.cpu, [BUILD / "run", "list"], b"")).stdout.decode().splitlines()
        fields = [row.split(" ", 4) for row in rows]
        return {name: (shape, int(least), int(most), step) for name, shape, least, most, step in fields}

    @staticmethod
    def checked(ran):
        if ran.returncode:
            last = ran.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise Failed(" ".join(last) or f"ended with {ran.returncode}", ran.returncode)
        return ran

    def run(self, kernel, iterations, data, phases=False):
        """Runs a kernel on inputs of `input_size`; returns the last output and the counts of all calls."""
        program = [BUILD / ("run-phases" if phases else "run"), kernel, str(iterations)]
        answer, counts = self.count(program, data)
        inputs = len(data) // input_size(kernel)
        if counts.calls != iterations * inputs:
            raise Failed(f"{counts.calls} calls were counted, {iterations} for each of {inputs} inputs ran")
        return answer, counts

    def count(self, program, data):
        """Runs a program; returns its standard output, and the counts between marks."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "counts")
            if self.counter == "plugin":
                options = ["-plugin", f"{BUILD / 'libtally.so'},out={out}"]
                ran = self.checked(self.start([*self.cpu, *options], program, data))
                counts = from_plugin(out.read_text())
            else:
                options = [self.one_at_a_time(), "-d", "exec,nochain", "-D", str(out)]
                ran = self.checked(self.start([*self.cpu, *options], program, data))
                with open(out, encoding="utf-8", errors="replace") as lines:
                    counts = from_log(lines, Code(program[0]))
        if self.vlen != 128:
            counts.names = COUNTS[:-1]
        return ran.stdout, counts

    def one_at_a_time(self):
        """The option changed its name in QEMU 8.1."""
        help_text = self.start([], ["-help"], b"").stdout
        return "-one-insn-per-tb" if b"one-insn-per-tb" in help_text else "-singlestep"


def main(program):
    """Runs `program` and prints a line for what is missing; for scripts."""
    try:
        code = program(sys.argv[1:])
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Missing as reason:
        print(f"SKIP riscv rvv {reason}")
        return 1 if "rvv" in os.environ.get("PARCRYPT_REQUIRE", "").split(",") else 0
    except Failed as reason:
        print(f"{pathlib.Path(sys.argv[0]).name}: {reason}", file=sys.stderr)
        return 1
