"""merge.py - checks that the events of two boards (tests/system/merge/board.c) are right on one timeline. It reads the
dumps as target/FORMAT.md says and uses no code of tlog.

usage: merge.py A.bin B.bin FIRST EVENTS OFFSET PPM <LINES

LINES are "NS CPU-OR-STREAM NAME PAR1 PAR2" in the order in which a viewer shows them. FIRST: when the day begins, in ms
of A's clock. EVENTS: how many events both boards log in turns. Three checks: each event of the dumps is there once, at
the time that an exact least-squares fit through the sync events gives; the events are in the order of the firmware's
numbers; offset (OFFSET, ms) and drift (PPM) are those that the firmware was built with."""
import struct
import sys
from fractions import Fraction

SYNC, EVENT = 0x09, 0x19


def records(path):
    """(ns, code, par1, par2) of all records of the first lap in the dump's chunks of events."""
    data = open(path, "rb").read()
    found = []
    at = data.find(struct.pack("<I4s", 0x00D6B7ED, b"TLOG"))
    while at >= 0:
        place, slots, _, _, freq = struct.unpack_from("<5I", data, at + 12)
        for i in range(slots if place >> 16 & 0xFF == 0 else 0):
            par2, high, low, head = struct.unpack_from("<4I", data, at + 128 + 16 * i)
            if head & 0x7FFF and head >> 8 & 3 == 1 and not head & 0x7C00 and head & 0xFF not in (0, 0xFF):
                ticks = (high & 0x7FFFFFFF) << 32 | low
                found.append((ticks * 10**9 // freq, head & 0xFF, head >> 16, par2))
        at = data.find(struct.pack("<I4s", 0x00D6B7ED, b"TLOG"), at + 1)
    return found


def fit(a, b):
    """Drift, offset(t) of b's clock in ns, and number of pairs: least squares over the pairs, in exact fractions."""
    pairs = [(b[n], Fraction(a[n] - b[n])) for n in sorted(a) if n in b]
    count = len(pairs)
    mean_t = Fraction(sum(t for t, _ in pairs), count)
    mean_d = sum(d for _, d in pairs) / count
    square = sum((t - mean_t) ** 2 for t, _ in pairs)
    drift = sum((t - mean_t) * (d - mean_d) for t, d in pairs) / square if square else Fraction(0)
    return drift, lambda t: mean_d + drift * (t - mean_t), count


def main():
    first, want_events, want_offset, want_ppm = (float(word) for word in sys.argv[3:7])
    boards = [records(path) for path in sys.argv[1:3]]
    syncs = [{r[3]: r[0] for r in board if r[1] == SYNC} for board in boards]
    drift, offset, pairs = fit(*syncs)
    middle = sorted(syncs[1].values())[0]
    assert abs(float(offset(middle)) / 1e6 - want_offset) < 0.05 * abs(want_offset) + 1, float(offset(middle))
    # In the first lap a stamp may be late by some hundred instructions of 64 ns, in a day of 240 ms.
    assert abs(float(drift) * 1e6 - want_ppm) < 40, float(drift) * 1e6
    expected = {}
    for board, rows in enumerate(boards):
        for ns, code, par1, par2 in rows:
            if code in (SYNC, EVENT):
                expected[(code, par1, par2)] = (board, ns + (float(offset(ns)) if board else 0.0))
    seen, before, order = set(), 0, []
    for line in sys.stdin:
        ns, where, name, par1, par2 = line.split()
        key = (SYNC if name == "user_event_0" else EVENT, int(par1), int(par2))
        board, at = expected[key]
        assert key not in seen, ("twice", key)
        seen.add(key)
        assert int(where) == board, ("board", line)
        assert abs(int(ns) - at) <= 2, ("time", line, at)
        assert int(ns) >= before, ("order", line)
        before = int(ns)
        if key[0] == EVENT:
            order.append(key[2])
            day = (first + key[2]) * 1e6 + 200e3
            # It is late by the event ahead of it, which may have formatted slots: 600 instructions on microbit.
            assert -5000 < int(ns) - day < 80000, ("the firmware's own schedule", line, int(ns) - day)
    assert len(seen) == len(expected) == want_events + 2 * pairs, (len(seen), len(expected), pairs)
    assert order == list(range(int(want_events))), "turns"
    print(f"{len(seen)} events in order, {pairs} pairs, drift {float(drift) * 1e6:.3f} ppm")


main()
