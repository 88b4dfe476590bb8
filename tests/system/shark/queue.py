"""queue.py - checks the decoded files and the decoded dump of tests/system/shark/queue.c. The dump has all events. The
files have the events of the first 64 chunks, then 16 losses: one for each further chunk, at the time of the chunk's
last event; the sixteenth loss also counts the events of the last two chunks.

usage: queue.py FILES DUMP     (both as text)"""
import re
import sys

EVENTS, QUEUE, TOLD, CHUNKS = 4, 64, 16, 82
time = {}
for line in open(sys.argv[2]):
    if match := re.search(r"(\d+\.\d+): shark:user_event_0: par1=\d+ par2=(\d+)$", line):
        time[int(match[2])] = match[1]
assert sorted(time) == list(range(CHUNKS * EVENTS))
numbers, lost, ends = [], [], 0
for line in open(sys.argv[1]):
    if match := re.search(r"user_event_0: par1=(\d+) par2=(\d+)$", line):
        assert int(match[1]) == int(match[2]) // EVENTS and not lost, line
        numbers.append(int(match[2]))
    elif match := re.search(r"\[(\d+) EVENTS DROPPED\]", line):
        lost.append(int(match[1]))
    elif match := re.search(r"(\d+\.\d+): shark:blackout_end: count=(\d+)", line):
        assert match[1] == time[EVENTS * (QUEUE + len(lost)) - 1] and int(match[2]) == lost[-1], line
        ends += 1
assert numbers == list(range(QUEUE * EVENTS)), numbers
assert ends == TOLD
assert lost == [EVENTS] * (TOLD - 1) + [EVENTS * (CHUNKS - QUEUE - TOLD + 1)], lost
