# seeded_lib.sh - what the scripts of seeded bugs share: limits of time, one line for each bug, the end.
# usage: . tests/strength/seeded_lib.sh; seeded_begin SCRIPT DIR [WORD | --applies]     (from the root of the checkout)
#
# SCRIPT: the script itself. WORD: only bugs whose name holds the word. --applies: only check that the text that each
# bug replaces is still in the code.
#
# A test that does not end has noticed its bug. How long it may take is told by this machine, not by a number:
# `measured` runs the test without a bug, and its limit is a multiple of the CPU time that this took. Other work on the
# machine hardly changes CPU time. A test that fails without a bug ends the script.
#
# A bug whose text is not in the code, or that the compiler refuses, is a failure like one that survives: seeded_end
# fails. A script that was stopped goes on where it was: lines of bugs that were noticed are kept until it ends, unless
# the code, the tests or the bug have changed.
#
# A limit is TIMES the time without a bug, and 2 s for tests that take nearly nothing. The guard is in wall time, for a
# test that waits and takes no CPU time; it is far off, so that a busy machine does not matter.
seeded_times=4
noticed=0
survived=0
misfits=0

# seeded_begin SCRIPT DIR [WORD | --applies]
seeded_begin() {
    dir=$2 only=${3:-} applies=
    [ "$only" != --applies ] || only='' applies=1 dir=${dir}_applies
    kept=$dir.noticed
    rm -rf "$dir"
    mkdir -p "$dir"
    code_key=$( (sed '/^bug "/,$d' "$1" && cat tests/strength/seeded_lib.sh && find target port linker tests/runtime \
        tests/lib tests/module.mk Makefile -type f | sort | xargs cat) | cksum)
}

# seeded_bug NAME FILE OLD NEW [OLD NEW]...: make $dir/new, a copy of the code with that bug, which the test $expects is
# to notice. Fails if there is nothing to try: the bug is not asked for, does not apply, or was noticed before.
seeded_bug() {
    case $1 in *"$only"*) ;; *) return 1 ;; esac
    bug_name=$1 bug_file=$2
    shift 2
    if [ -n "$applies" ]; then
        printf '%s\0' "$bug_file" "$bug_name" "$@" end >>"$dir/bugs"
        return 1
    fi
    bug_key=$(printf '%s\0' "$code_key" "$expects" "$bug_file" "$@" | cksum | tr ' ' -)
    line=$(grep -s "^$bug_key " "$kept" | head -n 1)
    if [ -n "$line" ]; then
        noticed=$((noticed + 1))
        printf '%-52s %s\n' "$bug_name" "${line#* } (before it was stopped)"
        return 1
    fi
    rm -rf "$dir/new" && mkdir -p "$dir/new" && cp -r target port linker "$dir/new/" || exit 1
    if ! python3 tests/strength/replace.py "$dir/new/$bug_file" "$bug_name" "$@" 2>"$dir/message"; then
        misfit "DOES NOT APPLY$(head -n 1 "$dir/message" | sed 's/^.*\(: found [0-9]* times in\)/\1/' | cut -c 1-90)"
        return 1
    fi
}

# misfit WHY: tell that the bug cannot be tried
misfit() {
    misfits=$((misfits + 1))
    printf '%-52s %s\n' "$bug_name" "$1"
}

# judge BY: print the bug with what noticed it; empty: nothing did
judge() {
    if [ -n "$1" ]; then
        noticed=$((noticed + 1))
        echo "$bug_key $1" >>"$kept"
    else
        survived=$((survived + 1))
    fi
    printf '%-52s %s\n' "$bug_name" "${1:-SURVIVED}"
}

# measured TEST COMMAND...: run the test without a bug, unless this was done; set its limit
measured() {
    measured=$1
    shift
    [ ! -s "$dir/limit-$measured" ] || return 0
    timeout 36000 sh tests/lib/cpu.sh "$dir/cpu" "$@" >"$dir/log" 2>&1 ||
        { cat "$dir/log"; echo "without a bug: $measured fails"; exit 1; }
    awk -v times=$seeded_times '{ printf "%d\n", $1 * times + 2 }' "$dir/cpu" >"$dir/limit-$measured"
    echo "$measured: $(cat "$dir/cpu") s of CPU time without a bug, limit $(cat "$dir/limit-$measured") s"
}

# limited TEST COMMAND...: run the test, with the bug, within the limit; set $by to how it noticed, empty if it passed.
# A test that does not start has noticed nothing: the script ends.
limited() {
    limited=$1 limit=$(cat "$dir/limit-$1") code=0 by=
    shift
    # The shell itself tells of a signal, on its standard error.
    { (ulimit -t "$limit" && ulimit -c 0 && exec timeout $((600 + 40 * limit)) "$@" >"$dir/log" 2>&1) || code=$?; } \
        2>/dev/null
    words=$(sed -n 's/^.*\(FAIL.*\|failed: .*\)$/\1/p' "$dir/log" | head -n 1)
    words=$(echo "${words:-$(tail -n 1 "$dir/log")}" | cut -c 1-50)
    case $code in
    0) ;;
    125 | 126 | 127) cat "$dir/log"; echo "$bug_name: $limited does not start ($code)"; exit 1 ;;
    124 | 137 | 152 | 232) by="$limited (hang)" ;; # 232: reset.py, whose QEMU took too long
    1[34]*) by="$limited (crash)" ;;
    *) by="$limited ($words)" ;;
    esac
}

# seeded_end: print the counts; fails if a bug survived or could not be tried
seeded_end() {
    if [ -n "$applies" ]; then
        python3 -I -S tests/strength/replace.py --all "$dir/bugs"
        return
    fi
    echo "$noticed noticed, $survived survived, $misfits could not be tried"
    [ $((survived + misfits)) -eq 0 ] || return 1
    [ -n "$only" ] || rm -f "$kept"
}
