# stops.awk - leaves out what .kev adds to a trace_stop: behind it the CPU has a loss of an unknown number of events, for
# QNX has no count that tells what a pause left out.
/^CPU:/ { cpu = substr($1, 5) + 0 }
/^CPU:/ && is_behind[cpu] && /\[EVENTS DROPPED\]$/ { is_behind[cpu] = 0; next }
!/^CPU:/ && match($0, /\[[0-9]+\]/) {
    cpu = substr($0, RSTART + 1, RLENGTH - 2) + 0
    is_behind[cpu] = /shark:trace_stop[: ]/
}
{ print }
