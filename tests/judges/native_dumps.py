"""native_dumps.py BUILD TIER - compare tlog-decode with native.py; TIER quick: on fewer dumps.

On whole dumps, of build/gen_dump and of the demo, the two must agree in everything. On damaged ones neither may show an
event that the undamaged dump does not have; FORMAT.md lets a decoder give up more than tlog-decode does, never less.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile
from collections import Counter

import native_compare
import native_image
import native_region


def options(r):
    """Options of gen_dump, by chance."""
    pick = {"seed": [r.randrange(1 << 31)], "events": [5, 40, 200, 900, 3000], "slots": [16, 17, 31, 32, 33, 64, 257],
            "chunks": [1, 1, 2, 3, 5], "cpus": [1, 1, 2, 3], "hz": [0, 1000000, 168000000], "names": [0, 0, 1, 10],
            "boot": [1, 7, 0xFFFFFFFF], "drops": [0, 0, 1, 50, 300], "garbage": [0, 0, 3, 100],
            "start": [0, 1000, 0xFFFFF000, 0x7FFFFF00, 0x123456789AB], "traceevents": [0, 0, 5, 50, 100],
            "longest": [1, 2, 4, 8]}
    flags = ["--" + f for f, p in (("sealed", .5), ("stream", .3), ("uncounted", .15), ("jumps", .3)) if r.random() < p]
    return ["--%s=%d" % (name, r.choice(values)) for name, values in pick.items()] + flags


def small_options(r, *more):
    """Options of gen_dump for a dump that is to be damaged."""
    pick = {"seed": [r.randrange(1 << 31)], "events": [20, 60, 150], "slots": [16, 33, 40, 64], "chunks": [1, 2, 3],
            "cpus": [1, 2], "names": [0, 3], "drops": [0, 50], "start": [1000, 0xFFFFF000]}
    return ["--%s=%d" % (name, r.choice(values)) for name, values in pick.items()] + list(more)


class Comparison:
    """What was compared so far, and how often the decoders failed; a file for dumps."""

    def __init__(self, build, path):
        self.build, self.path = build, path
        self.done, self.failed, self.astray = Counter(), Counter(), Counter()

    def make(self, chosen, packed=False):
        """The dump that gen_dump makes with these options; packed: its chunks are compressed."""
        subprocess.run([self.build + "/gen_dump", *chosen, "-o", self.path], check=True)
        if packed:
            subprocess.run([self.build + "/pack_dump", self.path, self.path + ".packed"], check=True)
        with open(self.path + (".packed" if packed else ""), "rb") as file:
            return file.read()

    def both(self, dump):
        """What tlog-decode and what native.py say of a dump."""
        with open(self.path, "wb") as file:
            file.write(dump)
        return native_compare.of_decoder(self.build + "/tlog-decode", self.path), native_compare.of_python(dump)

    def count(self, kind, label, found):
        self.done[kind] += 1
        if found:
            self.failed[kind] += 1
            print(kind + ": " + label, *found[:4], sep="\n    ")


def damage(r, dump):
    """(what was done, the damaged dump)"""
    at, kind = r.randrange(len(dump)), r.choice(["cut", "bit", "zeros"])
    if kind == "cut":
        return "cut at %d" % at, dump[:at]
    if kind == "bit":
        bit = r.randrange(8)
        return "bit %d of byte %d" % (bit, at), dump[:at] + bytes([dump[at] ^ 1 << bit]) + dump[at + 1:]
    n = min(r.randint(1, 64), len(dump) - at)
    return "%d zeros at %d" % (n, at), dump[:at] + bytes(n) + dump[at + n:]


def events(result):
    return Counter(native_compare.same_control(event) for event in result["events"])


def without_wraps(event):
    """An event with the time that its slot tells. A traceevent has no count of wraps: FORMAT.md, section 1.2, tells
    what to do in a lap in which nothing is left that has."""
    return (*event[:2], event[2] & 0xFFFFFFFF, *event[3:]) if event[0] != "record" else event


def wrong_events(whole, theirs, ours):
    """What the decoders say of a damaged dump and may not, as lines. Events of an image that is cut off are lost."""
    lost = sum(whole["summary"][1:])
    whole, theirs_events, ours_events = events(whole), events(theirs), events(ours)
    wrong = theirs_events - whole, ours_events - whole
    if wrong[0] == wrong[1]:
        clocks = {without_wraps(e) for e in whole}
        wrong = [Counter(e for e in each.elements() if without_wraps(e) not in clocks) for each in wrong]
    found = ["tlog-decode invents %s" % (e,) for e in wrong[0].elements()]
    found += ["native.py invents %s" % (e,) for e in wrong[1].elements()]
    found += ["tlog-decode lacks %s" % (e,) for e in (ours_events - theirs_events).elements()]
    missing = whole.total() - theirs_events.total()
    if theirs["code"] == 0 and missing > sum(theirs["summary"][1:]) - lost:
        found.append("tlog-decode shows %d events less and does not say so" % missing)
    return found


TRACEEVENTS = "--traceevents=40", "--longest=4"
MAGIC, REGION = struct.pack("<II", native_image.MAGIC, native_image.TAG), struct.pack("<I", native_region.MAGIC)

# Dumps that are damaged: kind, options of gen_dump, whether the chunks are compressed.
DAMAGED = [
    ("sealed, damaged", ["--sealed"], False), ("traceevents, sealed, damaged", ["--sealed", *TRACEEVENTS], False),
    ("compressed, damaged", [], True), ("traceevents, compressed, damaged", [*TRACEEVENTS], True),
]
UNSEALED = [("not sealed, damaged", [], False), ("traceevents, not sealed, damaged", [*TRACEEVENTS], False)]


def regions(dump, places):
    return sum(1 for at in places if native_region.unpack(dump, at, "<"))


def places_of(dump):
    """Where the regions of a dump begin."""
    return [at for at in range(len(dump)) if dump.startswith(REGION, at) and native_region.unpack(dump, at, "<")]


def is_silent(label, dump, damaged):
    """Whether nothing is left that proves the chunk: the head of a region is damaged beyond repair, or the dump was cut
    within the words of a header that its check protects."""
    image, places = dump.rfind(MAGIC, 0, len(damaged) + len(MAGIC)), places_of(dump)
    return regions(damaged, places) < len(places) or label.startswith("cut") and 0 <= len(damaged) - image < 64


def compare_damaged(comparison, dumps, cases):
    """Damage each of so many dumps of each kind so many times."""
    for kind, more, packed in DAMAGED:
        r = random.Random(2)
        for _ in range(dumps):
            chosen = small_options(r, *more)
            dump = comparison.make(chosen, packed)
            whole = comparison.both(dump)[1]
            for _ in range(cases):
                label, damaged = damage(r, dump)
                found = wrong_events(whole, *comparison.both(damaged))
                if is_silent(label, dump, damaged):
                    found = [line for line in found if "does not say so" not in line]
                comparison.count(kind, " ".join([label] + chosen), found)


def compare_unsealed(comparison, dumps, cases):
    """Without a seal what is wrong cannot always be told, but tlog-decode must not find less than native.py of what is
    right, nor anything wrong that native.py does not find. What only native.py has wrong is counted by itself."""
    for kind, more, packed in UNSEALED:
        r = random.Random(3)
        for _ in range(dumps):
            chosen = small_options(r, *more)
            dump = comparison.make(chosen, packed)
            whole = events(comparison.both(dump)[1])
            for _ in range(cases):
                label, damaged = damage(r, dump)
                both = comparison.both(damaged)
                theirs, ours = (events(result) for result in both)
                found = ["only tlog-decode: %s" % (e,) for e in (theirs - ours - whole).elements()]
                found += ["only native.py: %s" % (e,) for e in ((ours - theirs) & whole).elements()]
                comparison.count(kind, " ".join([label] + chosen), found)
                comparison.astray[kind] += bool(ours - theirs - whole)


def main():
    build, quick = sys.argv[1], sys.argv[2] == "quick"
    with tempfile.TemporaryDirectory() as directory:
        comparison, r = Comparison(build, os.path.join(directory, "dump.bin")), random.Random(1)
        for _ in range(25 if quick else 1000):
            chosen = options(r)
            comparison.count("whole", " ".join(chosen),
                             native_compare.differences(*comparison.both(comparison.make(chosen))))
        demo = open(build + "/demo/dump.bin", "rb").read()
        comparison.count("demo", build + "/demo/dump.bin", native_compare.differences(*comparison.both(demo)))
        compare_damaged(comparison, *((3, 2) if quick else (16, 8)))
        compare_unsealed(comparison, *((3, 2) if quick else (16, 8)))
    for kind, n in comparison.done.items():
        alone = comparison.astray[kind]
        print("%s: %d dumps, the decoders agree on %d" % (kind, n, n - comparison.failed[kind] - alone)
              + (", in %d native.py alone is wrong" % alone if alone else ""))
    sys.exit(bool(comparison.failed))


main()
