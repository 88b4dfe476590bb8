#!/bin/sh
# cost.sh - what the tests cost: their CPU time as a multiple of that of building the decoder and one board's runtime.
# usage: cost.sh BUILD TIER FILE...     notes the sum of the seconds in FILEs as the cost of TIER: test or test-full
#        cost.sh BUILD                  builds, and fails if `make test` cost more than 8 builds, or test-full 40
#
# The build is done here, from nothing, in BUILD/test/calibrate, with the compilers as they are: a cache is told to stay
# out. BUILD/test/cost has a line for each figure: "build", "test" or "test-full", and the seconds of CPU time.
set -eu
build=$1
cost=$build/test/cost
touch "$cost"

# note NAME FILE...: put the sum of the seconds in the files into the line NAME
note() {
    name=$1
    shift
    sum=$(cat "$@" 2>/dev/null | awk '{ s += $1 } END { print s }')
    { grep -v "^$name " "$cost" || true; } >"$cost.new"
    echo "$name $sum" >>"$cost.new"
    mv "$cost.new" "$cost"
}

if [ $# -gt 1 ]; then
    shift
    note "$@"
    exit 0
fi
at=$build/test/calibrate
rm -rf "$at"
mkdir -p "$at"
CCACHE_DISABLE=1 sh tests/lib/cpu.sh "$build/test/cpu-of-build" \
    make -s --no-print-directory "BUILD=$at" "$at/tlog-decode" runtime >"$at/log" || { cat "$at/log"; exit 1; }
rm -rf "$at"
note build "$build/test/cpu-of-build"
awk 'BEGIN { most["test"] = 8; most["test-full"] = 40 }
    { s[$1] = $2 }
    END { for (name in most) if (name in s) {
              times = s[name] / s["build"]
              printf "make %s: %.0f s of CPU, %.1f times that of a build (%.0f s); at most %d times\n", name, s[name],
                  times, s["build"], most[name]
              failed = failed || times > most[name] }
          exit failed }' "$cost"
