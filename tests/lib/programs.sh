# programs.sh - runs the programs that are tests, for run.sh and check.sh.
# usage: . tests/lib/programs.sh     (with $build set)
export BUILD="$build" ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1

most=600 # seconds that a program may take: a fault can make it run for ever

# on_host TEST...: run these tests of the runtime on this machine, one after the other
on_host() {
    for test in "$@"; do
        echo "$test"
        timeout $most "$build/test/runtime/$test" || { echo "$test: exit code $?"; return 1; }
    done
}

# cmocka TEST: run a test of the decoder; a case that cmocka calls skipped makes all of it skipped
cmocka() {
    [ -x "$build/test/$1" ] || skipped libcmocka-dev "without it and libtraceevent-dev the test is not built"
    code=0
    out=$(timeout $most "$build/test/$1" 2>&1) || code=$?
    echo "$out"
    [ "$code" -eq 0 ] || return "$code"
    case $out in *'[  SKIPPED ]'*) skipped cmocka "a case was skipped" ;; esac
}
