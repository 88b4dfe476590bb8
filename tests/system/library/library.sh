#!/bin/sh
# library.sh - checks libtlogdecode as programs get it: by `make install` and pkg-config, in an empty folder. The
# example of tlog_decode.h is compiled, shared and, in full, static, by other compilers and as C++; it prints the demo's
# events as --format=jsonl has them. Python counts by the shared library what --info counts. The libraries have the
# functions of the header and no other names, no data that threads would share, and want nothing that prints or ends a
# program. Structs and constants lie where layout.txt says.
# usage: library.sh BUILD quick|full
# Judges: gcc, g++, clang, pkg-config, Python's ctypes, nm, objdump, the built decoder's other outputs.
set -eu
. tests/lib/needs.sh
needs python3 pkg-config
build=$(cd "$1" && pwd)
here=$PWD/tests/system/library
dir=$build/test/library_$2
dump=$build/demo/dump.bin
elf=$build/demo/firmware.elf
rm -rf "$dir"
mkdir -p "$dir/empty"
make -s install "BUILD=$build" "DESTDIR=$dir/stage" PREFIX=/usr >"$dir/log"
mv "$dir/stage/usr" "$dir/a prefix" # which may be moved, and have a blank
at="$dir/a prefix/lib"
export PKG_CONFIG_PATH="$at/pkgconfig" LD_LIBRARY_PATH="$at"
pkg-config --exact-version="$(sed -n 's/^VERSION := //p' Makefile)" tlogdecode

# with COMPILER FLAG... -- SOURCE OUTPUT [LIBRARIES]: compile and link what pkg-config says, in the empty folder
with() {
    command=$1
    shift
    while [ "$1" != -- ]; do
        command="$command $1"
        shift
    done
    (cd "$dir/empty" && eval "$command -Wall -Wextra -Wpedantic -Werror '$2' $(pkg-config --cflags tlogdecode) \
        ${4:-$(pkg-config --libs tlogdecode)} -o '$3'")
}

# shows PROGRAM...: it prints the demo's events as the tool writes them
shows() {
    "$dir/$1" "$dump" "$elf" >"$dir/$1.txt"
    python3 "$here/compare.py" "$dir/rows.jsonl" "$dir/$1.txt"
}

python3 "$here/example.py" host/tlog_decode.h >"$dir/show.c"
"$build/tlog-decode" -q "$dump" "--elf=$elf" -o "$dir/rows.jsonl"
with gcc -std=c11 -- "$dir/show.c" "$dir/shared"
ldd "$dir/shared" | grep -q 'libtlogdecode.so.0 => .*/a prefix/lib/'
shows shared
"$dir/shared" "$dir/none" 2>"$dir/log" >"$dir/out"
grep -qx "$dir/none: No such file or directory" "$dir/log" && [ ! -s "$dir/out" ]

if [ "$2" = full ]; then
    needs clang++
    # The library is linked statically, and those that it needs are not.
    libraries="'$at/libtlogdecode.a' $(pkg-config --static --libs tlogdecode | sed 's/-ltlogdecode//')"
    with gcc -std=c11 -- "$dir/show.c" "$dir/static" "$libraries"
    if ldd "$dir/static" | grep libtlogdecode; then exit 1; fi
    shows static
    with clang -std=c11 -- "$dir/show.c" "$dir/clang"
    shows clang
    # C++20 has the initialisers of C; before, members are set one by one.
    sed 's/const \(struct tlog_options options\) = {.elf = \(.*\)};/\1 = {}; options.elf = \2;/; s/{.n = 0}/{}/' \
        "$dir/show.c" >"$dir/show11.cc"
    cp "$dir/show.c" "$dir/show20.cc"
    for each in g++ clang++; do
        with $each -std=c++20 -Wno-missing-field-initializers -- "$dir/show20.cc" "$dir/$each-20"
        with $each -std=c++11 -- "$dir/show11.cc" "$dir/$each-11"
        shows "$each-20"
        shows "$each-11"
    done
    make -s uninstall "BUILD=$build" "DESTDIR=$dir" PREFIX="/a prefix"
    [ -z "$(find "$dir/a prefix" ! -type d)" ]
    mv "$dir/a prefix" "$dir/gone"
    make -s install "BUILD=$build" "DESTDIR=$dir" "PREFIX=/a prefix" >"$dir/log"
fi

for read in open bytes pieces; do
    python3 "$here/count.py" "$at/libtlogdecode.so.0" "$dump" $read >"$dir/counted"
    "$build/tlog-decode" -q --info --json "$dump" | python3 "$here/counts.py" "$dir/counted"
done

if [ "$2" = full ]; then
    for format in trace.dat kev shark lttng; do
        "$build/tlog-decode" -q "$dump" "--elf=$elf" --format=$format -o "$dir/bound.$format" 2>"$dir/log"
    done
    gzip -c "$dump" >"$dir/bound.gz"
    python3 "$here/bounds.py" "$at/libtlogdecode.so.0" "$dump" "$dir"/bound.*
fi

python3 "$here/symbols.py" host/tlog_decode.h "$at/libtlogdecode.so" "$at/libtlogdecode.a"

python3 "$here/layout.py" host/tlog_decode.h >"$dir/layout.c"
with gcc -std=c11 -- "$dir/layout.c" "$dir/layout"
"$dir/layout" >"$dir/layout.txt"
diff -u "$here/layout.txt" "$dir/layout.txt" ||
    { echo "layout: programs that are compiled already would meet something else: see layout.py"; exit 1; }
echo "layout: $(wc -l <"$dir/layout.txt") sizes, offsets and constants"
