#!/bin/sh
# elf.sh - checks --elf from firmware to text: addresses are shown by name; the dump holds the firmware's build id, for
# every kind of build id; an ELF file of another firmware gives a warning.
# usage: elf.sh BUILD BOARD
# Judges: readelf, and the expected text.
set -eu
build=$1
board=$2
dir=$build/test/elf
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"

cat >"$dir/app.c" <<'C'
#include "out_semihost.h"
#include "tlog.h"
#include "tlog_rtos.h"
static int local_object[4];
static struct {
    int values[30];
    uint32_t queue[20];
} sensors_bus;
uint32_t data_ready[20];
static const uint32_t table[20] = {1};

/* A queue is sent to, and a task waits for it. */
static void use(uintptr_t queue)
{
    tlog_rtos_object(TLOG_RTOS_send, TLOG_NAME_QUEUE, queue, 1);
    tlog_rtos_block(1, TLOG_RTOS_send, TLOG_NAME_QUEUE, queue);
    tlog_rtos_switch(2);
    tlog_rtos_ready(1);
    tlog_rtos_switch(1);
}
int global_object = MARK;
int main(void);
int main(void)
{
    TRACER_LOGEVENT(FTrace_EVT_data_pointer, 1, (uint32_t)(uintptr_t)&local_object[2]);
    TRACER_LOGEVENT(FTrace_EVT_data_pointer, 2, (uint32_t)(uintptr_t)&global_object);
    TRACER_LOGEVENT(FTrace_EVT_data_pointer, 3, ((uint32_t)(uintptr_t)main & ~1u) + 2u);
    TRACER_LOGEVENT(FTrace_EVT_data_pointer, 4, 0xE000E000u);
    tlog_rtos_switch(1);
    tlog_name(TLOG_NAME_QUEUE, (uintptr_t)&local_object[0], "named");
    use((uintptr_t)sensors_bus.queue);
    use((uintptr_t)data_ready);
    use((uintptr_t)&local_object[0]);
    use(0x20001233u);
    use((uintptr_t)&table[1]);
    return 0;
}
C

# run_with NAME SCRIPT FLAGS...: build with that linker script and run; firmware.elf and dump.bin are then in $dir/NAME
run_with() {
    name=$1
    script=$2
    shift 2
    mkdir -p "$dir/$name"
    firmware "$board" "$dir/$name/firmware.elf" -g0 -Iport/rtos -T "$script" "$@" "$dir/app.c"
    emulate "$board" "$dir/$name/firmware.elf"
}

# told NAME: print the build id in the dump's first header
told() {
    od -An -tx1 -j52 -N8 "$dir/$1/dump.bin" | tr -d ' \n'
}

# linked NAME: print the first 8 bytes of the build id that readelf finds in the ELF file
linked() {
    arm-none-eabi-readelf -n "$dir/$1/firmware.elf" | sed -n 's/.*Build ID: \(.\{16\}\).*/\1/p'
}

# decode NAME ELF_OF: decode NAME's dump with the ELF file of ELF_OF; messages go to $dir/err
decode() {
    "$build/tlog-decode" --format=text-full "--elf=$dir/$2/firmware.elf" "$dir/$1/dump.bin" \
        -o "$dir/$1/events.txt" 2>"$dir/err"
}

none=0000000000000000
run_with sha1 "linker/$board.ld" -DMARK=1 -Wl,--build-id
run_with md5 "linker/$board.ld" -DMARK=2 -Wl,--build-id=md5
none_in="without own"
if [ "${TIER:-}" != quick ]; then
    none_in="short $none_in"
    run_with short "linker/$board.ld" -DMARK=3 -Wl,--build-id=0x12345678
fi
run_with without "linker/$board.ld" -DMARK=4 -Wl,--build-id=none
sed -e '/^ASSERT(LENGTH(FLASH) == ~0/,/^    "/d' -e '/gnu\.build-id\|tlog_build_id/d' linker/tlog_rest.ld \
    >"$dir/rest.ld"
sed "s|INCLUDE tlog_rest.ld|INCLUDE $dir/rest.ld|" linker/sections.ld >"$dir/sections.ld"
sed "s|INCLUDE sections.ld|INCLUDE $dir/sections.ld|" "linker/$board.ld" >"$dir/own.ld"
run_with own "$dir/own.ld" -DMARK=5
if arm-none-eabi-nm --defined-only "$dir/own/firmware.elf" | grep tlog_build_id; then exit 1; fi

for name in sha1 md5; do
    [ "$(told $name)" = "$(linked $name)" ]
    [ "$(told $name)" != $none ]
done
for name in $none_in; do
    [ "$(told $name)" = $none ]
done
echo "the dump tells the build id, or that there is none"

for name in sha1 md5 $none_in; do
    decode $name $name
    [ "$(wc -l <"$dir/err")" -eq 1 ] # the summary
    grep -q 'data_pointer: type=1 address=local_object+0x8$' "$dir/$name/events.txt"
    grep -q 'data_pointer: type=2 address=global_object$' "$dir/$name/events.txt"
    grep -q 'data_pointer: type=3 address=main+0x2$' "$dir/$name/events.txt"
    grep -q 'data_pointer: type=4 address=0xe000e000$' "$dir/$name/events.txt"
done
echo "addresses have names"

# A queue without a name is the variable that it lies in, everywhere; one in none, or in constants, is hexadecimal.
out=$dir/sha1/out
table=$(arm-none-eabi-nm "$dir/sha1/firmware.elf" | sed -n 's/^0*\(.*\) . table$/\1/p')
table=0x$(printf %x $((0x$table + 4)))
queues="sensors_bus+0x78 data_ready named 0x20001233 $table"
show() { "$build/tlog-decode" -q "--elf=$dir/sha1/firmware.elf" "$dir/sha1/dump.bin" "$@"; }
has_all() {
    for queue in $queues; do grep -qF -- "$1$queue$2" "$out" || { echo "no $1$queue$2 in $out"; exit 1; }; done
}
show --format=text -o "$out"
has_all "queue_send:           queue=" " waiting=1"
show --stat >"$out"
has_all "queue_send_block  " " "
show --format=vcd -o "$out"
has_all "s" " "
show --format=perfetto -o "$dir/sha1/out.pftrace"
strings -n 4 "$dir/sha1/out.pftrace" >"$out"
for queue in sensors_bus+0x78 data_ready named; do grep -qF "$queue" "$out"; done
if command -v trace-cmd >/dev/null; then
    show -o "$dir/sha1/trace.dat"
    trace-cmd report "$dir/sha1/trace.dat" >"$out" 2>/dev/null
    has_all "queue=" " waiting=1"
fi
if command -v babeltrace2 >/dev/null; then
    rm -rf "$dir/sha1/ctf"
    show --format=ctf -o "$dir/sha1/ctf"
    babeltrace2 "$dir/sha1/ctf" >"$out"
    for queue in sensors_bus+0x78 data_ready named; do grep -qF "\"$queue\"" "$out"; done
fi
echo "queues without a name are variables"

if decode sha1 md5; then exit 1; fi
[ "$(head -n 1 "$dir/err")" = "tlog-decode: $dir/md5/firmware.elf is not the firmware of this dump: \
build id $(linked md5), dump has $(linked sha1); names may be wrong" ]
if decode sha1 without; then exit 1; fi
grep -q 'is not the firmware of this dump: build id none, dump has' "$dir/err"
decode without sha1
[ "$(wc -l <"$dir/err")" -eq 1 ]
status=0
"$build/tlog-decode" --format=text-full -q "--elf=$dir/md5/firmware.elf" "$dir/sha1/dump.bin" -o "$dir/quiet.txt" \
    2>"$dir/err" || status=$?
[ "$status" -eq 2 ]
[ ! -s "$dir/err" ]
arm-none-eabi-strip "$dir/sha1/firmware.elf"
decode sha1 sha1
grep -q 'firmware.elf: no symbols in it, it may be stripped' "$dir/err"
grep -q 'data_pointer: type=4 address=0xe000e000$' "$dir/sha1/events.txt"
rm "$dir/sha1/events.txt"
status=0
"$build/tlog-decode" --format=text-full "--elf=$dir/app.c" "$dir/sha1/dump.bin" -o "$dir/sha1/events.txt" \
    2>"$dir/err" || status=$?
[ "$status" -eq 1 ]
[ "$(cat "$dir/err")" = "tlog-decode: $dir/app.c: not an ELF file" ]
[ ! -e "$dir/sha1/events.txt" ]
echo "another firmware's file is noticed"
