#!/bin/sh
# ready.sh - `tlog-decode --check firmware.elf`: a firmware with nothing wrong is ready; each of the faults that it can
# tell is told of a firmware that has it, and of no other one. An ELF core file stays a dump.
# usage: ready.sh BUILD
# Judges: the firmwares, each built with one fault.
set -eu
build=$1
dir=$build/test/ready
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
FIRMWARE_OPT='-O1 -g'

cat >"$dir/app.c" <<'C'
#include "tlog.h"
#ifdef KERNEL
void KERNEL(void);
void KERNEL(void) { __asm volatile("nop"); }
#endif
#ifdef HOOK
void HOOK(void);
__attribute__((noinline)) void HOOK(void) { __asm volatile("nop\n\tnop"); }
#endif
#ifdef CREATE
void CREATE(const char *name);
__attribute__((noinline)) void CREATE(const char *name) { __asm volatile("" ::"r"(name)); }
#endif
#ifdef RAM_VECTORS
uint32_t __ram_vector_table[48] __attribute__((section(".ram_vector_table")));
#endif
int main(void);
int main(void)
{
    tlog_name(TLOG_NAME_TASK, 1, "one");
    tlog_name(TLOG_NAME_TASK, 2, "two");
    tlog_priority(1, 10);
    TRACER_LOGEVENT(FTrace_EVT_context_switch, 1, 0);
#ifdef CALLED
    HOOK();
#endif
#ifdef CREATE
    CREATE("three");
    CREATE("four");
#endif
#ifdef RAM_VECTORS
    __ram_vector_table[0] = 1;
#endif
    return 0;
}
C
cp linker/mps2-an385.ld "$dir/sound.ld"

# script NAME EXPRESSION: write $dir/NAME.ld, the board's script with that change
script() {
    sed "/^INCLUDE sections.ld/{
r linker/sections.ld
d
}" linker/mps2-an385.ld | sed "$2" >"$dir/$1.ld"
}
flash='s/ORIGIN = 0x00000000/ORIGIN = 0x08000000/'
script at_0 "$flash; s/} > CHUNKS :NONE/} AT > RAM :NONE/; s/tlog_chunks (NOLOAD)/tlog_chunks 0 (NOLOAD)/"
script devices 's/tlog_chunks (NOLOAD)/tlog_chunks 0x40000000 (NOLOAD)/; s/} > CHUNKS :NONE/} :NONE/'
script code "s/tlog_chunks (NOLOAD)/tlog_chunks 0x100 (NOLOAD)/; s/} > CHUNKS :NONE/} :NONE/"
script no_section 's/ tlog_chunks (NOLOAD)/ other_chunks (NOLOAD)/'
script vectors 's/\.text : ALIGN(4)/.text ORIGIN(FLASH) + 0x80 : ALIGN(4)/'
script ram_vectors 's/__data_start = .;/& . += 16; *(.ram_vector_table)/'

# builds NAME SCRIPT FLAG...: build $dir/NAME.elf
builds() {
    name=$1 ld=$2
    shift 2
    mkdir -p "$dir/$name"
    firmware mps2-an385 "$dir/$name/firmware.elf" -T "$dir/$ld.ld" "$@" "$dir/app.c"
}

# told NAME FAULT: --check must tell that fault of $dir/NAME/firmware.elf and no other one, with what to change, in text
# and in JSON; or none, if FAULT is empty
told() {
    elf=$dir/$1/firmware.elf code=0
    "$build/tlog-decode" --check "$elf" >"$dir/out" 2>"$dir/err" || code=$?
    [ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
    found=$(sed -n "s|^$elf: \([a-z0-9_]*\): .*: [a-z].*|\1|p" "$dir/out" | tr '\n' ' ')
    [ "$found" = "${2:+$2 }" ] || { echo "$1: told: $found"; cat "$dir/out"; exit 1; }
    if [ -n "$2" ]; then want=2 last='1 fault'; else want=0 last=ready; fi
    [ $code -eq $want ] || { echo "$1: exit code $code"; exit 1; }
    [ "$(tail -n 1 "$dir/out")" = "$elf: $last" ] || { cat "$dir/out"; exit 1; }
    "$build/tlog-decode" --check --json "$elf" >"$dir/json" || [ $want -eq 2 ]
    /usr/bin/python3 - "$dir/json" "$2" <<'PYTHON'
import json, sys
answer = json.load(open(sys.argv[1]))
answer = answer[0] if isinstance(answer, list) else answer
assert [each["fault"] for each in answer["faults"]] == sys.argv[2].split(), answer
assert all(each["what"] and each["change"] for each in answer["faults"]), answer
assert answer["verdict"] == ("faulty" if sys.argv[2] else "ready"), answer
assert [each["ns"] * each["events_per_second"] for each in answer["reach"]] == [256 * 10**9] * 3, answer
PYTHON
    echo "$1: ${2:-ready}"
}

id=-Wl,--build-id
builds sound sound $id
told sound ''

builds at_0 at_0 $id
told at_0 ring_at_0
for each in devices code; do
    builds $each $each $id -Wl,--no-check-sections
    told $each ring_outside_ram
done
builds no_section no_section $id
told no_section no_section
builds no_id sound
told no_id no_build_id
builds no_rate sound $id -DTLOG_CLOCK_HZ=0
told no_rate no_clock_rate
FIRMWARE_OPT='-O0 -g'
builds unoptimised sound $id
told unoptimised ''
FIRMWARE_OPT='-O1 -g'

# Of each kernel: its hook is there and is not called; it was dropped, because nothing called it; it is called.
for each in vTaskSwitchContext:tlog_freertos_switch _tx_thread_schedule:_tx_execution_thread_enter \
    osRtxThreadListPut:EvrRtxThreadSwitched z_impl_k_thread_create:tlog_zephyr_switched_in; do
    builds hooks sound $id "-DKERNEL=${each%:*}" "-DHOOK=${each#*:}" "-Wl,-u,${each%:*},-u,${each#*:}"
    told hooks hooks_not_called
    builds hooks sound $id "-DKERNEL=${each%:*}" "-Wl,-u,${each%:*}"
    told hooks hooks_not_called
    builds hooks sound $id "-DKERNEL=${each%:*}" "-DHOOK=${each#*:}" "-Wl,-u,${each%:*}" -DCALLED
    told hooks ''
done

# Slots of names and priorities: five by tlog's calls, and three for each of the kernel's two calls that create a task.
create="-DKERNEL=vTaskSwitchContext -Wl,-u,vTaskSwitchContext -DHOOK=tlog_freertos_switch -DCALLED -DCREATE=xTaskCreate"
builds few sound $id -DTLOG_NAME_SLOTS=4
told few few_name_slots
builds few sound $id -DTLOG_NAME_SLOTS=5
told few ''
# shellcheck disable=SC2086
builds few sound $id $create -DTLOG_NAME_SLOTS=10
told few few_name_slots
# shellcheck disable=SC2086
builds few sound $id $create -DTLOG_NAME_SLOTS=11
told few ''

# The same if the compiler has put the hook into the kernel, and only other functions of the port have its prefix.
create=$(echo "$create" | sed 's/tlog_freertos_switch/tlog_freertos_ready/')
# shellcheck disable=SC2086
builds few sound $id $create -DTLOG_NAME_SLOTS=10
told few few_name_slots

builds vectors vectors $id
told vectors vector_table
builds ram_vectors ram_vectors $id -DRAM_VECTORS
told ram_vectors vector_table
# What --check foretells is what the dump then tells.
mkdir -p "$dir/lost"
firmware mps2-an385 "$dir/lost/firmware.elf" $id -DTLOG_NAME_SLOTS=4 "$dir/app.c"
emulate mps2-an385 "$dir/lost/firmware.elf"
"$build/tlog-decode" "$dir/lost/dump.bin" 2>"$dir/err" >"$dir/out"
grep ': 1 name or priority was lost for want of room on the target: TLOG_NAME_SLOTS gives more$' "$dir/err"

# What has no ring, or is no ELF file of a firmware: each is told, and a core file is a dump as ever.
sed 's/tlog_name(.*//; s/tlog_priority(.*//; s/TRACER.*//' "$dir/app.c" >"$dir/empty.c"
mkdir -p "$dir/empty"
firmware mps2-an385 "$dir/empty/firmware.elf" -T "$dir/sound.ld" $id -DTLOG_ENABLE=0 "$dir/empty.c"
code=0
"$build/tlog-decode" --check "$dir/empty/firmware.elf" >"$dir/out" || code=$?
[ $code -eq 2 ]
grep -q ': no_ring: ' "$dir/out"
head -c 5000 "$dir/sound/firmware.elf" >"$dir/cut.elf"
code=0
"$build/tlog-decode" --check "$dir/cut.elf" >"$dir/out" 2>"$dir/err" || code=$?
[ $code -eq 1 ]
grep -q 'damaged ELF file' "$dir/err"
cat >"$dir/core.py" <<'PYTHON'
import struct, sys
memory = open(sys.argv[1], "rb").read()
head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 4, 40, 1, 0, 52, 0, 0, 52, 32, 1, 0, 0, 0)
head += struct.pack("<8I", 1, 84, 0x20000000, 0, len(memory), len(memory), 6, 4)
open(sys.argv[2], "wb").write(head + memory)
PYTHON
mkdir -p "$dir/run"
firmware mps2-an385 "$dir/run/firmware.elf" $id tests/system/link/app.c -DTEXTLESS
emulate mps2-an385 "$dir/run/firmware.elf"
/usr/bin/python3 "$dir/core.py" "$dir/run/dump.bin" "$dir/core"
"$build/tlog-decode" --check "$dir/core" | grep ': whole: 10[0-9] events'
echo "no ring, a cut ELF file, a core file: each is told"
