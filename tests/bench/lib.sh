# lib.sh - what target.sh and size.sh share. Sourced; $build is where everything goes, $root the checkout.
#
# Measured figures stand in $build/results.<script>, a line "key value" each; every table is printed from there, so that
# a figure that was not measured cannot be printed.

set -eu
LC_ALL=C
export LC_ALL

cross=${CROSS:-arm-none-eabi-}
qemu=${QEMU:-qemu-system-arm}
flags="-std=c11 -mthumb -O2 -g -ffreestanding -ffunction-sections -fdata-sections -Wall -Wextra"
flags="$flags -nostdlib -Wl,--gc-sections"

fail() {
    echo "$me: $*" >&2
    exit 1
}

# usage: start NAME SCRIPT [BUILD_DIR [--check]]; sets me, root, bench, build, results, check
start() {
    me=$1.sh
    root=$(cd "$(dirname "$2")/../.." && pwd)
    [ $# -ge 3 ] || { echo "usage: $2 BUILD_DIR [--check]" >&2; exit 1; }
    check=${4:-}
    case $check in '' | --check) ;; *) fail "unknown option $check" ;; esac
    for tool in "${cross}gcc" "${cross}nm" "${cross}objdump" "${cross}size" "$qemu" awk; do
        command -v "$tool" >/dev/null || fail "$tool is needed and not installed"
    done
    bench=$root/tests/bench
    mkdir -p "$3/bench"
    build=$(cd "$3/bench" && pwd)
    results=$build/results.$1
    : >"$results"
}

# usage: firmware IMAGE CORE CLOCK HARNESS FLAG...; builds $build/IMAGE.elf. CLOCK: down (the board's) or up
firmware() {
    image=$1 core=$2 clock=$3 harness=$4
    shift 4
    include=$build/$clock
    mkdir -p "$include"
    cp "$root/linker/mps2-an385.h" "$include/"
    echo '#include "mps2-an385.h"' >"$include/board.h"
    if [ "$clock" = up ]; then # a counter of the FPGA that counts upwards
        printf '#undef TLOG_CLOCK_ADDRESS\n#undef TLOG_CLOCK_DOWN\n' >>"$include/board.h"
        printf '#define TLOG_CLOCK_ADDRESS 0x40028018u\n#define TLOG_CLOCK_DOWN 0\n' >>"$include/board.h"
    fi
    # shellcheck disable=SC2086 # several words
    "${cross}gcc" $flags "-mcpu=$core" -I"$root/target" -I"$root/port" -I"$include" -I"$bench" -include board.h "$@" \
        -L"$root/linker" -T"$root/linker/mps2-an385.ld" "$root"/target/*.c "$root/port/port_v6m.c" "$root/port/port_v7m.c" \
        "$root/linker/startup_m.c" "$bench/exit.c" "$bench/$harness.c" "$bench/emit.c" -lgcc -o "$build/$image.elf" \
        || fail "$image does not build"
    "${cross}nm" -S "$build/$image.elf" >"$build/$image.nm"
}

# usage: emulate IMAGE MACHINE QEMU_OPTION...; what it prints goes to $build/IMAGE.out (semihosting's
# console is standard error). Fails also when the harness does.
emulate() {
    image=$1 machine=$2
    shift 2
    (cd "$build" && exec timeout 60 "$qemu" -M "$machine" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native "$@" -kernel "$image.elf") >"$build/$image.out" 2>&1 </dev/null \
        || fail "$image: the run failed, status $?: $(cat "$build/$image.out")"
}

# usage: put KEY VALUE
put() {
    [ -n "$2" ] || fail "$1: nothing measured"
    echo "$1 $2" >>"$results"
}

# usage: get KEY
get() {
    awk -v key="$1" '$1 == key { print $2; found = 1; exit } END { exit !found }' "$results" ||
        fail "$1 was not measured"
}

# usage: field FILE NAME; the rest of a line "NAME value..."
field() {
    awk -v name="$2" '$1 == name { sub(/^[^ ]* /, ""); print; exit }' "$1"
}

# usage: table; reads lines "key | row | limit | goal | best peer", where limit is the number of the goal, or empty
table() {
    awk -F ' *[|] *' -v results="$results" -v me="$me" '
        function pad(text, width) { while (length(text) < width) text = text " "; return text }
        BEGIN {
            while ((getline line < results) > 0) { split(line, part, " "); value[part[1]] = part[2] }
            split("row|measured|goal|best peer|met", part, "|")
            for (c = 1; c <= 5; c++) cell[0, c] = part[c]
        }
        NF < 5 { next }
        !($1 in value) { print me ": " $1 " was not measured" > "/dev/stderr"; bad = 1; exit }
        {
            rows++
            cell[rows, 1] = $2; cell[rows, 2] = value[$1]; cell[rows, 3] = $4; cell[rows, 4] = $5
            cell[rows, 5] = $3 == "" ? "" : value[$1] + 0 <= $3 + 0 ? "yes" : "NO"
        }
        END {
            if (bad) exit 1
            for (r = 0; r <= rows; r++)
                for (c = 1; c <= 5; c++)
                    if (length(cell[r, c]) > width[c]) width[c] = length(cell[r, c])
            for (r = 0; r <= rows; r++) {
                line = "|"; rule = "|"
                for (c = 1; c <= 5; c++) {
                    line = line " " pad(cell[r, c], width[c]) " |"
                    dashes = ""
                    while (length(dashes) < width[c] + 2) dashes = dashes "-"
                    rule = rule dashes "|"
                }
                print line
                if (r == 0) print rule
            }
        }'
}

# usage: check_limits; compares results with the keys of tests/bench/limits that bear this script's name
check_limits() {
    prefix=${me%sh}
    awk -v prefix="$prefix" -v me="$me" '
        FNR == NR { value[prefix $1] = $2; next }
        /^#/ || NF == 0 || index($1, prefix) != 1 { next }
        !($1 in value) { print me ": " $1 " has a limit and was not measured"; bad = 1; next }
        value[$1] + 0 > $2 + 0 { print me ": " $1 " is " value[$1] ", limit " $2; bad = 1; next }
        value[$1] + 0 < $2 + 0 { print me ": " $1 " is " value[$1] ", better than its limit " $2 ": lower the limit" }
        { checked++ }
        END { if (!bad) print me ": " checked " figures within their limits"; exit bad || !checked }
    ' "$results" "$bench/limits" || fail "worse than tests/bench/limits allows"
}
