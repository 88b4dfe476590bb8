#!/bin/sh
# memory.sh - images of the whole memory, as a debugger takes them of a running target: of the demo, of each kernel's
# stand-in, of firmware whose code or vectors stand in the RAM, of two CPUs. Whatever stands beside the chunks, each
# image decodes to what the chunks alone decode to.
# usage: memory.sh BUILD
# Judges: memory.py, which cuts the chunks out by the ELF file's symbols; native.py.
set -eu
. tests/lib/needs.sh
needs python3
build=$1
here=tests/system/memory
. tests/lib/firmware.sh
moments=10 slots=8192 again=--again failed=
case ${TIER:-} in
quick) moments=2 again= ;;
full) moments=4 again= slots=1000 ;;
esac

# regions BOARD: print where its flash and its RAM are, as ADDRESS:BYTES. virt has code in RAM, behind a device tree.
regions() {
    case $1 in
    microbit) echo 0:0x40000 0x20000000:0x4000 ;;
    mps2-an385 | mps2-an386) echo 0:0x400000 0x20000000:0x400000 ;;
    mps2-an505 | mps2-an521) echo 0x10000000:0x400000 0x38000000:0x200000 ;;
    virt) echo 0x40000000:0x200000 0x40200000:0xe00000 ;;
    esac
}

# images NAME BOARD CPUS ARGUMENT...: build a firmware of the sources and flags for gcc; judge images of its memory
images() {
    dir=$build/test/memory/$1 board=$2 cpus=$3
    shift 3
    rm -rf "$dir"
    mkdir -p "$dir"
    firmware "$board" "$dir/app.elf" "-DTLOG_CPUS=$cpus" "$@"
    flags=$again
    [ "$cpus" = 1 ] || flags=--parallel
    # shellcheck disable=SC2046,SC2086 # several words
    set -- $flags "$build" "$dir/app.elf" "$moments" $(regions "$board") qemu-system-arm -M "$board"
    case $board in virt) set -- "$@" -cpu cortex-a15 -m 16 -nic none -smp "$cpus" ;; esac
    python3 $here/memory.py "$@" -display none -monitor none -serial none -semihosting-config enable=on,target=native \
        -kernel app.elf || failed="$failed ${dir##*/}"
}

demo="tests/system/demo/*.c -Itests/system/demo -DTLOG_TRACEEVENTS=1"
rtos=tests/rtos
port=port/rtos
freertos="-std=gnu11 -I$rtos -I$rtos/freertos -I$port -I$port/freertos $rtos/expect.c $rtos/freertos/*.c
    $port/freertos/tlog_freertos.c"
rtx5="-I$rtos -I$rtos/rtx5 -I$port $rtos/expect.c $rtos/rtx5/*.c $port/rtx5/tlog_rtx5.c"
threadx="-I$rtos -I$rtos/threadx -I$port -I$port/threadx $rtos/expect.c $rtos/threadx/*.c $port/threadx/tlog_threadx.c"
zephyr="-I$rtos -I$port -I$port/zephyr -I$rtos/zephyr/include -DCONFIG_TRACING -DCONFIG_THREAD_NAME
    -DCONFIG_TLOG_ZEPHYR_WHY -DCONFIG_TLOG_ZEPHYR_OBJECTS -DCONFIG_TLOG_ZEPHYR_ISR -DTLOG_TRACEEVENTS=1 $rtos/expect.c
    $rtos/zephyr/*.c
    $port/zephyr/*.c"
irq="-Itests/runtime/irq tests/runtime/irq/app.c tests/runtime/irq/fpu.c tests/runtime/irq/cpus.c port/irq_v7m.c"
baton="tests/runtime/smp/baton.c -DTLOG_TRACEEVENTS=1"
product="$here/product.c port/irq_v7m.c"

# full: the demo, each kernel's stand-in, a table of vectors in the RAM, two CPUs
# shellcheck disable=SC2086 # several words, and names of files
full() {
    images demo mps2-an385 1 $demo -DTLOG_SLOTS=$slots
    images freertos-11 mps2-an385 1 $freertos -DSTAND_IN=11 -DTLOG_SLOTS=300
    images rtx5 mps2-an385 1 $rtx5 -DTLOG_SLOTS=100
    images threadx mps2-an385 1 $threadx -DTLOG_SLOTS=100
    images zephyr mps2-an385 1 $zephyr -DCONFIG_TRACING_CUSTOM -DTLOG_SLOTS=100
    images irq-trace mps2-an385 1 $irq -DTLOG_SLOTS=$slots
    images two-cpus virt 2 $baton -DTLOG_SLOTS=600
}

# whole: other cores, versions, rings, the minimal runtime, and dumps that are made while the firmware runs
# shellcheck disable=SC2086
whole() {
    images demo-an386 mps2-an386 1 $demo -DTLOG_SLOTS=500
    images freertos-10 mps2-an505 1 $freertos -DSTAND_IN=10 -DTLOG_SLOTS=300 -DTLOG_FREERTOS_TICK=1
    images freertos-microbit microbit 1 $freertos -DSTAND_IN=11 -DTLOG_SLOTS=80
    images freertos-minimal mps2-an385 1 $freertos -DSTAND_IN=11 -DTLOG_SLOTS=500 -DTLOG_MINIMAL=1
    images freertos-two-cores mps2-an521 2 -std=gnu11 -DTLOG_SLOTS=500 -I$rtos/smp -I$rtos/freertos -I$port \
        -I$port/freertos $rtos/smp/app.c $port/freertos/tlog_freertos.c
    images rtx5-microbit microbit 1 $rtx5 -DTLOG_SLOTS=50
    images threadx-an505 mps2-an505 1 $threadx -DTLOG_SLOTS=50 -DTLOG_CHUNKS=3
    images zephyr-switch mps2-an385 1 $zephyr -DCONFIG_TRACING_CUSTOM -DCONFIG_USE_SWITCH -DCONFIG_CPU_CORTEX_M \
        -DTLOG_SLOTS=50 -DTLOG_CHUNKS=2
    images zephyr-user mps2-an385 1 $zephyr -DCONFIG_TRACING_USER -DTLOG_SLOTS=300
    images irq-trace-an505 mps2-an505 1 $irq -DTLOG_SLOTS=500 -DTLOG_CHUNKS=3
    images irq-trace-two-cpus mps2-an521 2 $irq -DTLOG_SLOTS=500
    images one-cpu virt 1 $baton -DTLOG_SLOTS=300 -DTLOG_CHUNKS=3
    moments=40
    images product mps2-an385 1 $product -DTLOG_SLOTS=100 -DTLOG_CHUNKS=3
    images product-one mps2-an505 1 $product -DTLOG_SLOTS=200
}

# shellcheck disable=SC2086
images code-in-ram mps2-an385 1 $demo -DTLOG_SLOTS=300 -DTLOG_CHUNKS=3 -T $here/code_in_ram.ld
[ "${TIER:-}" = quick ] || full
[ -n "${TIER:-}" ] || whole
[ -z "$failed" ] || { echo "wrong images:$failed"; exit 1; }
