# The sum over ranks: all calls of MPI. The file that `build` writes defines `libmpi`, the types and the constants.
#
# Pointers into a team's arrays are passed to MPI: the caller of these functions preserves the team from the garbage
# collector until it is closed, and nothing here replaces an array while a request is in flight.
#
# All ranks of a team call the same functions in the same order. Where MPI itself fails a function throws `MPIFailed`,
# and the caller has to abort: the others may wait forever.

const TAG = Cint(0)
const MESSAGE = 1 << 30 # maximum bytes of one message between two ranks: counts are of type int
const STAGE = 1 << 22 # bytes that rank 0 reads for another rank's window at a time
const SPINS = 50 # polls of a request before the processor is yielded to other ranks
const YIELDS = 50 # yields before a sleep
const MOST_CHILDREN = 31 # of a rank in a binomial tree: ranks are of type int

const TREE, COLLECTIVE, WINDOW = 0, 1, 2

const FINE, NO_MEMORY, NO_INPUT = 0, 1, 2 # outcomes that are the same on all ranks; the worst is the largest

struct MPIFailed <: Exception
    rank::Int
    call::String
    code::Int
    text::String
end
Base.showerror(io::IO, e::MPIFailed) = print(io, "rank ", e.rank, ": ", e.call, ": error ", e.code, ": ", e.text)

# The state of a rank in the team.
mutable struct Team
    comm::Comm
    rank::Int
    size::Int
    crowded::Bool # whether the ranks of this node have less than one processor each
    algorithm::Int
    boxed::Bool
    bytes::Int # length of the whole input
    data::Ptr{UInt8} # on rank 0 everything, below it in the tree the bytes of its subtree, else its own part
    room::Int # size of `data` in bytes
    window::Vector{Win} # the window of `data` where the algorithm uses one
    node::Vector{Comm}
    line::Vector{Datatype} # a line of 64 bytes: the unit of the scatter
    counts::Vector{Cint} # of the scatter, in lines, on rank 0
    displacements::Vector{Cint}
    requests::Vector{Request} # room for all in flight at once
    words::Vector{UInt64} # data sent and received other than the input; its address never changes
    done::Vector{Cint}
end

# Times in nanoseconds by the clock of this rank.
mutable struct Times
    elapsed::Int
    scatter::Int
    compute::Int
    gather::Int
    sum::UInt64
end

@noinline function failed(call::String, code::Cint)
    rank, text, length = Ref{Cint}(-1), zeros(UInt8, MAX_ERROR_STRING), Ref{Cint}(0)
    ccall((:MPI_Comm_rank, libmpi), Cint, (Comm, Ptr{Cint}), COMM_WORLD, rank)
    ccall((:MPI_Error_string, libmpi), Cint, (Cint, Ptr{UInt8}, Ptr{Cint}), code, text, length)
    throw(MPIFailed(Int(rank[]), call, Int(code), String(text[1:length[]])))
end

@inline check(call::String, code::Cint) = code == 0 ? nothing : failed(call, code)

@inline now_ns() = Int(time_ns())

@inline request(team::Team, i::Int) = pointer(team.requests) + i * sizeof(Request)

# --- Waiting ---

struct Timespec
    seconds::Clong
    nanoseconds::Clong
end

@inline sleep_ns(nanoseconds::Int) =
    ccall(:nanosleep, Cint, (Ref{Timespec}, Ptr{Cvoid}), Timespec(0, nanoseconds), C_NULL)

# Completes the first `count` requests. Waiting inside MPI would spin, and with more ranks than processors the awaited
# rank would run only after the next tick of the scheduler, milliseconds later.
#
# A patient rank waits for the next request, which may be minutes away: a sleep of a sixteenth of the time waited so far
# adds little to the wait, and in the end costs an idle rank 60 wake-ups a second. Where ranks are crowded yielding is
# not enough: launchers give each rank a session of its own, Linux may schedule sessions as groups, and then a yield
# does not give the processor to a process outside. The shortest sleep does.
function complete(team::Team, count::Int, patient::Bool)
    begun = patient ? now_ns() : 0
    tries = 0
    done = pointer(team.done)
    for i in 0:count-1 # a test of one request makes all of them progress
        while true
            check("MPI_Test", ccall((:MPI_Test, libmpi), Cint, (Ptr{Request}, Ptr{Cint}, Ptr{Cvoid}),
                                    request(team, i), done, STATUS_IGNORE))
            unsafe_load(done) == 0 || break
            tries += 1
            tries <= SPINS && continue
            sleep = patient ? (now_ns() - begun) ÷ 16 : 0
            if sleep >= 20_000
                sleep_ns(min(sleep, 16_000_000))
            elseif !team.crowded || tries <= SPINS + YIELDS
                ccall(:sched_yield, Cint, ())
            else
                sleep_ns(1)
            end
        end
    end
end

# --- Messages ---

# Begins to send in messages of at most `MESSAGE`, one message for 0 bytes; returns the number of requests
# in flight; `posted` of them were before.
@inline function post_send(team::Team, data::Ptr{UInt8}, bytes::Int, to::Int, posted::Int)
    offset = 0
    while true
        piece = min(bytes - offset, MESSAGE)
        check("MPI_Isend", ccall((:MPI_Isend, libmpi), Cint,
                                 (Ptr{UInt8}, Cint, Datatype, Cint, Cint, Comm, Ptr{Request}),
                                 data + offset, piece, BYTE, to, TAG, team.comm, request(team, posted)))
        posted += 1
        offset += piece
        offset < bytes || return posted
    end
end

# Begins to receive what `post_send` sends.
@inline function post_receive(team::Team, data::Ptr{UInt8}, bytes::Int, from::Int, posted::Int)
    offset = 0
    while true
        piece = min(bytes - offset, MESSAGE)
        check("MPI_Irecv", ccall((:MPI_Irecv, libmpi), Cint,
                                 (Ptr{UInt8}, Cint, Datatype, Cint, Cint, Comm, Ptr{Request}),
                                 data + offset, piece, BYTE, from, TAG, team.comm, request(team, posted)))
        posted += 1
        offset += piece
        offset < bytes || return posted
    end
end

# Returns when all ranks have called it.
function meet(team::Team)
    check("MPI_Ibarrier", ccall((:MPI_Ibarrier, libmpi), Cint, (Comm, Ptr{Request}), team.comm, request(team, 0)))
    complete(team, 1, false)
end

# Returns the worst of the outcomes of all ranks.
function agree(team::Team, mine::Int)
    words = pointer(team.words)
    unsafe_store!(words, UInt64(mine))
    check("MPI_Iallreduce",
          ccall((:MPI_Iallreduce, libmpi), Cint,
                (Ptr{UInt64}, Ptr{UInt64}, Cint, Datatype, Op, Comm, Ptr{Request}),
                words, words + 8, 1, UINT64_T, MAX, team.comm, request(team, 0)))
    complete(team, 1, false)
    Int(unsafe_load(words, 2))
end

# Sends the words `values` from rank 0 to all, and returns them. The others wait for them without
# using their processor.
function tell(team::Team, values::NTuple{5,Int})
    words = Ptr{NTuple{5,Int}}(pointer(team.words))
    unsafe_store!(words, values)
    check("MPI_Ibcast", ccall((:MPI_Ibcast, libmpi), Cint, (Ptr{Cvoid}, Cint, Datatype, Cint, Comm, Ptr{Request}),
                              words, 5, UINT64_T, 0, team.comm, request(team, 0)))
    complete(team, 1, team.rank != 0)
    unsafe_load(words)
end

# --- The tree ---

# Returns the step s at which a rank gets its bytes from rank − s; on rank 0 the first step without a rank to send to.
# It is the largest power of two that divides the rank, and its subtree is rank … min(rank + s, size) − 1.
@inline function step_of(team::Team)
    step = 1
    while team.rank == 0 ? step < team.size : team.rank & step == 0
        step *= 2
    end
    step
end

@inline begin_of(team::Team, rank::Int) = part_begin(team.bytes, team.size, rank)
@inline bytes_of(team::Team, rank::Int) = begin_of(team, rank + 1) - begin_of(team, rank)

# Sends every rank the bytes of its subtree, from the root of the tree on.
function tree_scatter(team::Team)
    own = step_of(team)
    if team.rank != 0
        complete(team, post_receive(team, team.data, team.room, team.rank - own, 0), false)
    end
    posted = 0
    step = own ÷ 2
    while step > 0
        child = team.rank + step
        if child < team.size
            first = begin_of(team, child)
            last = begin_of(team, min(child + step, team.size))
            posted = post_send(team, team.data + (first - begin_of(team, team.rank)), last - first, child, posted)
        end
        step ÷= 2
    end
    complete(team, posted, false)
end

# Adds the sums of the ranks up, towards the root of the tree.
function tree_gather(team::Team, own::UInt64)
    top = step_of(team)
    words = pointer(team.words)
    children, step = 0, 1
    while step < top && team.rank + step < team.size
        post_receive(team, Ptr{UInt8}(words + 8 * children), 8, team.rank + step, children)
        children += 1
        step *= 2
    end
    complete(team, children, false)
    for i in 1:children
        own += unsafe_load(words, i)
    end
    if team.rank != 0
        unsafe_store!(words, own)
        complete(team, post_send(team, Ptr{UInt8}(words), 8, team.rank - top, 0), false)
    end
    own
end

# --- The collective operations ---

function scatter(team::Team)
    line = team.line[1]
    root = team.rank == 0
    # The part of rank 0 is not moved.
    check("MPI_Iscatterv",
          ccall((:MPI_Iscatterv, libmpi), Cint,
                (Ptr{UInt8}, Ptr{Cint}, Ptr{Cint}, Datatype, Ptr{UInt8}, Cint, Datatype, Cint, Comm, Ptr{Request}),
                root ? team.data : C_NULL, pointer(team.counts), pointer(team.displacements), line,
                root ? IN_PLACE : team.data, root ? 0 : team.room ÷ LINE, line, 0, team.comm, request(team, 0)))
    complete(team, 1, false)
end

function reduce(team::Team, own::UInt64)
    words = pointer(team.words)
    unsafe_store!(words, own)
    check("MPI_Ireduce", ccall((:MPI_Ireduce, libmpi), Cint,
                               (Ptr{UInt64}, Ptr{UInt64}, Cint, Datatype, Op, Cint, Comm, Ptr{Request}),
                               words, words + 8, 1, UINT64_T, SUM, 0, team.comm, request(team, 0)))
    complete(team, 1, false)
    unsafe_load(words, 2)
end

# Returns when rank 0 has called it. No rank may begin an iteration earlier, or it would run within the
# time of another.
function start_all(team::Team)
    # A broadcast of no bytes would not wait.
    check("MPI_Ibcast", ccall((:MPI_Ibcast, libmpi), Cint, (Ptr{UInt64}, Cint, Datatype, Cint, Comm, Ptr{Request}),
                              pointer(team.words), 1, BYTE, 0, team.comm, request(team, 0)))
    complete(team, 1, false)
end

# Sums the input `iterations` times, from the scatter on.
function take_sample(team::Team, iterations::Int, times::Times)
    times.scatter = times.compute = times.gather = 0
    meet(team)
    begun = last = now_ns()
    for _ in 1:iterations
        if team.algorithm == TREE
            tree_scatter(team)
        elseif team.algorithm == COLLECTIVE
            scatter(team)
        else
            start_all(team)
        end
        scattered = now_ns()
        n = bytes_of(team, team.rank)
        own = team.boxed ? sum_boxed(team.data, n) : sum_bytes(team.data, n)
        computed = now_ns()
        times.sum = team.algorithm == TREE ? tree_gather(team, own) : reduce(team, own)
        gathered = now_ns()
        times.scatter += scattered - last
        times.compute += computed - scattered
        times.gather += gathered - computed
        last = gathered
    end
    times.elapsed = last - begun
end

# --- Preparation of the measured work ---

@inline whole_lines(bytes::Int) = (bytes + LINE - 1) ÷ LINE * LINE

# Returns the position of the part of a rank in the data of rank 0. A scatter takes each part from a line of its own.
place_of(team::Team, rank::Int) =
    team.algorithm == COLLECTIVE ? rank * whole_lines(bytes_of(team, 0)) : begin_of(team, rank)

function room_of(team::Team)
    if team.algorithm == TREE
        return begin_of(team, min(team.rank + step_of(team), team.size)) - begin_of(team, team.rank)
    elseif team.algorithm == COLLECTIVE
        return team.rank == 0 ? place_of(team, team.size) : whole_lines(bytes_of(team, team.rank))
    end
    bytes_of(team, team.rank)
end

# Allocates memory that the ranks of a node share; the part of this rank is `team.data`.
function open_window(team::Team)
    data, info = Ref{Ptr{UInt8}}(C_NULL), Ref{Info}(INFO_NULL)
    # Parts that begin on pages of their own are placed where their ranks touch them first.
    check("MPI_Info_create", ccall((:MPI_Info_create, libmpi), Cint, (Ptr{Info},), info))
    check("MPI_Info_set", ccall((:MPI_Info_set, libmpi), Cint, (Info, Cstring, Cstring),
                                info[], "alloc_shared_noncontig", "true"))
    check("MPI_Win_allocate_shared",
          ccall((:MPI_Win_allocate_shared, libmpi), Cint, (Int, Cint, Info, Comm, Ptr{Ptr{UInt8}}, Ptr{Win}),
                team.room, 1, info[], team.node[1], data, team.window))
    check("MPI_Win_set_errhandler", ccall((:MPI_Win_set_errhandler, libmpi), Cint, (Win, Errhandler),
                                          team.window[1], ERRORS_RETURN))
    check("MPI_Info_free", ccall((:MPI_Info_free, libmpi), Cint, (Ptr{Info},), info))
    team.data = data[]
end

# Allocates memory and touches every page. A page that cannot be mapped is an error here and would be a signal later.
function allocate(team::Team)
    # Every child has a message that may be a part of a piece.
    resize!(team.requests, 2 * team.size + MOST_CHILDREN + team.room ÷ MESSAGE)
    if team.algorithm == COLLECTIVE && team.rank == 0
        # At most 2^36 / 64, by `MOST_BYTES`.
        team.counts = Cint[whole_lines(bytes_of(team, r)) ÷ LINE for r in 0:team.size-1]
        team.displacements = Cint[place_of(team, r) ÷ LINE for r in 0:team.size-1]
    end
    if team.algorithm != WINDOW
        data = Ref{Ptr{UInt8}}(C_NULL)
        ccall(:posix_memalign, Cint, (Ptr{Ptr{UInt8}}, Csize_t, Csize_t), data, 4096, team.room + 1) == 0 ||
            return NO_MEMORY
        team.data = data[]
    end
    team.room == 0 && return FINE
    # Kernels before 5.14 lack MADV_POPULATE_WRITE (23), and no kernel accepts memory that does not begin with a page.
    if ccall(:madvise, Cint, (Ptr{UInt8}, Csize_t, Cint), team.data, team.room, 23) != 0 && Libc.errno() != Libc.EINVAL
        return NO_MEMORY
    end
    ccall(:memset, Ptr{UInt8}, (Ptr{UInt8}, Cint, Csize_t), team.data, 0, team.room)
    FINE
end

# Sends a first message from rank 0 to each rank and back.
function connect_all(team::Team)
    words = Ptr{UInt8}(pointer(team.words))
    if team.rank != 0
        complete(team, post_receive(team, words, 1, 0, 0), false)
        complete(team, post_send(team, words, 1, 0, 0), false)
        return
    end
    posted = 0
    for r in 1:team.size-1
        posted = post_send(team, words, 1, r, posted)
    end
    complete(team, posted, false)
    for r in 1:team.size-1
        complete(team, post_receive(team, words, 1, r, 0), false)
    end
end

# Reads exactly `bytes` bytes.
function read_bytes(input::Cint, to::Ptr{UInt8}, bytes::Int)
    while bytes > 0
        # The system reads less than 2^31 bytes at a time.
        got = ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), input, to, min(bytes, MESSAGE))
        if got > 0
            to += got
            bytes -= got
        elseif got == 0 || Libc.errno() != Libc.EINTR
            return false
        end
    end
    true
end

# Brings the input where it has to be when the measured work begins. For a window rank 0 reads the parts of the others
# piece by piece and sends them on. What cannot be read is sent as it is: the others are waiting, and learn it when all
# agree.
function load(team::Team, input::Cint)
    whole = true
    if team.rank == 0
        stage = team.algorithm == WINDOW ? Libc.malloc(STAGE) : C_NULL
        stage = Ptr{UInt8}(stage)
        whole = team.algorithm != WINDOW || stage != C_NULL
        for r in 0:team.size-1
            rest = bytes_of(team, r)
            if team.algorithm != WINDOW || r == 0
                whole = whole && read_bytes(input, team.data + place_of(team, r), rest)
                continue
            end
            while rest > 0
                piece = min(rest, STAGE)
                whole = whole && read_bytes(input, stage, piece)
                complete(team, post_send(team, stage, piece, r, 0), false)
                rest -= piece
            end
        end
        Libc.free(stage)
    elseif team.algorithm == WINDOW
        for offset in 0:STAGE:team.room-1
            complete(team, post_receive(team, team.data + offset, min(team.room - offset, STAGE), 0, 0), false)
        end
    end
    agree(team, whole ? FINE : NO_INPUT)
end

# Prepares everything except the input: memory and, among more than one rank, connections.
function prepare(team::Team, algorithm::Int, boxed::Bool, bytes::Int)
    team.algorithm, team.boxed, team.bytes = algorithm, boxed, bytes
    team.room = room_of(team)
    algorithm == WINDOW && open_window(team)
    agree(team, allocate(team))
end

# --- Creation and end of a team ---

# Returns whether the ranks of this node have less than one processor each.
function is_crowded(team::Team)
    own, all, ranks = zeros(UInt64, 16), zeros(UInt64, 16), Ref{Cint}(0)
    # Where it fails, on more than 1024 processors, the ranks count as crowded, which is slower and safe.
    ccall(:sched_getaffinity, Cint, (Cint, Csize_t, Ptr{UInt64}), 0, sizeof(own), own)
    check("MPI_Comm_size", ccall((:MPI_Comm_size, libmpi), Cint, (Comm, Ptr{Cint}), team.node[1], ranks))
    GC.@preserve own all begin
        check("MPI_Iallreduce",
              ccall((:MPI_Iallreduce, libmpi), Cint,
                    (Ptr{UInt64}, Ptr{UInt64}, Cint, Datatype, Op, Comm, Ptr{Request}),
                    pointer(own), pointer(all), length(own), UINT64_T, BOR, team.node[1], request(team, 0)))
        complete(team, 1, false)
    end
    ranks[] > sum(count_ones, all)
end

# Returns the team of all ranks of `comm`. From then on errors of MPI are returned.
function open_team(comm::Comm)
    rank, size, line = Ref{Cint}(0), Ref{Cint}(0), Vector{Datatype}(undef, 1)
    check("MPI_Comm_set_errhandler", ccall((:MPI_Comm_set_errhandler, libmpi), Cint, (Comm, Errhandler),
                                           comm, ERRORS_RETURN))
    check("MPI_Comm_rank", ccall((:MPI_Comm_rank, libmpi), Cint, (Comm, Ptr{Cint}), comm, rank))
    check("MPI_Comm_size", ccall((:MPI_Comm_size, libmpi), Cint, (Comm, Ptr{Cint}), comm, size))
    check("MPI_Type_contiguous", ccall((:MPI_Type_contiguous, libmpi), Cint, (Cint, Datatype, Ptr{Datatype}),
                                       LINE, BYTE, line))
    check("MPI_Type_commit", ccall((:MPI_Type_commit, libmpi), Cint, (Ptr{Datatype},), line))
    team = Team(comm, rank[], size[], true, TREE, false, 0, C_NULL, 0, [WIN_NULL], [COMM_NULL], line, Cint[], Cint[],
                Vector{Request}(undef, 1), zeros(UInt64, MOST_CHILDREN), Cint[0])
    GC.@preserve team begin
        check("MPI_Comm_split_type", ccall((:MPI_Comm_split_type, libmpi), Cint, (Comm, Cint, Cint, Info, Ptr{Comm}),
                                           team.comm, COMM_TYPE_SHARED, team.rank, INFO_NULL, team.node))
        check("MPI_Comm_set_errhandler", ccall((:MPI_Comm_set_errhandler, libmpi), Cint, (Comm, Errhandler),
                                               team.node[1], ERRORS_RETURN))
        team.crowded = is_crowded(team)
    end
    team
end

# Frees the team's resources.
function close_team(team::Team)
    if team.window[1] != WIN_NULL
        check("MPI_Win_free", ccall((:MPI_Win_free, libmpi), Cint, (Ptr{Win},), team.window))
    else
        Libc.free(team.data)
    end
    if team.node[1] != COMM_NULL
        check("MPI_Comm_free", ccall((:MPI_Comm_free, libmpi), Cint, (Ptr{Comm},), team.node))
    end
    check("MPI_Type_free", ccall((:MPI_Type_free, libmpi), Cint, (Ptr{Datatype},), team.line))
end
