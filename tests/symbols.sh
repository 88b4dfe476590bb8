#!/bin/sh
# The runtime needs nothing from outside: all its objects, linked together without any library, leave undefined only the
# two bounds of the chunks' section, which the linker defines for a section of that name, and the build id, which may
# stay so.
set -eu
build=$1
board=$2
arm-none-eabi-ld -r "$build/$board/runtime"/*.o -o "$build/$board/runtime.o"
arm-none-eabi-nm --undefined-only "$build/$board/runtime.o" | awk '{ print $2 }' | sort >"$build/$board/undefined"
printf '%s\n' __start_tlog_chunks __stop_tlog_chunks tlog_build_id | sort | diff - "$build/$board/undefined"
echo "undefined: only the bounds of the chunks' section and, weak, the build id"
arm-none-eabi-nm "$build/$board/runtime.o" | grep -q " w tlog_build_id"
