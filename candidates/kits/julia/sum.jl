# The sum of a file's bytes, as a candidate for the workload `sum`.
include("parlab.jl")

prepare(params, threads, input) = read(input)

work(data) = sum(data)

output(total) = reinterpret(UInt8, [htol(UInt64(total))])

Parlab.run("julia", "sum", prepare, work, output)
