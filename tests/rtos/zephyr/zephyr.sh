#!/bin/sh
# zephyr.sh - the hooks of port/rtos/zephyr, run by a stand-in for the kernel in its orders, by CONFIG_TRACING_CUSTOM,
# also with CONFIG_USE_SWITCH and with tlog_irq_trace(), and by CONFIG_TRACING_USER with the arguments of an early
# version, where the port calls tlog_irq_trace(): trace-cmd shows every switch, state, reason, name and named event that
# the stand-in's application computed; every hook that the port defines is run.
# usage: zephyr.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
shift
here=tests/rtos/zephyr
port=port/rtos/zephyr
FIRMWARE_OPT= # as users compile it
. tests/rtos/lib.sh
# The port's folder is ahead of the kernel's, as README says.
include="-I$port -I$here/include -DCONFIG_TRACING -DCONFIG_THREAD_NAME"
all="-DCONFIG_TLOG_ZEPHYR_WHY -DCONFIG_TLOG_ZEPHYR_OBJECTS -DCONFIG_TLOG_ZEPHYR_ISR -DTLOG_TRACEEVENTS=1"
traced="-DTRACED -DTLOG_IRQ_VECTORS=144 port/irq_v7m.c"
all_hooks="CUSTOM SWITCH USER"
[ "${TIER:-}" != quick ] || all_hooks=CUSTOM
for board in "$@"; do
    for hooks in $all_hooks; do
        dir=$build/test/rtos/zephyr-$board-$hooks
        options=-DCONFIG_TRACING_$hooks
        case $hooks in SWITCH) options="-DCONFIG_TRACING_CUSTOM -DCONFIG_USE_SWITCH -DCONFIG_CPU_CORTEX_M" ;; esac
        case $hooks$board in
            SWITCHmps2*) options="$options $traced" ;;
            USERmps2*) options="$options -DCONFIG_TLOG_ZEPHYR_IRQ_TRACE $traced" ;;
        esac
        # shellcheck disable=SC2086
        stand_in "$board" "$dir" $include $all $options $here/*.c $port/*.c
        decoded "$dir" --elf="$dir/app.elf"
        echo "$board, $options"
        as_expected "$dir"
        ordered "$dir" lowest_first
        # shellcheck disable=SC2086
        arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -Itarget -Iport -include linker/mps2-an385.h \
            $include $all ${options% port/*} -c $port/tlog_zephyr_isr.c -o "$dir/isr.o"
        {
            arm-none-eabi-nm "$dir/isr.o" | sed -n 's/.* T //p'
            sed -n 's/^#define \(sys_[a-z]*_[a-z_]*\)(.*/\1/p' $port/tlog_zephyr.h
        } >"$dir/defined"
        all_run "hooks are defined" "$dir/defined" "$dir/ran.txt"
    done
done
# With TLOG_START=1 the first of the hooks starts, and nothing is lost that main creates before the kernel starts.
if [ "${TIER:-}" != quick ]; then
    # shellcheck disable=SC2086
    stand_in mps2-an385 "$dir-start" -DTLOG_START=1 $include $all -DCONFIG_TRACING_CUSTOM $here/*.c $port/*.c
    started "$dir-start" --elf="$dir-start/app.elf"
    as_expected "$dir-start"
    ordered "$dir-start" lowest_first
fi
