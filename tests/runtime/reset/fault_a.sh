#!/bin/sh
# fault_a.sh - faults on ARMv7-A: each of the three kinds that TLOG_FAULT_VECTOR handles, in Thumb and Arm state, in an
# interrupt, and on the second CPU; checks that after the reset tlog-decode shows cause, place and registers, and that
# trace-cmd shows the same.
# usage: fault_a.sh BUILD
# Judges: the addresses that nm finds; trace-cmd.
set -eu
. tests/lib/needs.sh
needs trace-cmd
build=$1
dir=$build/test/fault_a
rm -rf "$dir"
mkdir -p "$dir"
. tests/lib/firmware.sh

# fault VECTOR FLAG...: let the firmware fault by that vector; the fault's line of text is then in $dir/fault, and $here
# is the pc that it must show
fault() {
    vector=$1
    shift
    firmware virt "$dir/fault.elf" -Wpedantic -Wconversion -Wshadow -DTLOG_RUNS=2 -DTLOG_SLOTS=64 "-DFAULT=$vector" \
        "$@" -Wl,--build-id tests/runtime/reset/fault_a.c
    (cd "$dir" && timeout 600 qemu-system-arm -M virt -cpu cortex-a15 -smp 2 -m 64 -nic none -display none \
        -monitor none -serial none -accel tcg,thread=multi -semihosting-config enable=on,target=native \
        -kernel fault.elf)
    for format in text-full trace.dat; do
        "$build/tlog-decode" -q "--format=$format" --run=-1 "--elf=$dir/fault.elf" "$dir/dump.bin" -o "$dir/$format"
    done
    echo "vector $vector $*"
    tail -n 1 "$dir/text-full" | tee "$dir/fault"
    trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" | tail -n 1 | sed 's/ fault_a: */ tlog:fault_a: /' \
        >"$dir/reported"
    [ ! -s "$dir/err" ]
    sed 's/.*fault_a: //' "$dir/reported" >"$dir/a"
    sed 's/.*fault_a: //' "$dir/fault" | diff - "$dir/a"
    grep -q " r1=0x11111111 r2=0x22222222 r3=0x33333333 r12=0x44444444 " "$dir/fault"
    grep -q " r0=0xb000004 " "$dir/fault"
    at=$(arm-none-eabi-nm "$dir/fault.elf" | awk '$3 == "fault_is_here" { here = $1 } $3 == "fail_here" { f = $1 }
        END { print here ? here : f, f }')
    # shellcheck disable=SC2086
    here=$(printf 'pc=fail_here+0x%x ' $((0x${at% *} - 0x${at#* })))
}
for state in -mthumb -marm; do
    fault 1 $state
    grep -q "vector=1 $here.* dfsr=0x0 ifsr=0x0 dfar=0x0 ifar=0x0 .* cause=undefined instruction$" "$dir/fault"
    fault 3 $state
    prefetch="dfsr=0x0 ifsr=0x8 dfar=0x0 ifar=0xb000004 .* cause=prefetch abort: external abort"
    grep -q "vector=3 pc=0xb000004 lr=fail_here+0x.* $prefetch$" "$dir/fault"
    fault 4 $state
    data="dfsr=0x808 ifsr=0x0 dfar=0xb000004 ifar=0x0 .* cause=data abort: external abort, on a write"
    grep -q "vector=4 $here.* $data$" "$dir/fault"
done
grep -q "motor-7 .* lr=main+0x.* spsr=0x[0-9a-f]*[57]f sp=0x" "$dir/fault" # spsr: System mode, Arm state
fault 4 -mthumb -DFROM_IRQ
grep -q "motor-7 .*vector=4 $here.*lr=interrupt+0x.* spsr=0x[0-9a-f]*[37]f " "$dir/fault"
fault 4 -mthumb -DTLOG_CPUS=2
grep -q "\[001\].*vector=4 $here.*lr=other_startup+0x" "$dir/fault"
