#!/bin/sh
# sleep.sh - each kernel's hooks around WFI keep the time right to a tick of the sleep clock, though the trace's clock
# stands still in the sleep: right behind the hook, after sleeps of 0, and of more ticks than the clock counts to.
# usage: sleep.sh BUILD
# Judges: sleep.c itself.
set -eu
build=$1
. tests/rtos/lib.sh

# sleeps NAME KERNEL HEADER BEGIN END ARGUMENT...: with the kernel's header, and the hooks that it calls around WFI.
# What only other hooks use is not linked.
sleeps() (
    dir=$build/test/rtos/sleep-$1 kernel=$2 header=$3 begin=$4 end=$5
    echo "$1"
    shift 5
    rm -rf "$dir"
    mkdir -p "$dir"
    firmware mps2-an385 "$dir/app.elf" -Itests/rtos "-Itests/rtos/$kernel" -Iport/rtos "-Iport/rtos/$kernel" \
        "-DSLEEP_HEADER=\"$header\"" "-DSLEEP_BEGIN=$begin" "-DSLEEP_END=$end" tests/rtos/sleep.c \
        -include tests/lib/clock.h -DTLOG_CLOCK_ADDRESS=test_clock -DTLOG_CLOCK_HZ=25000000 \
        '-DTLOG_CLOCK_HALT(halted)=((void)(halted))' -include tests/runtime/wake.h -DTLOG_SLEEP_HZ=32768 \
        '-DTLOG_PORT_SLEEP_NOW=test_sleep_now()' -Wl,--unresolved-symbols=ignore-all "$@"
    emulate mps2-an385 "$dir/app.elf"
)

declared() {
    echo "({ void $1(void); $1(); })"
}
sleeps freertos freertos FreeRTOS.h 'configPRE_SLEEP_PROCESSING(1)' 'configPOST_SLEEP_PROCESSING(1)'
sleeps threadx threadx tx_user.h TX_LOW_POWER_USER_ENTER TX_LOW_POWER_USER_EXIT
sleeps rtx5 rtx5 rtx_evr.h 'EvrRtxKernelSuspended(1)' 'EvrRtxKernelResume(1)' port/rtos/rtx5/tlog_rtx5.c
zephyr=port/rtos/zephyr/tlog_zephyr_isr.c
sleeps zephyr zephyr stdint.h "$(declared sys_trace_idle)" "$(declared sys_trace_idle_exit)" \
    -DCONFIG_TRACING_CUSTOM $zephyr
sleeps zephyr-handler zephyr stdint.h "$(declared sys_trace_idle)" "$(declared sys_trace_isr_enter)" \
    -DCONFIG_TRACING_CUSTOM -DCONFIG_TLOG_ZEPHYR_ISR $zephyr
sleeps zephyr-user zephyr stdint.h "$(declared sys_trace_idle_user)" "$(declared sys_trace_isr_enter_user)" $zephyr
