"""gap.py - checks the times of events around a gap in dumps of gap.c; each event carries its own in its parameters.
Every seventh dump is also decoded by tests/judges/native.py, which must agree.

usage: gap.py BUILD HZ EVENTS exact|behind|short DUMP...     (HZ: ticks per second; EVENTS: how many there are at least)

exact: all times are right. behind: those behind the gap are; nothing tells when the others were. short: those behind
the gap are right but for whole wraps; where the clock steps back there, a wrap is marked. A message tells how many
wraps are marked, always."""
import re
import subprocess
import sys

sys.path.insert(0, "tests/judges")
import native_compare

SLACK = 400                    # ticks: each access to memory takes one, and the event may format slots of lap 1
WRAP = 1 << 32
EVENT = re.compile(r" (\d+)\.(\d{9}): (?:shark:user_event_0: par1=(\d+) par2=(\d+)"
                   r"|qnx:user: event=7 d0=(\S+) d1=(\S+)|tlog:unseen_wrap: wraps=([1-9][0-9]*))")
NOTE = re.compile(r": CPU 0: the clock wrapped unseen (at least )?(\d+) times? at (\d+) place")


def read(text, hz):
    """([(true time, wraps that are missing)], [wraps of each mark]) of the decoder's text."""
    events, marks, before = [], [], -1
    for line in text.splitlines()[1:]:
        if re.search("EVENTS DROPPED|shark:trace_st|tlog:pause", line):
            continue
        m = EVENT.search(line)
        assert m, line
        ns = int(m[1]) * 10**9 + int(m[2])
        assert ns >= before, line
        before = ns
        if m[7]:
            marks.append(int(m[7]))
            continue
        told, true = -(-ns * hz // 10**9), (int(m[3] or m[5], 0) << 32) + int(m[4] or m[6], 0)
        assert (told - true + 5) % WRAP <= SLACK + 5, line
        events.append((true, (true - told + WRAP // 2) // WRAP))
    return events, marks


def check(build, path, hz, least, kind):
    done = subprocess.run([build + "/tlog-decode", "--map=native", "--format=text-full", path, "-o", "-"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    events, marks = read(done.stdout, hz)
    assert least <= len(events) <= 200 and "damaged 0" in done.stderr, done.stderr
    notes = NOTE.findall(done.stderr)
    assert sum(marks) == sum(int(n) for _, n, _ in notes), (marks, done.stderr)
    assert len(marks) == sum(int(places) for _, _, places in notes), (marks, done.stderr)
    gap = max(range(1, len(events)), key=lambda k: events[k][0] - events[k - 1][0])
    ahead, behind = events[gap - 1][0], events[gap][0]
    if kind == "short":
        back = not (ahead ^ behind) >> 31 & 1 and behind % WRAP < ahead % WRAP
        assert len({e[1] for e in events[gap:]}) == 1 and not any(e[1] for e in events[:gap]), events
        assert marks == [1] * back and [n[0] for n in notes] == ["at least "] * back, (marks, back, done.stderr)
        return
    wrong = [e for e in (events[gap:] if kind == "behind" else events) if e[1]]
    assert not wrong, "%d of %d events lack %s wraps" % (len(wrong), len(events), {e[1] for e in wrong})
    assert len(marks) <= 1 and not any(n[0] for n in notes), (marks, done.stderr)


def main():
    build, hz, least, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    for i, path in enumerate(sys.argv[5:]):
        try:
            check(build, path, hz, least, kind)
            found = native_compare.differences(native_compare.of_decoder(build + "/tlog-decode", path),
                                               native_compare.of_python(open(path, "rb").read())) if i % 7 == 0 else []
            assert not found, found
        except AssertionError:
            print(path)
            raise
    assert i == 55


main()
