#!/usr/bin/env bash
# The sum of a file's bytes, as a candidate for the workload `sum`.
# shellcheck source=candidates/kits/shell/parlab.bash
source "$(dirname -- "$0")/parlab.bash"

prepare() {
    file=$INPUT
}

work() {
    total=$(od -An -v -tu1 -w4096 -- "$file" | awk '{ for (i = 1; i <= NF; i++) sum += $i } END { printf "%.0f", sum }')
}

output() { # 8 bytes, the least significant first
    local i
    for i in {0..7}; do printf '%b' "\\x$(printf '%02x' $((total >> 8 * i & 255)))"; done
}

parlab_run shell sum
