#!/bin/sh
# irq.sh - entry and exit of interrupts, logged by tlog_irq_trace() and TLOG_ISR(): nested, chained, interrupted at
# every instruction of what logs them, on both stacks, in handlers that use the FPU, on two CPUs, left by longjmp();
# handlers' names.
# Handlers that are installed later are traced and named, also on ARMv6-M with VTOR; and those of a table in flash.
# Calls from a CPU that may not log are refused and counted (refuse.c).
# usage: irq.sh BUILD quick|full
# Judges: check.py, from what the handlers log and count themselves; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
tier=$2
here=tests/runtime/irq
FIRMWARE_OPT= # as users compile it: check.py looks at each instruction
. tests/lib/firmware.sh

# run NAME BOARD FLAG...: build and run a firmware in $dir
run() {
    dir=$build/test/irq/$1
    on=$2
    shift 2
    rm -rf "$dir"
    mkdir -p "$dir"
    firmware "$on" "$dir/app.elf" -I$here "$@"
    emulate "$on" "$dir/app.elf" || { echo "$dir: the firmware ended with exit code $?"; exit 1; }
}

# check WHAT: compare the dump with what the firmware has counted, in text and in trace-cmd's report
check() {
    "$build/tlog-decode" -q --map=native --format=text-full "$dir/dump.bin" -o "$dir/native.txt"
    "$build/tlog-decode" -q "--elf=$dir/app.elf" "$dir/dump.bin" -o "$dir/trace.dat"
    trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
    [ ! -s "$dir/err" ]
    "$build/tlog-decode" "--save-events=$dir/app.elf" -o "$dir/app.events"
    "$build/tlog-decode" -q "--elf=$dir/app.events" "$dir/dump.bin" -o "$dir/saved.dat"
    trace-cmd report -i "$dir/saved.dat" 2>"$dir/err" | diff - "$dir/report"
    arm-none-eabi-objdump -d "$dir/app.elf" >"$dir/code"
    printf '%s: ' "$(basename "$dir")"
    python3 $here/check.py "$1" "$dir/native.txt" "$dir/report" "$dir/code"
}

# traced NAME BOARD FLAG...: the test of tlog_irq_trace()
traced() {
    run "$@" -DTLOG_SLOTS=8192 $here/app.c $here/fpu.c $here/cpus.c port/irq_v7m.c
    check trace
}

# jumped CONTEXT: handlers that are left by longjmp(). No task gets time that it did not have, as the firmware counted
# itself. What is missing is unknown: next to nothing where records tell their context.
jumped() {
    run "jump-$1" mps2-an385 -DTLOG_SLOTS=8192 "-DTLOG_CONTEXT=$1" $here/jump.c port/irq_v7m.c
    "$build/tlog-decode" -q "--elf=$dir/app.elf" --format=jsonl "$dir/dump.bin" -o "$dir/rows"
    "$build/tlog-decode" -q "--elf=$dir/app.elf" --stat --json "$dir/dump.bin" >"$dir/stat"
    python3 - "$1" "$dir/rows" "$dir/stat" <<'END'
import json, sys
rows, stat = [json.loads(line) for line in open(sys.argv[2])], json.load(open(sys.argv[3]))[0]
own = {0: 0, 1: 0}  # ns, by task
for row in rows:
    if row["event"] == "user_event_5":
        own[row["fields"]["par1"]] += row["fields"]["par2"] * 40
        begun = row["time_ns"]
have = {task["pid"]: task["running"] for task in stat["tasks"]}
unknown = stat["load"][0]["unknown"]
for task, ns in own.items():
    assert have[task] <= ns * 1.02 and have[task] + unknown >= ns, (task, have, own, unknown)
assert unknown < begun / 100 if sys.argv[1] == "1" else unknown > 0, unknown
left = [row for row in rows if row["event"] == "irq_handler_exit"]
landed = [row["fields"]["par1"] for row in rows if row["event"] == "user_event_6"]
assert landed == [1, 2, 3, 4, 5, 6], landed
print(f"jump-{sys.argv[1]}: {len(left)} of 9 handlers are known to be left, {unknown / begun:.2%} unknown")
END
}
jumped 1
[ "$tier" != full ] || jumped 0

# later BOARD FLAG...: handlers that are installed at run time; each has its name and all its entries
later() {
    run "later-$1" "$@" -DTLOG_IRQ_UNUSED=unhandled $here/later.c port/irq_v7m.c
    "$build/tlog-decode" -q "--elf=$dir/app.elf" --format=text "$dir/dump.bin" -o "$dir/text"
    for each in 19:2:radio_arrived 20:2:dma_done 21:1:set_by_tlog; do
        number=${each%%:*} name=${each##*:} n=${each#*:}
        n=${n%:*}
        grep -q "user_event_5: *par1=$number par2=$n$" "$dir/text"
        [ "$(grep -c "irq_handler_entry: *irq=$number name=$name$" "$dir/text")" -eq "$n" ] ||
            { grep -E "irq=$number|$name" "$dir/text"; exit 1; }
        [ "$(grep -c "irq_handler_exit: *irq=$number ret=handled$" "$dir/text")" -eq "$n" ]
    done
    echo "$1: handlers that are installed later"
}

# refused BOARD FLAG...: calls from a CPU that may not log are counted as what CPU 1 has lost; nothing else changes
refused() {
    run "refuse-$1" "$@" -DTLOG_SLOTS=256 -include $here/refuse.h $here/refuse.c port/out_udp.c port/net_*.c \
        port/irq_v7m.c
    "$build/tlog-decode" -q --map=native --format=text-full "$dir/dump.bin" -o "$dir/text"
    [ "$(grep -c 'user_event_0: ' "$dir/text")" -eq 200 ]
    count=$(sed -n 's/.*user_event_5: *par1=0 par2=//p' "$dir/text")
    "$build/tlog-decode" --info --json "$dir/dump.bin" | python3 -c "
import json, sys
cpus = json.load(sys.stdin)[0]['per_cpu']
assert [cpu['dropped'] for cpu in cpus] == [0, $count], (cpus, $count)"
    echo "$1: $count calls were refused"
}

# flash BOARD FLAG...: one function in all vectors of a table in flash; it takes 8 bytes of stack
flash() {
    run "flash-$1" "$@" $here/flash.c port/irq_flash.c -Wl,--defsym=systick_handler=tlog_irq_any \
        -Wl,--defsym=irq_3_handler=tlog_irq_any -Wl,--defsym=irq_5_handler=tlog_irq_any
    check isr
    for each in 15:SysTick 19:uart_byte 21:radio_arrived; do
        grep -q "irq_handler_entry: *irq=${each%:*} name=${each#*:}$" "$dir/report" || { echo "$each: name"; exit 1; }
    done
    # shellcheck disable=SC2016 # of the disassembly
    [ "$(sed -n '/<tlog_irq_any>:/,/^$/s/.*\(push\|sub.*sp\)/\1/p' "$dir/code" | tr -d '\t')" = "push{r4, lr}" ]
}

# aligned VECTORS BITS: the table stands where VTOR can take it, wherever the linker puts the section: at a multiple of
# its size, rounded up to a power of two, and of 256 bytes at least, because VTOR of some M0+ has bits 31 to 8 only
aligned() {
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m0plus -mthumb -ffreestanding -fdata-sections -Itarget -Iport \
        -DTLOG_CLOCK_ADDRESS=4 "-DTLOG_IRQ_VECTORS=$1" -c port/irq_v7m.c -o "$dir/aligned.o"
    [ "$(arm-none-eabi-objdump -h "$dir/aligned.o" | awk '$2 == ".bss.vectors" { print $7 }')" = "2**$2" ] ||
        { arm-none-eabi-objdump -h "$dir/aligned.o"; exit 1; }
}

later microbit
for each in 48:8 64:8 65:9 112:9 128:9 129:10 256:10 257:11 512:11; do
    aligned "${each%:*}" "${each#*:}"
done
refused microbit
flash microbit
fpu="-mfloat-abi=softfp -mfpu=fpv4-sp-d16"
traced an385 mps2-an385
[ "$tier" = full ] || exit 0
later mps2-an385
refused microbit -DTLOG_TRACEEVENTS=1 -DTLOG_UNIQUE_STAMPS=1
refused microbit -DTLOG_MINIMAL=1
refused mps2-an385 -Os -DTLOG_TRACEEVENTS=1 -DTLOG_CHUNKS=3 -DTLOG_EMERGENCY_SLOTS=3
refused mps2-an385 -DTLOG_RUNS=2
flash mps2-an385
traced an385-Os mps2-an385 -Os
traced an385-events mps2-an385 -DTLOG_TRACEEVENTS=1 -DTLOG_CONTEXT=1
# shellcheck disable=SC2086 # several words
traced an386-fpu mps2-an386 $fpu
traced an505 mps2-an505
# shellcheck disable=SC2086 # several words
traced an505-fpu mps2-an505 $fpu
traced an521 mps2-an521 -DTLOG_CPUS=2
run an505-small mps2-an505 -DTLOG_IRQ_VECTORS=48 -DTOO_SMALL $here/app.c $here/fpu.c $here/cpus.c port/irq_v7m.c
for board in mps2-an385 microbit virt; do
    run "isr-$board" "$board" $here/isr.c
    check isr
done
