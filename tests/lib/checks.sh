# checks.sh - runs checks side by side, each on a CPU of its own. Prints a line for each check when it ends, with its
# place in the count; the output of checks that fail; at the end the checks that were skipped or failed once more, with
# the last line that each printed, and "N passed, N failed, N skipped".
# usage: . tests/lib/checks.sh
#
# Before that the script sets logs, a directory for the checks' output, and only, a word: checks without this word in
# their name are left out. It puts its checks into a function and calls run_checks with the function's name. If the
# script sets tells=1, the last line that a check printed is shown with its result.
#
# A check that ends with code 77 was skipped, for the reason in its last line: "skipped: PACKAGE: why" (needs.sh). If
# the variable SKIPS is set, it lists the packages that may be missing; a check skipped for another one has failed.
. tests/lib/needs.sh
mkdir -p "$logs"

# The tests start python3 hundreds of times. Debian's takes half as long to start as one with many packages of a user's,
# or as a script that looks for one (pyenv).
[ ! -x /usr/bin/python3 ] ||
    { mkdir -p "$logs/bin" && ln -sf /usr/bin/python3 "$logs/bin/python3" && PATH=$(cd "$logs/bin" && pwd):$PATH; }

results=$logs/results
: >"$results"
: >"$logs/cpu"

cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)

# A pipe with the numbers of the free CPUs. A check takes one when it starts and puts it back when it ends.
tokens=$logs/tokens
rm -f "$tokens"
mkfifo "$tokens"
exec 3<>"$tokens"
echo "$cpus" | tr , '\n' | while IFS=- read -r first last; do
    seq "$first" "${last:-$first}" >&3
done

# A pipe with one number: how many checks have ended. A check that ends takes it and puts it back plus 1.
ended=$logs/ended
rm -f "$ended"
mkfifo "$ended"
exec 4<>"$ended"
echo 0 >&4

# run_checks LIST: call the function LIST twice, first to count its checks, then to run them; print those that were
# skipped or failed, and how many of each kind, also to the file $logs/summary; false if one failed
run_checks() {
    total=0 counts=1
    "$1"
    counts=
    "$1"
    wait
    passed=$(grep -c ^ok "$results")
    failed=$(grep -c ^FAIL "$results")
    skips=$(grep -c ^skip "$results")
    grep ^skip "$results"
    grep ^FAIL "$results"
    echo "$passed passed, $failed failed, $skips skipped" | tee "$logs/summary"
    [ "$failed" -eq 0 ]
}

# is_run NAME: whether to run this check now. While run_checks() counts, it counts the check and is false.
is_run() {
    case $1 in *"$only"*) ;; *) return 1 ;; esac
    [ -n "$counts" ] || return 0
    total=$((total + 1))
    return 1
}

# pin CPUS: let this shell, and the programs that it starts, run on these CPUs only, with the batch scheduler. Each
# timer of QEMU wakes another thread of QEMU. If that thread may go to another CPU, or runs at once, half of the time of
# a sweep is spent on switching threads.
pin() {
    self=$(exec sh -c 'echo "$PPID"')
    taskset --pid --cpu-list "$1" "$self" >/dev/null
    chrt --batch --pid 0 "$self" || true
}

# report WORD NAME TEXT WHY: print and count how a check ended. WHY: the last line that it printed
report() {
    case $1 in ok) echo "$1 $2" ;; *) echo "$1 $2 ($4)" ;; esac >>"$results"
    read -r place <&4
    place=$((place + 1))
    printf '[%*d/%d] %-5s %s %s\n' "${#total}" "$place" "$total" "$1" "$2" "$3"
    echo "$place" >&4
}

# cpu_seconds FILE: set cpu_s to the CPU time, in s, that this shell's commands have taken. FILE is overwritten.
cpu_seconds() {
    times >"$1"
    cpu_s=$(awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%.1f", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$1")
}

# may_skip REASON: whether SKIPS allows a check to be skipped for that reason
may_skip() {
    package=${1#skipped: }
    case " ${SKIPS-${package%%:*}} " in *" ${package%%:*} "*) ;; *) return 1 ;; esac
}

# one NAME COMMAND...: run a check and report how it ended. The CPU time it took, in s, goes to the file $logs/cpu: the
# time that passed depends on what else the machine does.
one() {
    name=$1
    shift
    log=$logs/$(echo "$name" | tr -c 'a-zA-Z0-9\n' '_').log
    begin=$(date +%s)
    cpu_seconds "$log" && before=$cpu_s
    code=0
    ("$@") >"$log" 2>&1 </dev/null 3>&- 4>&- || code=$?
    why=$(tail -n 1 "$log")
    case $code:$why in 77:skipped:*:*) may_skip "$why" && code=skip ;; esac
    cpu_seconds "$log.cpu" && rm "$log.cpu"
    echo "$before $cpu_s $name" | awk '{ $2 -= $1; sub(/[^ ]* /, ""); print }' >>"$logs/cpu"
    case $code in
    0) report ok "$name" "($(($(date +%s) - begin)) s)${tells:+: $why}" "$why" ;;
    skip) report skip "$name" "($why)" "$why" ;;
    *) report FAIL "$name" ": $log
$(tail -n 25 "$log" | sed 's/^/      /')" "$why" ;;
    esac
}

# check NAME COMMAND...: run a check beside others, on one CPU
check() {
    is_run "$1" || return 0
    read -r cpu <&3
    (
        pin "$cpu"
        one "$@"
        echo "$cpu" >&3
    ) &
}

# everywhere COMMAND...: within a check, run a command on all CPUs
everywhere() {
    taskset --cpu-list "$cpus" "$@"
}

# alone NAME COMMAND...: run a check when all others have ended, on all CPUs
alone() {
    is_run "$1" || return 0
    wait
    one "$@"
}
