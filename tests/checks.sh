# checks.sh - tests one beside the other, as many at a time as there are CPUs: a line each when it ends, the output of those that
# fail, and at the end "N passed, N failed". To be read by a script that has set logs, a directory, and only: tests whose
# name does not hold that word are left out. With tells=1 the last line that a test prints is shown.
mkdir -p "$logs"

# Without it each of QEMU's timers costs a change of threads and back: half of the time of a sweep.
chrt --batch --pid 0 $$ || true

results=$logs/results
: >"$results"

# A token for each test that may run; whoever ends puts his back.
tokens=$logs/tokens
rm -f "$tokens"
mkfifo "$tokens"
exec 3<>"$tokens"
for _ in $(seq "$(nproc)"); do
    echo >&3
done

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
    read -r _ <&3
    (
        one "$@"
        echo >&3
    ) &
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
