#!/usr/bin/env python3
"""expect.py - computes the file that a receiver must make of slots sent by UDP, and checks that the slots hold the
events of tests/system/udp/app.c. It follows target/FORMAT.md and the S.Ha.R.K. format and uses no code of tlog.

usage: expect.py SENT OUT SLOTS     (reads SENT, writes OUT; SLOTS: slots of the ring)"""
import struct
import sys

sent = open(sys.argv[1], "rb").read()
slots = int(sys.argv[3])
records = []
for at in range(0, len(sent), 16):
    par2, high, low, head = struct.unpack_from("<4I", sent, at)
    head &= ~0x300
    if head & 0xFFFF and not head & 0x7C00:
        records.append((head, high & ~0x80000000, low, par2))
open(sys.argv[2], "wb").write(b"".join(struct.pack("<4I", *word) for word in records))

ring = records[:slots]
tags = {struct.unpack_from("<I", sent, 16 * i + 12)[0] >> 8 & 3 for i in range(slots)}
mirrors = {struct.unpack_from("<I", sent, 16 * i + 4)[0] >> 31 for i in range(slots)}
assert len(records) == slots + 2 and len(sent) == 16 * (slots + 5), (len(records), len(sent))
assert tags == {1, 2} and mirrors == {0, 1}, (tags, mirrors)
ring.sort(key=lambda word: word[1] << 32 | word[2])
stop = ring.pop()  # the mark of tlog_disable()
assert (stop[0], stop[3]) == (0x30, 0), stop
for word, number in zip(ring, range(slots // 2 + 1, slots + slots // 2), strict=True):
    assert (word[0], word[3]) == ((number & 0xFFFF) << 16 | 0x09, ~number & 0xFFFFFFFF), (word, number)
print(len(records), "records")
