# checks.sh - tests one beside the other, each on a CPU of its own: a line each when it ends, the output of those that
# fail, and at the end "N passed, N failed". To be read by a script that has set logs, a directory, and only: tests whose
# name does not hold that word are left out. With tells=1 the last line that a test prints is shown.
mkdir -p "$logs"

results=$logs/results
: >"$results"

cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)

# A CPU for each test that may run; whoever ends puts his back.
tokens=$logs/tokens
rm -f "$tokens"
mkfifo "$tokens"
exec 3<>"$tokens"
echo "$cpus" | tr , '\n' | while IFS=- read -r first last; do
    seq "$first" "${last:-$first}" >&3
done

# pin CPUS: this shell runs there, and so does what it starts. Each of QEMU's timers wakes another one of its threads; where
# that one has a CPU to go to, or comes at once, half of the time of a sweep is spent with it.
pin() {
    self=$(exec sh -c 'echo "$PPID"')
    taskset --pid --cpu-list "$1" "$self" >/dev/null
    chrt --batch --pid 0 "$self" || true
}

# one NAME COMMAND...: run a test and say how it ended
one() {
    name=$1
    shift
    log=$logs/$(echo "$name" | tr -c 'a-zA-Z0-9\n' '_').log
    begin=$(date +%s)
    if "$@" >"$log" 2>&1 </dev/null 3>&-; then
        echo ok >>"$results"
        echo "ok    $name ($(($(date +%s) - begin)) s)${tells:+: $(tail -n 1 "$log")}"
    else
        echo FAIL >>"$results"
        echo "FAIL  $name: $log
$(tail -n 25 "$log" | sed 's/^/      /')"
    fi
}

# check NAME COMMAND...: one test, beside others
check() {
    case $1 in *"$only"*) ;; *) return 0 ;; esac
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
    case $1 in *"$only"*) ;; *) return 0 ;; esac
    wait
    one "$@"
}

# sum: wait for all; false if one failed
sum() {
    wait
    passed=$(grep -c ok "$results")
    failed=$(grep -c FAIL "$results")
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
