"""rates.py BUILD FIRST LATER TRUTH TOP - check the times in two dumps of a run of rates.c, in which the rate changes.

Each event's ns must be what the marks tell, computed here by fractions from what tests/judges/native.py reads; be near
the truth, which knows the ticks and the rates; be the same in both dumps, and in files of other formats. TOP yes: each
bit of marks is damaged, one at a time, in a dump without seals: no time may change by a tick, and the damage must be
told."""
import json
import re
import subprocess
import sys
from fractions import Fraction

sys.path.insert(0, "tests/judges")
import native

NS, STEPS = 10**9, 20000       # STEPS: ticks that a call takes at most, and the first event, which formats memory
EVENT = re.compile(r" (\d+)\.(\d{9}): (?:\S+ event=8 text=)?shark:user_event_0:? par1=(\d+) par2=(\d+)")


def decode(build, path, *options):
    run = subprocess.run([build + "/tlog-decode", "--format=text-full", *options, path], capture_output=True, text=True)
    return ({int(m[3]) << 16 | int(m[4]) & 0xFFFF: int(m[1]) * NS + int(m[2]) for m in EVENT.finditer(run.stdout)},
            run.stderr)


def marks_of(trace):
    """[(ticks, time in ns, rate before, rate)]"""
    found = []
    for words in trace.marks:
        check = 0
        for word in words[:7]:
            check = (check ^ word) * 0x9E3779B1 & 0xFFFFFFFF
            check = check << 15 & 0xFFFFFFFF | check >> 17
        assert check == words[7], words
        ns = (words[3] << 32 | words[2]) + Fraction(words[4], 1 << 32)
        found.append((words[0] << 32 | words[1], ns, words[5] or words[6], words[6]))
    return sorted(found)


def time_of(ticks, marks):
    """In ns. A mark's fraction is rounded down, so a little is added."""
    at = [m for m in marks if m[0] <= ticks]
    ns = at[-1][1] + Fraction((ticks - at[-1][0]) * NS, at[-1][3]) if at \
        else marks[0][1] - Fraction((marks[0][0] - ticks) * NS, marks[0][2])
    return max(0, int(ns + Fraction(1, 65536)))


def check_marks(build, path):
    """Returns {number: ns} of a dump, with its marks."""
    with open(path, "rb") as file:
        trace = native.decode(file.read())
    found, said = decode(build, path)
    assert "damaged 0" in said and "mark" not in said, said
    marks = marks_of(trace)
    for before, mark in zip(marks, marks[1:]):
        step = mark[1] - before[1] - Fraction((mark[0] - before[0]) * NS, before[3])
        assert before[3] == mark[2] and -Fraction(2, 1 << 32) < step <= 0, (before, mark, step)
    events = {item[3] << 16 | item[4] & 0xFFFF: item[0] for item in trace.items[0] if item[1:3] == ("record", 9)}
    assert events.keys() == found.keys() and events
    for number, ticks in events.items():
        assert abs(found[number] - time_of(ticks, marks)) <= 0, (path, number, found[number], time_of(ticks, marks))
    return found, marks


def truth(path):
    """{number: (earliest time, latest time)}"""
    times, at, low, high, rate = {}, 0, Fraction(0), Fraction(0), Fraction(16000000)
    for line in open(path, encoding="ascii"):
        kind, *numbers = line.split()
        numbers = [int(n) for n in numbers]
        span = [Fraction(0), Fraction(0)]
        if kind == "event":
            step = Fraction((numbers[1] - at) * NS) / rate
            low, high, at = low + step, high + step, numbers[1]
            slow = Fraction(STEPS * NS) / rate
            times[numbers[0]] = low - slow, high + slow
            continue
        step, more = Fraction((numbers[1] - at) * NS) / rate, Fraction((numbers[2] - numbers[1]) * NS)
        span = sorted((more / rate, more / numbers[0]))
        low, high, at, rate = low + step + span[0], high + step + span[1], numbers[2], Fraction(numbers[0])
    return times


def check_formats(build, path, right):
    for name, option in ("trace.dat", "trace.dat"), ("kev", "kev"), ("lttng", "lttng"):
        to = path + "." + name
        subprocess.run(["rm", "-rf", to], check=True)
        subprocess.run([build + "/tlog-decode", "-q", "--map=native", "--format=" + option, "-o", to, path], check=True)
        found = decode(build, to)[0]
        assert found == right, (name, len(found), len(right), list(found.items())[:2], list(right.items())[:2])
    rows = subprocess.run([build + "/tlog-decode", "-q", "--map=native", "--format=jsonl", path], check=True,
                          capture_output=True, text=True).stdout
    assert sorted(right.values()) == [row["time_ns"] for row in map(json.loads, rows.splitlines())
                                      if row.get("event", row.get("name")) == "user_event_0"]


def check_damage(build, path, right, marks):
    with open(path, "rb") as file:
        dump = bytearray(file.read())
    seals = [m.start() for m in re.finditer(rb"SEAL", dump)]
    for at in seals:
        dump[at:at + 4] = bytes(4)
    heads = [at for at in range(12, len(dump) - 52, 4)
             if int.from_bytes(dump[at:at + 4], "little") & ~0x300 == 0x40010408]
    slowest = NS // min(m[3] for m in marks) + 1
    n = 0
    for head in heads:
        low = int.from_bytes(dump[head - 8:head - 4], "little")
        first = marks[0][1] if low == marks[0][0] & 0xFFFFFFFF else 0       # nothing else tells the rate ahead of it
        for bit in range(0, 4 * 128, 7):
            at = head - 12 + bit // 8
            dump[at] ^= 1 << bit % 8
            with open(path + ".bad", "wb") as file:
                file.write(dump)
            found, said = decode(build, path + ".bad")
            wrong = [k for k in found if k in right and right[k] >= first and abs(found[k] - right[k]) > slowest]
            assert not wrong and len(found) >= len(right) - 3, (head, bit, wrong[:3], said)
            assert "damage" in said or found == right, (head, bit, said)
            dump[at] ^= 1 << bit % 8
            n += 1
    print("%d damaged marks" % n)


def main():
    build, first, later, path, top = sys.argv[1:]
    true, all_found = truth(path), []
    for dump in first, later:
        found, marks = check_marks(build, dump)
        all_found.append(found)
        for number, ns in found.items():
            assert true[number][0] <= ns <= true[number][1], (dump, number, ns, [float(t) for t in true[number]])
    both = all_found[0].keys() & all_found[1].keys()
    assert all(all_found[0][k] == all_found[1][k] for k in both)
    check_formats(build, later, all_found[1])
    if top == "yes":
        check_damage(build, later, all_found[1], marks)
    print("%d and %d events, %d in both, %d marks" % (len(all_found[0]), len(all_found[1]), len(both), len(marks)))


main()
