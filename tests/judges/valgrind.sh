#!/bin/sh
# valgrind.sh - trace-cmd reads our trace.dat files without an error that valgrind sees: of the demo in every mapping,
# and of dumps with losses and several CPUs, in every version and compression.
# usage: valgrind.sh BUILD
# Judge: valgrind.
set -eu
. tests/lib/needs.sh
needs valgrind trace-cmd
build=$1
dir=$build/test/valgrind
decoder=$build/tlog-decode
rm -rf "$dir"
mkdir -p "$dir"

# clean ARGUMENT...: decode with these arguments, and let trace-cmd report it
clean() {
    "$decoder" -q "$@" -o "$dir/trace.dat"
    valgrind -q --error-exitcode=9 trace-cmd report "$dir/trace.dat" >/dev/null 2>"$dir/errors" ||
        { echo "valgrind: $*: $(head -n 20 "$dir/errors")"; exit 1; }
    echo "no error: $*"
}

for map in native exact full; do
    clean "--map=$map" "--elf=$build/demo/firmware.elf" "$build/demo/dump.bin"
done
"$build/gen_dump" --cpus=3 --drops=20 --names=5 --events=1000 -o "$dir/cpus.bin"
clean "$dir/cpus.bin"
clean --format=trace.dat-v6 "$dir/cpus.bin"
clean --compress=zstd "$dir/cpus.bin"
"$decoder" -q "$dir/cpus.bin" -o "$dir/cpus.kev"
clean "$dir/cpus.kev"
