#!/bin/sh
# zephyr.sh - the hooks of port/rtos/zephyr, run by a stand-in for the kernel in its orders, by CONFIG_TRACING_CUSTOM,
# also with CONFIG_USE_SWITCH, and by CONFIG_TRACING_USER with the arguments of an early version: trace-cmd shows every
# switch, state, reason, name and named event that the stand-in's application computed; every hook that the port defines
# is run; each option builds.
# usage: zephyr.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
build=$1
shift
here=tests/rtos/zephyr
port=port/rtos/zephyr
. tests/rtos/lib.sh
# The port's folder is ahead of the kernel's, as README says.
include="-I$port -I$here/include -DCONFIG_TRACING -DCONFIG_THREAD_NAME"
all="-DCONFIG_TLOG_ZEPHYR_WHY -DCONFIG_TLOG_ZEPHYR_OBJECTS -DCONFIG_TLOG_ZEPHYR_ISR -DTLOG_TRACEEVENTS=1"
for board in "$@"; do
    for hooks in CUSTOM SWITCH USER; do
        dir=$build/test/rtos/zephyr-$board-$hooks
        options=-DCONFIG_TRACING_$hooks
        case $hooks in SWITCH) options="-DCONFIG_TRACING_CUSTOM -DCONFIG_USE_SWITCH -DCONFIG_CPU_CORTEX_M" ;; esac
        # shellcheck disable=SC2086
        stand_in "$board" "$dir" $include $all $options $here/*.c $port/*.c
        decoded "$dir" --elf="$dir/app.elf"
        echo "$board, $options"
        as_expected "$dir"
        # shellcheck disable=SC2086
        arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -Itarget -Iport -include linker/mps2-an385.h \
            $include $all $options -c $port/tlog_zephyr_isr.c -o "$dir/isr.o"
        {
            arm-none-eabi-nm "$dir/isr.o" | sed -n 's/.* T //p'
            sed -n 's/^#define \(sys_[a-z]*_[a-z_]*\)(.*/\1/p' $port/tlog_zephyr.h
        } >"$dir/defined"
        all_run "hooks are defined" "$dir/defined" "$dir/ran.txt"
    done
done
for hooks in CUSTOM USER; do
    for option in -DTLOG_ENABLE=0 -DTLOG_TRACEEVENTS=1 -DCONFIG_TLOG_ZEPHYR_WHY -DCONFIG_TLOG_ZEPHYR_OBJECTS \
        -DCONFIG_TLOG_ZEPHYR_ISR -UCONFIG_THREAD_NAME; do
        # shellcheck disable=SC2086
        compiles $include "-DCONFIG_TRACING_$hooks" "$option" $port/tlog_zephyr.c
        # shellcheck disable=SC2086
        compiles $include "-DCONFIG_TRACING_$hooks" "$option" $port/tlog_zephyr_isr.c
    done
done
echo "each option: compiles"

# Before 3.1 the kernel's headers were not in a folder zephyr.
old=$build/test/rtos/zephyr-old
rm -rf "$old"
cp -r $here/include/zephyr "$old"
for header in "$old"/*.h "$old"/*/*.h; do
    sed -i 's#<zephyr/#<#' "$header"
done
cp $here/include/tracing_user.h "$old/"
compiles -I$port "-I$old" -DCONFIG_TRACING -DCONFIG_TRACING_USER -DCONFIG_THREAD_NAME $port/tlog_zephyr.c
echo "with headers as before 3.1: compiles"
