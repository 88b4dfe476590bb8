#!/bin/sh
# cpu.sh - runs a command, and writes to a file how much CPU time it and all that it started took, in s.
# usage: cpu.sh FILE COMMAND...
file=$1
shift
code=0
"$@" || code=$?
times >"$file.times"
awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%.1f\n", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$file.times" >"$file"
rm "$file.times"
exit "$code"
