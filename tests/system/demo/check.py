#!/usr/bin/env python3
"""check.py - compares the events in trace-cmd's report of the demo with the events that the firmware noted itself.

usage: check.py expect.bin report.txt names.txt LOST

tests/system/demo/expect.h describes expect.bin. report.txt is the output of `trace-cmd report -t -R` for a trace.dat
made with --map=native. names.txt has a line "code name" for each event. LOST is how many of the firmware's events are
missing in the report, exactly: those that the ring overwrote or dropped."""
import collections
import re
import struct
import sys


def expectation(path):
    words = struct.unpack("<%dI" % (len(open(path, "rb").read()) // 4), open(path, "rb").read())
    magic, version, per_note, notes, no_room, hz = words[:6]
    assert (magic, version, per_note, no_room) == (0x54505845, 1, 5, 0), words[:6]
    assert len(words) == 6 + 5 * notes
    return hz, [words[6 + 5 * i : 11 + 5 * i] for i in range(notes)]


def reported(path, codes):
    line = re.compile(r"^ *(.+)-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): (\w+): +(.*)$")
    events = []
    for text in open(path):
        if text.startswith("cpus=") or "EVENTS DROPPED]" in text:
            continue
        match = line.match(text)
        assert match, text
        pairs = re.findall(r"(\w+)=(0x[0-9a-f]+|\d*)", match.group(7))
        assert len(pairs) == 2, text
        if pairs[1][0] == "par1" or match.group(6) == "interrupt_count":
            pairs.reverse()  # the decoder shows a first parameter without a meaning last
        values = [int(value or "0", 0) for _, value in pairs]
        events.append((int(match.group(4)) * 10**9 + int(match.group(5)), codes[match.group(6)], *values))
    return events


def main():
    expect, report, names, lost = sys.argv[1:5]
    lost = int(lost)
    codes = {name: int(code, 16) for code, name in (text.split() for text in open(names))}
    hz, notes = expectation(expect)
    events = reported(report, codes)
    assert len(events) + lost == len(notes), (len(events), lost, len(notes))

    # A stamp fits a note if it lies between the note's two readings of the clock, modulo 2**32. Sorting by the first
    # reading is right because the clock does not wrap in this run.
    notes.sort(key=lambda note: note[3])
    pool = collections.defaultdict(list)
    for note in notes:
        pool[tuple(note[:3])].append(note)
    last = 0
    for time, code, par1, par2 in events:
        assert time >= last
        last = time
        candidates = pool[(code, par1 & 0xFFFF, par2)]
        ticks = time * hz // 10**9
        fit = [n for n in candidates if (ticks - n[3]) % 2**32 < 2**31 and (n[4] - ticks) % 2**32 < 2**31]
        assert fit, ("not logged", time, hex(code), par1, par2)
        candidates.remove(fit[0])
    left = sum(len(v) for v in pool.values())
    assert left == lost, (left, lost)
    print("%d events: each one the firmware logged, stamped within its call; %d overwritten" % (len(events), lost))


main()
