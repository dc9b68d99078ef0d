# A candidate of the lab: the sum of a file's bytes over MPI ranks, in Julia 1.5 or later.
#
#   julia sum.jl CONSTANTS
#
# CONSTANTS is the file about MPI that `build` makes. Rank 0 speaks the protocol of docs/reference/protocol.md and tells
# the others what to do; what is summed, and how, is in ../README.md. All ranks end together: with 0 after `quit` or at
# the end of standard input, with 2 after an error.

const loading = time_ns()

# The sum is compiled with all optimisations, the code around it with the shortest compilation time.
module Bytes
include("bytes.jl")
end

module Ranks
Base.Experimental.@optlevel 1
using ..Bytes: LINE, part_begin, sum_boxed, sum_bytes
include(abspath(ARGS[1]))
include("ranks.jl")
end

module Candidate
Base.Experimental.@optlevel 1
using ..Ranks
using SHA: sha256
include("../../kits/julia/parlab.jl")
using .Parlab: RequestError, read_request, refuse

const PREPARE, SAMPLE, END = 0, 1, 2

complain(e) = println(stderr, "error: ", e isa RequestError ? e.why : sprint(showerror, e))

# Writes a response: `fields` is the JSON object after its number.
function respond(id::UInt64, fields...)
    try
        write(stdout, string("{\"id\":", id, ",", fields..., "\n"))
        flush(stdout)
    catch e
        refuse("standard output cannot be written: ", sprint(showerror, e))
    end
end

const MOST_SCALE = 36 # displacements of a scatter are counted in lines of 64 bytes and have to be below 2^31

struct Preparation
    bytes::Int
    algorithm::Int
    variant::String
    threads::Int
    input::String
end

# Returns the index of a parameter's text among those that are known.
function choice(params, name, known)
    found = findfirst(isequal(get(params, name, known[1])), known)
    found === nothing ? refuse("unknown ", name, " `", params[name], "`: it can be ", join(known, ", ")) : found
end

# Returns a parameter that is a whole number.
function number(params, name, most)
    value = params[name]
    value isa UInt64 && value <= most ? Int(value) : refuse("parameter `", name, "` is ", value, ": it can be 0 to ", most)
end

function read_preparation(body)
    body["workload"] == "sum" || refuse("unknown workload `", body["workload"], "`: it can be sum")
    haskey(body, "input") || refuse("`sum` needs an input file, and none was named")
    params = body["params"]
    haskey(params, "scale") == haskey(params, "bytes") &&
        refuse("one of the parameters `scale` and `bytes` has to be there, and not both")
    haskey(params, "algorithm") || refuse("the parameter `algorithm` is missing")
    length(params) == 2 + haskey(params, "variant") ||
        refuse("`sum` has the parameters `scale`, `bytes`, `algorithm` and `variant`")
    bytes = haskey(params, "scale") ? 1 << number(params, "scale", MOST_SCALE) : number(params, "bytes", 1 << MOST_SCALE)
    algorithm = choice(params, "algorithm", ["tree", "collective", "window"])
    variants = ["correct", "boxed", "dropped-guard", "eight-byte-elements"]
    Preparation(bytes, algorithm - 1, variants[choice(params, "variant", variants)], Int(body["threads"]), body["input"])
end

# Opens a regular file of exactly this number of bytes.
function open_input(path::String, bytes::Int)
    found = stat(path)
    ispath(found) || refuse("input ", path, ": there is no such file")
    isfile(found) || refuse("input ", path, ": not a regular file")
    filesize(found) == bytes ||
        refuse("input ", path, ": it has ", filesize(found), " bytes, but the parameters say ", bytes)
    try
        open(path)
    catch e
        refuse("input ", path, ": it cannot be opened: ", sprint(showerror, e))
    end
end

# Its type in Julia differs between versions.
descriptor(input::IOStream) = Base.cconvert(Cint, fd(input))::Cint

# Runs all measured functions only on this rank, on a few bytes, so that Julia compiles them.
function compile(algorithm::Int, boxed::Bool)
    team = Ranks.open_team(Ranks.COMM_SELF)
    GC.@preserve team begin
        Ranks.tell(team, (0, 0, 0, 0, 0))
        Ranks.connect_all(team)
        if Ranks.prepare(team, algorithm, boxed, 1000) == Ranks.FINE
            open(input -> Ranks.load(team, descriptor(input)), "/dev/zero")
            Ranks.take_sample(team, 1, Ranks.Times(0, 0, 0, 0, 0))
        end
        Ranks.close_team(team)
    end
end

# Prepares on each rank: returns the outcome, and the times of the steps, in nanoseconds.
function make_ready(team::Ranks.Team, algorithm::Int, boxed::Bool, bytes::Int, input::Cint)
    marks = [Ranks.now_ns()]
    compile(algorithm, boxed)
    Ranks.meet(team)
    push!(marks, Ranks.now_ns())
    outcome = Ranks.prepare(team, algorithm, boxed, bytes)
    push!(marks, Ranks.now_ns())
    outcome == Ranks.FINE || return outcome, diff(marks)
    Ranks.connect_all(team)
    push!(marks, Ranks.now_ns())
    outcome = Ranks.load(team, input)
    push!(marks, Ranks.now_ns())
    outcome, diff(marks)
end

# Prepares on all ranks; returns false where this program does not support the work.
function prepare(team::Ranks.Team, id::UInt64, request::Preparation, start::Int, loaded::Int)
    if request.variant != "correct" && !(request.variant == "boxed" && request.algorithm == Ranks.TREE)
        respond(id, "\"unsupported\":\"the variant ", request.variant, " is not in the program in Julia",
                request.variant == "boxed" ? " but with the algorithm tree\"}" : "\"}")
        return false
    end
    request.threads == team.size ||
        refuse(request.threads, " threads are asked for, but there are ", team.size, " ranks")
    input = open_input(request.input, request.bytes)
    boxed = request.variant == "boxed"
    Ranks.tell(team, (PREPARE, request.algorithm, Int(boxed), request.bytes, 0))
    outcome, took = make_ready(team, request.algorithm, boxed, request.bytes, descriptor(input))
    close(input)
    outcome == Ranks.NO_MEMORY && refuse("a rank has no memory for its part of ", request.bytes, " bytes")
    outcome == Ranks.NO_INPUT && refuse("input ", request.input, ": it cannot be read to its end")
    respond(id, "\"ready\":{\"name\":\"sum-julia\",\"version\":\"Julia ", VERSION, ", ", Ranks.version,
           "\",\"runtime\":\"mpi\",\"threads\":", team.size, ",\"phases\":{\"start\":", start, ",\"compile\":", loaded + took[1],
           ",\"touch\":", took[2], ",\"connect\":", took[3], ",\"read\":", took[4], "}}}")
    true
end

# Answers requests until there are no more.
function converse(team::Ranks.Team, start::Int, loaded::Int)
    times = Ranks.Times(0, 0, 0, 0, 0)
    prepared = sampled = false
    lines = 0
    while !eof(stdin)
        lines += 1
        id, name, body = read_request(lines, readline(stdin))
        if name == "quit"
            return
        elseif name == "prepare"
            prepared && refuse("`prepare` came a second time; it comes once")
            prepared = prepare(team, id, read_preparation(body), start, loaded)
        elseif name in ("check", "describe")
            respond(id, "\"unsupported\":\"this candidate answers no `", name, "`\"}")
        elseif !prepared
            refuse("`", name, "` came before a successful `prepare`")
        elseif name == "sample"
            iterations = Int(body["iterations"])
            Ranks.tell(team, (SAMPLE, iterations, 0, 0, 0))
            Ranks.take_sample(team, iterations, times)
            sampled = true
            # An empty sum may take less than the clock's resolution.
            respond(id, "\"elapsed_ns\":", max(times.elapsed, 1), ",\"phases\":{\"scatter\":", times.scatter,
                   ",\"compute\":", times.compute, ",\"gather\":", times.gather, "}}")
        else
            sampled || refuse("`digest` came before the first `sample`: there is no output yet")
            respond(id, "\"digest\":\"sha256:", bytes2hex(sha256(reinterpret(UInt8, [htol(times.sum)]))), "\"}")
        end
    end
end

# Runs rank 0; returns the exit status of the process.
function lead(team::Ranks.Team, start::Int, loaded::Int)
    status = 0
    try
        converse(team, start, loaded)
    catch e
        e isa Ranks.MPIFailed && rethrow()
        Base.invokelatest(complain, e)
        status = 2
    end
    Ranks.tell(team, (END, status, 0, 0, 0))
    status
end

# Runs every other rank.
function follow(team::Ranks.Team, _...)
    times = Ranks.Times(0, 0, 0, 0, 0)
    while true
        command, first, second, third, _ = Ranks.tell(team, (0, 0, 0, 0, 0))
        if command == END
            return first
        elseif command == SAMPLE
            Ranks.take_sample(team, first, times)
        else
            # Rank 0 knows any other outcome, and ends all ranks.
            make_ready(team, first, second != 0, third, Cint(-1))
        end
    end
end

# `loading` is the time at which Julia began to read this program, in nanoseconds.
function main(loading::Int)
    begun = Ranks.now_ns()
    loaded = begun - loading
    # Errors of MPI_Init end the process.
    ccall((:MPI_Init, Ranks.libmpi), Cint, (Ptr{Cvoid}, Ptr{Cvoid}), C_NULL, C_NULL)
    start = Ranks.now_ns() - begun
    status = 2
    try
        team = Ranks.open_team(Ranks.COMM_WORLD)
        GC.@preserve team begin
            # A call through a variable: no rank compiles functions that it does not call.
            status = Base.invokelatest(team.rank == 0 ? lead : follow, team, start, loaded)::Int
            Ranks.close_team(team)
        end
    catch e
        Base.invokelatest(complain, e)
        # The others may be waiting for this rank.
        ccall((:MPI_Abort, Ranks.libmpi), Cint, (Ranks.Comm, Cint), Ranks.COMM_WORLD, 2)
    end
    ccall((:MPI_Finalize, Ranks.libmpi), Cint, ())
    exit(status)
end
end

Candidate.main(Int(loading))
