"""check.py - checks that the time of each event in the decoder's text is the 64-bit time that the event carries in its
parameters, or up to SLACK ticks later.

usage: check.py TEXT HZ SLACK     (HZ: ticks per second)"""
import re, sys

hz, slack = int(sys.argv[2]), int(sys.argv[3])
n, before, wraps = 0, -1, set()
for line in open(sys.argv[1]):
    if line == "cpus=1\n":
        continue
    m = re.search(r" (\d+)\.(\d{9}): (?:shark:user_event_0: par1=(\d+) par2=(\d+)"
                  r"|qnx:user: event=7 d0=(\S+) d1=(\S+))", line)
    assert m, line
    ticks = (int(m[3] or m[5], 0) << 32) + int(m[4] or m[6], 0)
    ns = int(m[1]) * 10**9 + int(m[2])
    least, most = ticks * 10**9 // hz, (ticks + slack) * 10**9 // hz
    assert least <= ns <= most, "%s: %d ns, should be %d" % (line, ns, least)
    assert ns >= before
    before = ns
    n += 1
    wraps.add(ticks >> 32)
assert n >= 7 * 6 * 2 + 7 * 3 and len(wraps) >= 12, (n, wraps)
