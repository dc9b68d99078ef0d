# The sum of bytes in memory, and the beginning of the part of each rank, by the definition of ../README.md.

# A vector of 64 bytes. LLVM splits it where the processor's are shorter; Julia compiles for the processor that it runs
# on.
const Lanes = NTuple{8,VecElement{UInt64}}
const LINE = sizeof(Lanes)

# From this many bytes on the four lines of a step are a quarter of the data apart: four pages are open at once.
const STREAMS_FROM = 256 << 10

# Steps after which 16-bit lanes that grow by at most 2 * 255 a step are still below 2^16: 128 * 510 = 65280.
const STEPS = 128

@inline every(x::UInt64) = ntuple(_ -> VecElement(x), Val(8))
@inline add(a::Lanes, b::Lanes) =
    Base.llvmcall("%3 = add <8 x i64> %0, %1\nret <8 x i64> %3", Lanes, Tuple{Lanes,Lanes}, a, b)
@inline and(a::Lanes, b::Lanes) =
    Base.llvmcall("%3 = and <8 x i64> %0, %1\nret <8 x i64> %3", Lanes, Tuple{Lanes,Lanes}, a, b)
@inline shift(a::Lanes, b::Lanes) =
    Base.llvmcall("%3 = lshr <8 x i64> %0, %1\nret <8 x i64> %3", Lanes, Tuple{Lanes,Lanes}, a, b)

# The bytes of a line, in lanes of 16 bits.
@inline function pairs(p::Ptr{UInt8})
    even = every(0x00ff00ff00ff00ff)
    words = unsafe_load(Ptr{Lanes}(p))
    add(and(words, even), and(shift(words, every(UInt64(8))), even))
end

# Lanes of 16 bits, added up within each 64.
@inline function fold(a::Lanes)
    quarters = every(0x0000ffff0000ffff)
    halves = every(0x00000000ffffffff)
    a = add(and(a, quarters), and(shift(a, every(UInt64(16))), quarters))
    add(and(a, halves), shift(a, every(UInt64(32))))
end

@inline function sum_single(p::Ptr{UInt8}, n::Int)
    total = UInt64(0)
    for i in 1:n
        total += unsafe_load(p, i)
    end
    total
end

"The sum of `n` bytes from `p` on, modulo 2^64."
@noinline function sum_bytes(p::Ptr{UInt8}, n::Int)
    head = min(n, (LINE - Int(UInt(p) % LINE)) % LINE)
    total = sum_single(p, head)
    p += head
    n -= head
    sums = every(UInt64(0))
    # Four lines a step, from as many places or side by side, and four accumulators, so that no addition waits for the one
    # before.
    left = n ÷ (4 * LINE)
    n -= left * 4 * LINE
    apart, stride = n + left * 4 * LINE < STREAMS_FROM ? (LINE, 4 * LINE) : (left * LINE, LINE)
    rest = p + left * 4 * LINE
    while left > 0
        steps = min(STEPS, left)
        a = b = c = d = every(UInt64(0))
        for _ in 1:steps
            a = add(a, pairs(p))
            b = add(b, pairs(p + apart))
            c = add(c, pairs(p + 2 * apart))
            d = add(d, pairs(p + 3 * apart))
            p += stride
        end
        left -= steps
        sums = add(add(sums, add(fold(a), fold(b))), add(fold(c), fold(d)))
    end
    for lane in sums
        total += lane.value
    end
    total + sum_single(rest, n)
end

"""
The same sum as it was published: the array is assigned in a closure, so that Julia keeps it in a box of no known type,
and the loop finds out again for each byte its type and how it is added.
"""
@noinline function sum_boxed(p::Ptr{UInt8}, n::Int)
    part = nothing
    receive() = (part = unsafe_wrap(Array, p, n))
    receive()
    total = UInt64(0)
    for i in 1:length(part)
        total += part[i]
    end
    total::UInt64
end

"The first byte of the part of `rank`, counted from 0, where `ranks` share `n` bytes."
@inline part_begin(n::Int, ranks::Int, rank::Int) = n ÷ ranks * rank + min(rank, n % ranks)
