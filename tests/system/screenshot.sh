#!/bin/sh
# screenshot.sh - opens a trace.dat in KernelShark on a virtual display and saves a picture of the window.
# usage: screenshot.sh TRACE.dat OUT.png [PID,PID... [WORD [BEFORE AFTER]]]
#
# The picture shows the tasks PID, around the first event in trace-cmd's report whose line, or an earlier line, holds
# WORD: from BEFORE ns before the event to AFTER ns after it. By default that is the demo's first missed deadline. With
# "all" for the PIDs the picture shows the whole trace, instances included.
set -eu
file=$(realpath "$1")
png=$2
plots=${3:-1,2,3,4,70025,70026}
word=${4:-task_deadline_miss}
before=${5:-30000000}
after=${6:-8000000}
for tool in kernelshark trace-cmd Xvfb xdotool import; do
    command -v $tool >/dev/null || { echo "screenshot: $tool is missing: make deps-gui"; exit 1; }
done
dir=$(mktemp -d)
display=:$((90 + $$ % 900))
shark=
Xvfb "$display" -screen 0 1600x1000x24 >"$dir/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill $shark $xvfb 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT

# A session file tells KernelShark what to show. Its list begins a few rows before the event.
trace-cmd report -t "$file" 2>/dev/null | awk -v file="$file" -v plots="$plots" -v word="$word" \
    -v before="$before" -v after="$after" -v mtime="$(stat -c %Y "$file")" '
    index($0, word) { found = 1 }
    match($0, /\] +[0-9]+\.[0-9]+:/) {
        split(substr($0, RSTART + 1, RLENGTH - 2), part, ".")
        if (found && !row) { row = rows; at = part[1] * 1000000000 + part[2] }
        rows++
    }
    END {
        gsub(/\//, "\\/", file)
        printf "{ \"type\": \"kshark.config.session\", \"MainWindow\": [1600, 1000], \"Splitter\": [640, 300],\n"
        printf "  \"Model\": { \"type\": \"kshark.config.model\", \"range\": [%.0f, %.0f], \"bins\": 1446 },\n",
            at - before, at + after
        printf "  \"data streams\": [ { \"type\": \"kshark.config.stream\", \"stream id\": 0,\n"
        printf "    \"data\": { \"type\": \"kshark.config.data\", \"file\": \"%s\", \"name\": \"top buffer\", ", file
        printf "\"time\": %d },\n", mtime
        printf "    \"filters\": { \"type\": \"kshark.config.filter\", \"filter mask\": 7 },\n"
        printf "    \"plugins\": { \"type\": \"kshark.config.plugins\", \"registered\": "
        printf "[[\"missed_events\", true], [\"sched_events\", true]] },\n"
        printf "    \"CPUPlots\": [0], \"TaskPlots\": [%s] } ],\n  \"ComboPlots\": [],\n", plots
        printf "  \"Markers\": { \"type\": \"kshark.config.markers\", \"markA\": { \"isSet\": true, "
        printf "\"row\": %d }, ", row
        printf "\"markB\": { \"isSet\": false }, \"Active\": \"A\" },\n"
        printf "  \"ViewTop\": %d, \"ColorScheme\": 0.75, ", (row > 6 ? row - 6 : 0)
        printf "\"User Plugins\": { \"type\": \"kshark.config.plugins\", \"obj. files\": [] } }\n"
    }' >"$dir/session.json"

# Started by root, KernelShark asks for confirmation; this setting answers it.
printf '[General]\nnoRootWarn=true\n' >"$dir/setting.ini"
chmod 700 "$dir"
sleep 2
export KS_USER_CACHE_DIR="$dir" XDG_RUNTIME_DIR="$dir" LIBGL_ALWAYS_SOFTWARE=1 DISPLAY="$display"
case $plots in
all) kernelshark "$file" >"$dir/kernelshark.log" 2>&1 & ;;
*) kernelshark -s "$dir/session.json" >"$dir/kernelshark.log" 2>&1 & ;;
esac
shark=$!
tries=0
until window=$(xdotool search --onlyvisible --name '^Kernel Shark' 2>/dev/null) && [ -n "$window" ]; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || { cat "$dir/kernelshark.log"; exit 1; }
    sleep 0.5
done
for each in $window; do
    xdotool windowsize "$each" 1600 1000
done
sleep 4
xdotool mousemove 1590 990
sleep 1
kill -0 $shark || { cat "$dir/kernelshark.log"; exit 1; }
import -window root "$png"
echo "$png"
