#!/bin/sh
# parts.sh - builds the decoder without each of its parts that a machine may lack (host/module.mk), and checks that it
# decodes the demo's dump as always, says by name what it cannot do, and wants no symbol of the part.
# usage: parts.sh BUILD
# Judge: what the decoder with all parts writes.
set -eu
build=$(cd "$1" && pwd)
whole=$build/tlog-decode
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. tests/lib/firmware.sh

fail() {
    echo "parts: $*"
    exit 1
}

# writes DECODER FORMAT...: write the demo's trace in a format; print its checksum
writes() {
    decoder=$1
    shift
    "$decoder" -q "$build/demo/dump.bin" --elf="$build/demo/firmware.elf" "$@" -o - | cksum
}

# refuses ARGUMENT... -- TEXT: fail unless the decoder without the part fails, and tells the text
refuses() {
    arguments=
    while [ "$1" != -- ]; do
        arguments="$arguments $1"
        shift
    done
    # shellcheck disable=SC2086
    if "$one/tlog-decode" $arguments >"$dir/out" 2>&1; then fail "without $part: $arguments succeeded"; fi
    grep -qF -e "$2" "$dir/out" || fail "without $part: $arguments: $(cat "$dir/out")"
}

"$whole" -q "$build/demo/dump.bin" --format=lttng -o "$dir/lttng"
"$whole" -q "$build/demo/dump.bin" --compress=zstd -o "$dir/zstd.dat"
"$whole" -q "$build/demo/dump.bin" --compress=zlib -o "$dir/zlib.dat"
gzip -c "$build/demo/dump.bin" >"$dir/dump.gz"
tar -C "$dir" -cf "$dir/lttng.tar" lttng
bzip2 -k "$dir/lttng.tar"
zstd -q "$build/demo/dump.bin" -o "$dir/dump.zst"
mkdir "$dir/printk"
printf '#include "tlog.h"\nint main(void)\n{\n    TLOG_PRINTK("%%d", 1);\n    return 0;\n}\n' >"$dir/printk/app.c"
FIRMWARE_OPT=-O1 firmware mps2-an385 "$dir/printk/firmware.elf" -DTLOG_TRACEEVENTS=1 "$dir/printk/app.c"
emulate mps2-an385 "$dir/printk/firmware.elf"
"$whole" --version | grep -qx 'with: threads sockets zlib zstd libarchive libdw' || fail "$("$whole" --version)"
for each in THREADS:pthread_ SOCKETS:recvfrom ZLIB:inflate ZSTD:ZSTD_ LIBARCHIVE:archive_ LIBDW:dwarf_; do
    part=${each%:*}
    one=$dir/$part
    mkdir "$one"
    # Nearly all objects are the same as with all parts.
    cp -rp "$build/host" "$one/host"
    make -s "BUILD=$one" "$part=0" "$one/tlog-decode" || fail "without $part it does not build"
    name=$(echo "$part" | tr '[:upper:]' '[:lower:]')
    "$one/tlog-decode" --version | grep -qx "without: $name" || fail "without $part: $("$one/tlog-decode" --version)"
    nm -u "$one/tlog-decode" | grep -q " ${each#*:}" && fail "without $part: it wants ${each#*:}..."
    for how in --format=text --format=trace.dat "--format=trace.dat --compress=zlib" --format=pftrace; do
        how=$(echo "$how" | sed s/pftrace/perfetto/)
        case $part:$how in ZLIB:*zlib) continue ;; esac
        # shellcheck disable=SC2086
        [ "$(writes "$whole" $how)" = "$(writes "$one/tlog-decode" $how)" ] || fail "without $part: $how differs"
    done
    case $part in
    THREADS) [ "$(writes "$whole" --format=trace.dat --compress=zstd)" = \
        "$(writes "$one/tlog-decode" --format=trace.dat --compress=zstd)" ] || fail "without $part: zstd differs" ;;
    SOCKETS) refuses udp:0 -- "udp:0: cannot receive there: this program was built without sockets" ;;
    ZLIB)
        refuses "$build/demo/dump.bin" --compress=zlib -o "$dir/x.dat" -- "this program was built without zlib"
        refuses "$build/demo/dump.bin" -o "$dir/x.pftrace.gz" -- "this program was built without zlib"
        refuses "$dir/dump.gz" -- "dump.gz: offset 0x0: gzip: this program was built without zlib"
        refuses "$dir/zlib.dat" -- "compressed with zlib: this program was built without it"
        ;;
    ZSTD)
        refuses "$build/demo/dump.bin" --compress=zstd -o "$dir/x.dat" -- "this program was built without zstd"
        refuses "$dir/dump.zst" -- "dump.zst: offset 0x0: zstd: this program was built without zstd"
        refuses "$dir/zstd.dat" -- "compressed with zstd: this program was built without it"
        ;;
    LIBARCHIVE)
        refuses "$dir/lttng.tar" -- "lttng.tar: an archive: this program was built without libarchive"
        refuses "$dir/lttng.tar.bz2" -- "lttng.tar.bz2: an archive: this program was built without libarchive"
        ;;
    LIBDW)
        "$one/tlog-decode" "$dir/printk/dump.bin" "--elf=$dir/printk/firmware.elf" >"$dir/out" 2>&1
        grep -q "built without libdw: no function is known of a TLOG_PRINTK" "$dir/out" ||
            fail "without $part: $(cat "$dir/out")"
        ldd "$one/tlog-decode" | grep libelf && fail "without $part: it links libelf"
        ;;
    esac
    echo "without $part: the demo as with it"
done
