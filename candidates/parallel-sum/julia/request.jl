# Requests of the lab, as defined in docs/reference/protocol.md: one JSON object a line. The standard library has no JSON.

const MOST_LINE = 1 << 20 # bytes of a request
const MOST_SCALE = 36 # displacements of a scatter are counted in lines of 64 bytes and have to be below 2^31
const MOST_DEPTH = 64
const PROTOCOL = 2 # version of the protocol

# An error that ends all ranks with status 2 and this message.
struct Problem <: Exception
    text::String
end
problem(text...) = throw(Problem(string(text...)))

# --- JSON ---

mutable struct Reader
    text::String
    place::Int
end

peek_byte(r::Reader) = r.place <= ncodeunits(r.text) ? codeunit(r.text, r.place) : 0x00

function blank(r::Reader)
    while peek_byte(r) in (0x20, 0x09, 0x0a, 0x0d)
        r.place += 1
    end
end

function expect(r::Reader, what::String)
    for byte in codeunits(what)
        peek_byte(r) == byte || problem("`", what, "` is missing at byte ", r.place)
        r.place += 1
    end
end

function read_value(r::Reader, depth::Int)
    depth <= MOST_DEPTH || problem("it is nested more than ", MOST_DEPTH, " deep")
    blank(r)
    byte = peek_byte(r)
    value = byte == UInt8('{') ? read_object(r, depth) :
            byte == UInt8('[') ? read_array(r, depth) :
            byte == UInt8('"') ? read_text(r) :
            byte == UInt8('t') ? (expect(r, "true"); true) :
            byte == UInt8('f') ? (expect(r, "false"); false) :
            byte == UInt8('n') ? (expect(r, "null"); nothing) : read_number(r)
    blank(r)
    value
end

# Calls `item` for each item of a list in brackets, separated by commas.
function read_items(item, r::Reader, open::String, close::String)
    expect(r, open)
    blank(r)
    while peek_byte(r) != codeunit(close, 1)
        item()
        peek_byte(r) == UInt8(',') || break
        expect(r, ",")
        blank(r)
        peek_byte(r) == codeunit(close, 1) && problem("a comma with nothing after it at byte ", r.place)
    end
    expect(r, close)
end

function read_object(r::Reader, depth::Int)
    object = Dict{String,Any}()
    read_items(r, "{", "}") do
        key = read_text(r)
        haskey(object, key) && problem("`", key, "` stands there twice")
        blank(r)
        expect(r, ":")
        object[key] = read_value(r, depth + 1)
    end
    object
end

function read_array(r::Reader, depth::Int)
    array = Any[]
    read_items(() -> push!(array, read_value(r, depth + 1)), r, "[", "]")
    array
end

function read_hex(r::Reader)
    digits = r.place + 3 <= ncodeunits(r.text) ? String(codeunits(r.text)[r.place:r.place+3]) : ""
    all(c -> c in "0123456789abcdefABCDEF", digits) && !isempty(digits) || problem("no `\\u` at byte ", r.place)
    r.place += 4
    parse(UInt32, digits, base = 16)
end

function read_text(r::Reader)
    expect(r, "\"")
    bytes = UInt8[]
    while true
        byte = peek_byte(r)
        byte >= 0x20 || problem("a text that does not end at byte ", r.place)
        r.place += 1
        if byte == UInt8('"')
            return String(bytes)
        elseif byte != UInt8('\\')
            push!(bytes, byte)
            continue
        end
        escape = Char(peek_byte(r))
        r.place += 1
        if escape == 'u'
            code = read_hex(r)
            if 0xd800 <= code < 0xdc00
                expect(r, "\\u")
                low = read_hex(r)
                0xdc00 <= low < 0xe000 || problem("half a character at byte ", r.place)
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
            end
            (0xdc00 <= code < 0xe000 || code == 0) && problem("no character at byte ", r.place)
            append!(bytes, codeunits(string(Char(code))))
        else
            found = findfirst(isequal(escape), "\"\\/bfnrt")
            found === nothing && problem("no escape at byte ", r.place - 1)
            push!(bytes, UInt8("\"\\/\b\f\n\r\t"[found]))
        end
    end
end

# Integers are of type Int, all other numbers of type Float64.
function read_number(r::Reader)
    found = match(r"\G-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", r.text, r.place)
    found === nothing && problem("no value at byte ", r.place)
    r.place += ncodeunits(found.match)
    whole = found.captures[1] === nothing && found.captures[2] === nothing ? tryparse(Int, found.match) : nothing
    whole === nothing || return whole
    number = tryparse(Float64, found.match)
    number === nothing ? problem("too great a number before byte ", r.place) : number
end

function read_json(text::String)
    isvalid(text) || problem("not UTF-8")
    r = Reader(text, 1)
    value = read_value(r, 0)
    r.place > ncodeunits(text) || problem("there is more after its end, from byte ", r.place)
    value
end

# --- Requests ---

# Returns the values of the keys, in their order: an optional key has a question mark after its name.
function fields(what::String, object, keys::Pair{String,DataType}...)
    object isa Dict{String,Any} || problem(what, ": not an object")
    values = Any[]
    known = 0
    for (name, type) in keys
        optional = endswith(name, "?")
        key = optional ? chop(name) : name
        if haskey(object, key)
            known += 1
            value = object[key]
            (value isa type && !(value isa Bool)) ||
                problem(what, ": `", key, "` has to be ", type == Int ? "a whole number" : type == String ? "a text" : "an object")
            push!(values, value)
        else
            optional || problem(what, ": `", key, "` is missing")
            push!(values, nothing)
        end
    end
    known == length(object) || problem(what, ": there are keys besides ", join((chop_mark(k) for (k, _) in keys), ", "))
    values
end
chop_mark(name::String) = endswith(name, "?") ? chop(name) : name

struct Preparation
    bytes::Int
    algorithm::Int
    variant::String
    threads::Int
    input::String
end

function read_preparation(body)
    body isa Dict{String,Any} && get(body, "protocol", PROTOCOL) != PROTOCOL &&
        problem("it is of protocol ", body["protocol"], ", and this program speaks protocol ", PROTOCOL)
    _, workload, params, threads, input =
        fields("prepare", body, "protocol" => Int, "workload" => String, "params" => Dict{String,Any}, "threads" => Int, "input?" => String)
    workload == "sum" || problem("unknown workload `", workload, "`: it can be sum")
    input === nothing && problem("`sum` needs an input file, and none was named")
    scale, bytes, name, variant =
        fields("params", params, "scale?" => Int, "bytes?" => Int, "algorithm" => String, "variant?" => String)
    (scale === nothing) != (bytes === nothing) ||
        problem("params: one of `scale` and `bytes` has to be there, and not both")
    if scale !== nothing
        0 <= scale <= MOST_SCALE || problem("parameter `scale` is ", scale, ": it can be 0 to ", MOST_SCALE)
        bytes = 1 << scale
    end
    0 <= bytes <= 1 << MOST_SCALE || problem("parameter `bytes` is ", bytes, ": it can be 0 to 2^", MOST_SCALE)
    algorithm = findfirst(isequal(name), ["tree", "collective", "window"])
    algorithm === nothing && problem("unknown algorithm `", name, "`: it can be tree, collective or window")
    variant === nothing && (variant = "correct")
    variant in ("correct", "boxed", "dropped-guard", "eight-byte-elements") ||
        problem("unknown variant `", variant, "`: it can be correct, boxed, dropped-guard or eight-byte-elements")
    Preparation(bytes, algorithm - 1, variant, threads, input)
end

# Returns the number of a request, its name, and its content: a `Preparation`, the number of iterations, or nothing.
function read_request(line::String)
    try
        object = read_json(line)
        object isa Dict{String,Any} && (get(object, "id", nothing) isa Bool || !(get(object, "id", nothing) isa Int)) &&
            problem("it has no number `id`, as protocol 1 has none; this program speaks protocol ", PROTOCOL)
        names = object isa Dict{String,Any} ? filter(key -> key != "id", collect(keys(object))) : String[]
        length(names) == 1 && names[1] in ("prepare", "sample", "digest", "quit") ||
            problem("it is an object with `id` and one of prepare, sample, digest and quit")
        id, name, body = object["id"], names[1], object[names[1]]
        if name == "prepare"
            return id, name, read_preparation(body)
        elseif name == "sample"
            iterations, = fields(name, body, "iterations" => Int)
            iterations >= 1 || problem(iterations, " iterations: at least 1 is needed")
            return id, name, iterations
        end
        fields(name, body)
        return id, name, nothing
    catch e
        e isa Problem || rethrow()
        problem("`", first(rstrip(line), 200), "` is no request: ", e.text)
    end
end
