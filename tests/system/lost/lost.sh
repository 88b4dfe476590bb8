#!/bin/sh
# lost.sh - checks that a chunk whose header and seal are both damaged is decoded with the firmware's ELF file: from a
# debugger's copy of the whole RAM, with and without its address, and from ELF core files of gdb and QEMU.
# usage: lost.sh BUILD BOARD
# Judge: the events of the undamaged file.
set -eu
. tests/lib/needs.sh
needs gdb-multiarch python3
build=$1
board=$2
dir=$build/test/lost
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"

cat >"$dir/app.c" <<'C'
#include "out_semihost.h"
#include "tlog.h"
int main(void);
int main(void)
{
    tlog_name(TLOG_NAME_TASK, 1, "one");
    for (uint32_t i = 0; i < EVENTS; i++)
        TRACER_LOGEVENT(FTrace_EVT_data_pointer, 1, i);
    return 0;
}
C

# run_with NAME FLAGS...: build, run until the firmware ends, and save the RAM in $dir/NAME as ram.bin, gdb.core and
# qemu.core
run_with() {
    name=$1
    shift
    mkdir -p "$dir/$name"
    firmware "$board" "$dir/$name/firmware.elf" -Wl,--build-id "$@" "$dir/app.c"
    (cd "$dir/$name" && exec timeout 600 qemu-system-arm -M "$board" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel firmware.elf -S \
        -chardev socket,path=gdb.socket,server=on,wait=off,id=gdb -gdb chardev:gdb) 2>"$dir/qemu.log" &
    qemu=$!
    tries=0
    until [ -S "$dir/$name/gdb.socket" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ]
        sleep 0.2
    done
    # QEMU may end before it has answered gdb's kill command. gdb then fails, but it has written the files before.
    gdb-multiarch -nx -batch "$dir/$name/firmware.elf" -ex "target remote $dir/$name/gdb.socket" \
        -ex 'break semihost_exit' -ex continue -ex "gcore $dir/$name/gdb.core" \
        -ex "dump binary memory $dir/$name/ram.bin 0x20000000 0x20010000" \
        -ex "monitor dump-guest-memory qemu.core" -ex kill >"$dir/gdb.log" 2>&1 \
        || [ -s "$dir/$name/ram.bin" ] || { cat "$dir/gdb.log"; exit 1; }
    wait $qemu || true
}

# decode OPTIONS... FILE: the lines of text of a file are in $dir/events, damage in $dir/err, the exit code in $status
decode() {
    status=0
    "$build/tlog-decode" --format=text-full "$@" >"$dir/events" 2>"$dir/err" || status=$?
}

# found OPTIONS... FILE: all events of $dir/whole are there, and the damage is told
found() {
    decode "$@"
    [ "$status" -eq 2 ]
    cmp "$dir/whole" "$dir/events"
    grep -q "the header and the seal of a chunk are lost; the firmware's ELF file tells where it is" "$dir/err"
}

# lost OPTIONS... FILE: the events of the damaged chunk are not there, and that is told
lost() {
    decode "$@"
    [ "$status" -ne 0 ]
    [ "$(grep -c data_pointer "$dir/events")" -lt "$(grep -c data_pointer "$dir/whole")" ]
    grep -q 'missing' "$dir/err"
}

# try NAME NUMBER: damage a chunk in all files, and decode them
try() {
    elf=$dir/$1/firmware.elf
    for file in ram.bin gdb.core qemu.core; do
        decode "--elf=$elf" "$dir/$1/$file"
        [ "$status" -eq 0 ]
        mv "$dir/events" "$dir/whole"
        python3 tests/system/lost/damage.py "$dir/$1/$file" "$dir/$file" "$2"
        found "--elf=$elf" "$dir/$file"
        lost "$dir/$file"
        lost "--elf=$dir/other/firmware.elf" "$dir/$file"
    done
    "$build/tlog-decode" "--save-events=$elf" -o "$dir/events-file"
    found "--elf=$dir/events-file" "$dir/ram.bin"
    found "--elf-dir=$dir/other:$dir/$1" "$dir/ram.bin"
    found "--elf=$elf" --base=0x20000000 "$dir/ram.bin"
    found "--elf=$elf" --base=536870912 "$dir/ram.bin"
    if grep base "$dir/err"; then exit 1; fi
    lost --base=0x20000000 "--elf-dir=$dir/other" "$dir/ram.bin"
    for base in 0x20000010 0x1ffffb10 0x200004f0 0; do # none of them is where the RAM is
        found "--elf=$elf" --base=$base "$dir/ram.bin"
        grep -q "ram.bin: --base=0x[0-9a-f]* is not used: no chunk stands where its header says by that" "$dir/err"
    done
    gzip -c "$dir/gdb.core" >"$dir/core.gz"
    found "--elf=$elf" "$dir/core.gz"
    decode --base=0x20000000 "$dir/gdb.core"
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = \
        "tlog-decode: $dir/gdb.core: an ELF file, which tells its addresses itself: --base is not for it" ]
}

# The other firmware has the same chunks, at the same addresses.
run_with four -DTLOG_CHUNKS=4 -DTLOG_SLOTS=64 -DEVENTS=560
mkdir -p "$dir/other"
firmware "$board" "$dir/other/firmware.elf" -Wl,--build-id -DTLOG_CHUNKS=4 -DTLOG_SLOTS=64 -DEVENTS=561 "$dir/app.c"
for number in 0 1 2 3; do
    try four "$number"
done
echo "a chunk of four is found in a copy of the RAM and in core files"

run_with one -DTLOG_SLOTS=128 -DEVENTS=300
firmware "$board" "$dir/other/firmware.elf" -Wl,--build-id -DTLOG_SLOTS=128 -DEVENTS=301 "$dir/app.c"
try one 0
echo "the only chunk of a ring is found by the names of its CPU"
