#!/bin/sh
# seeded_check.sh - checks seeded_lib.sh with toy bugs and a toy test: each bug has one line, and the end fails if a bug
# survives, hits no text, or is refused.
# usage: seeded_check.sh BUILD
set -eu
build=$1/test/seeded_check
wire=target/tlog_wire.h
. tests/strength/seeded_lib.sh

# bug NAME OLD NEW: the toy test fails where it finds "toy bug", hangs where it finds "toy loop"
bug() {
    expects=toy
    seeded_bug "$1" "$wire" "$2" "$3" || return 0
    measured toy true
    ! grep -q "toy refused" "$dir/new/$wire" || { misfit "DOES NOT BUILD" && return 0; }
    limited toy sh -c 'grep -q "toy loop" "$0" && kill -XCPU $PPID
        ! grep -q "toy bug" "$0" || { echo "FAIL: a bug" && exit 1; }' "$dir/new/$wire"
    judge "$by"
}

# campaign NAME...: run the toy bugs of these names; print what that prints, then the code
campaign() {
    seeded_begin "$0" "$build/toy"
    noticed=0 survived=0 misfits=0
    for each in "$@"; do
        case $each in
        absent) bug absent "no such text" "" ;;
        *) bug "$each" "#define TLOG_WIRE_MAGIC " "/* toy $each */
#define TLOG_WIRE_MAGIC " ;;
        esac
    done
    code=0
    seeded_end || code=$?
    echo "code $code"
}

# expect LINE...: fail unless the campaign printed these lines, but for blanks and for what was measured
expect() {
    printf '%s\n' "$@" >"$build/expected"
    sed -e '/s of CPU time without a bug/d' -e 's/  */ /g' "$build/printed" | diff "$build/expected" - ||
        { echo "that differs from what seeded_lib.sh should print"; exit 1; }
}

rm -rf "$build"
mkdir -p "$build"
campaign bug loop >"$build/printed" 2>&1
expect "bug toy (FAIL: a bug)" "loop toy (hang)" "2 noticed, 0 survived, 0 could not be tried" "code 0"
for bad in "harmless SURVIVED=1 survived, 0 could" "refused DOES NOT BUILD=0 survived, 1 could" \
    "absent DOES NOT APPLY: found 0 times in=0 survived, 1 could"; do
    campaign bug "${bad%% *}" >"$build/printed" 2>&1
    sed -i "s|\(found 0 times in\).*|\1|" "$build/printed"
    expect "bug toy (FAIL: a bug)" "${bad%=*}" "1 noticed, ${bad#*=} not be tried" "code 1"
    campaign bug >"$build/printed" 2>&1
    expect "bug toy (FAIL: a bug) (before it was stopped)" "1 noticed, 0 survived, 0 could not be tried" "code 0"
done
echo "toy bugs: noticed, surviving, refused and absent ones are told"
