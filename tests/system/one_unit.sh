#!/bin/sh
# one_unit.sh - checks the names in target/ and port/. All sources of a core, and the glue of each kernel, compile as
# one unit: so no two files have the same name. Each macro and enumerator has tlog's prefix: the sources also compile
# where an application has made macros of all other upper-case words (one_unit.py).
# usage: one_unit.sh
# Judges: gcc and clang, for Arm and this machine.
set -eu
. tests/lib/one_file.sh
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
python3 tests/system/one_unit.py names
python3 tests/system/one_unit.py hostile >"$out/hostile.h"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wconversion -Werror"
runtime=$(echo target/src/*.c)
arm="port/port_v6m.c port/port_v7m.c port/irq_v7m.c port/irq_flash.c port/out_udp.c port/out_shark_udp.c port/net_udp.c
    port/net_lan9118.c"
# A weak function of out_semihost.c gives way to that of out_disk.c, which is for chunks made at run time.
sink_of() {
    case $* in *ARENA=1*) echo port/out_disk.c ;; *) echo port/out_semihost.c ;; esac
}

# compiles WHAT SOURCES COMMAND...: compile the sources as one unit
compiles() {
    what=$1
    # shellcheck disable=SC2086
    one_file $2 >"$out/unit.c"
    shift 2
    # shellcheck disable=SC2086
    "$@" $warnings -Itarget -Iport -Ilinker -DNET_CLOCK_HZ=1000000u -fsyntax-only "$out/unit.c" ||
        { echo "not one unit: $what, $*"; exit 1; }
}
all="-DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1"
options_of() {
    printf '%s\n' "" -DTLOG_ENABLE=0 -DTLOG_MINIMAL=1 "-DTLOG_TRACEEVENTS=1 -DTLOG_CONTEXT=1" "$all" \
        "-DTLOG_RUNS=2 -DTLOG_CHUNKS=2 -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1" "-DTLOG_START=1 $all" \
        "-DTLOG_START=2 -DTLOG_TRACEEVENTS=1 -DTLOG_RUNS=2" "-DTLOG_START=1 -DTLOG_MINIMAL=1" $1
}
for core in cortex-m0:microbit cortex-m3:mps2-an385 cortex-m33:mps2-an505 cortex-a15:virt; do
    flags="-std=c11 -mcpu=${core%:*} -mthumb -mfloat-abi=soft -ffreestanding -include linker/${core#*:}.h"
    options_of "$(case $core in *virt) echo -DTLOG_CPUS=2 ;; esac)" | while read -r options; do
        # shellcheck disable=SC2086
        compiles "$core" "$runtime $arm $(sink_of "$options")" arm-none-eabi-gcc $flags $options
    done
    # shellcheck disable=SC2086
    compiles "$core" "$runtime $arm $(sink_of "$all")" clang --target=arm-none-eabi $flags $all
    echo "one unit: $core"
done
for port in port/port_posix.c port/port_threads.c; do
    cpus=$(case $port in *threads*) echo -DTLOG_CPUS=2 ;; esac)
    options_of "" | while read -r options; do
        case $options$cpus in *ARENA*CPUS* | *MINIMAL*CPUS*) continue ;; esac
        # shellcheck disable=SC2086
        compiles "$port" "$port $runtime port/out_udp.c port/net_udp.c" \
            gcc -std=c11 $cpus $options
    done
    echo "one unit: $port"
done

# A kernel's glue with the core, and with the stand-in for the kernel.
kernel() {
    glue=$1
    shift
    # shellcheck disable=SC2086
    compiles "$glue" "$glue $runtime $arm port/out_semihost.c" arm-none-eabi-gcc -std=gnu11 \
        -mcpu=cortex-m3 -mthumb -ffreestanding -include linker/mps2-an385.h -Iport/rtos -Itests/rtos \
        -DTLOG_TRACEEVENTS=1 -Wno-pedantic "$@"
    echo "one unit: $glue"
}
kernel port/rtos/freertos/tlog_freertos.c -Iport/rtos/freertos -Itests/rtos/freertos -DSTAND_IN=11
kernel port/rtos/threadx/tlog_threadx.c -Iport/rtos/threadx -Itests/rtos/threadx
kernel port/rtos/rtx5/tlog_rtx5.c -Itests/rtos/rtx5
kernel port/rtos/chibios/tlog_chibios.c -Iport/rtos/chibios -Itests/rtos/chibios
kernel port/rtos/riot/tlog_riot.c -Itests/rtos/riot/include
kernel "port/rtos/zephyr/tlog_zephyr.c port/rtos/zephyr/tlog_zephyr_isr.c" -Iport/rtos/zephyr \
    -Itests/rtos/zephyr/include -DCONFIG_TRACING -DCONFIG_THREAD_NAME -DCONFIG_TRACING_CUSTOM \
    -DCONFIG_TLOG_ZEPHYR_WHY -DCONFIG_TLOG_ZEPHYR_OBJECTS -DCONFIG_TLOG_ZEPHYR_ISR

# What comes before: the headers of the language, and the board's.
headers="-include stdint.h -include stdbool.h -include stddef.h -include stdarg.h"
for core in cortex-m0:microbit cortex-m3:mps2-an385 cortex-m33:mps2-an505 cortex-a15:virt; do
    for options in "" "$all" "-DTLOG_MINIMAL=1" "-DTLOG_TRACEEVENTS=1 -DTLOG_UNIQUE_STAMPS=1 -DTLOG_RUNS=2"; do
        # shellcheck disable=SC2086
        compiles "$core" "$runtime $arm $(sink_of "$options")" arm-none-eabi-gcc -std=c11 \
            "-mcpu=${core%:*}" -mthumb -mfloat-abi=soft -ffreestanding -include "linker/${core#*:}.h" $headers \
            $options -include "$out/hostile.h"
    done
done
# shellcheck disable=SC2086
compiles posix "$runtime port/port_posix.c" gcc -std=c11 $headers $all -include "$out/hostile.h"
# shellcheck disable=SC2086
echo '#include "tlog.h"
#include "tlog_fault.h"
#include "tlog_pack.h"
#include "tlog_rtos.h"
#include "out_udp.h"
#include "out_semihost.h"' >"$out/all.c"
for language in "gcc -std=c11" "g++ -std=c++17 -x c++"; do
    # shellcheck disable=SC2086
    arm-none-eabi-$language -mcpu=cortex-m3 -mthumb -ffreestanding $headers -include linker/mps2-an385.h $all \
        -include "$out/hostile.h" -Itarget -Iport -Iport/rtos -fsyntax-only "$out/all.c"
done
echo "with $(grep -c '^#define' "$out/hostile.h") words of an application as macros: the same sources compile"
