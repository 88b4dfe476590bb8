"""pace.py - how much CPU time work costs here and now, so that a bound on time means the same on every machine.

A bound is told in seconds of the machine that it was found on. There the reference work below took REFERENCE seconds of
CPU time. What it takes in the same run tells how many of its own seconds another machine, or one under load, may use: a
bound is a ratio to that work. No wall time is in it.
"""
import time
import zlib

REFERENCE = 0.025  # seconds of CPU time, the least of many runs
ROUNDS = 3         # of which the slowest counts


def work():
    """Some of all that decoding is made of: check sums, compression, sorting, and many small objects."""
    data = b"".join(i.to_bytes(4, "little") for i in range(40000))
    sums = [zlib.crc32(data[i:i + 64]) for i in range(0, len(data), 16)]
    sums.sort()
    packed = zlib.compress(data, 6)
    counts = {}
    for each in sums:
        counts[each & 0xFFF] = counts.get(each & 0xFFF, 0) + 1
    return len(counts) + len(zlib.decompress(packed))


def measure():
    begin = time.process_time()
    work()
    return time.process_time() - begin


def pace():
    """How many times more CPU time work takes than it did on that machine; at least once as much."""
    return max(1.0, max(measure() for _ in range(ROUNDS)) / REFERENCE)
