#!/usr/bin/env python3
"""native.py DUMP [RUN] - decode a dump of tlog, wire version 2, and print what it holds, a line each, nothing rounded:

    event CPU TICKS record CODE PAR1 PAR2 FAST CONTEXT [emergency]    all numbers decimal, CODE in hexadecimal
    event CPU TICKS traceevent CLASS EVENT WORDS WORD... [emergency]
    loss CPU COUNT               stands before the CPU's next event: dropped or overwritten there
    wrap CPU                     a wrap of the clock that the firmware did not see, before the CPU's next event
    fact KIND ID VALUE           a name or a number
    count CPU LOGGED DROPPED KEPT OVERWRITTEN UNFINISHED CLAIMED
    damage OFFSET BYTES WHY
    run BOOT ...                 all runs, the decoded one first

It is written from target/FORMAT.md alone, whose sections are named here; nothing in it comes from the decoder in host/.
"""
import struct
import sys
from collections import defaultdict

import native_find
from native_image import HEADER, M32, SLOT, WRAP, count, judge, progress
from native_slots import assemble, merge, ring_times


# ---- facts, section 2.7 ----------------------------------------------------------------------------------------------

def fact_check(kind, words, wraps):
    s = kind + 256 * (len(words) // 3) + (wraps << 16)
    for w in words:
        s = (s ^ w) * 0x9E3779B1 & M32
        s = s << 15 & M32 | s >> 17
    return s & 0x7FFF


def fact_value(kind, words):
    """The text or the value of a fact, its words behind the id. None: it is being changed; False: damaged."""
    if kind < 128:
        return struct.pack("<%dI" % (len(words) - 1), *words[1:]).split(b"\0")[0]
    if kind != 128:
        return words[0]
    word, low = words[0], words[0] & 0xFFFF
    if word >> 16 & 1:
        return None
    if (word & 0xFFFFFF) * 0x9E3779B1 >> 24 & 0xFF != word >> 24:
        return False
    return low - 0x10000 & M32 if low >> 15 else low


def facts(image, trace):
    """{(kind, id): value} of a chunk of facts. Of names of the past the youngest counts, if there is no other."""
    found, past, s, end = {}, {}, 1, min(progress(image.v)[2], (len(image.data) - HEADER) // SLOT + 1)
    slots = [struct.unpack_from("<4I", image.data, image.slot_at(k)) for k in range(1, end)]
    while s < end:
        n = 1
        while s + n < end and slots[s + n - 2][3] >> 31:
            n += 1
        head, words = slots[s - 1][3], [w for slot in slots[s - 1:s - 1 + n] for w in slot[:3]]
        kind, tag, wide = head & 255, head >> 8 & 3, image.pointer == 8
        ident = words[0] | (words[1] << 32 if wide else 0)
        if kind == 128 and head >> 10 & 31 == 1 and tag & 1:
            trace.priorities.add(ident)                     # also while it is being written
        if head >> 10 & 31 == 1 and tag == 3 or kind == 0 and head >> 10 & 31 == 1 and tag == 1:
            s += n
            continue
        wraps = slots[s][3] >> 16 & 0x7FFF if n > 1 else 0
        check = fact_check(kind, [0 if kind == 128 and i == 1 + wide else w for i, w in enumerate(words)], wraps)
        others = all(slot[3] & 0xFFFF == 0x500 for slot in slots[s:s - 1 + n])
        value = fact_value(kind, words[1 + wide:])
        if head >> 10 & 31 != 1 or tag != 1 or not others or check != head >> 16 & 0x7FFF or value is False \
                or (kind < 128 and n < 2):
            trace.damage(image.offset + image.slot_at(s), SLOT, "fact")
            s += 1
            continue
        if kind < 128 and head >> 15 & 1:
            ended = words[1 + wide] | wraps << 32
            past[kind, ident] = max(past.get((kind, ident), (0, b"")), (ended, value))
        elif value is not None:
            found[kind, ident] = value
        s += n
    return {**{key: value for key, (_, value) in past.items()}, **found}


# ---- a run, sections 2.4 and 3 ---------------------------------------------------------------------------------------

class Trace:
    def __init__(self):
        self.damages, self.notes, self.lacking = [], [], defaultdict(int)
        self.unfinished, self.further, self.claimed = defaultdict(int), defaultdict(int), defaultdict(int)
        self.items, self.counts, self.facts, self.runs, self.freq = {}, {}, {}, [], 0
        self.marks = []                                     # words of CONTROL RATE events
        self.priorities = set()                             # ids that have a fact of a priority

    def damage(self, offset, size, why):
        self.damages.append((offset, size, why))

    def note(self, text):
        self.notes.append(text)


def newest_run(boots):
    """Boot ids with the newest one first: it has the widest gap above it."""
    order = sorted(boots)
    gaps = [((order[(k + 1) % len(order)] - b - 1) % WRAP, b) for k, b in enumerate(order)]
    newest = order.index(max(gaps)[1]) if order else 0
    return [order[(newest - k) % len(order)] for k in range(len(order))]


def newness(image):
    lap, _, index = progress(image.v)
    return lap, index, image.offset


def logged_of(image):
    """Events that were logged to the chunk, of an image's words."""
    n, _, i = progress(image.v)
    if n == 0:
        return 0
    return (n - 1) * image.slots + i - 1 - count(image.v["extra_high"], image.v["extra"]) + image.v["emergency_used"]


def ring_laps(newest):
    """(the laps that a ring has had, as (lap, number) in their order; slots of the chunks that have no image)."""
    state = {image.number: progress(image.v)[0] for image in newest}
    last = max(newest, key=lambda image: image.number)
    more = last.ring or last.number + (2 if 1 < last.word(64) < 1 << 31 else 1)
    laps = {k: state.get(k, max(n - (number < k) for number, n in state.items())) for k in range(more)}
    order = sorted((lap, k) for k, n in laps.items() for lap in range(1, n + 1))
    return order, sum(n * last.slots for k, n in laps.items() if k not in state)


def gaps(sequence, order, slots):
    """[(index in the sequence, slots that are not there)], for all laps of a ring. The oldest gap stands first."""
    have, found, k = defaultdict(int), [[0, 0]], 0
    for cell in sequence:
        have[cell.lap, cell.image.number] += 1
    for key in order:
        if found[-1][0] != k:
            found.append([k, 0])
        found[-1][1] += slots - have[key] if key != order[-1] or have[key] == 0 else 0
        k += have[key]
    return [gap for gap in found if gap[1] and gap[0] < k]  # a lap that has just begun has no slots yet


def cpu_items(chunks, trace, cpu):
    """Items of a CPU in the order of time, and its counts. chunks: lists of images of one chunk each."""
    newest = [max(images, key=newness) for images in chunks]
    merged = [merge(images, trace) for images in chunks]
    rings, items, absent = defaultdict(list), [], 0
    for image, found in zip(newest, merged):
        rings["ring" if image.role == 0 else (image.self, image.number)] += [c for key, c in found.items() if key[0]]
    for key, sequence in rings.items():
        sequence.sort(key=lambda c: (c.lap, c.image.number, c.s))
        ring_times(sequence, trace)
        if key == "ring":
            of_ring = [image for image in newest if image.role == 0]
            order, absent = ring_laps(of_ring)
            for at, n in gaps(sequence, order, of_ring[0].slots)[1:]:
                sequence[at].gap = n
        items += assemble(sequence, trace, cpu)
    for found in merged:
        extra = sorted((c for key, c in found.items() if key[0] is None), key=lambda c: c.s)
        ring_times(extra, trace)
        items += assemble(extra, trace, cpu)
        trace.claimed[cpu] += sum(1 for c in found.values() if c.state == "claimed")
    items.sort(key=lambda item: item[0])
    logged = sum(logged_of(image) for image in newest) + absent
    dropped = sum(count(i.v["dropped_high"], i.v["dropped"]) for i in newest)
    reported = sum(count(i.v["reported_high"], i.v["reported"]) for i in newest)
    kept = sum(1 for item in items if item[1] in ("record", "traceevent")) + trace.unfinished[cpu] - trace.further[cpu]
    damaged = sum(1 for found in merged for c in found.values() if c.state == "damaged") + trace.lacking[cpu]
    overwritten = max(0, logged - kept - damaged)
    trace.counts[cpu] = (logged, dropped, kept, overwritten)
    first = overwritten - sum(item[2] for item in items if item[1:2] == ("gap",))
    if first > 0:
        at = next((k for k, item in enumerate(items) if item[-1] != "emergency"), 0)
        items.insert(at, (0, "loss", first))
    if dropped > reported:
        items.append((items[-1][0] if items else 0, "loss", dropped - reported))
    return [(item[0], "loss", item[2]) if item[1] == "gap" else item for item in items]


def decode(dump, run=None):
    """A Trace of one run: the newest, or the one with that boot id."""
    trace = Trace()
    every = native_find.find_images(dump, trace)
    trace.runs = newest_run({image.boot for image in every})
    run = run or (trace.runs[0] if trace.runs else None)
    images = native_find.those_that_add([image for image in every if image.boot == run], trace)
    chunks = defaultdict(list)
    for image in images:
        judge(image, trace)
        chunks[image.cpu, image.role, image.self].append(image)
        trace.freq = trace.freq or image.freq
    native_find.report_missing(images, every, trace)
    for cpu in sorted({key[0] for key in chunks}, reverse=True):
        of_cpu = [chunk for key, chunk in chunks.items() if key[0] == cpu and key[1] != 1]
        if of_cpu:
            trace.items[cpu] = cpu_items(of_cpu, trace, cpu)
        for key, chunk in chunks.items():
            if key[0] == cpu and key[1] == 1:
                for image in sorted(chunk, key=newness):
                    trace.facts.update(facts(image, trace))
    return trace


def main():
    trace = decode(open(sys.argv[1], "rb").read(), int(sys.argv[2], 0) if len(sys.argv) > 2 else None)
    print("run", *trace.runs)
    for cpu, items in sorted(trace.items.items()):
        for item in items:
            if item[1] in ("loss", "wrap"):
                print(item[1], cpu, *item[2:])
            else:
                print("event", cpu, item[0], *item[1:])
    for (kind, ident), value in sorted(trace.facts.items()):
        print("fact", kind, ident, value)
    for cpu, counts in sorted(trace.counts.items()):
        print("count", cpu, *counts, trace.unfinished[cpu], trace.claimed[cpu])
    for damage in sorted(trace.damages):
        print("damage", *damage)
    for note in trace.notes:
        print("note", note)


if __name__ == "__main__":
    main()
