#!/bin/sh
# A dump needs no code at all: gdb's "dump binary memory" of the chunks, on the stopped target, is byte for byte the file
# that the firmware wrote, and decodes to the same events.
set -eu
build=$1
board=$2
dir=$build/test/gdb
rm -rf "$dir"
mkdir -p "$dir"
cp "$build/demo/firmware.elf" "$dir/"
socket=$dir/gdb.socket
(cd "$dir" && exec timeout 120 qemu-system-arm -M "$board" -display none -monitor none -serial none \
    -semihosting-config enable=on,target=native -icount shift=6 -kernel firmware.elf -S \
    -chardev socket,path=gdb.socket,server=on,wait=off,id=gdb -gdb chardev:gdb) &
qemu=$!
trap 'kill $qemu 2>/dev/null || true' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -S "$socket" ] && break
    sleep 0.5
done
gdb-multiarch -nx -batch "$dir/firmware.elf" \
    -ex "target remote $socket" \
    -ex 'break semihost_exit' -ex 'continue' \
    -ex "dump binary memory $dir/gdb.bin &__start_tlog_chunks &__stop_tlog_chunks" \
    -ex 'kill' >"$dir/gdb.log" 2>&1 || { cat "$dir/gdb.log"; exit 1; }
wait $qemu || true
cmp "$dir/dump.bin" "$dir/gdb.bin"
"$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/file.txt"
"$build/tlog-decode" -q "$dir/gdb.bin" -o "$dir/gdb.txt"
cmp "$dir/file.txt" "$dir/gdb.txt"
echo "$(wc -c <"$dir/gdb.bin") bytes, $(wc -l <"$dir/gdb.txt") lines: the same"

# And in the middle of a run, where nothing was sealed: all the events up to there, no damage.
rm -f "$socket"
(cd "$dir" && exec timeout 120 qemu-system-arm -M "$board" -display none -monitor none -serial none \
    -semihosting-config enable=on,target=native -icount shift=6 -kernel firmware.elf -S \
    -chardev socket,path=gdb.socket,server=on,wait=off,id=gdb -gdb chardev:gdb) &
qemu=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -S "$socket" ] && break
    sleep 0.5
done
gdb-multiarch -nx -batch "$dir/firmware.elf" \
    -ex "target remote $socket" \
    -ex 'break irq_9_handler' -ex 'ignore 1 300' -ex 'continue' \
    -ex "dump binary memory $dir/middle.bin &__start_tlog_chunks &__stop_tlog_chunks" \
    -ex 'kill' >"$dir/gdb.log" 2>&1 || { cat "$dir/gdb.log"; exit 1; }
wait $qemu || true
"$build/tlog-decode" "$dir/middle.bin" -o "$dir/middle.txt"
lines=$(wc -l <"$dir/middle.txt")
[ "$lines" -gt 300 ]
head -n "$lines" "$dir/file.txt" | cmp - "$dir/middle.txt"
echo "stopped in the middle: $lines lines, the beginning of the whole trace"
