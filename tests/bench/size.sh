#!/bin/sh
# size.sh - measures bytes of flash, RAM and stack on Cortex-M3 at -O2.
# usage: size.sh BUILD_DIR [--check]
#
# --check compares with tests/bench/baseline, and the flash of each option with what target/tlog_config.h says, instead
# of printing a table. Flash and RAM: the size of an image with a
# wrapper that logs, minus the size of an image with an empty wrapper; both have the same startup, no dump and no sink.
# The slots are not counted. Stack: the bytes below the caller's stack pointer that a call changes, found by filling the
# stack with a pattern before, in QEMU's mps2-an385.

. "$(dirname "$0")/lib.sh"
start size "$0" "$@"

measure_memory() {
    firmware flash_empty cortex-m3 down empty -DEMIT_EMPTY -DTLOG_ENABLE=0
    firmware flash_inline cortex-m3 down empty -DEMIT_INLINE
    firmware flash_call cortex-m3 down empty -DEMIT_CALL
    buffer=$(symbol_bytes flash_inline tlog_event_chunks)
    put flash "$(more flash_inline .text .ARM.exidx .data)"
    put flash_call "$(more flash_call .text .ARM.exidx .data)"
    put flash_forming "$("${cross}nm" -S -t d -l "$build/flash_inline.elf" |
        awk '$5 ~ /\/tlog_form\.c:/ { sum += $2 } END { print sum + 0 }')"
    put site_inline "$(($(symbol_bytes flash_inline emit) - $(symbol_bytes flash_empty emit)))"
    put site_call "$(($(symbol_bytes flash_call emit) - $(symbol_bytes flash_empty emit)))"
    put ram "$(more flash_inline .data .bss)"
    put ram_other_chunks "$(($(more flash_inline tlog_chunks) - buffer))"
    put chunk "$buffer"
    put chunk_overhead "$((buffer - 256 * 16))"
}

# option NAME FLAG...: put by how many bytes of flash an option makes the record path larger
option() {
    name=$1
    shift
    firmware "option_$name" cortex-m3 down empty -DEMIT_INLINE "$@"
    put "option_$name" "$(($(more "option_$name" .text .ARM.exidx .data) - $(get flash)))"
}

measure_options() {
    option TLOG_CHUNKS -DTLOG_CHUNKS=2
    option TLOG_RUNS -DTLOG_RUNS=2
    option TLOG_EMERGENCY_SLOTS -DTLOG_EMERGENCY_SLOTS=4
    option TLOG_ARENA -DTLOG_ARENA=1
    option TLOG_TRACEEVENTS -DTLOG_TRACEEVENTS=1
    option TLOG_UNIQUE_STAMPS -DTLOG_UNIQUE_STAMPS=1
    option TLOG_CONTEXT -DTLOG_CONTEXT=1
    option TLOG_MINIMAL -DTLOG_MINIMAL=1
    option TLOG_START -DTLOG_START=1 -DBENCH_START
    option TLOG_CLOCK_CHANGES -DTLOG_CLOCK_CHANGES=1
    option TLOG_COARSE_HZ -DTLOG_COARSE_HZ=1000 -DTLOG_CLOCK_HZ=25000000 \
        "-DTLOG_PORT_COARSE_NOW=(*(volatile unsigned *)0x40028000)"
}

# Flash and stack of builds that do not optimise for speed, the runtime included.
measure_levels() {
    for level in O0 Og Os; do
        firmware level_empty cortex-m3 down empty -DEMIT_EMPTY -DTLOG_ENABLE=0 "-$level"
        firmware level cortex-m3 down empty -DEMIT_INLINE "-$level"
        sum=0
        for name in .text .ARM.exidx .data; do
            sum=$((sum + $(section level $name) - $(section level_empty $name)))
        done
        put "flash_$level" "$sum"
        stack "$level" -DEMIT_INLINE "-$level"
        put "stack_$level" "$(field "$build/stack_$level.out" same_lap)"
        put "stack_${level}_all" "$(field "$build/stack_$level.out" all)"
        put "stack_${level}_first" "$(field "$build/stack_$level.out" first)"
    done
}

# check_documented: compare each "flash N bytes" and "saves N bytes of flash" in the comment above an option of
# tlog_config.h with what was measured. It may differ by a tenth and 10 bytes: the comments say "about".
check_documented() {
    awk -v me="$me" '
        FNR == NR { if (sub(/^option_/, "", $1)) measured[$1] = $2; next }
        /^\/\*/ { comment = "" }
        /^(\/| )\*/ { sub(/^(\/| )\* ?/, ""); comment = comment " " $0; next }
        /^#ifndef/ && match(comment, /flash [0-9]+ bytes|saves [0-9]+ bytes of flash/) {
            split(substr(comment, RSTART, RLENGTH), word, " ")
            said = word[1] == "saves" ? -word[2] : word[2]
            if (!($2 in measured)) { print me ": the flash of " $2 " is not measured"; bad = 1; next }
            off = measured[$2] - said
            limit = 10 + (said < 0 ? -said : said) / 10
            if (off > limit || -off > limit) {
                print me ": tlog_config.h says that " $2 " costs " said " bytes of flash, measured " measured[$2]
                bad = 1
            }
            delete measured[$2]
        }
        { comment = "" }
        END {
            for (name in measured) { print me ": tlog_config.h does not say what flash " name " costs"; bad = 1 }
            exit bad
        }' "$results" "$root/target/tlog_config.h" || fail "target/tlog_config.h is out of date"
}

# stack NAME FLAG...: build and run stack.c as the image stack_NAME
stack() {
    image=stack_$1
    shift
    firmware "$image" cortex-m3 down stack "$@"
    emulate "$image" mps2-an385
}

measure_stack() {
    stack empty -DEMIT_EMPTY
    [ "$(field "$build/stack_empty.out" all)" = 0 ] || fail "calibration: an empty wrapper uses stack"
    for variant in inline call; do
        stack "$variant" "-DEMIT_$(echo "$variant" | tr '[:lower:]' '[:upper:]')"
        put "stack_$variant" "$(field "$build/stack_$variant.out" same_lap)"
        put "stack_${variant}_all" "$(field "$build/stack_$variant.out" all)"
        put "stack_${variant}_first" "$(field "$build/stack_$variant.out" first)"
    done
    stack full -DEMIT_INLINE -DTLOG_STOP_WHEN_FULL=1 -DBENCH_WARM_UP=320
    put stack_full "$(field "$build/stack_full.out" all)"
    stack chunks2 -DEMIT_INLINE -DTLOG_CHUNKS=2 -DTLOG_SLOTS=128
    put stack_chunks2 "$(field "$build/stack_chunks2.out" all)"
    for variant in text bytes name printk_text; do
        stack "$variant" "-DEMIT_$(echo "$variant" | tr '[:lower:]' '[:upper:]')" -DTLOG_TRACEEVENTS=1 \
            -DTLOG_SLOTS=2000 -DTLOG_NAME_SLOTS=5000
        put "stack_$variant" "$(field "$build/stack_$variant.out" same_lap)"
        put "stack_${variant}_all" "$(field "$build/stack_$variant.out" all)"
        put "stack_${variant}_first" "$(field "$build/stack_$variant.out" first)"
    done
}

# breakdown: print each symbol that only the logging image has, with its size and the file that defines it
breakdown() {
    "${cross}readelf" -sW "$build/flash_inline.elf" >"$build/flash_inline.symbols"
    "${cross}nm" -S -l "$build/flash_inline.elf" | awk -v empty="$build/flash_empty.nm" -v flash="$(get flash)" \
        -v types="$build/flash_inline.symbols" '
        function hex(digits, n, i) {
            for (i = 1; i <= length(digits); i++)
                n = n * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
            return n
        }
        BEGIN {
            while ((getline line < empty) > 0) { split(line, part, " "); known[part[4]] = part[2] }
            while ((getline line < types) > 0) { split(line, part, " "); type[part[8]] = part[4] }
        }
        NF < 4 || length($2) != 8 || length($3) != 1 || known[$4] == $2 { next }
        {
            file = $5
            sub(/:[0-9]+$/, "", file)
            sub(/.*\//, "", file)
            size = hex($2) - hex(known[$4])
            kind = type[$4] == "FUNC" ? "code" : $3 ~ /[tTrR]/ ? "constant" : $3 ~ /[dD]/ ? "data" : "RAM only"
            if (kind != "RAM only") sum += size
            printf "%6d  %-9s %-16s %s\n", size, kind, file, $4
        }
        END { printf "%6d  %-9s\n", flash - sum, "alignment" }' | sort -k2,2 -k3,3 -k1,1nr
}

measure_memory
measure_options
measure_stack
measure_levels

if [ -n "$check" ]; then
    check_baseline
    check_documented
    exit
fi

echo "Bytes, Cortex-M3, -O2, one chunk of 256 slots"
echo
# level_rows KEY LEVEL FLASH STACK: the rows of what measure_levels has measured, with their limits
level_rows() {
    echo "flash_$1 | flash at $2, one TRACER_LOGEVENT, all of its runtime | $3 | ${3:+<= $3} |"
    echo "stack_$1 | stack at $2, chunk switch excluded | $4 | <= $4 |"
    echo "stack_$1_all | the same, included, and slots that are formatted | $4 | <= $4 |"
    echo "stack_$1_first | the same, first event | $4 | <= $4 |"
}

table <<END
flash | flash of the record path, opening included | 400 | <= 400 | 104 .. 3432
flash_forming | of it: formatting chunks of any content, in the first lap | | |
flash_call | the same, all events through tlog_record_call | | |
site_inline | flash per TRACER_LOGEVENT, first one in a function | | |
site_call | flash per tlog_record_call | | |
ram | RAM beside the chunk | 48 | <= 48 | 16 .. 3652
ram_other_chunks | RAM of chunks that this program does not use | 0 | 0 | -
chunk | the chunk: 256 slots, header, end, seal | | |
chunk_overhead | of these, not slots | | |
option_TLOG_CHUNKS | flash more with two chunks | | |
option_TLOG_RUNS | flash more with two runs | | |
option_TLOG_EMERGENCY_SLOTS | flash more with emergency slots | | |
option_TLOG_ARENA | flash more with the arena | | |
option_TLOG_TRACEEVENTS | flash more with traceevents | | |
option_TLOG_UNIQUE_STAMPS | flash more with unique stamps | | |
option_TLOG_CONTEXT | flash more with the context in records | | |
option_TLOG_COARSE_HZ | flash more with a coarse clock | | |
option_TLOG_START | flash more with TLOG_START=1, tlog_start() included | | |
option_TLOG_MINIMAL | flash more with the minimal runtime | | |
option_TLOG_CLOCK_CHANGES | flash more with a clock whose rate changes, names included | | |
stack_inline | stack, worst of 300 calls, chunk switch excluded | 24 | <= 24 | 12 .. 472
stack_inline_all | stack, worst of 300 calls, chunk switch included | 24 | <= 24 | 12 .. 472
stack_inline_first | stack, first event (opens the ring) | | |
stack_call | stack, tlog_record_call, switch excluded | 24 | <= 24 | 28
stack_call_all | stack, tlog_record_call, switch included | | |
stack_call_first | stack, tlog_record_call, first event | | |
stack_chunks2 | stack, two chunks, switch included | | |
stack_text | stack, trace_logs, any length, lap's change excluded | 96 | <= 96 |
stack_text_all | the same, lap's change included | | |
stack_text_first | the same, first event | | |
stack_bytes | stack, trace_logb, any length, lap's change excluded | 96 | <= 96 |
stack_bytes_all | the same, lap's change included | | |
stack_bytes_first | the same, first event | | |
stack_name | stack, tlog_name, any length | | |
stack_name_all | the same | | |
stack_name_first | stack, the first tlog_name, which opens the rings | | |
stack_printk_text | stack, TLOG_PRINTK of a text, any length, lap's change excluded | | |
stack_printk_text_all | the same, lap's change included | | |
stack_printk_text_first | the same, first event | | |
$(level_rows O0 -O0 4840 200)
$(level_rows Og -Og "" 200)
$(level_rows Os -Os "" 200)
stack_full | stack, ring stopped and full: dropped | | |
END
echo
echo "Where it goes, with TRACER_LOGEVENT:"
breakdown
