# A candidate of the lab in three functions, by the protocol of Parcrypt's docs/reference/protocol.md. It needs Julia 1.5 or later
# and no packages besides the standard library, which has SHA but no JSON.
#
#   include("parlab.jl")
#   Parlab.run("julia", "sum", prepare, work, output)
#
# `prepare(params, threads, input)` returns the state: it reads the file `input` (nothing if there is none) and does all that is
# not measured. It may throw `Parlab.Unsupported(why)`. `work(state)` does the work once and returns the result; only this is
# timed. `output(result)` returns the bytes of the result, which are hashed.
#
# A request that cannot be answered ends the program with exit code 2 and the reason on standard error. What the
# candidate, and programs that it starts, print goes to standard error too; their standard input is empty.
module Parlab

using SHA: sha256

const PROTOCOL = 2
const MAX_LINE = 1 << 20 # bytes of a request
const FIELDS = Dict(
    "prepare" => ["params", "protocol", "threads", "workload"],
    "sample" => ["iterations"],
    "digest" => String[],
    "quit" => String[],
    "check" => ["params", "protocol", "threads", "workload"],
    "describe" => ["protocol"],
)

# The work cannot be done here, with the reason. The lab shows the entry as skipped.
struct Unsupported <: Exception
    why::String
end

# A request that cannot be answered, with the reason.
struct RequestError <: Exception
    why::String
end
refuse(why...) = throw(RequestError(string(why...)))

# Answers the requests on standard input until `quit` or the end.
function run(name, workload, prepare, work, output)
    # Programs that the candidate starts have the files 0 and 1, which are other ones from now on.
    requests = fdio(reinterpret(Int32, Libc.dup(RawFD(0))), true)
    responses = fdio(reinterpret(Int32, Libc.dup(RawFD(1))), true)
    redirect_stdin(open("/dev/null"))
    redirect_stdout(stderr)
    try
        serve(requests, responses, name, workload, prepare, work, output)
    catch error
        error isa RequestError || rethrow()
        println(stderr, "error: ", error.why)
        exit(2)
    end
end

function serve(requests, responses, name, workload, prepare, work, output)
    prepared = sampled = false
    state = result = nothing
    number = 0
    while !eof(requests)
        number += 1
        id, kind, body = read_request(number, readline(requests))
        kind == "quit" && return
        if kind == "prepare"
            prepared && refuse("`prepare` came a second time; it comes once")
            body["workload"] == workload || refuse("unknown workload `", body["workload"], "`: it can be ", workload)
            try
                state = prepare(body["params"], Int(body["threads"]), get(body, "input", nothing))
                # So that the first sample does not measure the compiler.
                precompile(work, (typeof(state),))
                prepared, response = true, "\"ready\":{\"name\":" * escaped(name) * "}"
            catch error
                error isa Unsupported || rethrow()
                response = "\"unsupported\":" * escaped(error.why)
            end
        elseif kind in ("check", "describe")
            response = "\"unsupported\":\"this candidate answers no `$kind`\""
        elseif !prepared
            refuse("`", kind, "` came before a successful `prepare`")
        elseif kind == "sample"
            begun = time_ns()
            for _ in 1:body["iterations"]
                # The compiler does not see the function, so that it does not merge iterations; this takes some 100 ns.
                result = Base.invokelatest(work, state)
            end
            elapsed = time_ns() - begun
            sampled, response = true, string("\"elapsed_ns\":", max(elapsed, 1), peak_memory())
        elseif !sampled
            refuse("`digest` came before the first `sample`")
        else
            response = "\"digest\":\"sha256:" * bytes2hex(sha256(Vector{UInt8}(output(result)))) * "\""
        end
        println(responses, "{\"id\":", id, ",", response, "}")
        flush(responses)
    end
end

# Returns the maximum resident memory in bytes as a count, if the system tells it.
function peak_memory()
    isfile("/proc/self/status") || return ""
    found = match(r"VmHWM:\s*(\d+) kB", read("/proc/self/status", String))
    found === nothing ? "" : string(",\"counts\":{\"peak-memory-bytes\":", 1024 * parse(Int, found.captures[1]), "}")
end

# Returns a text as JSON.
escaped(text) =
    string('"', (c in "\"\\" || c < ' ' ? "\\u" * string(UInt32(c), base = 16, pad = 4) : c for c in text)..., '"')

# Returns the number of a request, its kind and its content.
function read_request(number, line)
    try
        ncodeunits(line) < MAX_LINE || refuse("it has more than ", MAX_LINE, " bytes")
        isvalid(line) || refuse("it is not UTF-8")
        r = Reader(push!(Vector{UInt8}(codeunits(line)), 0x00), 1)
        request = read_object(r, 3)
        next(r) == 0x00 && r.at == ncodeunits(line) + 1 || refuse("there is more after its end")
        kinds = filter(key -> key != "id", collect(keys(request)))
        length(kinds) == 1 && haskey(FIELDS, kinds[1]) && get(request, "id", nothing) isa UInt64 ||
            refuse("it has a number `id` and one of prepare, sample, digest, quit, check and describe")
        kind = kinds[1]
        body = request[kind]
        body isa Dict || refuse(kind, ": not an object")
        if kind in ("prepare", "check", "describe")
            protocol = get(body, "protocol", nothing)
            protocol == PROTOCOL || refuse("it is of protocol ", protocol, ", and this program speaks protocol ", PROTOCOL)
        end
        kind in ("prepare", "check") && get!(body, "params", Dict{String,Any}())
        sort!(filter(key -> kind != "prepare" || key != "input", collect(keys(body)))) == FIELDS[kind] ||
            refuse(kind, ": it has ", isempty(FIELDS[kind]) ? "no fields" : join(FIELDS[kind], ", "))
        for (key, value) in body
            if key in ("threads", "iterations")
                value isa UInt64 && 0 < value < 1 << 62 || refuse(kind, ".", key, ": a whole number of at least 1 is needed")
            elseif key in ("workload", "input")
                value isa String || refuse(kind, ".", key, ": not a string")
            elseif key == "params"
                value isa Dict && !any(v isa Dict for v in values(value)) ||
                    refuse(kind, ".params: a parameter is a whole number of at least 0 or a text")
            end
        end
        request["id"], kind, body
    catch error
        error isa RequestError || rethrow()
        refuse("line ", number, " of standard input: `", first(line, 200), "` is not a request: ", error.why)
    end
end

# --- JSON: objects, texts and whole numbers, which requests consist of ---

mutable struct Reader
    bytes::Vector{UInt8} # and a 0 at the end
    at::Int
end

# Returns the next byte that is not blank.
function next(r::Reader)
    while r.bytes[r.at] in (0x20, 0x09, 0x0a, 0x0d)
        r.at += 1
    end
    r.bytes[r.at]
end

function take(r::Reader, c::Char)
    next(r) == UInt8(c) || return false
    r.at += 1
    true
end

expect(r::Reader, c::Char) = take(r, c) || refuse("`", c, "` is missing at byte ", r.at)

read_value(r::Reader, depth::Int) =
    next(r) == UInt8('"') ? read_text(r) : next(r) == UInt8('{') ? read_object(r, depth) : read_number(r)

function read_object(r::Reader, depth::Int)
    depth > 0 || refuse("an object at byte ", r.at)
    object = Dict{String,Any}()
    expect(r, '{')
    take(r, '}') && return object
    while true
        key = read_text(r)
        haskey(object, key) && refuse("`", key, "` stands there twice")
        expect(r, ':')
        object[key] = read_value(r, depth - 1)
        take(r, ',') || break
    end
    expect(r, '}')
    object
end

function read_number(r::Reader)
    begun = r.at
    while UInt8('0') <= r.bytes[r.at] <= UInt8('9')
        r.at += 1
    end
    digits = String(r.bytes[begun:r.at-1])
    number = length(digits) > 1 && digits[1] == '0' ? nothing : tryparse(UInt64, digits)
    number === nothing ? refuse("no text and no whole number of at least 0 at byte ", begun) : number
end

function read_hex(r::Reader)
    digits = String(r.bytes[r.at:min(r.at + 3, end)])
    length(digits) == 4 && all(isxdigit, digits) || refuse("`\\u` without four digits at byte ", r.at)
    r.at += 4
    parse(UInt32, digits, base = 16)
end

function read_text(r::Reader)
    expect(r, '"')
    text = IOBuffer()
    while true
        byte = r.bytes[r.at]
        byte >= 0x20 || refuse("a text without its end at byte ", r.at)
        r.at += 1
        if byte == UInt8('"')
            return String(take!(text))
        elseif byte != UInt8('\\')
            write(text, byte)
            continue
        end
        escape = Char(r.bytes[r.at])
        r.at += 1
        if escape == 'u'
            code = read_hex(r)
            if code >> 10 == 0xd800 >> 10
                expect(r, '\\')
                expect(r, 'u')
                low = read_hex(r)
                low >> 10 == 0xdc00 >> 10 || refuse("half a character at byte ", r.at)
                code = 0x10000 + (((code & 0x3ff) << 10) | (low & 0x3ff))
            end
            code >> 11 == 0xd800 >> 11 && refuse("half a character at byte ", r.at)
            write(text, Char(code))
        else
            place = findfirst(isequal(escape), "\"\\/bfnrt")
            place === nothing && refuse("an unknown escape at byte ", r.at - 1)
            write(text, "\"\\/\b\f\n\r\t"[place])
        end
    end
end

end
