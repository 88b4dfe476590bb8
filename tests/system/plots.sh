#!/bin/sh
# plots.sh - has KernelShark plot the demo's samples and the latencies of its tasks, and saves a picture of the graphs.
# usage: plots.sh TRACE.dat SESSION.json OUT.png
#
# SESSION.json: of --session. What is clicked stands where KernelShark 2.2.1 has it in a window of 1600 x 1000.
set -eu
file=$1
session=$2
png=$3
for tool in kernelshark Xvfb xdotool convert import; do
    command -v $tool >/dev/null || { echo "plots: $tool is missing: make deps-gui"; exit 1; }
done
[ -s "$file" ]
dir=$(mktemp -d)
display=:$((90 + $$ % 900))
shark=
Xvfb "$display" -screen 0 1600x1000x24 >"$dir/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill $shark $xvfb 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
sed -e 's/"MainWindow": \[[^]]*\]/"MainWindow": [1600, 1000]/' -e 's/"CPUPlots": \[[^]]*\]/"CPUPlots": []/' \
    -e 's/"TaskPlots": \[[^]]*\]/"TaskPlots": [70025, 1, 2, 3]/' -e 's/"Splitter": \[[^]]*\]/"Splitter": [740, 160]/' \
    "$session" >"$dir/session.json"
printf '[General]\nnoRootWarn=true\n' >"$dir/setting.ini"
chmod 700 "$dir"
sleep 2
export KS_USER_CACHE_DIR="$dir" XDG_RUNTIME_DIR="$dir" LIBGL_ALWAYS_SOFTWARE=1 DISPLAY="$display"
kernelshark -s "$dir/session.json" >"$dir/kernelshark.log" 2>&1 &
shark=$!
tries=0
until xdotool search --onlyvisible --name '^Kernel Shark' >"$dir/window" 2>/dev/null && [ -s "$dir/window" ]; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || { cat "$dir/kernelshark.log"; exit 1; }
    sleep 0.5
done
sleep 4

click() { # X Y [TIMES]
    xdotool mousemove "$1" "$2" click --repeat "${3:-1}" 1
    sleep 1
}

choose() { # X Y TIMES TEXT: what is typed into a list is chosen
    click "$1" "$2" "$3"
    xdotool type "$4"
    sleep 1
    xdotool key Return
    sleep 1
}

click 158 10 # Tools, Plot Event Field
click 213 221
choose 760 420 3 user/adc_sample
choose 760 491 1 value
click 704 603 # Apply
sleep 2
click 158 10 # Tools, Plot Latency
click 213 197
choose 640 459 3 sched/sched_wakeup
choose 893 459 3 sched/sched_switch
choose 640 530 1 pid
choose 893 530 1 next_p
click 580 587 # Apply
sleep 2
xdotool mousemove 1590 990
sleep 1
kill -0 $shark || { cat "$dir/kernelshark.log"; exit 1; }
import -window root "$dir/all.png"
convert "$dir/all.png" -crop 1600x274+0+92 +repage -colors 64 "$png"
echo "$png"
