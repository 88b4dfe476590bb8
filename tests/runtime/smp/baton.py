#!/usr/bin/env python3
"""baton.py - checks that TEXT, decoded from DUMP of tests/runtime/smp/baton.c, has each event of each CPU on one
timeline in the order of time. It reads the dump as target/FORMAT.md says and uses no code of tlog.

usage: baton.py DUMP TEXT CPUS BOARD"""
import collections
import re
import struct
import sys

HZ = {"virt": 62500000, "mps2-an521": 20000000}
dump, text, cpus = open(sys.argv[1], "rb").read(), open(sys.argv[2]).read().splitlines(), int(sys.argv[3])
hz = HZ[sys.argv[4]]
events = collections.defaultdict(list)  # by CPU: (ticks, kind, par1, par2)
overwritten = dropped = 0
boots, names = set(), 0

at = dump.find(struct.pack("<II", 0x00D6B7ED, 0x474F4C54))
while at >= 0:
    word = struct.unpack_from("<32I", dump, at)
    slots, (place, boot) = word[4], (word[3], word[12])
    check = sum((w ^ w >> 16) * pow(0x9E3779B1, i + 1, 2**32) for i, w in enumerate(word[:15]))
    assert check % 2**32 == word[15] and word[7] == hz
    boots.add(boot)
    cpu, role, lap, cursor = place & 0xFF, place >> 16 & 0xFF, word[29], word[28]
    laps, index = lap >> 16, cursor >> 16
    seal = at + 128 + 16 * (slots + 1) + 32
    assert struct.unpack_from("<I", dump, seal)[0] == 0x4C414553, "every chunk is sealed"
    if role == 1:
        names += index > 1
    else:
        assert cursor & 0x300 == 0x300, "the dump has parked the only chunk"
        assert lap & 0x300 == (1 if laps & 1 else 2) << 8, "its lap is counted"
        wraps = None
        order = ([range(index, slots + 1)] if laps > 1 else []) + [range(1, index)]
        found = []
        for n, part in zip(range(laps + 1 - len(order), laps + 1), order):
            for i in part:
                first, second, low, head = struct.unpack_from("<4I", dump, at + 112 + 16 * i)
                assert head >> 8 & 3 == (1 if n & 1 else 2), "no slot is unfinished"
                if head >> 10 & 31 == 0:
                    assert second >> 31 == low >> 31
                    found.append(((second & 0x7FFFFFFF) << 32 | low, head & 0xFF, head >> 16, first))
                elif head >> 10 & 31 == 6:
                    # A traceevent has the low half of the time; the test is shorter than one wrap of it.
                    found.append((low, 6, first, second))
        # The dump's pause begins behind the last event; its length is told behind the dump.
        assert [e[1:] for e in found if e[1] in (0x20, 0x30, 0xFF)] == [found[-1][1:]] == [(0x30, 0, 0)]
        events[cpu] += found
        kept = sum(len(part) for part in order)
        overwritten += (laps - 1) * slots + index - 1 - kept
        dropped += word[30]
    at = dump.find(struct.pack("<II", 0x00D6B7ED, 0x474F4C54), at + 16)

assert len(events) == cpus and len(boots) == 1 and names == cpus and dropped == 0, (len(events), boots, names)
high = max(e[0] for one in events.values() for e in one) >> 32
wanted = collections.Counter()
for cpu, one in events.items():
    one = [(t if kind != 6 else t | high << 32, kind, a, b) for t, kind, a, b in one]
    assert [e[0] for e in one] == sorted(e[0] for e in one), "a ring is in the order of time"
    wanted.update((cpu, round(t * 1000000000 / hz), kind, a, b) for t, kind, a, b in one)

pattern = re.compile(
    r"\[(\d+)\].*? (\d+)\.(\d{9}): "
    r"(?:shark:user_event_([01]): par1=(\d+) par2=(\d+)|qnx:user: .*|shark:trace_stop: par1=0 par2=0)$"
)
got, last, numbers = collections.Counter(), 0, []
for line in text:
    match = pattern.search(line)
    if not match:
        assert not re.search("user|trace_st", line), line
        continue
    time = int(match[2]) * 1000000000 + int(match[3])
    assert time >= last, line
    last = time
    if "trace_stop" in line:
        got[int(match[1]), time, 0x30, 0, 0] += 1
    elif match[4] is None:
        data = re.findall(r"=(\w+)", line)
        got[int(match[1]), time, 6, int(data[-2], 0), int(data[-1], 0)] += 1
    else:
        got[int(match[1]), time, 0x09 if match[4] == "0" else 0x19, int(match[5]), int(match[6])] += 1
    if match[4] == "0":
        numbers.append((int(match[6]), time, int(match[1])))


def near(a, b):
    """Whether both are the same events, with times that differ by at most 1 ns, which rounding may cause."""
    return sorted(a.elements()) == sorted(b.elements()) or all(
        x[0] == y[0] and x[2:] == y[2:] and abs(x[1] - y[1]) <= 1
        for x, y in zip(sorted(a.elements()), sorted(b.elements()))
    ) and sum(a.values()) == sum(b.values())


assert near(wanted, got), (list((wanted - got).elements())[:3], list((got - wanted).elements())[:3])
for (n, t, cpu), (m, u, _) in zip(numbers, numbers[1:]):
    assert (n < m if overwritten else n + 1 == m) or t == u, (n, m)
    assert cpu == n % cpus, (n, cpu)
assert numbers[-1][0] == 1499
print(sum(got.values()), "events of", cpus, "CPUs,", overwritten, "overwritten,", len(numbers), "handed on")
