#!/bin/sh
# What takes longer than lint: gcc's analyzer over the runtime, for three cores and two configurations, and cppcheck's
# MISRA addon, whose findings must be of rules that tests/misra.txt names. Usage: analyze.sh BUILD
set -eu
build=$1
mkdir -p "$build/analyze"
warnings="-Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef -fanalyzer"

for options in "" "-DTLOG_ARENA=1 -DTLOG_TRACEEVENTS=1"; do
    for core in cortex-m3:mps2-an385 cortex-m0:microbit cortex-a15:virt; do
        for source in target/*.c port/port_v*.c; do
            # shellcheck disable=SC2086
            arm-none-eabi-gcc -std=c11 -mthumb -mfloat-abi=soft -O2 -ffreestanding "-mcpu=${core%:*}" -include "linker/${core#*:}.h" \
                $options -Itarget -Iport $warnings -c "$source" -o /dev/null
        done
    done
    for source in target/*.c port/port_posix.c; do
        # shellcheck disable=SC2086
        gcc -std=c11 -O2 $options -Itarget -Iport $warnings -c "$source" -o /dev/null
    done
done

cppcheck --quiet --std=c11 --addon=misra --suppress=missingIncludeSystem -Itarget -Iport -D__unix__ -DTLOG_ARENA=1 \
    -DTLOG_TRACEEVENTS=1 --template='{file}:{line} {id}' target/*.c port/*.c >"$build/analyze/misra" 2>&1
awk 'FNR == NR { if ($1 !~ /^#/) where[$1] = $2; next }
     /misra-c2012-/ {
        rule = $2
        sub(/^misra-c2012-/, "", rule)
        split($1, path, "/")
        if (index("," where[rule] ",", "," path[1] ",") == 0) { print "not in tests/misra.txt: " $0; bad = 1 }
        found++
     }
     END { if (!found) print "no finding at all: is the addon there?"; exit bad || !found }' tests/misra.txt "$build/analyze/misra"
echo "clean"
