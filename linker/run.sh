#!/bin/sh
# run.sh - run firmware in QEMU until it ends, until TIME seconds have passed, or until Ctrl-C; then decode its trace.
# usage: run.sh DECODER TIME QEMU... (in the folder of firmware.elf; TIME: seconds, or "": as long as it runs)
# look at it meanwhile: target remote gdb.socket.
set -u
decoder=$1
time=$2
shift 2
case $time in
*[!0-9.]*) echo "TIME=$time: not a number of seconds" >&2; exit 1 ;;
esac
rm -f dump.bin trace.dat gdb.socket monitor.in monitor.out
mkfifo monitor.in monitor.out
echo "  gdb-multiarch -ex 'target remote $PWD/gdb.socket' '$PWD/firmware.elf'    looks at it; Ctrl-C ends it"

# A session of its own: Ctrl-C is for this script alone.
setsid "$@" -kernel firmware.elf -monitor pipe:monitor -gdb unix:path=gdb.socket,server=on,wait=off &
qemu=$!
cat monitor.out >monitor.log &
exec 3<>monitor.in

stopped=
trap 'stopped="Ctrl-C"' INT TERM
if [ -n "$time" ]; then
    sleep "$time" &
    alarm=$!
    while kill -0 "$alarm" 2>/dev/null && kill -0 "$qemu" 2>/dev/null && [ -z "$stopped" ]; do
        sleep 0.1
    done
    kill -0 "$qemu" 2>/dev/null && [ -z "$stopped" ] && stopped="$time s"
    kill "$alarm" 2>/dev/null
else
    wait "$qemu"
fi

# take: have the monitor write the memory of the chunks, from the symbols around them
take() {
    set -- $(arm-none-eabi-nm firmware.elf | sed -n 's/^\([0-9a-f]*\) . __\(start\|stop\)_tlog_chunks$/0x\1/p' | sort)
    [ $# -eq 2 ] || { echo "run.sh: firmware.elf does not tell where its chunks are" >&2; return 1; }
    printf 'stop\nmemsave %s %s dump.bin\nquit\n' "$1" "$(($2 - $1))" >&3
}

if [ -n "$stopped" ] && kill -0 "$qemu" 2>/dev/null; then
    trap '' INT
    echo "  stopped after $stopped: the memory is taken"
    take || kill "$qemu"
fi
wait "$qemu"
code=$?
exec 3>&-
rm -f monitor.in monitor.out monitor.log gdb.socket
[ -n "$stopped" ] || [ "$code" -eq 0 ] || echo "  the firmware ended with exit code $code"
"$decoder" --elf=firmware.elf dump.bin -o trace.dat
