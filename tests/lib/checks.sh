# checks.sh - tests one beside the other, each on a CPU of its own. A line for each when it ends, with its place in the
# count; the output of those that fail; and at the end "N passed, N failed".
#
# A script that reads this has set logs, a directory, and only: tests whose name does not hold that word are left out.
# It puts its tests into a function and calls run_checks with the function's name. With tells=1 the last line that a
# test prints is shown.
mkdir -p "$logs"

results=$logs/results
: >"$results"

cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)

# A CPU for each test that may run; a test that ends puts its CPU back.
tokens=$logs/tokens
rm -f "$tokens"
mkfifo "$tokens"
exec 3<>"$tokens"
echo "$cpus" | tr , '\n' | while IFS=- read -r first last; do
    seq "$first" "${last:-$first}" >&3
done

# How many tests have ended: a test that ends takes the number, and puts it back with 1 added.
ended=$logs/ended
rm -f "$ended"
mkfifo "$ended"
exec 4<>"$ended"
echo 0 >&4

# run_checks LIST: count the tests that the function LIST names, run them, and print how many passed and failed; false
# if one failed
run_checks() {
    total=0 counts=1
    "$1"
    counts=
    "$1"
    wait
    passed=$(grep -c ok "$results")
    failed=$(grep -c FAIL "$results")
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# is_run NAME: is the test to be run now? Counts it instead while run_checks() counts.
is_run() {
    case $1 in *"$only"*) ;; *) return 1 ;; esac
    [ -n "$counts" ] || return 0
    total=$((total + 1))
    return 1
}

# pin CPUS: this shell runs there, and so does what it starts. Each of QEMU's timers wakes another one of its threads;
# where that one has a CPU to go to, or comes at once, half of the time of a sweep is spent with it.
pin() {
    self=$(exec sh -c 'echo "$PPID"')
    taskset --pid --cpu-list "$1" "$self" >/dev/null
    chrt --batch --pid 0 "$self" || true
}

# report WORD NAME TEXT: how a test ended
report() {
    echo "$1" >>"$results"
    read -r place <&4
    place=$((place + 1))
    printf '[%*d/%d] %-5s %s %s\n' "${#total}" "$place" "$total" "$1" "$2" "$3"
    echo "$place" >&4
}

# one NAME COMMAND...: run a test and say how it ended
one() {
    name=$1
    shift
    log=$logs/$(echo "$name" | tr -c 'a-zA-Z0-9\n' '_').log
    begin=$(date +%s)
    if "$@" >"$log" 2>&1 </dev/null 3>&- 4>&-; then
        report ok "$name" "($(($(date +%s) - begin)) s)${tells:+: $(tail -n 1 "$log")}"
    else
        report FAIL "$name" ": $log
$(tail -n 25 "$log" | sed 's/^/      /')"
    fi
}

# check NAME COMMAND...: one test, beside others
check() {
    is_run "$1" || return 0
    read -r cpu <&3
    (
        pin "$cpu"
        one "$@"
        echo "$cpu" >&3
    ) &
}

# everywhere COMMAND...: a test that needs several CPUs
everywhere() {
    taskset --cpu-list "$cpus" "$@"
}

# alone NAME COMMAND...: one that needs all CPUs
alone() {
    is_run "$1" || return 0
    wait
    one "$@"
}
