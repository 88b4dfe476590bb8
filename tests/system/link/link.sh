#!/bin/sh
# link.sh - checks that tlog needs nothing of the linker script. Firmware linked with a vendor's script (plain.ld), by
# lld, and with GNU ld's own script keeps events, names and texts; its load image holds no zeros for the chunks; the
# heap begins behind them. port/README.md's commands for gdb save what the firmware saves. With `INCLUDE tlog.ld` the
# chunks are no longer zeroed by start-up code, the build id is found, and formats take no flash. TLOG_RUNS > 1 and
# TLOG_ARENA without it are refused by an error that names what is missing. In scripts of Arm's, NXP's, ST's and the
# Pico SDK's shape INCLUDE tlog.ld moves nothing that is loaded; a script in which it cannot work is refused with the
# line to write.
# usage: link.sh BUILD     (the tier full: on one board)
# Judges: the built decoder, nm, readelf, objcopy, gdb, and the linkers' messages.
set -eu
. tests/lib/needs.sh
needs ld.lld gdb-multiarch
build=$1
dir=$build/test/link
rm -rf "$dir"
mkdir -p "$dir/lld"
. tests/lib/firmware.sh
chunks=65536 # bytes that the events take at least; on microbit fewer

# script BOARD NAME PATTERNS [INCLUDE]: write the script $dir/NAME.ld, with these patterns for .bss
script() {
    { sed -n '/^MEMORY/,/^}/p' "linker/$1.ld"; sed "s/ BSS / $3 /; s|INCLUDED|${4:-}|" tests/system/link/plain.ld; } \
        >"$dir/$2.ld"
}

# link BOARD NAME SCRIPT FLAG...: link $dir/NAME/firmware.elf with that script
link() {
    board=$1
    elf=$dir/$2/firmware.elf
    ld=$3
    mkdir -p "$dir/$2"
    shift 3
    case $board in microbit) set -- "$@" -DTLOG_SLOTS=256 ;; *) set -- "$@" "-DTLOG_SLOTS=$((chunks / 16))" ;; esac
    firmware "$board" "$elf" -T "$ld" -DTLOG_TRACEEVENTS=1 tests/system/link/app.c "$@"
}

# address ELF SYMBOL: print the address of a symbol
address() {
    echo $((0x$(arm-none-eabi-nm "$1" | awk -v name="$2" '$3 == name { print $1 }')))
}

# decodes ELF DUMP: the dump must hold all events, the name, the text, and the build id of the ELF file, if it has one
decodes() {
    "$build/tlog-decode" --format=text-full "--elf=$1" "$2" -o "$2.txt" 2>"$dir/err"
    grep -q 'blinky-1 .*user_event_0: par1=99 par2=9801' "$2.txt" || { echo "no names in $2"; exit 1; }
    [ "$(grep -c 'user_event_0' "$2.txt")" -eq 100 ] || { echo "events are missing in $2"; exit 1; }
    grep -q 'buf=text 42$' "$2.txt" || { echo "no text in $2"; exit 1; }
    [ "$(wc -l <"$dir/err")" -eq 1 ] || { cat "$dir/err"; exit 1; }
    linked=$(arm-none-eabi-readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: \(.\{16\}\).*/\1/p')
    told=$(od -An -tx1 -j52 -N8 "$2" | tr -d ' \n')
    [ "$told" = "${linked:-0000000000000000}" ] || { echo "build id of $1: $linked, in the dump: $told"; exit 1; }
}

# runs BOARD NAME: run firmware $dir/NAME/firmware.elf; check its dump and its load image
runs() {
    at=$dir/$2
    elf=$at/firmware.elf
    emulate "$1" "$elf"
    decodes "$elf" "$at/dump.bin"
    [ "$(wc -c <"$at/dump.bin")" -lt $((3 * chunks)) ]
    arm-none-eabi-objcopy -O binary "$elf" "$at/image"
    size=$(wc -c <"$at/image")
    [ "$size" -lt 20000 ] || { echo "$at: the load image has $size bytes"; exit 1; }
}

# holds BOARD NAME: the same, and check that the heap begins behind the chunks
holds() {
    runs "$@"
    for name in tlog_event_chunks tlog_name_chunks; do
        [ "$(address "$elf" $name)" -lt "$(address "$elf" end)" ] || { echo "$at: the heap lies over $name"; exit 1; }
    done
}

boards="mps2-an385 microbit virt" including="virt mps2-an385"
[ "${TIER:-}" != full ] || boards=mps2-an385 including=mps2-an385
for board in $boards; do
    script $board vendor-$board '*(.bss) *(.bss*)'
    link $board vendor-$board "$dir/vendor-$board.ld"
    holds $board vendor-$board
done
board=mps2-an385
for patterns in '*(.bss .bss.* COMMON)' '*(SORT_BY_ALIGNMENT(.bss*))' '*(SORT(.bss*))' '*(.bss)'; do
    script $board other "$patterns"
    link $board other "$dir/other.ld"
    holds $board other
done
echo "vendors' scripts, on $boards: events, names, texts; no zeros in the load image"

# GNU ld's own script, which has a place for the build id; one for the vectors is put in.
arm-none-eabi-ld --verbose | sed '1,/^=====/d; /^=====/,$d; s/^{$/& .vectors 0 : { KEEP(*(.vectors)) }/' \
    >"$dir/default.ld"
link $board default "$dir/default.ld" -Wl,-Tdata=0x20000000,-e,reset_handler \
    -Wl,--defsym=__data_end=_edata,--defsym=__data_load=__data_start,--defsym=__bss_end=__bss_end__ \
    '-Wl,--defsym=__data_start=ADDR(.data),--defsym=__stack_top=0x20400000' \
    '-Wl,--build-id,--defsym=tlog_build_id=ADDR(.note.gnu.build-id)+16'
emulate $board "$dir/default/firmware.elf"
decodes "$dir/default/firmware.elf" "$dir/default/dump.bin"
echo "the same with GNU ld's own script, and with the build id"

ln -sf "$(command -v ld.lld)" "$dir/lld/ld"
lld=-B$PWD/$dir/lld
case $dir in /*) lld=-B$dir/lld ;; esac
link $board lld "$dir/vendor-$board.ld" "$lld"
holds $board lld
echo "the same with lld"

# included NAME FLAG...: with INCLUDE tlog.ld; the chunks must have their section, in front of .bss or behind it
included() {
    where=$1
    shift
    link $board "$where" "$dir/included.ld" -Wl,--build-id "$@"
    holds $board "$where"
    arm-none-eabi-readelf -SW "$elf" | grep -q ' tlog_chunks *NOBITS'
    for name in tlog_event_chunks tlog_name_chunks; do
        [ "$(address "$elf" $name)" -ge "$(address "$elf" __start_tlog_chunks)" ]
        [ "$(address "$elf" $name)" -lt "$(address "$elf" __stop_tlog_chunks)" ]
    done
    if arm-none-eabi-objdump -h "$elf" | grep -A1 tlog_printk | grep ALLOC; then
        exit 1
    fi
}
for board in $including; do
    script $board included '*(.bss) *(.bss*)' 'INCLUDE tlog.ld'
    included included
    included included-runs -DTLOG_RUNS=2
    included included-arena -DTLOG_ARENA=1 -Wl,--defsym=TLOG_ARENA_SIZE=4096
done
included included-lld "$lld"
included included-runs-lld -DTLOG_RUNS=2 "$lld"
echo "with INCLUDE tlog.ld: a section for the chunks, the build id, formats that are not loaded"

# shaped SHAPE BEHIND_TEXT BEHIND_DATA FLAG...: link $dir/shaped/firmware.elf with SHAPE.ld and these lines in it
id='.note.gnu.build-id : { KEEP(*(.note.gnu.build-id)) } > FLASH'
aliases='REGION_ALIAS(RAM , m_data) REGION_ALIAS(FLASH , m_text)'
shaped() {
    sed "s|BEHIND_TEXT|$2|; s|BEHIND_DATA|$3|; s|^ALIASES|$aliases|" "tests/system/link/$1.ld" >"$dir/shaped.ld"
    case $1 in arm) vectors=-URAM_VECTORS ;; st) vectors=-DCCM_DATA ;; *) vectors=-DRAM_VECTORS ;; esac
    shift 3
    FIRMWARE_OPT='-O1 -g' link $board shaped "$dir/shaped.ld" $vectors "$@"
}

# places: print where all lands that is loaded, and the vector table in RAM
places() {
    arm-none-eabi-nm "$elf" | awk '$3 ~ /^(main|vectors|__data_load|ccm_load|ram_vector_table)$/ { print $3, $1 }' |
        sort
}

board=mps2-an385
ring='tlog_chunks (NOLOAD) : ALIGN(16) { INCLUDE tlog_chunks.ld }'
for shape in arm nxp pico st; do
    shaped $shape '' '' -DTEXTLESS
    places >"$dir/before"
    shaped $shape '' 'INCLUDE tlog.ld' -DTEXTLESS
    places | diff "$dir/before" - || { echo "$shape: INCLUDE tlog.ld moves what is loaded"; exit 1; }
    case $shape in
    arm) other=RAM with='INCLUDE tlog.ld' behind='' ;;
    nxp) other=m_data_2 with=$id behind='INCLUDE tlog.ld' ;;
    pico) other=SCRATCH_X with='' behind='INCLUDE tlog.ld' ;;
    st) other=CCMRAM with='' behind='INCLUDE tlog.ld' ;;
    esac
    shaped $shape '' 'INCLUDE tlog.ld'
    holds $board shaped
    shaped $shape '' "$ring > $other INCLUDE tlog_rest.ld"
    runs $board shaped
    shaped $shape "$with" "$behind" -Wl,--build-id
    holds $board shaped
    echo "$shape.ld: with INCLUDE tlog.ld all stays where it is that is loaded; several memories; the build id"
done

# A build that calls ld itself: it reads the script where -T stands, with the folders that it knows by then.
arm-none-eabi-ld -Llinker -T "$dir/shaped.ld" -o "$dir/shaped.ld.elf" 2>"$dir/err" || ! grep 'cannot open' "$dir/err"
if arm-none-eabi-ld -T "$dir/shaped.ld" -Llinker -o "$dir/shaped.ld.elf" 2>"$dir/err" ||
    ! grep -q 'cannot open linker script file tlog.ld' "$dir/err"; then
    echo "ld finds tlog.ld behind -T: README says otherwise"
    exit 1
fi

# unlinked SHAPE TEXT BEHIND_TEXT BEHIND_DATA FLAG...: linking with SHAPE.ld must fail with an error that holds TEXT
unlinked() {
    shape=$1 text=$2
    shift 2
    if shaped $shape "$@" 2>"$dir/err"; then
        echo "$shape: linked: $*"
        exit 1
    fi
    grep -qF "$text" "$dir/err" || { cat "$dir/err"; exit 1; }
    echo "$shape: refused: $text"
}
unlinked pico 'VTOR cannot take the address of ram_vector_table' 'INCLUDE tlog.ld' ''
unlinked pico 'put INCLUDE tlog.ld in front of .bss' '' '.bss (NOLOAD) : { *(.bss*) } > RAM INCLUDE tlog.ld'
unlinked arm 'section .note.gnu.build-id LMA' '' 'INCLUDE tlog.ld' -Wl,--build-id
aliases='REGION_ALIAS(FLASH , m_text)'
unlinked nxp 'write REGION_ALIAS(RAM , NAME)' '' 'INCLUDE tlog.ld'
aliases='REGION_ALIAS(RAM , m_data)'
unlinked nxp 'write REGION_ALIAS(FLASH , NAME)' '' 'INCLUDE tlog.ld'

# refused TEXT FLAG...: linking with a vendor's script must fail with an error that holds TEXT
refused() {
    text=$1
    shift
    if link $board refused "$dir/vendor-$board.ld" "$@" 2>"$dir/err"; then
        echo "linked: $*"
        exit 1
    fi
    grep -q "undefined.*$text" "$dir/err" || { cat "$dir/err"; exit 1; }
    echo "refused: $*: $text"
}
for linker in -Wall "$lld"; do
    refused tlog_runs_above_1_need_INCLUDE_tlog.ld_in_the_linker_script -DTLOG_RUNS=2 $linker
    refused __tlog_arena_start -DTLOG_ARENA=1 $linker
done

# debug NAME [COMMANDS]: run $dir/NAME/firmware.elf under gdb until it ends, then port/README.md's commands: those for
# events and names, or the one for all that there is, which needs tlog.ld
sed -n 's/^(gdb) \(.* binary memory\)/\1/p' port/README.md | sed "s|dump\.bin|$dir/gdb.bin|" >"$dir/both"
grep __start_tlog_chunks "$dir/both" >"$dir/all"
sed '/__start_tlog_chunks/d' "$dir/both" >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -eq 2 ]
debug() {
    rm -f "$dir/$1/gdb.socket" "$dir/gdb.bin"
    emulate $board "$dir/$1/firmware.elf" -S -chardev socket,path=gdb.socket,server=on,wait=off,id=gdb \
        -gdb chardev:gdb 2>"$dir/qemu.log" &
    qemu=$!
    tries=0
    until [ -S "$dir/$1/gdb.socket" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ]
        sleep 0.2
    done
    timeout 600 gdb-multiarch -nx -batch "$dir/$1/firmware.elf" -ex "target remote $dir/$1/gdb.socket" \
        -ex 'break semihost_exit' -ex continue -x "$dir/${2:-commands}" -ex kill >"$dir/gdb.log" 2>&1 || true
    wait $qemu || true
}
debug included all
decodes "$dir/included/firmware.elf" "$dir/gdb.bin"
for name in vendor-$board included lld; do
    debug $name
    decodes "$dir/$name/firmware.elf" "$dir/gdb.bin"
done
cmp "$dir/gdb.bin" "$dir/lld/dump.bin"
link $board nameless "$dir/vendor-$board.ld" -DNAMELESS
debug nameless
"$build/tlog-decode" "$dir/gdb.bin" 2>"$dir/err" | grep -c user_event_0 | grep -qx 100
grep -q 'lost 0, damaged 0$' "$dir/err"
echo "port/README.md's commands for gdb take events and names"
