# A candidate of the lab in three functions, by the protocol of Parcrypt's docs/reference/protocol.md.
#
#     source parlab.bash
#     parlab_run NAME WORKLOAD
#
# `prepare` finds the parameters in the array PARAMS, the number of threads in THREADS and the path of the input in INPUT (empty
# if there is none), and does all that is not measured. It may call `unsupported REASON`. `work` does the work once; only this is
# timed. `output` writes the bytes of the result, which are hashed.
#
# It needs Bash 5 and jq. The clock of Bash counts microseconds and is that of the day: it can be set, and a sample during which it was
# set back is an error. To start a program takes a millisecond, so this is for work that takes much longer. Parameters from 2^53 on
# are rounded by jq 1.6. A request that cannot be answered ends the program with exit code 2 and the reason on standard error. What
# the candidate prints goes to standard error too.
# shellcheck shell=bash disable=SC2016,SC2034 # quoted names are names; the candidate reads PARAMS, THREADS and INPUT

# Reads a request. Returns assignments for Bash, or why it is no request after an exclamation mark.
parlab_request='
def whole: type == "number" and . >= 0 and floor == .;
def check(right; why): if right then . else error(why) end;
def field($kind; $name): .[$name] as $value |
    if $name == "threads" or $name == "iterations" then
        check($value | whole and . > 0; "\($kind).\($name): a whole number of at least 1 is needed")
    elif $name == "workload" or $name == "input" then
        check($value | type == "string"; "\($kind).\($name): not a string")
    elif $name == "params" then
        check($value | type == "object" and all(.[]; whole or type == "string");
            "\($kind).params: a parameter is a whole number of at least 0 or a text")
    else . end;
try (fromjson
    | check(type == "object"; "not an object")
    | check(.id | whole; "it has no number `id`")
    | .id as $id | del(.id) | (keys | join(" ")) as $kind
    | check($kind | IN("prepare", "sample", "digest", "quit", "check", "describe"); "it has `id` and one of prepare, sample, digest, quit, check and describe")
    | .[$kind]
    | check(type == "object"; "\($kind): not an object")
    | ["protocol", "workload", "params", "threads"] as $work
    | ({prepare: $work, check: $work, describe: ["protocol"], sample: ["iterations"]}[$kind] // []) as $fields
    | check(.protocol == 2 or ($fields | index("protocol") | not);
        "it is of protocol \(.protocol), and this program speaks protocol 2")
    | if $fields == $work then .params //= {} else . end
    | check((if $kind == "prepare" then keys - ["input"] else keys end) == ($fields | sort);
        "\($kind): it has \($fields | join(", "))")
    | reduce keys[] as $name (.; field($kind; $name))
    | "id=\($id) kind=\($kind) iterations=\(.iterations // 0) workload=\(.workload // "" | @sh) THREADS=\(.threads // 0)" +
      " INPUT=\(.input // "" | @sh); PARAMS=()" +
      ([.params // {} | to_entries[] | "; PARAMS[\(.key | @sh)]=\(.value | tostring | @sh)"] | join(""))
) catch "!\(.)"'

parlab_error() { # Ends the program.
    printf 'error: %s\n' "$1" >&2
    exit 2
}

unsupported() { # The work cannot be done here, for this reason. The lab shows the entry as skipped.
    parlab_unsupported=$1
}

parlab_now() { # The time in microseconds, as `now`.
    now=${EPOCHREALTIME/[.,]/}
}

parlab_peak() { # The maximum resident memory of this process in bytes as a count, if the system tells it.
    local name value _
    peak=
    [[ -r /proc/self/status ]] || return 0
    while read -r name value _; do
        [[ $name != VmHWM: ]] || peak="\"peak-memory-bytes\":$((value * 1024))"
    done </proc/self/status
}

parlab_run() { # Answers the requests on standard input until `quit` or the end.
    local name=$1 its_workload=$2 requests responses line parsed number=0 prepared='' sampled=''
    local id kind iterations workload now begun elapsed peak hash i
    declare -gA PARAMS=()
    command -v jq >/dev/null || parlab_error 'jq is not installed'
    [[ -n ${EPOCHREALTIME-} ]] || parlab_error 'Bash 5 is needed'
    exec {requests}<&0 {responses}>&1 </dev/null >&2
    while IFS= read -r -u "$requests" line || [[ -n $line ]]; do
        number=$((number + 1))
        ((${#line} <= 1 << 20)) || parlab_error "line $number of standard input has more than $((1 << 20)) bytes"
        parsed=$(jq -Rr "$parlab_request" <<<"$line" 2>/dev/null) || parsed='!it cannot be read'
        if [[ -z $parsed || $parsed == '!'* ]]; then
            parlab_error "line $number of standard input: \`${line:0:200}\` is not a request: ${parsed:1}"
        fi
        eval "$parsed"
        case $kind in
        quit) return ;;
        prepare)
            [[ -z $prepared ]] || parlab_error '`prepare` came a second time; it comes once'
            [[ $workload == "$its_workload" ]] || parlab_error "unknown workload \`$workload\`: it can be $its_workload"
            parlab_unsupported=
            prepare || parlab_error '`prepare` failed'
            if [[ -n $parlab_unsupported ]]; then
                jq -nc --argjson id "$id" --arg why "$parlab_unsupported" '{$id, unsupported: $why}' >&"$responses"
            else
                prepared=1
                printf '{"id":%s,"ready":{"name":"%s"}}\n' "$id" "$name" >&"$responses"
            fi
            ;;
        check | describe) printf '{"id":%s,"unsupported":"this candidate answers no `%s`"}\n' "$id" "$kind" >&"$responses" ;;
        *)
            [[ -n $prepared ]] || parlab_error "\`$kind\` came before a successful \`prepare\`"
            ;;&
        sample)
            parlab_now && begun=$now
            for ((i = 0; i < iterations; i++)); do work || parlab_error '`work` failed'; done
            parlab_now && elapsed=$((now - begun))
            ((elapsed >= 0)) || parlab_error 'the clock was set back during a sample'
            sampled=1
            parlab_peak
            printf '{"id":%s,"elapsed_ns":%s,"counts":{%s}}\n' "$id" $((elapsed > 0 ? elapsed * 1000 : 1)) "$peak" >&"$responses"
            ;;
        digest)
            [[ -n $sampled ]] || parlab_error '`digest` came before the first `sample`'
            hash=$(set -o pipefail && output | sha256sum) || parlab_error '`output` failed'
            printf '{"id":%s,"digest":"sha256:%s"}\n' "$id" "${hash:0:64}" >&"$responses"
            ;;
        esac
    done
}
