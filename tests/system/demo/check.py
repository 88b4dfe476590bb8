#!/usr/bin/env python3
"""check.py - compares the events in trace-cmd's report of the demo with the events that the firmware noted itself.

usage: check.py expect.bin report.txt names.txt LOST

tests/system/demo/expect.h describes expect.bin. report.txt is the output of `trace-cmd report -t -R` for a trace.dat
made with --map=native and --elf. names.txt has a line "code name" for each event. LOST is how many of the firmware's
events are missing in the report, exactly: those that the ring overwrote or dropped."""
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


# The last fields of a span's beginning and end, which the decoder computes.
SPAN = ["depth"], ["depth", "begun"]


def check_span(begun, time, name, values):
    """No span of the demo begins within another one, and each ends in the task that began it."""
    if name.endswith("_begin"):
        assert values == [0], (time, name, values)
        begun[name] = time
    else:
        since = begun.pop(name.replace("_end", "_begin"), None)
        assert values == ([0, 0, 0] if since is None else [time - since, 0, 1]), (time, name, values)


def reported(path, codes):
    line = re.compile(r"^ *(.+)-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): (\w+): +(.*)$")
    events, begun = [], {}
    for text in open(path):
        if text.startswith("cpus=") or "EVENTS DROPPED]" in text:
            continue
        match = line.match(text)
        assert match, text
        name = match.group(6)
        pairs = re.findall(r"(\w+)=(0x[0-9a-f]+|-?\d*)", match.group(7))
        if pairs[-1][0] == "par1":
            pairs.reverse()  # the decoder shows a first parameter without a meaning last
        values = [int(value or "0", 0) for _, value in pairs]
        time = int(match.group(4)) * 10**9 + int(match.group(5))
        if [field for field, _ in pairs][-2:] in SPAN:
            check_span(begun, time, name, values)
            values = [0, 0]
        elif name == "queue_depth":  # a counter has one field
            values.append(0)
        assert len(values) == 2, text
        events.append((time, codes[name], *values))
    return events


def main():
    expect, report, names, lost = sys.argv[1:5]
    lost = int(lost)
    codes = {name: int(code, 16) for code, name in (text.split() for text in open(names))}
    hz, notes = expectation(expect)
    events = reported(report, codes)
    if events[-1][1] == 0x30:
        events.pop()  # the mark of the dump
    else:
        assert lost > 0, "the dump has no mark, though the ring has not stopped"
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
        candidates = pool[(code, par1 & 0xFFFF if code < 0x100 else par1, par2)]
        ticks = time * hz // 10**9
        fit = [n for n in candidates if (ticks - n[3]) % 2**32 < 2**31 and (n[4] - ticks) % 2**32 < 2**31]
        assert fit, ("not logged", time, hex(code), par1, par2)
        candidates.remove(fit[0])
    left = sum(len(v) for v in pool.values())
    assert left == lost, (left, lost)
    print("%d events: each one the firmware logged, stamped within its call; %d overwritten" % (len(events), lost))


main()
