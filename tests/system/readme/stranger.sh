#!/bin/sh
# stranger.sh - does what a stranger does: clones the repository into a folder whose path has blanks, and runs all that
# README says there, and a program whose path has blanks. What is changed in this checkout and not committed is taken
# along. (user.sh installs into such a folder.)
# usage: stranger.sh     (from the root of a git checkout)
# Judge: readme.py, which compares what README's commands print with what it shows.
set -eu
. tests/lib/needs.sh
needs git python3 arm-none-eabi-gcc qemu-system-arm trace-cmd scdoc
git rev-parse --git-dir >/dev/null 2>&1 || skipped git "this is no git checkout"
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
away="$top/a folder  of mine"
mkdir "$away"
git clone -q . "$away/tlog"
git diff --binary HEAD | git -C "$away/tlog" apply --allow-empty
git ls-files -z --others --exclude-standard | tar -c --null -T - | tar -x -C "$away/tlog"
cd "$away/tlog"
python3 tests/system/readme/readme.py build full --here README.md

unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES ARM_OPT BUILD BOARD
sed -n '/^```c$/,/^```$/p' target/README.md | sed '1d; /^```$/,$d' >"$away/my app.c"
make -s run "APP=$away/my app.c"
[ "$(build/tlog-decode -q build/run/my_app/dump.bin | grep -c 'blinky-1 .*user_event_0')" -eq 100 ]
echo "a program of one's own in a folder with blanks"
