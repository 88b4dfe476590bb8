#!/bin/sh
# report.sh - prints the first lines of trace-cmd's report of a trace.dat, then a summary by event. For `make demo`.
# usage: report.sh TRACE.dat
set -eu
file=$1
report=$(mktemp)
trap 'rm -f "$report"' EXIT
trace-cmd report -t "$file" >"$report" 2>/dev/null
echo "trace-cmd report -t $file"
head -n 25 "$report"
echo "..."
echo
awk '
    /^cpus=/ { cpus = substr($0, 6); next }
    /EVENTS DROPPED\]/ { marks++; if (match($0, /\[[0-9]+/)) lost += substr($0, RSTART + 1, RLENGTH - 1); next }
    match($0, /\[[0-9]+\] +[0-9]+\.[0-9]+:/) {
        split(substr($0, RSTART, RLENGTH), part, /[] :]+/)
        if (!lines++) first = part[2]
        last = part[2]
        rest = substr($0, RSTART + RLENGTH)
        split(rest, word, /[ :]+/)
        count[word[2]]++
    }
    END {
        printf "events  %d\ncpus    %d\nspan    %.6f s\nlosses  %d (%d marks)\n", lines, cpus, last - first, lost, marks
        for (name in count) printf "        %7d  %s\n", count[name], name | "sort -rn"
    }' "$report"
