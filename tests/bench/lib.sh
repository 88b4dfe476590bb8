# lib.sh - functions that the benches of the target share: build images, run them in QEMU, count, print tables.
# usage: . "$(dirname "$0")/lib.sh"; start NAME "$0" "$@"
#
# After start, $build is the directory for all output and $root the checkout. Measured figures are written to
# $build/results.NAME, one line "key value" each, and all tables are printed from that file, so that a table cannot
# show a figure that was not measured.

set -eu
LC_ALL=C
export LC_ALL

cross=${CROSS:-arm-none-eabi-}
qemu=${QEMU:-qemu-system-arm}
board=mps2-an385 # for which firmware() builds
flags="-std=c11 -mthumb -mfloat-abi=soft -O2 -g -ffreestanding -ffunction-sections -fdata-sections -Wall -Wextra"
flags="$flags -nostdlib -Wl,--gc-sections"

fail() {
    echo "$me: $*" >&2
    exit 1
}

# start NAME SCRIPT BUILD_DIR [--check]: check the tools; sets me, root, bench, build, results, check
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

# support_of CORE: print the sources that $board needs besides tlog's
support_of() {
    case $1 in cortex-a*) echo "$root/linker/startup_a.c" ;; *) echo "$root/linker/startup_m.c" ;; esac
    case $board in lm3s*) echo "$root/linker/ticks.c" ;; esac
}

# firmware IMAGE CORE CLOCK HARNESS FLAG...: build $build/IMAGE.elf for $board. CLOCK: "up" is a clock that counts up
# and that only mps2-an385 has; any other word is the board's own clock, which counts down on mps2-an385.
firmware() {
    image=$1 core=$2 clock=$3 harness=$4
    shift 4
    include=$build/$board-$clock
    mkdir -p "$include"
    echo "#include \"$board.h\"" >"$include/board.h"
    if [ "$clock" = up ]; then # a counter of the FPGA that counts upwards
        printf '#undef TLOG_CLOCK_ADDRESS\n#undef TLOG_CLOCK_DOWN\n' >>"$include/board.h"
        printf '#define TLOG_CLOCK_ADDRESS 0x40028018u\n#define TLOG_CLOCK_DOWN 0\n' >>"$include/board.h"
    fi
    # shellcheck disable=SC2086 # several words
    "${cross}gcc" $flags "-mcpu=$core" -I"$root/target" -I"$root/port" -I"$root/linker" -I"$include" -I"$bench" \
        -include board.h "$@" -L"$root/linker" -T"$root/linker/$board.ld" "$root"/target/src/*.c \
        "$root"/port/*_v[67]m.c $(support_of "$core") "$bench/exit.c" "$bench/$harness.c" "$bench/emit.c" -lgcc \
        -o "$build/$image.elf" || fail "$image does not build"
    "${cross}nm" -S "$build/$image.elf" >"$build/$image.nm"
}

# emulate IMAGE MACHINE QEMU_OPTION...: run the image; its output goes to $build/IMAGE.out (semihosting's console is
# standard error). Ends the script if the run fails.
emulate() {
    image=$1 machine=$2
    shift 2
    # shellcheck disable=SC2086 # several words
    (cd "$build" && exec timeout 600 "$qemu" -M $machine -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native "$@" -kernel "$image.elf") >"$build/$image.out" 2>&1 </dev/null \
        || fail "$image: the run failed, status $?: $(cat "$build/$image.out")"
}

# address IMAGE NAME: print the address of a symbol
address() {
    awk -v name="$2" '$NF == name { print $1; exit }' "$build/$1.nm"
}

# range_end IMAGE NAME: print the address of the first byte after a function
range_end() {
    awk -v name="$2" '$NF == name && NF == 4 { print $1, $2; exit }' "$build/$1.nm" | {
        read -r at size
        printf '%08x\n' $((0x$at + 0x$size))
    }
}

# list_masks IMAGE: list each instruction of the image that changes an interrupt mask in $build/IMAGE.masks, as
# "address on|off|turn"
list_masks() {
    "${cross}objdump" -d "$build/$1.elf" >"$build/$1.dis" || fail "$1: no disassembly"
    awk -F '\t' '
        function list(kind) {
            gsub(/[ :]/, "", $1)
            print substr("0000000" $1, length($1)) " " kind
        }
        NF < 3 { next }
        $3 ~ /^cpsid/ { list("on") }
        $3 ~ /^cpsie/ { list("off") }
        $3 ~ /^msr/ && tolower($4) ~ /^(primask|basepri|faultmask)/ { list("turn") }' "$build/$1.dis" >"$build/$1.masks"
}

# count IMAGE CORE MACHINE CLOCK FLAG...: build, run and count instructions; the figures go to $build/IMAGE.count
count() {
    image=$1 core=$2 machine=$3 clock=$4
    shift 4
    firmware "$image" "$core" "$clock" main "$@"
    list_masks "$image"
    emulate "$image" "$machine" -singlestep -d exec,nochain -D "$build/$image.log"
    slow=$(address "$image" tlog_ring_slow) enter=$(address "$image" storm_handler)
    awk -v emit="$(address "$image" emit)" -v slow="${slow:-none}" \
        -v enter="${enter:-none}" -v leave="$(address "$image" storm_end)" \
        -v from="$(address "$image" measured)" -v to="$(range_end "$image" measured)" -f "$bench/count.awk" \
        "$build/$image.masks" "$build/$image.log" >"$build/$image.count" || fail "$image: no count"
    rm -f "$build/$image.log"
}

# figure KEY IMAGE NAME: put a figure of a count into the results
figure() {
    put "$1" "$(field "$build/$2.count" "$3")"
}

# section IMAGE NAME: print the bytes of a section
section() {
    "${cross}size" -A "$build/$1.elf" | awk -v name="$2" '$1 == name { sum = $2 } END { print sum + 0 }'
}

# more IMAGE NAME...: print by how many bytes these sections together are larger than in the image flash_empty
more() {
    image=$1 sum=0
    shift
    for name; do
        sum=$((sum + $(section "$image" "$name") - $(section flash_empty "$name")))
    done
    echo "$sum"
}

# symbol_bytes IMAGE NAME: print the size of a symbol
symbol_bytes() {
    awk -v name="$2" '$NF == name && NF == 4 { print $2; exit }' "$build/$1.nm" | { read -r hex && echo $((0x$hex)); }
}

# put KEY VALUE: add a figure to the results
put() {
    [ -n "$2" ] || fail "$1: nothing measured"
    echo "$1 $2" >>"$results"
}

# get KEY: print a figure of the results
get() {
    awk -v key="$1" '$1 == key { print $2; found = 1; exit } END { exit !found }' "$results" ||
        fail "$1 was not measured"
}

# field FILE NAME: print the rest of the line "NAME value..." of a file
field() {
    awk -v name="$2" '$1 == name { sub(/^[^ ]* /, ""); print; exit }' "$1"
}

# table: print a table of the results. Reads lines "key | row | limit | goal | best peer"; limit is the goal as number,
# or empty, goal is its text.
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

# check_baseline: compare the results with the lines of tests/bench/baseline that begin with this script's name; if
# $measured is set, with those that match it
check_baseline() {
    prefix=${me%sh}
    awk -v prefix="$prefix" -v me="$me" -v measured="${measured:-.}" '
        FNR == NR { value[prefix $1] = $2; next }
        /^#/ || NF == 0 || index($1, prefix) != 1 || $1 !~ measured { next }
        !($1 in value) { print me ": " $1 " stands in the baseline and was not measured"; bad = 1; next }
        value[$1] + 0 > $2 + 0 { print me ": " $1 " is " value[$1] ", baseline " $2; bad = 1; next }
        value[$1] + 0 < $2 + 0 { print me ": " $1 " is " value[$1] ", better than its baseline " $2 ": lower it" }
        { checked++ }
        END { if (!bad) print me ": " checked " figures as in the baseline"; exit bad || !checked }
    ' "$results" "$bench/baseline" || fail "worse than tests/bench/baseline allows"
}
