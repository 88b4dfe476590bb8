#!/bin/sh
# model.sh - lets spin try every interleaving of the ring's models, ring.pml and claim.pml. Right models must have no
# error; in models with a seeded mistake (-DBUG_...) spin must find one. Also checks that the C functions that the
# model describes are still those that it was last compared with. usage: model.sh BUILD [--soak | --tied] Judge: spin.
#
# Prints a line for each configuration: ok or FAILED, and the number of states visited. --soak: also the configurations
# that take long. --tied: compare the C functions only.
set -eu
. tests/lib/needs.sh
needs spin
build=$1/model
soak=${2:-}
model=$PWD/tests/runtime/model/ring.pml
mkdir -p "$build"
failed=0

# The functions that the models describe: file and function.
names="target/src/tlog_ring_impl.h follower
target/src/tlog_ring_impl.h is_free
target/src/tlog_ring_impl.h tlog_ring_count_drop
target/src/tlog_ring.c leads_to
target/src/tlog_ring.c opening_cursor
target/src/tlog_ring.c open_chunk
target/src/tlog_ring.c count_lap
target/src/tlog_ring.c make_home
target/src/tlog_ring.c switch_chunk
target/src/tlog_ring.c tlog_ring_park
target/src/tlog_switch_impl.h find_next
target/src/tlog_switch_impl.h is_lap_counted
target/src/tlog_switch_impl.h has_moved
target/src/tlog_switch_impl.h leads_away
target/src/tlog_switch_impl.h follows_itself
target/src/tlog_switch_impl.h was_left
target/src/tlog_switch_impl.h count_opened
target/src/tlog_switch_impl.h is_usual
target/src/tlog_switch_impl.h open_usual
target/src/tlog_switch_impl.h switch_full
target/src/tlog_ring.c is_stuck
target/src/tlog_ring.c tlog_ring_make_room
target/src/tlog_ring.c log_slowly
target/src/tlog_ring.c switch_and_log
target/src/tlog_ring.c tlog_ring_slow
target/src/tlog_loss.c tlog_ring_close
target/src/tlog_loss.c tlog_ring_drop
target/src/tlog_loss.c tlog_ring_lose
target/src/tlog_loss.c put_record
target/src/tlog_loss.c take_loss
target/src/tlog_loss.c tlog_ring_report
target/src/tlog_ring_impl.h tlog_ring_is_abandoned
target/src/tlog_quiescent.c keep_place
target/src/tlog_claim.c is_abandoned
target/src/tlog_claim.c make_empty
target/src/tlog_claim.c age_of
target/src/tlog_claim.c find_note
target/src/tlog_claim.c is_old
target/src/tlog_claim.c claimed_for
target/src/tlog_claim.c find_free_note
target/src/tlog_claim.c is_there
target/src/tlog_claim.c put
target/src/tlog_claim.c take_back
target/src/tlog_claim.c advance
target/src/tlog_claim.c pass
target/src/tlog_claim.c tlog_ring_pass
target/src/tlog_ring.h tlog_ring_fill
port/port_v6m.h tlog_port_begin_lap
port/port_v7m.h tlog_port_reserve"

# text_of FILE FUNCTION: print the definition of a function, with its white space reduced to single blanks
text_of() {
    awk -v name="$2" '
        !on && $0 ~ "(^|[ *])" name "\\(" && $0 !~ /;$/ { on = 1 }
        on { print }
        on && /^}/ { exit }' "$1" | tr -s ' \n' ' '
}

# sums: print file, function and checksum of each of them
sums() {
    echo "$names" | while read -r file function; do
        [ -n "$(text_of "$file" "$function")" ] || { echo "no function $function in $file" >&2; continue; }
        echo "$file $function $(text_of "$file" "$function" | cksum | cut -d' ' -f1)"
    done
}

# tied BUILD: fail if a checksum is not the one in tests/runtime/model/tied
tied() {
    sums >"$build/tied"
    if ! diff tests/runtime/model/tied "$build/tied" >"$build/tied.diff"; then
        echo "these are not what tests/runtime/model/ring.pml and claim.pml were compared with; compare again, then"
        echo "    sh tests/runtime/model/model.sh $1 --tied; cp $build/tied tests/runtime/model/"
        grep '^[<>]' "$build/tied.diff"
        exit 1
    fi
    echo "$(grep -c . tests/runtime/model/tied) functions are those the model was compared with"
}

# spin_finds EXPECTED DEFINE...: fail unless spin finds EXPECTED errors (0 or 1) in the model with these options
spin_finds() {
    expected=$1
    shift
    (
        cd "$build"
        rm -f pan* ./*.trail
        spin -a "$@" "$model" >spin.out
        gcc "$optimise" -w -DSAFETY -DCOLLAPSE -DMEMLIM=7000 -DVECTORSZ=2048 pan.c -o pan
        # Where a thread is killed, it has not come to its end.
        ./pan $(case "$*" in *-DTELLS=*) echo -E ;; esac) -m3000000 -w24 -n >pan.out
    )
    errors=$(sed -n 's/.*errors: //p' "$build/pan.out")
    states=$(sed -n 's/ states, stored.*//p' "$build/pan.out" | tr -d ' ')
    grep -q 'max search depth too small\|MEMLIM bound\|out of memory' "$build/pan.out" && errors="search not finished"
    verdict=ok
    if [ "$errors" != "$expected" ]; then
        verdict=FAILED
        failed=1
        cp "$build"/*.trail "$build/failed.trail" 2>/dev/null || true
    fi
    printf '%-6s %10s states  %s\n' "$verdict" "$states" "$*"
}
# A seeded mistake is found soon; to compile the search takes longer than to run it.
right() { optimise=-O2 spin_finds 0 "$@"; }
wrong() { optimise=-O0 spin_finds 1 "$@"; }

tied "$1"
[ "$soak" = --tied ] && exit

right -DCHUNKS=1 -DSLOTS=1 -DLOGS=3 -DTIMES=2
right -DCHUNKS=1 -DSLOTS=2 -DLOGS=4 -DTIMES=2
right -DCHUNKS=2 -DSLOTS=1 -DLOGS=3 -DTIMES=2
right -DCHUNKS=3 -DSLOTS=2 -DLOGS=7
right -DCHUNKS=2 -DSLOTS=2 -DLOGS=6 -DSTOP=1
right -DREADER -DLEVELS=1 -DCHUNKS=1 -DSLOTS=2 -DLOGS=5
wrong -DBUG_STAMP_BEFORE_WATCH -DCHUNKS=1 -DLOGS=3
wrong -DBUG_PLAIN_HEAD -DCHUNKS=1 -DLOGS=3
wrong -DBUG_HEAD_FIRST -DCHUNKS=1 -DLOGS=3
wrong -DBUG_NO_LAP_GUARD -DCHUNKS=1 -DSLOTS=1 -DLOGS=4
wrong -DBUG_LAP_COUNTED_TWICE -DCHUNKS=1 -DSLOTS=2 -DLOGS=3
wrong -DBUG_HOME_GONE_BACK_TO -DCHUNKS=3 -DSLOTS=2 -DLOGS=7
wrong -DBUG_HOME_CLOSED -DCHUNKS=2 -DSLOTS=1 -DLOGS=4 -DTIMES=2
wrong -DBUG_PLAIN_ADD -DCHUNKS=1 -DSLOTS=1 -DLEVELS=3
wrong -DBUG_NO_ROOM_WHEN_MOVED -DCHUNKS=1 -DSLOTS=2 -DLOGS=4 -DTIMES=2
wrong -DBUG_LOSS_NOT_PUT_BACK -DREFUSES=1 -DCHUNKS=1 -DSLOTS=2 -DLOGS=3
right -DREFUSES=1 -DCHUNKS=1 -DSLOTS=2 -DLOGS=3
right -DREFUSES=1 -DCHUNKS=2 -DSLOTS=1 -DLOGS=3
wrong -DBUG_DUMP_WITHOUT_SEAL -DREADER -DLEVELS=1 -DCHUNKS=1 -DSLOTS=1 -DLOGS=3
if [ "$soak" = --soak ]; then
    right -DCHUNKS=1 -DSLOTS=2 -DLEVELS=3 -DLOGS=3
    right -DCHUNKS=1 -DSLOTS=1 -DLEVELS=3 -DLOGS=2 -DTIMES=2 -DTOP=1
    right -DCHUNKS=2 -DSLOTS=1 -DLEVELS=3 -DLOGS=3
    right -DREADER -DLEVELS=2 -DCHUNKS=2 -DSLOTS=2 -DLOGS=3
    wrong -DBUG_OPENED_FROM_ANYWHERE -DCHUNKS=3 -DSLOTS=1 -DLOGS=4 -DTIMES=2
    wrong -DBUG_LOSS_TOLD_TWICE -DCHUNKS=1 -DSLOTS=1 -DLEVELS=3 -DLOGS=2 -DTIMES=2 -DTOP=1
fi

# Writers that go past slots whose owners do not come back.
model=$PWD/tests/runtime/model/claim.pml
right -DSLOTS=2 -DLOGS=8 -DLOGS_1=2
right -DSLOTS=3 -DNOTES=1 -DLOGS=13 -DLOGS_1=3
right -DREFUSES=1 -DSLOTS=2 -DLOGS=4
right -DCHUNKS=2 -DSLOTS=1 -DLOGS=5 -DLOGS_1=2
right -DCHUNKS=2 -DSLOTS=2 -DREFUSES=1 -DLOGS=10 -DLOGS_1=2
right -DCHUNKS=2 -DSLOTS=2 -DSTOP=1 -DLOGS=4
right -DTHREADS=3 -DSLOTS=2 -DLOGS=2 -DLOGS_1=1
right -DKILLS=1 -DCHUNKS=2 -DSLOTS=1 -DLOGS=5 -DLOGS_1=2
right -DKILLS=1 -DPARTS=2 -DPARTS_1=2 -DSLOTS=3 -DLOGS=4 -DLOGS_1=1
right -DCHUNKS=2 -DPARTS=2 -DPARTS_1=2 -DSLOTS=2 -DLOGS=3 -DLOGS_1=1
right -DDEAD=1 -DSLOTS=3 -DNOTES=1 -DLOGS=8 -DLOGS_1=3
right -DLAPS_APART=4 -DSLOTS=2 -DLOGS=24 -DLOGS_1=2
right -DCPUS=2 -DCHUNKS=2 -DSLOTS=2 -DLOGS=5 -DLOGS_1=2
right -DTELLS=2 -DKILLS=1 -DSLOTS=2 -DLOGS=5 -DLOGS_1=2
right -DTELLS=1 -DCPUS=2 -DKILLS=1 -DSLOTS=2 -DLOGS=4 -DLOGS_1=2
wrong -DBUG_TOLD_IN_A_CALL -DTELLS=1 -DKILLS=1 -DSLOTS=2 -DLOGS=5 -DLOGS_1=2
wrong -DBUG_TOLD_A_LAP_EARLY -DTELLS=1 -DKILLS=1 -DSLOTS=2 -DLOGS=5 -DLOGS_1=2
wrong -DBUG_TOLD_SLOT_TOO -DTELLS=1 -DKILLS=1 -DSLOTS=2 -DLOGS=5 -DLOGS_1=2
wrong -DBUG_NO_PARK -DSLOTS=2 -DLOGS=8 -DLOGS_1=2
wrong -DBUG_NO_RENEWAL -DSLOTS=2 -DLOGS=8 -DLOGS_1=2
wrong -DBUG_NOTE_FIRST -DSLOTS=2 -DLOGS=8 -DLOGS_1=2
wrong -DBUG_OPEN_NOTED -DSLOTS=2 -DLOGS=8 -DLOGS_1=2
wrong -DBUG_READER_IGNORES_K -DSLOTS=2 -DLOGS=8 -DLOGS_1=2
wrong -DBUG_STALE_BELIEVED -DSLOTS=2 -DLOGS=8 -DLOGS_1=2
wrong -DBUG_NOT_CLEARED -DLAPS_APART=4 -DSLOTS=2 -DLOGS=14 -DLOGS_1=2
wrong -DBUG_HEAD_FIRST -DPARTS=2 -DPARTS_1=2 -DSLOTS=3 -DLOGS=2
wrong -DBUG_NO_YIELD -DDEAD=1 -DSLOTS=3 -DNOTES=1 -DLOGS=8 -DLOGS_1=3
wrong -DBUG_NO_CPU_CHECK -DCPUS=2 -DSLOTS=2 -DLOGS=4 -DLOGS_1=2
wrong -DDEAD=1 -DTHREADS=3 -DNOTES=1 -DSLOTS=3 -DLOGS=3 -DLOGS_1=2
if [ "$soak" = --soak ]; then
    right -DKILLS=1 -DSLOTS=2 -DREFUSES=1 -DLOGS=6
    right -DPARTS=3 -DPARTS_1=3 -DSLOTS=4 -DLOGS=4 -DLOGS_1=1
    right -DUNLISTED=1 -DTHREADS=3 -DNOTES=1 -DSLOTS=2 -DLOGS=2 -DLOGS_1=1
    right -DCPUS=2 -DSLOTS=1 -DLOGS=4 -DLOGS_1=2
    right -DSLOTS=1 -DLOGS=5
    right -DTHREADS=3 -DSLOTS=2 -DLOGS=3 -DLOGS_1=1
    right -DPARTS=2 -DSLOTS=3 -DLOGS=4 -DLOGS_1=2
    right -DDEAD=2 -DSLOTS=4 -DNOTES=1 -DLOGS=10 -DLOGS_1=3
fi
exit $failed
