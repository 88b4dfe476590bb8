#!/bin/sh
# wasm.sh - the decoder as WebAssembly, run by node, gives byte for byte what the native one gives: every output and
# answer, of a dump, of every format that the native one writes, of damage, of files that are not there. Of what it is
# built without it says so. It is not too large. whole: the tests of the command line pass with it, too.
# usage: wasm.sh BUILD full|whole      (builds BUILD/wasm/tlog-decode.wasm)
# Judge: the native decoder.
set -eu
. tests/lib/needs.sh
needs node clang-14 wasm-ld-14
[ -e /usr/lib/wasm32-wasi/libc.a ] || skipped wasi-libc "there is no C library for WebAssembly"
build=$(cd "$1" && pwd)
top=$PWD
dir=$build/test/wasm
other=$dir/tlog-decode
SIZE_MOST=450000 # bytes of the file as gzip -9 makes it
. tests/lib/same_runs.sh
rm -rf "$dir"
mkdir -p "$dir"
make -s "BUILD=$1" wasm >"$dir/making" 2>&1 || { cat "$dir/making"; exit 1; }
printf '#!/bin/sh\nexec node --no-warnings --liftoff-only "%s" "%s" "$@"\n' \
    "$top/tests/lib/wasi.mjs" "$build/wasm/tlog-decode.wasm" >"$other"
chmod +x "$other"

size=$(gzip -9 <"$build/wasm/tlog-decode.wasm" | wc -c)
[ "$size" -le "$SIZE_MOST" ] || differs "$size bytes by gzip -9, $SIZE_MOST are allowed"
"$other" --version | grep -qx 'without: threads sockets zlib zstd libarchive libdw' || differs "$("$other" --version)"
same_begin
same_outputs "$2"
same_command_line
same_places
same_links
refuses udp:0 -- "this program was built without sockets"
refuses_libraries
[ "$2" != whole ] || passes_command_line
same_end "; $size bytes by gzip -9"
