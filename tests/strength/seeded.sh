#!/bin/sh
# seeded.sh - builds the runtime for this machine with one mistake at a time; one of the runtime's tests must notice
# each. For bugs in the ports of the target see seeded_target.sh.
# usage: seeded.sh BUILD [WORD | --applies]
# Judges: the runtime's tests on this machine.
#
# WORD: only bugs whose name holds the word. --applies: only check that the text that each bug replaces is still in the
# code. A bug is a name, a file, the test expected to notice it, a text in the file and its replacement; the text must
# occur exactly once. The expected test runs first, the others only if it does not notice. A test notices by failing, by
# crashing, or by not ending ("hang"): see seeded_lib.sh, also for what happens when a bug does not apply.
#
# Not in the list, because it changes nothing that can be observed: a tlog_port_reserve() that gives up when its store
# fails (the slow path tries again); dropping at once, or a step of passing a slot, without the second look at the
# cursor or at the head (a writer that came in between has reported the loss, or finds the steps that are left); a slot
# of a dead owner that is claimed before it is emptied (the next step empties it).
#
# tlog_start.c formats memory as a whole, tlog_form.c bit by bit; a configuration has one of the two (TLOG_FORMS). A bug
# in the other one is not even compiled: so a bug in code that both have stands twice, each with a test of its own.
set -eu
. tests/lib/needs.sh
needs python3
. tests/strength/seeded_lib.sh
build=$1
seeded_begin "$0" "$build/test/seeded" "${2:-}"
# All bugs are tried with these. Further tests, known to flags(), run only for bugs that name them.
tests="ring-1 ring-3 chunk event unique stuck-1 stuck-2 stuck-event dead-1"
two_cpus="-DTLOG_CPUS=2 -DTLOG_NAME_SLOTS=1 -include runtime/start_steps.h"
# As in tests/module.mk.
at_each_store="-fsanitize=kernel-address -fsanitize-recover=kernel-address --param asan-stack=0 --param asan-globals=0
    --param asan-instrument-reads=0 --param asan-instrumentation-with-call-threshold=0"

flags() {
    case $1 in
    ring-minimal) echo "-DTLOG_MINIMAL=1" ;;
    ring-*) echo "-DTLOG_CHUNKS=${1#ring-}" ;;
    chunk) echo "-DTLOG_ARENA=1" ;;
    event) echo "-DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=20" ;;
    slice) echo "-DTLOG_SLOTS=6 -DTLOG_NAME_SLOTS=1 -DTLOG_CHUNKS=2" ;;
    memory) echo "-DTLOG_SLOTS=9 -DTLOG_NAME_SLOTS=8" ;;
    fact) echo "-DTLOG_NAME_SLOTS=24 -DTLOG_SLOTS=64" ;;
    layout) echo "$(flags memory) -DTLOG_RUNS=2" ;;
    start) echo "$two_cpus -DTLOG_RUNS=2 -DTLOG_CHUNKS=2 -DTLOG_SLOTS=2" ;;
    events) echo "$two_cpus -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=32" ;;
    events-runs) echo "$two_cpus -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=32 -DTLOG_RUNS=2" ;;
    slice-event) echo "-DTLOG_SLOTS=6 -DTLOG_NAME_SLOTS=1 -DTLOG_TRACEEVENTS=1" ;;
    form-1) echo "-DTLOG_SLOTS=72 -DTLOG_NAME_SLOTS=1 $at_each_store" ;;
    form-3) echo "-DTLOG_SLOTS=9 -DTLOG_CHUNKS=3 -DTLOG_NAME_SLOTS=1 $at_each_store" ;;
    form-event) echo "-DTLOG_SLOTS=14 -DTLOG_CHUNKS=2 -DTLOG_TRACEEVENTS=1 -DTLOG_NAME_SLOTS=1 $at_each_store" ;;
    stuck-1) echo "-DTLOG_SLOTS=6 -DTLOG_NAME_SLOTS=1" ;;
    stuck-2) echo "-DTLOG_SLOTS=4 -DTLOG_CHUNKS=2 -DTLOG_NAME_SLOTS=1" ;;
    stuck-event) echo "-DTLOG_SLOTS=14 -DTLOG_TRACEEVENTS=1 -DTLOG_NAME_SLOTS=1" ;;
    dead-1) echo "-DTLOG_SLOTS=6 -DTLOG_NAME_SLOTS=1" ;;
    dead-many) echo "-DTLOG_SLOTS=200 -DTLOG_NAME_SLOTS=1" ;;
    dead-event) echo "-DTLOG_SLOTS=14 -DTLOG_TRACEEVENTS=1 -DTLOG_NAME_SLOTS=1" ;;
    dead-minimal) echo "-DTLOG_SLOTS=6 -DTLOG_NAME_SLOTS=1 -DTLOG_MINIMAL=1" ;;
    dead-many-minimal) echo "-DTLOG_SLOTS=200 -DTLOG_NAME_SLOTS=1 -DTLOG_MINIMAL=1 -DTEST_TURNS=24" ;;
    stuck-minimal) echo "-DTLOG_SLOTS=6 -DTLOG_NAME_SLOTS=1 -DTLOG_MINIMAL=1" ;;
    unique) echo "-DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=16 -DTLOG_EMERGENCY_SLOTS=6" ;;
    esac
}

# tests_of TEST: print the sources of the test itself
tests_of() {
    echo "tests/lib/print.c"
    case $1 in
    slice* | memory | fact | start | stuck-* | dead-* | form-*)
        echo "tests/lib/test.c tests/runtime/${1%%-*}.c" && return ;;
    events*) echo "tests/lib/test.c tests/runtime/start.c" && return ;;
    layout) echo "tests/lib/test.c tests/runtime/memory.c" && return ;;
    esac
    echo "tests/lib/test.c tests/lib/host.c tests/runtime/${1%-*}.c"
    case $1 in ring-*) echo "tests/runtime/ring_harness.c" ;; esac
    [ "$1" != chunk ] ||
        echo "tests/runtime/chunk_irq.c tests/runtime/chunk_ops.c tests/runtime/chunk_read.c tests/lib/logged.c"
}

# runtime_of TEST DIRECTORY: print the runtime's sources for the test
runtime_of() {
    case $1 in
    memory | layout) ls "$2"/target/src/*.c "$2/port/port_posix.c" | grep -v /tlog_name.c ;;
    fact) ls "$2"/target/src/*.c "$2/port/port_posix.c" | grep -v 'tlog_\(minimal_\)*name\.c' ;;
    slice*) ls "$2"/target/src/*.c "$2/port/port_posix.c" | grep -v /tlog_send.c ;;
    *) ls "$2"/target/src/*.c "$2/port/port_posix.c" ;;
    esac
}

# link TEST OBJECT...: make $dir/program; tests that look at all chunks in memory need a linker script
link() {
    case $1 in
    chunk | event | unique) ;;
    *) set -- "$@" -Wl,-T,tests/runtime/memory.ld ;;
    esac
    shift
    ${CC:-gcc} "$@" -o "$dir/program"
}

# compile TEST SOURCE DIRECTORY [OUTPUT]: compile with the headers of DIRECTORY
compile() {
    out=$dir/obj/$1/$(basename "$2" .c).o
    ${CC:-gcc} -std=c11 -O1 -w $(flags "$1") -Itests -I"$3/target" -I"$3/port" -c "$2" -o "${4:-$out}"
}

# prepare TEST: compile the test and the runtime without a bug, and measure how long it takes
prepare() {
    [ ! -s "$dir/limit-$1" ] || return 0
    mkdir -p "$dir/obj/$1"
    for source in $(runtime_of "$1" .) $(tests_of "$1"); do
        compile "$1" "$source" .
    done
    link "$1" "$dir/obj/$1"/*.o
    measured "$1" "$dir/program"
}

# build_with TEST FILE: make $dir/program with the changed FILE of $dir/new; fails if the compiler refuses it
build_with() {
    rm -rf "$dir/program" "$dir/all" && mkdir "$dir/all"
    case "$1 $2" in
        *.h | "memory target/src/tlog_name.c" | "fact target/src/tlog_name.c" | slice*" target/src/tlog_send.c")
            all=1 ;;
        *) all= ;;
    esac
    if [ -n "$all" ]; then
        for source in $(runtime_of "$1" "$dir/new") $(tests_of "$1"); do
            compile "$1" "$source" "$dir/new" "$dir/all/$(basename "$source" .c).o" || return 1
        done
        link "$1" "$dir"/all/*.o
    else
        compile "$1" "$dir/new/$2" "$dir/new" "$dir/all/changed.o" || return 1
        link "$1" "$dir/all/changed.o" $(ls "$dir/obj/$1"/*.o | grep -v "/$(basename "$2" .c)\.o$")
    fi
}

# bug NAME FILE TEST OLD NEW [OLD NEW]...: run the tests with that bug, and print which noticed it
bug() {
    name=$1 file=$2 expects=$3
    shift 3
    seeded_bug "$name" "$file" "$@" || return 0
    by=
    for each in $expects $(echo " $tests " | sed "s/ $expects / /"); do
        prepare "$each"
        build_with "$each" "$file" 2>"$dir/message" || { misfit "DOES NOT BUILD for $each" && return 0; }
        limited "$each" "$dir/program"
        [ -z "$by" ] || break
    done
    judge "$by"
}

# ---- the record path -------------------------------------------------------------------------------------------------
stamp='        tlog_posix_step();
        out->high = *(volatile uint32_t *)&cpu->high;
        out->low = tlog_port_now_at(cpu->clock);
'
load='        out->cursor = tlog_port_load_exclusive(cursor);
'
bug "stamp read before the load-exclusive" port/port_posix.c ring-1 "$stamp" "" "$load" "        tlog_ring_start(cpu);
$stamp$load"
bug "high word read outside the watch" port/port_posix.c ring-1 '        out->high = *(volatile uint32_t *)&cpu->high;
' "" "$load" "        out->high = *(volatile uint32_t *)&cpu->high;
$load"
bug "cursor advanced by a plain store" port/port_posix.c ring-1 \
    '} while (tlog_port_store_exclusive(out->cursor + TLOG_CURSOR_STEP, cursor));' \
    '} while (0);
    tlog_posix_step();
    *(volatile uint32_t *)cursor = out->cursor + TLOG_CURSOR_STEP;
    tlog_port_clear_exclusive();'
bug "store that failed twice taken as done" port/port_posix.c ring-1 \
    '    do {
        out->cursor =' '    int tries = 0;
    do {
        out->cursor =' \
    'STEP, cursor));' 'STEP, cursor) && tries++ < 1);'
bug "no lap guard" port/port_posix.c ring-1 \
    'if (((volatile uint32_t *)out->slot)[TLOG_WORD_HEAD] & out->cursor & TLOG_TAG_MASK)' \
    'if ((((volatile uint32_t *)out->slot)[TLOG_WORD_HEAD] & TLOG_TAG_MASK) == TLOG_TAG_MASK
            || (out->cursor & TLOG_TAG_MASK) == TLOG_TAG_MASK)'
bug "head before the payload" target/src/tlog_ring.h ring-1 \
    '    tlog_port_put_two(at->slot, par2, at->high); /* par2 and the stamp'"'"'s high word are words 0 and 1 */
    at->slot[TLOG_WORD_LOW] = at->low;
    tlog_port_publish();
    tlog_port_head(at->slot, at->cursor + code, par1);' \
    '    tlog_port_head(at->slot, at->cursor + code, par1);
    tlog_port_publish();
    tlog_port_put_two(at->slot, par2, at->high);
    at->slot[TLOG_WORD_LOW] = at->low;'
bug "watch forgotten: reserve" port/port_posix.c ring-1 '    tlog_port_clear_exclusive();
    return false;' '    return false;'

# ---- the slow path ---------------------------------------------------------------------------------------------------
bug "drop counter not atomic" target/src/tlog_ring.c ring-1 '    uint32_t before;
    do
        before = tlog_port_load_exclusive(word);
    while (tlog_port_store_exclusive(before + n, word));
    return before;' '    uint32_t before = *(volatile uint32_t *)word;
    tlog_port_publish();
    *(volatile uint32_t *)word = before + n;
    return before;'
bug "drop counter: one retry" target/src/tlog_ring.c ring-1 '    uint32_t before;
    do
        before = tlog_port_load_exclusive(word);
    while (tlog_port_store_exclusive(before + n, word));' '    uint32_t before, tries = 0;
    do
        before = tlog_port_load_exclusive(word);
    while (tlog_port_store_exclusive(before + n, word) && tries++ < 1);'
bug "loss told twice" target/src/tlog_loss.c chunk '    do {
        reported = tlog_port_load_exclusive(&first->reported);
        dropped = ((volatile struct tlog_chunk *)first)->dropped;
    } while (tlog_port_store_exclusive(dropped, &first->reported));' '    reported = first->reported;
    dropped = first->dropped;
    tlog_ring_add(&first->reported, dropped - reported);'
bug "loss that found no room not taken back" target/src/tlog_loss.c chunk \
    '        tlog_ring_add(&first->reported, 0u - low);' '        ;'
bug "high word stored without exclusives" target/src/tlog_ring.c ring-1 \
    '    } while (tlog_port_store_exclusive(tlog_ring_carry(high), &cpu->high));' \
    '    } while (0);
    tlog_port_publish();
    cpu->high = tlog_ring_carry(high);
    tlog_port_clear_exclusive();'
bug "chunk opened though home does not lead to it" target/src/tlog_ring.c chunk \
    '!tlog_ring_is_held() && is_home(cpu, home)
           && (!TLOG_ARENA || follower(home, cursor) == next)' 'true'
switch=target/src/tlog_switch_impl.h
bug "switch_full: home not looked at" $switch ring-3 \
    '&& !(TLOG_RING_HOME_CHANGES && has_moved(cpu, home, home_cursor))' ''
bug "switch_full: follower not looked at" $switch chunk ' && !leads_away(home, home_cursor, next)' ''
bug "switch_full: lap counted twice" $switch ring-1 \
    'if (tlog_port_load_exclusive(&next->lap) != lap) {' \
    'if (tlog_port_load_exclusive(&next->lap), 0) {'
bug "lap counted twice" target/src/tlog_ring.c chunk '    uint32_t lap, cursor;
    do {
        lap = tlog_port_load_exclusive(&chunk->lap);
        cursor = cursor_of(chunk);
        if (' '    uint32_t lap = lap_of(chunk), cursor = cursor_of(chunk);
    do {
        tlog_port_load_exclusive(&chunk->lap);
        if ('
bug "switch_full: home gone back to" $switch ring-3 'lap_of(home) != home_lap ||' ''
bug "switch_full: goes home to a closed chunk" $switch chunk ' || (TLOG_ARENA && is_closed(next)))
        tlog_port_clear_exclusive();' ')
        tlog_port_clear_exclusive();'
bug "make_home without is_closed(next)" target/src/tlog_ring.c ring-3 \
    '!leads_to(cpu, home, home_cursor, next) || is_closed(next)' '!leads_to(cpu, home, home_cursor, next)'
bug "make_home without leads_to" target/src/tlog_ring.c chunk \
    '!leads_to(cpu, home, home_cursor, next) || is_closed(next)' \
    'is_closed(next)'
bug "parked without looking at goal" target/src/tlog_ring.c chunk \
    'bool has_goal = !TLOG_ARENA ||' 'bool has_goal = true ||'
bug "goal of a parked chunk changed by a loss" target/src/tlog_ring.c chunk '!command && is_parked' 'false && is_parked'
bug "chunk opened that is BUSY" target/src/tlog_ring_impl.h chunk '->flags & TLOG_CHUNK_BUSY ? NULL : next' \
    '->flags & 0u ? NULL : next'
bug "emergency slot taken twice" target/src/tlog_loss.c chunk \
    '    } while (is_late || tlog_ring_commit(cpu, claimed, used + n, &home->emergency_used));' \
    '    } while (is_late);
    tlog_port_clear_exclusive();
    tlog_port_publish();
    home->emergency_used = used + 1u;'
bug "emergency slots without end" target/src/tlog_loss.c chunk \
    'used + n > home->emergency ||' 'used + n > home->emergency + 1u ||'
bug "watch forgotten: opening" target/src/tlog_ring.c chunk '!leads_to(cpu, home, home_cursor, next)) {
            tlog_port_clear_exclusive();' '!leads_to(cpu, home, home_cursor, next)) {'
bug "watch forgotten: tick" target/src/tlog_ring.c ring-1 '>= 0) {
            tlog_port_clear_exclusive();' '>= 0) {'
bug "watch forgotten: park" target/src/tlog_ring.c chunk 'if (!is_home(cpu, home) || !has_goal) {
            tlog_port_clear_exclusive();' 'if (!is_home(cpu, home) || !has_goal) {'
bug "loss not parked for when home was left meanwhile" target/src/tlog_loss.c ring-3 '!tlog_ring_park(cpu, home, 0))
           && !is_home(cpu, home));' '!tlog_ring_park(cpu, home, 0)) && false);'
bug "loss while a loss is told not parked for" target/src/tlog_loss.c ring-1 '    if (has_dropped(cpu))
        tlog_ring_close(cpu);' ''
bug "switch_full: home parked meanwhile" $switch ring-3 \
    'lap_of(home) != home_lap || cursor_of(home) != home_cursor' 'lap_of(home) != home_lap'

# ---- start -----------------------------------------------------------------------------------------------------------
bug "formatting that goes on in an open ring" target/src/tlog_start.c ring-1 '        tlog_port_load_exclusive(word);
        if (tlog_ring_is_open(cpu)) {' '        tlog_port_load_exclusive(word);
        if (false) {'

bug "header with a checksum that is put twice" target/src/tlog_start.c start '    put_unopened(word, sum, cpu);' \
    '    put_unopened(word, 0, cpu);
    put_unopened(word, sum, cpu);'
bug "each CPU counts wraps of its own" target/src/tlog_start.c start '    choose_high(cpu);
    choose_boot' '    choose_boot'
bug "wraps by an older look at the clock" target/src/tlog_start.c start \
    '    } while (tlog_port_store_exclusive(high, &tlog_ring_high));' \
    '    } while (high != tlog_ring_high && tlog_port_store_exclusive(high, &tlog_ring_high));'
bug "wraps without what open rings tell" target/src/tlog_start.c start \
    'later(tlog_port_load_exclusive(&tlog_ring_high), latest)' 'tlog_port_load_exclusive(&tlog_ring_high)'
bug "a late ring tells the time of the first" target/src/tlog_start.c events-runs 'TLOG_CPUS > 1 ? cpu->high : 0;' '0;'
bug "tick for one CPU" target/src/tlog.c start \
    'if ((TLOG_CPUS == 1 && TLOG_START == 0) || tlog_ring_is_open(cpu))' \
    'if (cpu == tlog_cpu_here())'

# ---- memory that becomes chunks bit by bit ---------------------------------------------------------------------------
form=target/src/tlog_form.c
bug "form: header with a check that is put twice" $form form-1 '    to[15] = sum + ' '    to[15] = 0;
    tlog_port_publish();
    to[15] = sum + '
bug "form: a late ring tells the time of the first" $form events 'TLOG_CPUS > 1 ? cpu->high : 0;' '0;'
bug "form: magic not erased" $form form-1 '    tlog_form_put(&chunk->magic, 0, cpu, seen);' ''
bug "form: magic first" $form form-event '    to[1] = TLOG_WIRE_TAG;' '    *to = TLOG_WIRE_MAGIC;
    to[1] = TLOG_WIRE_TAG;' '    tlog_port_publish();
    *to = TLOG_WIRE_MAGIC;' ''
bug "form: header before the first mark" $form form-event '    name_header(ring, chunk, 0);
' '' '    set_first_mark(cpu, chunk, TLOG_FORM_AT_FIRST' '    name_header(ring, chunk, 0);
    set_first_mark(cpu, chunk, TLOG_FORM_AT_FIRST'
bug "form: seal of an older run" $form form-event \
    '    tlog_form_put(&seal_in_ring(cpu->ring, chunk)->magic, 0, cpu, seen);
    tlog_form_put(&chunk' '    tlog_form_put(&chunk'
bug "form: seal erased behind the magic" $form form-event \
    '    tlog_form_put(&seal_in_ring(cpu->ring, chunk)->magic, 0, cpu, seen);
    tlog_form_put(&chunk->magic, 0, cpu, seen);' '    tlog_form_put(&chunk->magic, 0, cpu, seen);
    tlog_form_put(&seal_in_ring(cpu->ring, chunk)->magic, 0, cpu, seen);'
bug "form: step under a seal" $form form-event '    tlog_form_put(&seal_in_ring(cpu->ring, chunk)->magic, 0, cpu, seen);
    if (has_item)' '    if (has_item)'
bug "form: no end mark from slot 65 on" $form form-1 '    tlog_form_put(&end->mark, TLOG_TAG_MASK, cpu, seen);' ''
bug "form: words ahead of the end mark" $form form-1 '    tlog_form_put(&end->spare[1], 0, cpu, seen);' ''
bug "form: mark erased before the next one stands" $form form-1 \
    '    tlog_form_put(head_of_slot(chunk, mark + more), TLOG_TAG_MASK, cpu, seen);
    unmark(cpu, head_of_slot(chunk, mark), seen);' '    unmark(cpu, head_of_slot(chunk, mark), seen);
    tlog_form_put(head_of_slot(chunk, mark + more), TLOG_TAG_MASK, cpu, seen);'
bug "form: event taken for the mark" $form form-1 \
    '!= TLOG_TAG_MASK || ((volatile struct tlog_cpu *)cpu)->formed != seen' \
    '== TLOG_SLOT_EMPTY || ((volatile struct tlog_cpu *)cpu)->formed != seen'
bug "form: late writer ends an arrow" $form form-1 'if (tlog_port_load_exclusive(&cpu->formed) != seen) {' \
    'if (tlog_port_load_exclusive(&cpu->formed) == 0 && seen != 0) {'
bug "form: arrow ended by a plain store" $form form-1 '            return false;
        }
    } while (tlog_port_store_exclusive(formed, &cpu->formed));
    return true;
}

/* ---- a header' '            return false;
        }
    } while (0);
    tlog_port_publish();
    *(volatile uint32_t *)&cpu->formed = formed;
    tlog_port_clear_exclusive();
    return true;
}

/* ---- a header'
bug "form: notes of an older run" $form event '        make_notes(cpu, chunk, seen);' '        ;'
bug "form: next chunk keeps its cursor" $form form-3 \
    '    tlog_form_put(&chunk->cursor, full | TLOG_TAG_EVEN, cpu, seen);' ''
bug "form: first slots of the next chunk" $form form-3 '    put_empty(cpu, chunk, 1, TLOG_FORM_AT_FIRST, seen);' ''
bug "form: last chunk leads to the one behind it" $form form-3 \
    '0u - number * size : size, cpu, seen' 'size : size, cpu, seen'
bug "form: chunk free before its items are done" $form form-event '+ 1u + item - left - (seen' '+ 1u - (seen'
bug "form: writer not settled before a dump" $form slice \
    '    if (seen == 0 || seen == TLOG_FORMED_ALL)' '    if (seen < ~0u)'
bug "form: number of slots of the first event" $form slice-event \
    'head_of_slot(chunk, seen >> TLOG_FORM_MARK_SHIFT), TLOG_TAG_MASK' 'head_of_slot(chunk, mark), TLOG_TAG_MASK'
bug "form: first mark put back in an open ring" $form slice-event 'if (decides || !tlog_ring_is_open(cpu))' 'if (true)'
bug "form: first event of any size" $form form-event 'n = n - 1u < most ? n - 1u : most;' 'n = n - 1u;'
bug "form: late writer stores behind the mark" $form form-1 \
    '        if (((volatile struct tlog_cpu *)cpu)->formed != seen) {' '        if (false) {'

# ---- names -----------------------------------------------------------------------------------------------------------
store=target/src/tlog_name.c
bug "names: a released name counts as current" $store fact \
    'fact->kind < TLOG_FACT_VALUES ? TLOG_FACT_RELEASED : 0);' '0);'
bug "names: promises of others are not kept" $store fact '        keep_promise(fact);
        fact->place' '        fact->place'
bug "names: a promise before the journal" $store fact \
    '    put_word(fact, &journal[TLOG_WORD_HEAD], head);
    const bool is_told = put_word(fact, &promised, fact->old << 16 | fact->place);' \
    '    const bool is_told = put_word(fact, &promised, fact->old << 16 | fact->place);
    put_word(fact, &journal[TLOG_WORD_HEAD], head);'
bug "names: the old place stays when a name moves" $store fact '        free_place(fact, old);' '        (void)0;'
bug "names: a place is not in the index" $store fact '        enter_chain(fact, fact->place);' ''
bug "names: a claim does not end that of another call" $store fact '(fact->right + 1u) | 1u' 'fact->right | 1u'
bug "names: what is told for certain is counted as lost" $store fact '        if (is_told)
            return;' '        if (is_told && has_ended)
            return;'
bug "names: words are stored without a claim" target/src/tlog_name_impl.h fact \
    'if (load(guard_of(fact)) != fact->right) {' 'if (false) {'
bug "names: no end to the place that is cut off" $store fact \
    '    put_word(fact, cursor + end * 4u - 1u, TLOG_FACT_FREE);' ''

# ---- layout of the memory, and dumps ---------------------------------------------------------------------------------
bug "number of the run by the names" target/src/tlog_name.c memory 'tlog_ring_start(&tlog_cpus[cpu]);' ''
bug "chunk under a younger one" target/src/tlog_runs.c layout ' && !is_overwritten(chunk, end)' ''
bug "sealed in the middle of an event" target/src/tlog_send.c slice 'TLOG_RUNS == 1 || chunk->boot == tlog_ring_boot' \
    'false'
bug "sealed again under the magic of the old seal" target/src/tlog_send.c slice '    seal_of(chunk)->magic = 0;' ''
bug "magic of a seal before it is known that nobody logged" target/src/tlog_send.c slice \
    'make_seal(chunk);
        rests' 'make_seal(chunk);
        finish_seal(at);
        rests'

# ---- chunks ----------------------------------------------------------------------------------------------------------
bug "delete without is_finished" target/src/tlog_chunk.c chunk ' || !tlog_ring_is_finished(chunk)' ''
bug "delete without shut" target/src/tlog_chunk.c chunk '!tlog_ring_shut(tlog_cpu_here(), chunk) || ' \
    'is_current(chunk) || '
bug "delete without cutting links" target/src/tlog_chunk.c chunk '    cut_links(chunk);
' ''
bug "link without taking FREE" target/src/tlog_chunk.c chunk 'before != NULL ? take_free(to, &chunk)' \
    'before ? (chunk = chunk_of(to)) ? 0 : TLOG_CHUNK_UNKNOWN'
bug "select without taking FREE" target/src/tlog_chunk.c chunk '    int result = take_free(number, &chunk);' \
    '    int result = (chunk = chunk_of(number)) ? 0 : TLOG_CHUNK_UNKNOWN;'
bug "send without BUSY" target/src/tlog_chunk.c chunk \
    '    if (!change_flags(chunk, 0, TLOG_CHUNK_BUSY, 0, TLOG_CHUNK_BUSY))
        return TLOG_CHUNK_STATE;
    int result = sender' '    int result = sender'

# ---- traceevents -----------------------------------------------------------------------------------------------------
bug "combine event reserved slot by slot" target/src/tlog_event.c event \
    'at->cursor + n * TLOG_CURSOR_STEP, cursor));' 'at->cursor + TLOG_CURSOR_STEP, cursor));
    for (uint32_t i = 1; i < n; i++)
        tlog_ring_add(cursor, TLOG_CURSOR_STEP);'
bug "pad omitted" target/src/tlog_event.c event '        pad(cpu);' '        ;'
bug "pad without a head" target/src/tlog_event.c event \
    '    tlog_event_fill(&at, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PAD), 0, 0);' ''
bug "TIME not told at a wrap" target/src/tlog_ring.c event '    if (TLOG_TRACEEVENTS && high >> 31)' '    if (false)'
bug "TIME of before the wrap" target/src/tlog_ring.c event '        tlog_ring_tell_time(cpu);' \
    '        tlog_ring_put_time(cpu, tlog_ring_wraps(high));'
bug "reference of a lap over an owner's slots" target/src/tlog_time.c event 'return (seen & tag) == 0;' 'return true;'
bug "no tick before the pads" target/src/tlog_event.c event '        tlog_ring_tick(cpu); /*' '        /*'

# ---- slots whose owner does not come back ----------------------------------------------------------------------------
bug "claim: slot of an open chunk" target/src/tlog_claim.c stuck-1 \
    '    if (!is_parked(at.cursor)) {' '    if (false) {' \
    '    if (!is_parked(at.cursor) || is_full(home, at.cursor))' '    if (is_full(home, at.cursor))'
bug "claim: no note" target/src/tlog_claim.c stuck-1 '        note = find_free_note(at);' '        note = note;'
bug "claim: note not renewed" target/src/tlog_claim.c stuck-1 '    if (noted != wanted) {' \
    '    if (((noted ^ wanted) & TLOG_CLAIM_SLOT_MASK) != 0) {'
bug "claim: note cleared before the head is emptied" target/src/tlog_claim.c stuck-1 \
    '    } else if (head != (TLOG_TAG_MASK ^ tag)) {' '    } else if (false) {'
bug "claim: head emptied, note not cleared" target/src/tlog_claim.c stuck-1 '        put(at, note, noted, 0, head);
    }
    return false;' '        return true;
    }
    return false;'
bug "claim: opened while noted" target/src/tlog_ring.c stuck-1 \
    'if (!tlog_ring_is_noted(chunk, cursor, lap_of(chunk)))' 'if (true)' \
    '|| (is_parked(cursor) && tlog_ring_is_noted(home, cursor, lap_of(home)));' ';'
bug "claim: noted slot taken for free" target/src/tlog_ring.c stuck-1 \
    '|| (is_parked(cursor) && tlog_ring_is_noted(home, cursor, lap_of(home)));' ';'
bug "claim: cursor not looked at" target/src/tlog_claim.c stuck-1 'cursor_of(at->chunk) == at->cursor && ' ''
bug "claim: old note passes for a valid one" target/src/tlog_claim.c stuck-1 \
    ' && age_of(at, value & ~TLOG_CLAIM_SLOT_MASK) <= 1u)
            return note;' ')
            return note;'
bug "claim: valid note of another slot taken" target/src/tlog_claim.c stuck-1 'if (is_old(at, value))' 'if (true)'
bug "claim: note of the slot claimed last taken" target/src/tlog_claim.c dead-many \
    'if (laps > longest) {' 'if (laps < longest) {'
bug "claim: lap not told in the head" target/src/tlog_claim.c dead-many \
    '(at->lap & ~TLOG_CLAIM_SLOT_MASK) | TLOG_TAG_MASK, head);' \
    'TLOG_TAG_MASK, head);'
bug "claim: stuck slot is waited for" target/src/tlog_ring.c stuck-1 \
    '< TLOG_RING_PASSES_MOST && tlog_ring_pass(cpu, home)' '< TLOG_RING_PASSES_MOST && false'
bug "claim: only one slot passed in a call" target/src/tlog_ring.c dead-many '(*passed)++ < TLOG_RING_PASSES_MOST' \
    '(*passed)++ < 1u'

bug "neighbours: not counted" target/src/tlog_ring.c dead-many \
    '        tlog_ring_count_extra(current, (behind - cursor) >> TLOG_CURSOR_SHIFT);
        if (TLOG_CONTEXT)' '        if (TLOG_CONTEXT)'
bug "neighbours: owned slot behind them" target/src/tlog_ring.c dead-many '(next & cursor & TLOG_TAG_MASK) == 0' 'true'
bug "neighbours: told, and passed" target/src/tlog_ring_impl.h dead-many \
    '    return word != NULL && *(const volatile uint32_t *)word != 0;' \
    '    return word == NULL;'
bug "neighbours: slots with notes, too" target/src/tlog_ring_impl.h dead-many \
    '(~head & TLOG_SLOT_CLAIMED) == 0' '(~head & TLOG_TAG_MASK) == 0'
bug "told: slot of the lap before" target/src/tlog_claim.c dead-1 \
    ' - TLOG_LAP_STEP + (at->cursor' ' - 2u * TLOG_LAP_STEP + (at->cursor'
bug "told: not forgotten" target/src/tlog_claim.c dead-1 '    tlog_ring_forget_told(chunk);' ''
bug "told: slot at the place" target/src/tlog_ring_impl.h dead-1 '- reserved > (lap' '- reserved >= (lap'
bug "told: claimed slot stays" target/src/tlog_claim.c dead-1 'else if (is_abandoned(&at, head))' 'else if (false)'
bug "told: in a lap that is not counted" target/src/tlog_quiescent.c dead-event \
    '== TLOG_TAG_MASK ? TLOG_LAP_STEP : 0;' '== TLOG_TAG_MASK ? 0 : 0;'
bug "told: by a handler" target/src/tlog_quiescent.c dead-1 'is_interrupt() || ' ''
bug "told: beside the kernel" target/src/tlog_quiescent.c dead-1 ' || told_load(&is_told_by_port)' ''

# ---- the minimal runtime ---------------------------------------------------------------------------------------------
minimal=target/src/tlog_minimal.c
bug "minimal: told, and the slot stays" $minimal dead-minimal 'is_taken && is_abandoned_slot(view)' 'false'
bug "minimal: told of the slot of the lap before" $minimal dead-minimal \
    '- TLOG_LAP_STEP + (view' '- 2u * TLOG_LAP_STEP + (view'
bug "minimal: cursor not looked at" $minimal stuck-minimal 'cursor_of(view->chunk) != view->cursor || ' ''
bug "minimal: lap not looked at" $minimal stuck-minimal ' || lap_of(view->chunk) != view->lap' ''
bug "minimal: head not looked at" $minimal stuck-minimal '
            || *(volatile uint32_t *)view->at != view->head' ''
bug "minimal: lap opened before the last is counted" $minimal ring-minimal \
    'if ((view->lap & view->cursor & TLOG_TAG_MASK) == 0)' 'if (false)'
bug "minimal: slot passed without a claim" $minimal stuck-minimal 'is_taken && !is_parked(view->head)' 'false'
bug "minimal: passed without its bit" $minimal stuck-minimal \
    'else if (is_taken && (bits & bit) != 0)' 'else if (is_taken)'
bug "minimal: opened with its bit" $minimal stuck-minimal 'if (!is_taken && (bits & bit) == 0)' 'if (!is_taken)'
bug "minimal: bits not cleared" $minimal stuck-minimal '    if (!clear_passed(view))
        return;
' ''
bug "minimal: bits of the last lap cleared" $minimal stuck-minimal 'put(view, &passed_in(~view->lap)[i], 0);' \
    'put(view, &passed_in(view->lap)[i], 0);' 'if (passed_in(~view->lap)[i] != 0) {' \
    'if (passed_in(view->lap)[i] != 0) {'
bug "minimal: only one word of bits cleared" $minimal dead-many-minimal 'i < TLOG_PASSED_WORDS' 'i < 1u'
bug "minimal: lap not told in the head" $minimal dead-minimal \
    '(view->lap & ~TLOG_CLAIM_SLOT_MASK) | TLOG_TAG_MASK);' 'TLOG_TAG_MASK);'
bug "minimal: emptied with the tag of this lap" $minimal stuck-minimal '& bit ? ~view->lap & TLOG_TAG_MASK' \
    '& bit ? view->lap & TLOG_TAG_MASK'
bug "minimal: owner that is back is claimed again" $minimal stuck-minimal \
    'passed_in(~view->lap)[slot >> 5] & bit ?' 'false ?'
bug "minimal: passed without a note" $minimal stuck-minimal '        put_note(view);' ''
bug "minimal: valid note of another slot taken" $minimal ring-minimal \
    'note_of(view) - value >= TLOG_MINIMAL_LAP)' 'true)'
bug "minimal: passed slots not counted" $minimal stuck-minimal '        tlog_ring_add(&view->chunk->extra, 1u);' ''
bug "minimal: one slot too few is passed" $minimal stuck-minimal 'steps = 4u * view.chunk->slots + 4u' 'steps = 4u'
bug "minimal: stopped ring goes on" $minimal ring-minimal 'if (has_stopped(&view))' 'if (false)'
bug "minimal: high word not carried" $minimal ring-minimal '    tlog_ring_start(cpu);
    tlog_ring_tick(cpu);
    view.chunk' '    tlog_ring_start(cpu);
    view.chunk'
bug "minimal: high word of laps" $minimal ring-minimal '    tlog_ring_carry_count(&chunk->lap_high, &chunk->lap);' ''
bug "minimal: high word of losses" $minimal ring-minimal \
    '    tlog_ring_carry_count(&chunk->dropped_high, &chunk->dropped);' ''
bug "minimal: time of a loss" $minimal ring-minimal 'chunk->lost_at = tlog_port_now_at(cpu->clock);' ';'

# ---- counts of events ------------------------------------------------------------------------------------------------
bug "count: slot that was passed" target/src/tlog_claim.c stuck-1 '    tlog_ring_add(&at->chunk->extra, slots);' ''
bug "count: PAD" target/src/tlog_event.c event '    tlog_ring_count_extra(cursor, 1);
    tlog_event_fill(&at, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PAD)' \
    '    tlog_event_fill(&at, TLOG_EVENT_WORD(TLOG_CLASS_CONTROL, TLOG_CONTROL_PAD)'
bug "count: TIME" target/src/tlog_time.c event '            tlog_ring_count_extra(cursor, 1);
            tlog_ring_fill_control(&at, TLOG_CONTROL_TIME' '            tlog_ring_fill_control(&at, TLOG_CONTROL_TIME'
bug "count: reference of a lap" target/src/tlog_ring.c event '        tlog_ring_add(&next->extra, TLOG_LAP_SLOTS);' ''
bug "count: records of a loss" target/src/tlog_loss.c chunk '            tlog_ring_count_extra(cursor, 1);
' ''
bug "count: combine event, slow path" target/src/tlog_event.c event '    if (n > 1u)
        tlog_ring_count_extra(cursor, n - 1u);' ''
bug "count: combine event, inlined" target/src/tlog_event_impl.h event '    if (n > 1u)
        tlog_ring_count_extra(cursor, n - 1u);' ''
bug "count: not atomic" target/src/tlog_ring.h event '        extra = tlog_port_load_exclusive(cursor + 3);
    while (__builtin_expect(tlog_port_store_exclusive(extra + n, cursor + 3) != 0, 0));' \
    '        extra = *(volatile uint32_t *)(cursor + 3), tlog_port_publish();
    while (false);
    *(volatile uint32_t *)(cursor + 3) = extra + n;'
bug "count: laps without the high word" $switch ring-1 '        tlog_ring_carry_laps(next);' '        ;'
bug "count: laps without the high word, slow path" target/src/tlog_ring.c ring-1 \
    '        tlog_ring_carry_laps(chunk);' '        ;'
bug "count: drops without the high word" target/src/tlog_loss.c ring-1 \
    '    tlog_ring_carry_count(&first->dropped_high, &first->dropped);
    tlog_ring_close(cpu);' '    tlog_ring_close(cpu);'
bug "drop at once: clock not looked at" target/src/tlog_ring_impl.h ring-1 \
    '    if ((int32_t)(((volatile struct tlog_cpu *)cpu)->high ^ now) < 0)
        return false;' ''
bug "drop at once: reported not looked at" target/src/tlog_ring_impl.h ring-1 \
    'count - 1u == ((volatile struct tlog_chunk *)first)->reported || ' ''
bug "drop at once: high word not carried over" target/src/tlog_ring_impl.h ring-1 '
            || count << 1 == 0' ''
bug "drop at once: urgent event" target/src/tlog_ring_impl.h chunk \
    '(TLOG_ARENA || TLOG_EMERGENCY_SLOTS > 0) && is_urgent(code)' 'false'
bug "drop at once: not atomic" target/src/tlog_ring_impl.h ring-1 \
    '    } while (tlog_port_store_exclusive(count, &first->dropped));' \
    '    } while (0);
    tlog_port_publish();
    *(volatile uint32_t *)&first->dropped = count;
    tlog_port_clear_exclusive();'

# ---- unique stamps (TLOG_UNIQUE_STAMPS) ------------------------------------------------------------------------------
bug "last stamp stored plainly" target/src/tlog_ring.h unique \
    '    } while (tlog_port_store_exclusive(now, &cpu->last));' \
    '    } while (0);
    tlog_port_publish();
    *(volatile uint32_t *)&cpu->last = now;
    tlog_port_clear_exclusive();'
bug "stamp that was overtaken" target/src/tlog_ring.h unique '->last != claimed) {' '->last != claimed && false) {'
bug "high word by the clock alone" target/src/tlog_ring.c unique 'high ^ tlog_ring_time(cpu)' \
    'high ^ tlog_port_now_at(cpu->clock)'
bug "last stamp left behind" target/src/tlog_ring.c unique '    tlog_ring_advance_last(cpu);
    do' '    do'

seeded_end
