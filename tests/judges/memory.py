#!/usr/bin/env python3
"""memory.py BUILD [--first=N] [--cases=N] [--show=DIRECTORY] - sound dumps between what memory holds: whether the
decoder shows exactly what target/FORMAT.md's sections 3 and 4 say, and nothing changes by what stands beside a chunk.

tests/gen/memory_cases.py makes images of memory and knows what it has put where. What must come of that is told here,
by the rule: which images are proved, which of them add something, what is lost, missing, or damaged. build/memory
decodes and compares. Without options TIER tells how many cases there are. --show keeps the images that are wrong, and
prints all of them.
"""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../gen"))
import memory_cases
import memory_fill
import ring

CASES = {"quick": 300, "full": 4000}
ALL, UNKNOWN = 20000, (1 << 64) - 1
SEAL = 48           # bytes of a seal, without its groups
NOTHING, WHOLE, DAMAGED = 1, 0, 2          # exit codes


# ---- the rule --------------------------------------------------------------------------------------------------------

def newest_run(boots):
    """The boot id with the widest gap above it."""
    order = sorted(boots)
    gaps = [(order[(k + 1) % len(order)] - b - 1) % (1 << 32) for k, b in enumerate(order)]
    return order[gaps.index(max(gaps))]


def newness(placed):
    return placed.image.lap, placed.image.index


def lap_needed(number, laps):
    """The lap that a chunk of a ring must have filled: that of those behind it, and one less than of those ahead."""
    return max([lap if k > number else lap - 1 for k, lap in laps.items() if k != number], default=0)


def those_that_add(images):
    """Of images of one chunk those that add something: not one whose end nothing shows, if there is one that is as new
    and whose end is shown."""
    whole = [p for p in images if p.shown]
    return [p for p in images if p.shown or not any(newness(w) >= newness(p) for w in whole)]


def cells_of(placed):
    """What the slots hold that are there."""
    image = placed.image
    if placed.have >= image.layout.size:
        return image.cells
    return {key: event for key, event in image.cells.items()
            if key[1] > 0 and image.slot_at(key[2] + 1) <= placed.have}


def is_alone(placed, images):
    """Whether its header had to be repaired, and there is no other image that is as new."""
    return placed.way == "freed" and not any(p.shown and p.way != "freed" and newness(p) >= newness(placed)
                                             for p in images)


def seal_of(placed):
    image = placed.image
    at = image.slot_at(image.layout.slots + 2 + image.layout.emergency) + ring.NOTES
    return image.data[at:at + SEAL]


def is_copy(placed, images):
    """Whether another image has the same seal, of a chunk that was opened: then it shows what this one would."""
    return placed.image.lap > 0 and any(p.shown and p.way != "region" and seal_of(p) == seal_of(placed) for p in images)


class Expected:
    def __init__(self):
        self.code, self.items, self.names = WHOLE, [], {}
        self.dropped = self.overwritten = 0

    def is_damaged(self):
        self.code, self.dropped, self.overwritten = DAMAGED, UNKNOWN, UNKNOWN


def take_ring(expected, chunks):
    """Add what a ring's chunks tell: {number: images that add something}."""
    kept, cells, logged = 0, {}, 0
    newest = {number: max(images, key=lambda p: (newness(p), p.offset)).image for number, images in chunks.items()}
    for images in chunks.values():
        for placed in images:
            cells.update(cells_of(placed))
    for event in {id(e): e for e in cells.values() if e}.values():
        if all(key in cells for key in event.slots):
            kept += event.counted
            expected.items += [event.item] if event.finished else []
    logged = sum(image.logged for image in newest.values())
    if expected.overwritten != UNKNOWN:
        expected.overwritten += max(0, logged - kept)
    expected.dropped += sum(image.dropped for image in newest.values())


def expect(placed):
    """What must come of the images that were placed."""
    expected, proved = Expected(), [p for p in placed if p.proved]
    if not proved:
        expected.code = NOTHING
        return expected
    run = newest_run({p.image.layout.boot for p in proved})
    chunks, damaged = {}, any(p.way == "unknown run" and not is_copy(p, proved) for p in placed)
    for p in proved:
        if p.image.layout.boot == run:
            chunks.setdefault(p.image.key()[:4], {}).setdefault(p.image.number, []).append(p)
    for key, of_ring in chunks.items():
        of_ring = {number: those_that_add(images) for number, images in of_ring.items()}
        damaged |= any(not p.shown or is_alone(p, images) for images in of_ring.values() for p in images)
        if key[1] == ring.FACTS:
            for p in of_ring[0]:
                expected.names.update(p.image.facts)
            damaged |= expected.names != {} and not any(p.image.key()[:2] == (key[0], ring.EVENTS) for p in proved)
            continue
        first = next(iter(of_ring.values()))[0].image
        last = {number: max(newness(p) for p in images) for number, images in of_ring.items()}
        laps = {number: age[0] for number, age in last.items()}
        told = first.layout.chunks if first.layout.told else min(max(laps) + 2, first.layout.chunks)    # its `next`
        filled = [(lap_needed(number, laps), first.layout.slots + 1) for number in range(told)]
        damaged |= any(lap > 0 and number not in laps for number, (lap, _) in enumerate(filled))
        take_ring(expected, of_ring)
        if any(lap > 0 and last.get(number, (0, 0)) < (lap, end) for number, (lap, end) in enumerate(filled)):
            expected.overwritten = UNKNOWN          # a chunk is only there as it was earlier
    if damaged:
        expected.is_damaged()
    return expected


# ---- asking the decoder ----------------------------------------------------------------------------------------------

def message(case):
    """A case as build/memory reads it: tests/decoder/native/memory.c has the form."""
    expected = expect(case.placed)
    label = " ".join(case.label).encode()
    head = struct.pack("<6I2Q", case.seed, len(label), len(case.data), expected.code, len(expected.items),
                       len(expected.names), expected.overwritten, expected.dropped)
    items = b"".join(struct.pack("<2Q4I", *item) for item in expected.items)
    names = b"".join(struct.pack("<I36s", ident, text.encode()) for ident, text in sorted(expected.names.items()))
    return head + label + items + names + case.data


def code_of(build):
    """Code of the demo, if it was built."""
    firmware = build + "/demo/firmware.elf"
    return memory_fill.load_code(firmware) if os.path.exists(firmware) else b""


def main():
    options = dict(a[2:].split("=", 1) for a in sys.argv[2:])
    build, tier = sys.argv[1], os.environ.get("TIER", "")
    first, n = int(options.get("first", 0)), int(options.get("cases", CASES.get(tier, ALL)))
    code = code_of(build)
    with subprocess.Popen([build + "/memory"] + ([options["show"]] if "show" in options else []),
                          stdin=subprocess.PIPE) as decoder:
        for seed in range(first, first + n):
            decoder.stdin.write(message(memory_cases.make_case(seed, code)))
        decoder.stdin.close()
        sys.exit(decoder.wait())


if __name__ == "__main__":
    main()
