#!/usr/bin/env python3
"""check.py - checks that the lines of TEXT are the events that tests/system/event/app.c logged, in order; or the last
ones of them if the ring, of SLOTS slots, was too small for all.

usage: check.py TEXT SLOTS"""
import re
import sys

EVENTS = 2000


def number(n):
    """The regular expression that the line of event n must match."""
    words = [n * 100 + i for i in range(20)]
    return [
        r"shark:user_event_0: .*par2=%d\b" % n,
        r"qnx:user: .*event=1 .*=%d .*=%d\b" % (n, ~n & 0xFFFFFFFF),
        r"qnx:user_data: .*event=1000 .*" + ".*".join(r"\b0*%x\b" % w for w in words),
        r"qnx:user_string: .*event=2 .*number %04d" % n,
        r"qnx:user_words4: .*event=3 .*" + " ".join(r"d%d=(0x)?%x\b" % w for w in enumerate(words[:3] + [0])),
        r"qnx:user_words6: .*event=4 .*" + " ".join(
            r"d%d=(0x)?%x\b" % w for w in enumerate(words[:4] + [words[4] & 0xFF])),
        r"qnx:COMM_\w+: scoid=0x%x pid=5\b" % n,
    ][n % 7]


lines = [line for line in open(sys.argv[1]) if re.search(r"shark:|qnx:", line)]
assert "trace_stop" in lines.pop()  # by the dump
first = EVENTS - len(lines)
seen = set()
for at, line in enumerate(lines, first):
    # An interrupt between taking a number and logging it logs three events with later numbers first.
    near = [n for n in range(max(0, at - 6), min(EVENTS, at + 7)) if n not in seen and re.search(number(n), line)]
    assert len(near) == 1, (at, near, line)
    seen.add(near[0])
assert (first == 0) == (int(sys.argv[2]) > EVENTS), first
print(len(seen), "events, from", first)
