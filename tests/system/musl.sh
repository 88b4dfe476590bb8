#!/bin/sh
# musl.sh - the decoder as one static file for any Linux, with musl, gives byte for byte what the native one gives, as
# tests/system/wasm.sh does for the WebAssembly; it runs where no other file is, is not too large, and was built with
# nothing of glibc's. The tests of the command line pass with it.
# usage: musl.sh BUILD full|whole      (builds BUILD/musl/tlog-decode)
# Judge: the native decoder.
set -eu
. tests/lib/needs.sh
needs musl-gcc
build=$(cd "$1" && pwd)
top=$PWD
dir=$build/test/musl
other=$build/musl/tlog-decode
SIZE_MOST=2500000
. tests/lib/same_runs.sh
rm -rf "$dir"
mkdir -p "$dir/empty"
make -s "BUILD=$1" musl "$1/musl/test/tlog-decode-script" >"$dir/making" 2>&1 || { cat "$dir/making"; exit 1; }

size=$(wc -c <"$other")
[ "$size" -le "$SIZE_MOST" ] || differs "$size bytes, $SIZE_MOST are allowed"
readelf -lW "$other" | grep -q -e INTERP -e DYNAMIC && differs "it needs other files"
[ -z "$(nm "$other" 2>/dev/null)" ] || differs "it is not stripped"
"$other" --version | grep -qx 'with: threads sockets' || differs "$("$other" --version)"
"$other" --version | grep -qx 'without: zlib zstd libarchive libdw' || differs "$("$other" --version)"
musl-gcc -E -Ihost -Itarget -Ihost/os/none/zlib -Ihost/os/none/zstd host/io/decompress.c |
    grep -e '^# 1 "/usr/include/' | grep -v /usr/include/x86_64-linux-musl/ && differs "headers that are not musl's"

# An empty root directory, which only some may have.
cp "$other" "$dump" "$dir/empty/"
alone="in a root directory without anything else"
if [ "$(id -u)" -eq 0 ]; then
    chroot "$dir/empty" /tlog-decode -q /dump.bin -o /dump.csv || differs "$alone it fails"
    "$native" -q "$dump" --format=csv -o - | cmp - "$dir/empty/dump.csv" || differs "$alone it writes something else"
else
    alone="not tried, for want of root's rights: $alone"
fi

same_begin
same_outputs "$2"
same_command_line
same_places
refuses_libraries
passes_command_line
other=$build/musl/test/tlog-decode-script
passes_command_line
same_end ", also $alone; $size bytes"
