#!/bin/sh
# seeded_target.sh - builds the runtime for the target with one mistake at a time; a sweep (tests/runtime/sweep) must
# notice each. For the tests on this machine see seeded.sh.
# usage: seeded_target.sh BUILD [WORD | --applies]
# Judge: the sweep on the target.
#
# WORD: only bugs whose name holds the word. --applies: only check that the text that each bug replaces is still in the
# code. A bug is a name, a board, a configuration of the sweep as CONFIG[:PART[:SET]] (see sweep.sh), a file, a text in
# that file and its replacement; the text must occur exactly once.
set -eu
. tests/lib/needs.sh
needs python3
. tests/strength/seeded_lib.sh
mkdir -p "$1"
seeded_begin "$0" "$(cd "$1" && pwd)/test/seeded_target" "${2:-}"

# sweep_in FOLDER: build $elf there, from the code in that folder
sweep_in() {
    rm -rf "$1/build" && mkdir -p "$1/host" && cp host/module.mk "$1/host/" && cp -r Makefile tests "$1/" &&
        make -s -C "$1" "SWEEP_PART=$part" "BOARD=$board" "BUILD=$1/build" "$1/build/$elf" >/dev/null
}

# bug NAME BOARD CONFIG FILE OLD NEW [OLD NEW]...: build the sweep with that bug, run it, and print how it noticed
bug() {
    name=$1 board=$2 expects=$2-$3 config=${3%%:*} file=$4
    part=$(echo "$3:1" | cut -d: -f2) set=$(echo "$3:1:1" | cut -d: -f3)
    elf=$board/sweep-O2-$config.elf
    shift 4
    seeded_bug "$name" "$file" "$@" || return 0
    # sram-size is for microbit: see tests/runtime/sweep/microbit.ld
    qemu="qemu-system-arm -M $board -display none -monitor none -serial none -global nrf51-soc.sram-size=65536
        -icount shift=6 -semihosting-config enable=on,target=native,arg=$set$set -kernel"
    if [ ! -s "$dir/limit-$expects" ]; then
        mkdir -p "$dir/sound" && cp -r target port linker "$dir/sound/"
        sweep_in "$dir/sound"
        measured "$expects" $qemu "$dir/sound/build/$elf"
    fi
    sweep_in "$dir/new" 2>"$dir/message" || { misfit "DOES NOT BUILD" && return 0; }
    limited "$expects" $qemu "$dir/new/build/$elf"
    judge "$by"
}

stamp='TLOG_PORT_STAMP "teq %[high], %[low]\n\t"'
bug "stamp before the load-exclusive" mps2-an385 lean port/port_v7m.h \
    '"1:\n\t" TLOG_PORT_RESERVE' 'TLOG_PORT_STAMP "mov r12, %[low]\n1:\n\t" TLOG_PORT_RESERVE' \
    "#0x10000\\n\\t\" $stamp" '#0x10000\n\t" "mov %[low], r12\n\tteq %[high], %[low]\n\t"' \
    ': "memory", "cc"
                        : slow' ': "memory", "cc", "r12"
                        : slow'
bug "cursor advanced by a plain store" mps2-an385 lean port/port_v7m.h \
    '"strex " RESULT ", %[step], [%[cursor]]\n"' '"str %[step], [%[cursor]]\n\tmov " RESULT ", #0\n"'
bug "store retried once, then taken as done" mps2-an385 lean port/port_v7m.h \
    ' "\tcbz %[failed], 2f\n\tb 1b\n2:"' ""
bug "head before the payload" mps2-an385 lean target/src/tlog_ring.h \
    '    tlog_port_put_two(at->slot, par2, at->high); /* par2 and the stamp'"'"'s high word are words 0 and 1 */
    at->slot[TLOG_WORD_LOW] = at->low;
    tlog_port_publish();
    tlog_port_head(at->slot, at->cursor + code, par1);' \
    '    tlog_port_head(at->slot, at->cursor + code, par1);
    tlog_port_publish();
    tlog_port_put_two(at->slot, par2, at->high);
    at->slot[TLOG_WORD_LOW] = at->low;'
bug "no lap guard" mps2-an385 lean port/port_v7m.h '"tst %[low], %[step]\n\t"' \
    '"and %[low], %[low], #0x300\n\tcmp %[low], #0x300\n\tbeq " LEAVE "\n\t" \
    "and %[low], %[step], #0x300\n\tcmp %[low], #0x300\n\t"' \
    '"bne " LEAVE' '"beq " LEAVE'
bug "drop counter not atomic" mps2-an385 lean target/src/tlog_ring.c '    uint32_t before;
    do
        before = tlog_port_load_exclusive(word);
    while (tlog_port_store_exclusive(before + n, word));
    return before;' '    uint32_t before = *(volatile uint32_t *)word;
    *(volatile uint32_t *)word = before + n;
    return before;'
bug "lap counted by everybody who switches" mps2-an385 lean target/src/tlog_switch_impl.h \
    'if (tlog_port_load_exclusive(&next->lap) != lap) {' 'if ((void)lap, tlog_port_load_exclusive(&next->lap), 0) {'
bug "park gives up in a lap opened meanwhile" mps2-an385 lean target/src/tlog_ring.c '        if (!is_counted)
            tlog_port_clear_exclusive();' '        if (!is_counted)
            return false;'
bug "loss not parked for when home was left" mps2-an385 ring target/src/tlog_loss.c '!tlog_ring_park(cpu, home, 0))
           && !is_home(cpu, home));' '!tlog_ring_park(cpu, home, 0)) && false);'
bug "no room in a chunk that was opened meanwhile" mps2-an385 lean:12:2 target/src/tlog_ring_impl.h \
    'return !slot_has_tag(chunk, cursor, tag) || cursor != cursor_of(chunk);' \
    'return !slot_has_tag(chunk, cursor, tag);'
bug "padded though the event was logged meanwhile" mps2-an385 event target/src/tlog_event.c \
    '->cursor != now || !is_free)' '->cursor == 0 && is_free)'
bug "lap begun with the time of half a wrap ago" mps2-an385 event target/src/tlog_ring.c \
    'if (TLOG_LAP_SLOTS > 0 && ((reference.at.high ^ reference.at.low) & TLOG_HIGH_MIRROR) != 0) {' \
    'if (TLOG_LAP_SLOTS > 0 && reference.at.slot == 0) {'
bug "interrupts let in instead of put back" microbit lean port/port_v6m.h \
    'home "\n\tmsr primask, lr"' 'home "\n\tcpsie i"'
bug "chunk left by a plain store" mps2-an385 chunk target/src/tlog_ring.c \
    '    } while (!is_counted || tlog_port_store_exclusive(cursor | TLOG_TAG_MASK, &home->cursor));' \
    '    } while (!is_counted);
    tlog_port_clear_exclusive();
    *(volatile uint32_t *)&home->cursor = cursor | TLOG_TAG_MASK;'
bug "lap of a chunk counted by a plain store" mps2-an385 chunk:12 target/src/tlog_ring.c \
    '    } while (tlog_port_store_exclusive((lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP, &chunk->lap));' \
    '    } while (0);
    tlog_port_clear_exclusive();
    *(volatile uint32_t *)&chunk->lap = (lap ^ TLOG_TAG_MASK) + TLOG_LAP_STEP;'
bug "chunk sent again if logged to meanwhile" mps2-an385 chunk:7 target/src/tlog_chunk.c \
    '    int result = sender != NULL ? sender(chunk) : 0;' \
    '    uint32_t cursor = ((volatile struct tlog_chunk *)chunk)->cursor;
    int result = sender ? sender(chunk) : 0;
    if (sender && result == 0 && ((volatile struct tlog_chunk *)chunk)->cursor != cursor)
        result = sender(chunk);'
bug "emergency slot taken twice" mps2-an385 chunk:13 target/src/tlog_loss.c \
    '    } while (is_late || tlog_ring_commit(cpu, claimed, used + n, &home->emergency_used));' \
    '    } while (is_late);
    tlog_port_clear_exclusive();
    *(volatile uint32_t *)&home->emergency_used = used + 1u;'
bug "slots reserved without a watch" microbit ring port/port_v6m.h \
    '"mov %[low], sp\n\t"' '' '"str %[low], [%[free]]\n\t"' ''
bug "lap begun at a slot that is not free" microbit lean port/port_v6m.h \
    '"tst %[step], %[low]\n\t"' '"cmp %[step], %[step]\n\t"'
bug "lap begun that the one before does not lead to" microbit lean port/port_v6m.h \
    '"lsls %[low], %[low], #28\n\t"' '"lsls %[low], %[low], #31\n\t"'
bug "lap begun from where it has begun" microbit lean port/port_v6m.h \
    '"cmp %[step], %[low]\n\t"' '"cmp %[step], #0\n\t"'
bug "lap begun before the last one is counted" microbit lean port/port_v6m.h \
    '"lsls %[low], %[low], #22\n\t"' '"movs %[low], #0\n\t"'
bug "count: not atomic" mps2-an385 event port/port_ldrex.h '"ldrex %[sum], %[word]" TLOG_PORT_FENCE' \
    '"ldr %[sum], %[word]"' '"strex %[failed], %[sum], %[word]" TLOG_PORT_FENCE' \
    '"str %[sum], %[word]\n\tmov %[failed], #0"'
seeded_end
