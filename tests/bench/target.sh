#!/bin/sh
# target.sh - counts instructions per event in QEMU.
# usage: target.sh BUILD_DIR [--check]
#
# Prints one table. With --check it prints instead which figures are worse than tests/bench/baseline, those of size.sh
# included, and fails if one is. Method: emit(a, b) logs one event with full-range arguments. Counted are 2000 calls,
# after 64 that are not, from the entry of emit() to its return, minus one, so that an empty emit() counts 0. QEMU does
# not model cycles.

. "$(dirname "$0")/lib.sh"
start target "$0" "$@"

# expect IMAGE NAME VALUE: end the script unless that figure is VALUE. This checks the counting itself, with wrappers
# whose count is known.
expect() {
    got=$(field "$build/$1.count" "$2")
    [ "$got" = "$3" ] || fail "calibration: $1 $2 is $got and should be $3"
}

calibrate() {
    count empty cortex-m3 mps2-an385 down -DEMIT_EMPTY
    expect empty histogram 0:2000
    count nops cortex-m3 mps2-an385 down -DEMIT_NOPS
    expect nops histogram 100:2000
    count masked cortex-m3 mps2-an385 down -DEMIT_MASKED
    expect masked histogram 10:2000
    expect masked masked_average 7.00
    expect masked masked_longest 4
}

# Counting shows only code that was executed. So this links all of tlog and counts the instructions that mask
# interrupts anywhere in it; there must be none.
measure_masks() {
    firmware all cortex-m3 down main -DEMIT_CALL -Wl,--no-gc-sections
    for name in tlog_record_any tlog_ring_slow tlog_name tlog_dump tlog_tick; do
        [ -n "$(address all $name)" ] || fail "$name is not in the image that is searched for masking"
    done
    list_masks all
    put masks_in_image "$(($(wc -l <"$build/all.masks")))"
}

# per_core SUFFIX CORE MACHINE: measure TRACER_LOGEVENT and tlog_record_call on a core
per_core() {
    count "inline$1" "$2" "$3" down -DEMIT_INLINE -DBENCH_KEEPS=1
    figure "inline$1" "inline$1" average
    count "call$1" "$2" "$3" down -DEMIT_CALL -DBENCH_KEEPS=1
    figure "call$1" "call$1" average
}

# measure_dead KEY CORE MACHINE SLOTS: slots whose owners were killed, laps after they were claimed: 100 side by side,
# and every second one
measure_dead() {
    board=${3%% *}
    for apart in 1 2; do
        count dead "$2" "$3" own -DEMIT_INLINE -DBENCH_KEEPS=1 "-DBENCH_DEAD=$apart" "-DTLOG_SLOTS=$4"
        figure "dead$apart$1" dead average
        figure "dead${apart}_worst$1" dead worst
    done
    board=mps2-an385
}

# A name that is changed while interrupts name other tasks, from 125 to 1000 instructions apart: 1.25 of them are a tick
# of the clock. What the interrupts execute is not counted.
measure_storm() {
    count name_storm cortex-m3 "mps2-an385 -icount shift=5,sleep=off" own -DEMIT_RENAME -DTLOG_NAME_SLOTS=128 \
        -DTLOG_SLOTS=16 -DBENCH_STORM=700 -DBENCH_CALLS=250
    [ "$(field "$build/name_storm.count" interrupts)" -ge 250 ] || fail "there was no storm"
    figure name_storm name_storm average
    figure name_storm_worst name_storm worst
}

# measure_names SUFFIX CORE MACHINE: names of 11 characters, and priorities, of 40 tasks
measure_names() {
    board=${3%% *}
    count name_new "$2" "$3" own -DEMIT_NEW_NAME -DTLOG_NAME_SLOTS=200 -DBENCH_WARM_UP=40 -DBENCH_CALLS=40 \
        -DTLOG_SLOTS=16
    figure "name_new$1" name_new average
    count name_changed "$2" "$3" own -DEMIT_RENAME -DTLOG_NAME_SLOTS=128 -DBENCH_CALLS=400 -DTLOG_SLOTS=16
    figure "name_changed$1" name_changed average
    figure "name_changed_worst$1" name_changed worst
    count priority "$2" "$3" own -DEMIT_PRIORITY -DBENCH_KEEPS=1 -DTLOG_NAME_SLOTS=128 -DBENCH_CALLS=400 -DTLOG_SLOTS=64
    figure "priority$1" priority average
    figure "priority_worst$1" priority worst
    board=mps2-an385
}

measure_m3() {
    per_core "" cortex-m3 mps2-an385
    figure inline_fast inline fast_average
    figure worst_fast inline fast_worst
    figure worst inline worst
    figure call_worst_fast call fast_worst
    figure call_worst call worst
    figure masked inline masked_longest
    figure masked_call call masked_longest
    count off cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_DISABLE
    figure off off worst
    count filtered cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_FILTER
    figure filtered filtered worst
    count call_off cortex-m3 mps2-an385 down -DEMIT_CALL -DBENCH_DISABLE
    figure call_off call_off worst
    count full cortex-m3 mps2-an385 down -DEMIT_INLINE -DTLOG_STOP_WHEN_FULL=1 -DBENCH_WARM_UP=320 -DBENCH_DROPS=1
    figure full full average
    figure full_worst full worst
    count chunks2 cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_KEEPS=1 -DTLOG_CHUNKS=2 -DTLOG_SLOTS=128
    figure chunks2 chunks2 average
    figure chunks2_worst chunks2 worst
    count resume cortex-m3 mps2-an385 down -DEMIT_INLINE -DTLOG_STOP_WHEN_FULL=1 -DBENCH_WARM_UP=320 -DBENCH_RESUME \
        -DBENCH_CALLS=1 -DBENCH_KEEPS=1
    figure resume resume worst
    count stuck cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_STUCK -DBENCH_KEEPS=1
    figure stuck stuck average
    figure stuck_worst stuck worst
    measure_dead "" cortex-m3 mps2-an385 256
    measure_names "" cortex-m3 mps2-an385
    measure_storm
    count carry cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_CARRY -DBENCH_CALLS=1 -DBENCH_KEEPS=1
    figure carry carry worst
    count tick cortex-m3 mps2-an385 down -DEMIT_TICK
    figure tick tick average
    count up cortex-m3 mps2-an385 up -DEMIT_INLINE -DBENCH_KEEPS=1
    figure up up fast_average
    count context cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_KEEPS=1 -DTLOG_CONTEXT=1
    figure context context fast_average
}

# Builds that do not optimise for speed, the runtime included. The events are calls, or with -Og inline.
measure_levels() {
    for level in O0 Og Os; do
        set -- cortex-m3 mps2-an385 down "-$level"
        events="-DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=20000 -DBENCH_KEEPS=1"
        count level "$@" -DEMIT_INLINE -DBENCH_KEEPS=1
        figure "kept_$level" level fast_average
        figure "worst_$level" level worst
        put "site_$level" "$(symbol_bytes level emit)"
        count level "$@" -DEMIT_INLINE -DTLOG_STOP_WHEN_FULL=1 -DBENCH_WARM_UP=320 -DBENCH_DROPS=1
        figure "dropped_$level" level worst
        # shellcheck disable=SC2086 # several words
        for which in event:-DEMIT_EVENT own:-DEMIT_OWN=u8_i16 own_four:-DEMIT_OWN=four printk2:-DEMIT_PRINTK=2; do
            count level "$@" "${which#*:}" $events
            figure "${which%%:*}_$level" level worst
        done
        count level "$@" -DEMIT_EVENT -DTLOG_TRACEEVENTS=1 -DTLOG_STOP_WHEN_FULL=1 -DBENCH_WARM_UP=320 -DBENCH_DROPS=1
        figure "event_dropped_$level" level worst
    done
}

# An interrupt by tlog_irq_trace(), less one whose vector is untouched; and what of it is not the two events.
measure_irq() {
    plain=-Wl,--defsym=irq_3_handler=handle_plainly
    count irq_plain cortex-m3 mps2-an385 down -DEMIT_IRQ $plain
    count irq cortex-m3 mps2-an385 down -DEMIT_IRQ $plain -DBENCH_IRQ_TRACE -DBENCH_KEEPS=2
    put irq "$(($(field "$build/irq.count" least) - $(field "$build/irq_plain.count" least)))"
    put irq_more "$(awk -v all="$(get irq)" -v event="$(get inline_fast)" 'BEGIN { print all - 2 * event }')"
}

# The same by tlog_irq_any(), whose vector table is in flash; what it masks, and its bytes of flash, without the table.
measure_irq_flash() {
    key=$1 core=$2 machine=$3
    board=$machine
    count irq_plain "$core" "$machine" down -DEMIT_IRQ -Wl,--defsym=irq_3_handler=handle_plainly
    count irq_flash "$core" "$machine" down -DEMIT_IRQ -DBENCH_KEEPS=2 -Wl,--defsym=irq_3_handler=tlog_irq_any \
        "$root/port/irq_flash.c"
    put "irq_flash$key" "$(($(field "$build/irq_flash.count" least) - $(field "$build/irq_plain.count" least)))"
    figure "irq_flash_masked$key" irq_flash masked_longest
    sum=0
    for name in tlog_irq_any log_entry log_exit; do
        sum=$((sum + $(symbol_bytes irq_flash $name)))
    done
    put "irq_flash_bytes$key" "$sum"
    board=mps2-an385
}

# Traceevents, in a chunk so large that no lap ends. The cost of one more slot is the difference between combine events
# of different lengths, divided by the difference in slots.
measure_events() {
    count fast cortex-m3 mps2-an385 down -DEMIT_FAST -DBENCH_KEEPS=1
    figure fast fast fast_average
    count event cortex-m3 mps2-an385 down -DEMIT_EVENT -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=20000 -DBENCH_KEEPS=1
    figure event event average
    figure event_worst event worst
    figure event_masked event masked_longest
    for words in 2 4 6 8 9 10 15 16 31 32; do
        count "words$words" cortex-m3 mps2-an385 down "-DEMIT_WORDS=$words" -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=40000 \
            -DBENCH_KEEPS=1
        figure "words$words" "words$words" average
    done
    for arguments in 0 1 2 3 4 5 6; do
        count "printk$arguments" cortex-m3 mps2-an385 down "-DEMIT_PRINTK=$arguments" -DTLOG_TRACEEVENTS=1 \
            -DTLOG_SLOTS=40000 -DBENCH_KEEPS=1
        figure "printk$arguments" "printk$arguments" average
        put "printk${arguments}_site" "$(($(symbol_bytes "printk$arguments" emit) - $(symbol_bytes empty emit)))"
    done
    put per_slot "$(awk -v a="$(get words2)" -v b="$(get words8)" 'BEGIN { printf "%.2f\n", (b - a) / 3 }')"
    put per_slot_long "$(awk -v a="$(get words16)" -v b="$(get words32)" 'BEGIN { printf "%.2f\n", (b - a) / 8 }')"
}

# measure_own KEY CORE MACHINE SLOTS VARIANT...: own events on a core, inline at -O2 and by a call at -Os, without a
# change of laps. "_site": bytes of the call, its arguments and constants included.
measure_own() {
    key=$1 core=$2 machine=$3 slots=$4
    shift 4
    board=${machine%% *}
    own="-DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=$slots"
    firmware own_empty "$core" own main -DEMIT_EMPTY -Os
    # shellcheck disable=SC2086 # several words
    for which; do
        count own "$core" "$machine" own "-DEMIT_OWN=$which" $own -DBENCH_KEEPS=1
        figure "own_$which$key" own least
        count own "$core" "$machine" own "-DEMIT_OWN=$which" $own -DBENCH_KEEPS=1 -Os
        figure "own_${which}_call$key" own least
        put "own_${which}_site$key" "$(($(symbol_bytes own emit) - $(symbol_bytes own_empty emit)))"
    done
    count own "$core" "$machine" own -DEMIT_OWN=u32_u32 -DTLOG_TRACEEVENTS=1 -DBENCH_GROUP
    figure "own_muted$key" own worst
    board=mps2-an385
}

# The tests' stand-in for the kernel at -Os, which is not run, with the glue and the runtime that it needs, or without
# both. Arguments: its name, flags.
freertos_image() {
    image=$1 stand_in=$root/tests/rtos/freertos
    shift
    # shellcheck disable=SC2046,SC2086 # several words
    "${cross}gcc" $flags -std=gnu11 -Wno-unused-variable -mcpu=cortex-m3 -Os $hooks -I"$stand_in" \
        -I"$root/tests/rtos" -I"$root/target" -I"$root/port" -I"$root/linker" -I"$build/mps2-an385-down" \
        -include board.h -include "$build/unhooked.h" -Wl,--wrap=tlog_rtos_quiescent "$@" \
        $(for name in board_exit tlog_semihost_save semihost_open semihost_write semihost_close; do
            echo "-Wl,--defsym=$name=main"
        done) "$stand_in"/*.c "$root/tests/rtos/expect.c" "$root"/target/src/*.c "$root/port/port_v7m.c" \
        "$root/port/rtos/freertos/tlog_freertos.c" "$root/linker/startup_m.c" "$root/linker/mem.c" -L"$root/linker" \
        -T"$root/linker/mps2-an385.ld" -lgcc -o "$build/$image.elf" || fail "$image does not build"
}

# Flash that tracing takes in the stand-in's application, which uses everything that the kernel has: the glue with the
# calls at the hooks, and the runtime. Hooks that a tier leaves out are empty, as in the kernel.
measure_freertos_flash() {
    {
        echo '#include "FreeRTOSConfig.h"'
        sed -n 's/^#define TLOG_\(trace[A-Za-z_]*\)(.*/#ifndef \1\n#define \1(...)\n#endif/p' \
            "$root/port/rtos/freertos/tlog_freertos.h"
    } >"$build/unhooked.h"
    for minimal in 0 1; do
        freertos_image "freertos_off$minimal" -DTLOG_ENABLE=0 "-DTLOG_MINIMAL=$minimal"
        for tier in 0 3; do
            freertos_image "freertos_tier$tier$minimal" "-DTLOG_FREERTOS_TIER=$tier" "-DTLOG_MINIMAL=$minimal"
            sum=0
            for name in .text .ARM.exidx .data; do
                sum=$((sum + $(section "freertos_tier$tier$minimal" $name) - $(section "freertos_off$minimal" $name)))
            done
            put "freertos_$([ $minimal = 0 ] && echo flash || echo minimal)$tier" "$sum"
        done
    done
}

# The runtime with TLOG_MINIMAL.
measure_minimal() {
    count minimal cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_KEEPS=1 -DTLOG_MINIMAL=1
    figure minimal minimal average
    figure minimal_worst minimal worst
    count minimal_full cortex-m3 mps2-an385 down -DEMIT_INLINE -DTLOG_STOP_WHEN_FULL=1 -DBENCH_WARM_UP=320 \
        -DBENCH_DROPS=1 -DTLOG_MINIMAL=1
    figure minimal_full minimal_full average
    count minimal_first cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_KEEPS=1 -DBENCH_WARM_UP=0 -DBENCH_CALLS=1 \
        -DTLOG_MINIMAL=1
    figure minimal_first minimal_first worst
    count minimal_stuck cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_STUCK -DBENCH_KEEPS=1 -DTLOG_MINIMAL=1
    figure minimal_stuck minimal_stuck worst
}

# less KEY IMAGE WITHOUT: put the instructions of an image's call, change of laps excluded, less those of another one's
less() {
    put "$1" "$(awk -v a="$(field "$build/$3.count" fast_average)" -v b="$(field "$build/$2.count" fast_average)" \
        'BEGIN { printf "%.2f\n", b - a }')"
}

# The hooks of a task switch, and of a semaphore that is given and taken, with all tiers compiled; a switch at -Os, and
# in a first lap with TLOG_START=1; flash.
measure_freertos() {
    hooks="-I$root/port/rtos -I$root/port/rtos/freertos"
    set -- cortex-m3 mps2-an385 down -I"$root/port/rtos" -I"$root/port/rtos/freertos"
    for hook in 0 1 2 3; do
        count "freertos$hook" "$@" "-DEMIT_FREERTOS=$hook" "-DBENCH_KEEPS=$((hook > 0))"
    done
    less freertos_switch freertos1 freertos0
    less freertos_give freertos2 freertos0
    less freertos_take freertos3 freertos0
    for hook in 0 1; do
        count "freertos_Os$hook" "$@" -Os "-DEMIT_FREERTOS=$hook" "-DBENCH_KEEPS=$hook"
    done
    less freertos_switch_Os freertos_Os1 freertos_Os0
    count freertos_lap "$@" -DEMIT_FREERTOS=1 -DBENCH_KEEPS=1 -DTLOG_START=1 -DBENCH_START -DBENCH_WARM_UP=0 \
        -DBENCH_FIRST_LAP -DTLOG_SLOTS=4096
    less freertos_lap freertos_lap freertos0
    measure_freertos_flash
}

# measure_rtos KEY CORE MACHINE SLOTS CALLS: the calls that hooks of all kernels make, by what they tell: in later laps,
# with changes of laps, and in the first lap, in which slots are formatted as they are filled.
measure_rtos() {
    key=$1 core=$2 machine=$3 slots=$4 calls=$5
    board=${machine%% *}
    for which in switch ready priority block object mutex heap handler waits create delete; do
        keeps=1
        case $which in handler) keeps=2 ;; esac
        set -- "$core" "$machine" own -I"$root/port/rtos" "-DEMIT_RTOS=$which" -DBENCH_CALLS=512
        case $which in
        create) keeps=3 && set -- "$@" -DBENCH_PREPARE=1 -DTLOG_NAME_SLOTS=64 ;;
        delete) keeps=3 && set -- "$@" -DBENCH_PREPARE=2 -DTLOG_NAME_SLOTS=64 ;;
        esac
        set -- "$@" "-DBENCH_KEEPS=$keeps"
        count rtos "$@"
        figure "rtos_$which$key" rtos average
        case $which in create | delete | waits) continue ;; esac
        count rtos "$@" -DBENCH_FIRST_LAP -DBENCH_WARM_UP=4 "-DTLOG_SLOTS=$slots" -UBENCH_CALLS "-DBENCH_CALLS=$calls"
        figure "rtos_first_$which$key" rtos average
    done
    board=mps2-an385
}

# The hooks of Zephyr's mutexes and semaphores, when they are taken and given; and at -Os, as the kernel is built, all
# that a switch, a mutex and an interrupt run of tlog. The clock counts up, as CYCCNT does.
measure_zephyr() {
    set -- cortex-m3 mps2-an385 up -I"$root/port/rtos/zephyr" -I"$root/tests/rtos/zephyr/include" \
        -DCONFIG_TRACING_CUSTOM -DCONFIG_THREAD_NAME -DCONFIG_TLOG_ZEPHYR_OBJECTS -DCONFIG_TLOG_ZEPHYR_WHY \
        -DCONFIG_TLOG_ZEPHYR_ISR "$root/port/rtos/zephyr/tlog_zephyr.c" "$root/port/rtos/zephyr/tlog_zephyr_isr.c"
    for hook in 0 1 2 3 4; do
        count "zephyr$hook" "$@" "-DEMIT_ZEPHYR=$hook" "-DBENCH_KEEPS=$((hook > 0))"
    done
    for hook in lock=1 unlock=2 give=3 take=4; do
        less "zephyr_${hook%=*}" "zephyr${hook#*=}" zephyr0
    done
    for hook in empty=0=0 switch=5=1 mutex=6=2 interrupt=7=2; do
        name=${hook%%=*} number=${hook#*=}
        count "zephyr_Os_$name" "$@" -Os "-DEMIT_ZEPHYR=${number%=*}" "-DBENCH_KEEPS=${hook##*=}"
        less "zephyr_Os_$name" "zephyr_Os_$name" zephyr_Os_empty
    done
}

# Records with TLOG_UNIQUE_STAMPS, which gives no two events the same stamp.
measure_unique() {
    count unique cortex-m3 mps2-an385 down -DEMIT_INLINE -DTLOG_UNIQUE_STAMPS=1 -DBENCH_KEEPS=1
    figure unique unique fast_average
    figure unique_masked unique masked_longest
    count unique_words4 cortex-m3 mps2-an385 down -DEMIT_WORDS=4 -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 \
        -DTLOG_SLOTS=40000 -DBENCH_KEEPS=1
    figure unique_words4 unique_words4 average
}

# The three regimes of a ring of 4096: without tlog_start() the first lap; behind it the first event, the first lap, and
# with traceevents also where laps begin; and the call itself. FIRST_LAP: nothing else formats.
measure_start() {
    first="-DBENCH_WARM_UP=0 -DBENCH_FIRST_LAP -DBENCH_KEEPS=1" slots=-DTLOG_SLOTS=4096
    # shellcheck disable=SC2086 # several words
    for start in 0 1; do
        count start cortex-m3 mps2-an385 down -DEMIT_START $first $slots -DTLOG_START=$start -DBENCH_CALLS=1 \
            -UBENCH_KEEPS
        figure start_call$start start worst
        count start cortex-m3 mps2-an385 down -DEMIT_INLINE $first $slots -DTLOG_START=$start -DBENCH_CALLS=4096 \
            -DBENCH_START
        figure start_lap$start start average
        figure start_lap_worst$start start worst
    done
    # shellcheck disable=SC2086
    for kind in INLINE EVENT; do
        count start cortex-m3 mps2-an385 down "-DEMIT_$kind" $first -DBENCH_CALLS=1 -DTLOG_TRACEEVENTS=1
        figure "start_first_$kind" start worst
        count start cortex-m3 mps2-an385 down "-DEMIT_$kind" $first -DBENCH_CALLS=4096 -DTLOG_SLOTS=512 -DBENCH_START \
            -DTLOG_TRACEEVENTS=1
        figure "start_event_$kind" start average
        figure "start_event_worst_$kind" start worst
    done
    # shellcheck disable=SC2086
    count start cortex-m3 mps2-an385 down -DEMIT_INLINE $first $slots -DBENCH_CALLS=4096
    figure start_none start average
    figure start_none_worst start worst
    # shellcheck disable=SC2086
    count start cortex-m0plus mps2-an385 down -DEMIT_INLINE $first $slots -DBENCH_CALLS=4096 -DBENCH_START
    figure start_lap_m0 start average
    put start_counted "$(awk -v a="$(get start_lap0)" -v b="$(get start_call0)" \
        'BEGIN { printf "%.2f\n", a + b / 4096 }')"
}

# The first event opens the ring, which costs more with more slots to format.
measure_first() {
    for slots in 64 256; do
        count "first$slots" cortex-m3 mps2-an385 down -DEMIT_INLINE -DBENCH_KEEPS=1 -DBENCH_WARM_UP=0 -DBENCH_CALLS=1 \
            "-DTLOG_SLOTS=$slots"
        figure "first$slots" "first$slots" worst
    done
    put first_per_slot "$(awk -v a="$(get first64)" -v b="$(get first256)" 'BEGIN { printf "%.2f\n", (b - a) / 192 }')"
}

calibrate
measure_m3
measure_levels
measure_irq
measure_irq_flash "" cortex-m3 mps2-an385
measure_irq_flash _m0 cortex-m0 microbit
measure_events
measure_unique
measure_minimal
measure_freertos
measure_zephyr
measure_first
measure_start
measure_masks
measure_rtos "" cortex-m3 mps2-an385 4096 512
measure_rtos _m0 cortex-m0 microbit 512 200
measure_dead _m0 cortex-m0 microbit 256
measure_names _m0 cortex-m0 microbit
measure_dead _m33 cortex-m33 mps2-an505 256
measure_dead _a15 cortex-a15 "virt -cpu cortex-a15 -m 64 -nic none" 256
measure_own "" cortex-m3 mps2-an385 20000 none u32 u8_i16 u32_u32 four str16 u8_str s16 begin
measure_own _m33 cortex-m33 mps2-an505 20000 u8_i16 u32_u32 four str16
measure_own _m0 cortex-m0 microbit 512 u8_i16 u32_u32 four str16
measure_own _a15 cortex-a15 "virt -cpu cortex-a15 -m 64 -nic none" 20000 u8_i16 u32_u32 four str16
per_core _m4 cortex-m4 mps2-an386
per_core _m7 cortex-m7 mps2-an500

if [ -n "$check" ]; then
    check_baseline
    "$bench/size.sh" "$1" --check
    exit
fi

average=$(get inline)
four=$(awk -v average="$average" 'BEGIN { print 4 * average }')
four2=$(awk -v average="$(get chunks2)" 'BEGIN { print 4 * average }')
echo "Instructions per event, Cortex-M3 (others where named), -O2, one chunk of 256 slots; 2000 calls after 64"
echo
# rtos_rows KEY CORE: the rows of what measure_rtos has measured
rtos_rows() {
    of="kernels' hooks on $2:"
    while IFS=: read -r name text; do
        printf '%s | %s %s, later laps | | |\n' "rtos_$name$1" "$of" "$text"
        printf '%s | the same, first lap | | |\n' "rtos_first_$name$1"
        of="the same,"
    done <<'ROWS'
switch:a task switch
ready:a task becomes ready
priority:a priority changes
block:why a task waits
object:a queue is sent to
mutex:a mutex is taken
heap:a block is allocated
handler:a handler's entry and exit
ROWS
    while IFS=: read -r name text; do
        printf '%s | %s %s, later laps | | |\n' "rtos_$name$1" "$of" "$text"
    done <<'ROWS'
waits:why a task waits, in two steps
create:one of 16 tasks is created
delete:one of 16 tasks is deleted
ROWS
}

# level_rows LEVEL KEPT DROPPED OWN PRINTK SITE: the rows of what measure_levels has measured, with their limits
level_rows() {
    while IFS=: read -r name limit text; do
        echo "${name}_$1 | -$1: $text | $limit | ${limit:+<= $limit} |"
    done <<ROWS
kept:$2:TRACER_LOGEVENT, change of laps excluded
worst::the same, worst
dropped:$3:the same, dropped and counted, worst
site:$6:the same: bytes of the function that logs, and does nothing else
event:$2:tlog_event, worst
event_dropped:$3:the same, dropped and counted, worst
own:$4:own event, u8 + i16, worst
own_four::own event of two slots, 4 x u32, worst
printk2:$5:TLOG_PRINTK of two integers, worst
ROWS
}

table <<END
inline | TRACER_LOGEVENT, average, chunk switches included | 26 | <= 26, aim 22 | 26 (22 masked, no filter)
inline_fast | the same, chunk switches excluded | 26 | <= 26, aim 22 | 26
call | tlog_record_call, average | 28 | <= 27, without the lap's change | 36
worst_fast | worst call, chunk switch excluded | $average | = average | 1.0x .. 6x
worst | worst call, chunk switch included | $four | <= 4x average | 1.0x .. 6x
call_worst_fast | tlog_record_call, worst, switch excluded | | |
call_worst | tlog_record_call, worst, switch included | | |
masked | executed with interrupts masked, longest | 0 | 0 | 0 (of 133 per event)
masked_call | the same, tlog_record_call | 0 | 0 | 0
masks_in_image | instructions in all of tlog that could mask | 0 | 0 | -
off | disabled, worst | 6 | <= 6 | 19
filtered | family filtered, worst | 6 | <= 6 | 19
call_off | disabled, tlog_record_call, worst | | |
full | ring stopped and full: dropped and counted | 45 | <= 45 | 38
full_worst | the same, worst | 60 | <= 60 |
stuck | in a handler that has interrupted an event, lap after lap, average | $average | |
stuck_worst | the same, worst: a lap ends, or the interrupted slot is passed | | |
dead1 | 100 of 256 slots dead, side by side, average | 30 | <= 30 |
dead1_worst | the same, worst: all of them are passed | 400 | <= 400 |
dead2 | every second of 256 slots dead, average | 70 | <= 70 |
dead2_worst | the same, worst: a lap begins | 150 | <= 150 |
dead1_m0 | 100 of 256 slots dead, side by side, on M0, average | | |
dead1_worst_m0 | the same, worst | | |
dead2_m0 | every second slot dead, on M0, average | | |
dead1_m33 | 100 of 256 slots dead, side by side, on M33, average | | |
dead1_worst_m33 | the same, worst | | |
dead2_m33 | every second slot dead, on M33, average | | |
dead1_a15 | 100 of 256 slots dead, side by side, on A15, average | | |
dead1_worst_a15 | the same, worst | | |
dead2_a15 | every second slot dead, on A15, average | | |
resume | first event after a loss, two records of the loss included | | |
carry | first event after half a wrap of the clock | | |
chunks2 | two chunks of 128 slots, average | 26 | <= 26 | 26
chunks2_worst | the same, worst: chunk switch | $four2 | <= 4x average | 1.0x .. 6x
tick | tlog_tick | | |
$(level_rows O0 60 100 70 120 "")
$(level_rows Og 60 100 "" "" "")
$(level_rows Os 30 "" 34 60 12)
up | TRACER_LOGEVENT, clock that counts up, switch excluded | 26 | <= 26, aim 22 | 26
context | TRACER_LOGEVENT with the context (TLOG_CONTEXT=1), switch excluded | 25 | <= 23 + 2 |
irq | an interrupt by tlog_irq_trace(), its two events included | 66 | <= 2 x 23 + 20 |
irq_more | the same without the two events | 20 | <= 20 |
irq_flash | entry and exit of an interrupt by tlog_irq_any(), two events | | |
irq_flash_bytes | the same: bytes of flash, without the table | | |
irq_flash_m0 | Cortex-M0 (microbit): tlog_irq_any(), two events | | |
irq_flash_masked_m0 | the same: executed with interrupts masked, longest | | |
irq_flash_bytes_m0 | the same: bytes of flash, without the table | | |
fast | FAST_TRACER_LOGEVENT, switch excluded | | |
event | tlog_event (trace_logi), two words | 32 | <= 32, aim 28 |
event_worst | the same, worst, lap changes excluded | | |
event_masked | the same, masked, longest | 0 | 0 |
words2 | tlog_event_words, 2 words, 1 slot | 36 | <= 36 |
words4 | the same, 4 words, 2 slots | 41 | <= 36 + 5 |
words6 | the same, 6 words, 3 slots | 46 | <= 36 + 10 |
words8 | the same, 8 words, 4 slots | 51 | <= 36 + 15 |
words9 | the same, 9 words, 5 slots | 56 | <= 36 + 20 |
words10 | the same, 10 words, 5 slots | 56 | <= 36 + 20 |
words15 | the same, 15 words, 8 slots | 71 | <= 36 + 35 |
words16 | the same, 16 words, 8 slots | 71 | <= 36 + 35 |
words31 | the same, 31 words, 16 slots | 111 | <= 36 + 75 |
words32 | the same, 32 words, 16 slots | 111 | <= 36 + 75 |
per_slot | each further slot, up to 4 | 5 | <= 5 |
per_slot_long | each further slot, from 5 on | 5 | <= 5 |
unique | TRACER_LOGEVENT with TLOG_UNIQUE_STAMPS, switch excluded | | |
unique_masked | the same, masked, longest | 0 | 0 |
unique_words4 | tlog_event_words, 4 words, 2 slots, with TLOG_UNIQUE_STAMPS | | |
printk0 | TLOG_PRINTK, no argument | 30 | <= 30 |
printk1 | the same, 1 argument | 33 | <= 30 + 3 |
printk2 | the same, 2 arguments | 36 | <= 30 + 6 |
printk3 | the same, 3 arguments | 39 | <= 30 + 9 |
printk4 | the same, 4 arguments | 42 | <= 30 + 12 |
printk5 | the same, 5 arguments | 45 | <= 30 + 15 |
printk6 | the same, 6 arguments | 48 | <= 30 + 18 |
printk0_site | bytes of flash per TLOG_PRINTK, no argument | | |
printk2_site | the same, 2 arguments | | |
printk4_site | the same, 4 arguments | | |
printk6_site | the same, 6 arguments | | |
freertos_switch | FreeRTOS: the hooks of a task switch, change of laps excluded | 26 | <= 26 |
freertos_switch_Os | the same at -Os | 26 | <= 26 |
freertos_lap | the same at -O2, first lap, TLOG_START=1 | 28 | <= 28 |
freertos_give | FreeRTOS: the hook of a semaphore that is given, change of laps excluded | 30 | <= 30 |
freertos_take | the same, taken | 30 | <= 30 |
zephyr_lock | Zephyr: the hook of a mutex that is locked, change of laps excluded | 40 | <= 40 |
zephyr_unlock | the same, unlocked | 40 | <= 40 |
zephyr_give | the same, a semaphore that is given | 40 | <= 40 |
zephyr_take | the same, taken | 40 | <= 40 |
zephyr_Os_switch | Zephyr at -Os: all hooks of a switch | 35 | <= 35 |
zephyr_Os_mutex | the same, of a mutex that is locked and unlocked | 90 | <= 90 |
zephyr_Os_interrupt | the same, of an interrupt | 75 | <= 75 |
freertos_flash0 | FreeRTOS: flash of hooks and runtime at -Os, tier 0 | 2500 | <= 2500 |
freertos_flash3 | the same, all tiers | 4500 | <= 4500 |
freertos_minimal0 | the same, tier 0, with TLOG_MINIMAL | 2500 | <= 2500 |
freertos_minimal3 | the same, all tiers, with TLOG_MINIMAL | 4500 | <= 4500 |
$(rtos_rows "" Cortex-M3)
$(rtos_rows _m0 "Cortex-M0 (microbit)")
minimal | TRACER_LOGEVENT with TLOG_MINIMAL, average | $average | |
minimal_worst | the same, worst: a lap begins | | |
minimal_full | the same, ring stopped and full: dropped and counted | | |
minimal_stuck | the same, worst in a handler that has interrupted an event, lap after lap | | |
minimal_first | the same, first event | | |
own_none | own event, no field | | |
own_u32 | the same, u32, as TLOG_COUNTER | | |
own_u8_i16 | the same, u8 + i16 | 26 | <= 26 |
own_u32_u32 | the same, u32 + u32 | 25 | <= 25 |
own_four | the same, 4 x u32, 2 slots | 36 | <= 36 |
own_str16 | the same, a text of 16 characters, 3 slots | 90 | <= 90 |
own_u8_str | the same, u8 and a text of 16 characters, 3 slots | 90 | <= 90 |
own_s16 | TLOG_PRINTK of a text of 16 characters | 90 | <= 90 |
own_begin | TLOG_SPAN_BEGIN | | |
own_muted | own event whose group is suppressed, worst | 5 | <= 5 |
own_u8_i16_call | by a call at -Os, u8 + i16 | 34 | <= 34 |
own_u8_i16_site | the same: bytes per call | 20 | <= 20 |
own_u32_u32_call | by a call at -Os, u32 + u32 | 34 | <= 34 |
own_u32_u32_site | the same: bytes per call | 20 | <= 20 |
own_four_call | by a call at -Os, 4 x u32 | | |
own_four_site | the same: bytes per call | | |
own_u8_i16_m33 | Cortex-M33: own event, u8 + i16 | 26 | <= 26 |
own_u32_u32_m33 | the same, u32 + u32 | 25 | <= 25 |
own_four_m33 | the same, 4 x u32 | 36 | <= 36 |
own_str16_m33 | the same, a text of 16 characters | 90 | <= 90 |
own_u8_i16_call_m33 | the same, by a call at -Os, u8 + i16 | 34 | <= 34 |
own_u8_i16_m0 | Cortex-M0 (microbit, whose clock takes 5): own event, u8 + i16 | | |
own_u32_u32_m0 | the same, u32 + u32 | | |
own_four_m0 | the same, 4 x u32 | | |
own_str16_m0 | the same, a text of 16 characters | | |
own_u8_i16_call_m0 | the same, by a call at -Os, u8 + i16 | | |
own_u8_i16_site_m0 | the same: bytes per call | | |
own_u8_i16_a15 | Cortex-A15: own event, u8 + i16 | | |
own_u32_u32_a15 | the same, u32 + u32 | | |
own_four_a15 | the same, 4 x u32 | | |
own_str16_a15 | the same, a text of 16 characters | 90 | <= 90 |
own_u8_i16_call_a15 | the same, by a call at -Os, u8 + i16 | 34 | <= 34 |
name_new | tlog_name, new, 11 characters | | |
name_changed | tlog_name, another name of 11 characters, 40 tasks | 500 | <= 500 |
name_changed_worst | the same, worst | | |
name_storm | the same, while interrupts name other tasks, average | | |
name_storm_worst | the same, worst | 1500 | <= 1500 |
priority | tlog_priority, 40 tasks | 100 | <= 100 |
priority_worst | the same, worst: a lap begins | | |
name_new_m0 | Cortex-M0 (microbit): tlog_name, new, 11 characters | | |
name_changed_m0 | the same, another name of 11 characters, 40 tasks | | |
name_changed_worst_m0 | the same, worst | | |
priority_m0 | tlog_priority, 40 tasks | 150 | <= 150 |
priority_worst_m0 | the same, worst: a lap begins | | |
first64 | first event, 64 slots | | |
start_none | first lap of 4096 slots, without tlog_start(): average | | |
start_none_worst | the same, worst: the first event | 300 | <= 300 |
start_lap0 | first lap of 4096 slots behind tlog_start(): average | 23.8 | <= 23.8 |
start_lap_worst0 | the same, worst | 75 | <= 75 |
start_counted | the same, tlog_start() included | 27 | <= 27 |
start_call0 | tlog_start(), 4096 slots | 12288 | <= 3 per slot |
start_lap1 | with TLOG_START=1: first lap, average | 23.8 | <= 23.8 |
start_lap_worst1 | the same, worst | 75 | <= 75 |
start_call1 | with TLOG_START=1: tlog_start(), 4096 slots | 12288 | <= 3 per slot |
start_lap_m0 | Cortex-M0+: first lap of 4096 slots behind tlog_start(), average | 33 | <= 33 |
start_first_INLINE | with traceevents: a record is the first event | | |
start_first_EVENT | with traceevents: a traceevent is the first event | 350 | <= 350 |
start_event_INLINE | with traceevents, behind tlog_start(): a record, 8 laps of 512 slots, average | | |
start_event_worst_INLINE | the same, worst: a lap begins | 120 | <= 120 |
start_event_EVENT | the same, a traceevent, average | | |
start_event_worst_EVENT | the same, worst: a lap begins | 120 | <= 120 |
first256 | first event, 256 slots | | |
first_per_slot | first event, per slot | | |
inline_m4 | Cortex-M4: TRACER_LOGEVENT, average | 26 | <= 26, aim 22 | 26
call_m4 | Cortex-M4: tlog_record_call, average | 32 | <= 32 | 35
inline_m7 | Cortex-M7: TRACER_LOGEVENT, average | 26 | <= 26, aim 22 | -
call_m7 | Cortex-M7: tlog_record_call, average | 32 | <= 32 | -
END
echo
for image in inline call full chunks2 tick up; do
    echo "$image: count:calls $(field "$build/$image.count" histogram)"
done
