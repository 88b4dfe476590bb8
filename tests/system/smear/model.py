#!/usr/bin/env python3
"""model.py DECODER [RUNS [SEED]] - images of a ring that is read while the firmware logs

The ring is modelled word by word, as target/FORMAT.md and the order of the runtime's stores have it: the cursor is
moved, words 0, 1, 2 of the slot are written, then its head. A reader takes the words of the memory in rising order, at
times of its own: in pieces of any size, at any speed, beginning anywhere in a slot. Each event's words tell its number
three times: so an event that is made of two shows. None may be shown; those that are must be in order, have their exact
times, and there must be no word of damage.
"""
import bisect
import csv
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

HZ = 1000000
HEADER_WORDS = 32
CHECK_FACTOR = 0x9E3779B1


class Ring:
    """A ring of one chunk, and when each event was logged. Event e is in slot e % slots + 1, in lap e // slots + 1."""

    def __init__(self, rng, slots, events, gap, uneven):
        self.slots = slots
        self.start = []  # when the cursor is moved; the words follow at the next ticks
        now = 1000
        for _ in range(events):
            now += max(6, int(rng.expovariate(1 / gap)) if uneven else gap)
            self.start.append(now)

    def words(self, event):
        stamp = self.start[event]
        tag = 1 if (event // self.slots + 1) & 1 else 2
        low, high = stamp & 0xFFFFFFFF, stamp >> 32
        return (event, high | (low & 0x80000000), low, (event & 0xFFFF) << 16 | tag << 8 | 0x09)

    def reserved(self, now):
        return bisect.bisect_right(self.start, now)

    def slot_word(self, slot, word, now):
        """A word of slot `slot`, from 0 on, at a time."""
        last = bisect.bisect_right(self.start, now - 1 - word) - 1  # the last event whose word is written
        if last < slot:
            return (0, 0, 0, 0x200)[word]
        return self.words(last - (last - slot) % self.slots)[word]

    def header_word(self, index, now):
        reserved = self.reserved(now)
        lap, used = max((reserved - 1) // self.slots + 1, 0), (reserved - 1) % self.slots + 1 if reserved else 0
        tag = 1 if lap & 1 else 2
        moving = {28: (used + 1) << 16 | tag << 8, 29: lap << 16 | tag << 8}
        return moving.get(index, CONSTANT[self.slots][index] if index < 16 else 0)

    def word(self, index, now):
        """A word of the image at a time."""
        if index < HEADER_WORDS:
            return self.header_word(index, now)
        slot, word = divmod(index - HEADER_WORDS, 4)
        if slot < self.slots:
            return self.slot_word(slot, word, now)
        return 0x300 if (slot, word) == (self.slots, 3) else 0


def words_of(slots):
    groups = (slots + 31) // 32
    return (128 + 16 * (slots + 1) + 32 + 48 + (4 * groups + 15) // 16 * 16) // 4


def constant(slots):
    header = [0x00D6B7ED, 0x474F4C54, 4 << 24 | 128 << 16 | 2, 1 << 24, slots, 0, 4 * words_of(slots), HZ, 0, 0,
              0x20001000, 0, 7, 0, 0]
    total = sum((w ^ w >> 16) * pow(CHECK_FACTOR, i + 1, 1 << 32) for i, w in enumerate(header)) & 0xFFFFFFFF
    return header + [total]


CONSTANT = {slots: constant(slots) for slots in (64, 256, 1024, 4096)}


def read(ring, begin, piece, offset, per_word, pause):
    """The image, as a reader takes it that reads `piece` words at once, from a piece that began `offset` words ahead,
    and pauses between pieces; and when it was done."""
    image, now = [], begin
    for index in range(words_of(ring.slots)):
        if index and (index + offset) % piece == 0:
            now += pause
        image.append(ring.word(index, int(now)))
        now += per_word
    return struct.pack(f"<{len(image)}I", *image), int(now)


def whole(ring, image, begin):
    """Numbers of the events that the image shows whole."""
    found = set()
    for slot in range(ring.slots):
        words = struct.unpack_from("<4I", image, 128 + 16 * slot)
        if words[0] < len(ring.start) and ring.words(words[0]) == words and words[0] % ring.slots == slot:
            found.add(words[0])
    return found


def decode(decoder, image, folder):
    path, out = os.path.join(folder, "image.bin"), os.path.join(folder, "out.csv")
    with open(path, "wb") as file:
        file.write(image)
    done = subprocess.run([decoder, "--map=native", "--format=csv", path, "-o", out], capture_output=True, text=True)
    rows = []
    if os.path.exists(out):
        with open(out, newline="") as file:
            rows = list(csv.DictReader(file))
        os.unlink(out)
    return done, rows


def examine(ring, rows):
    """Numbers of the events that are shown, in the order in which they are, and what is wrong with one of them."""
    shown, wrong = [], None
    for row in rows:
        if row["event"] != "user_event_0":
            continue
        fields = json.loads(row["fields"])
        event = int(fields["par2"])
        if event >= len(ring.start) or int(fields["par1"]) != event & 0xFFFF \
                or int(row["time_ns"]) != ring.start[event] * (1000000000 // HZ):
            wrong = wrong or f"an event is made of two: {row}"
        elif shown and event <= shown[-1]:
            wrong = wrong or f"event {event} stands behind {shown[-1]}"
        shown.append(event)
    return shown, wrong


def cursor_of(image):
    return struct.unpack_from("<I", image, 112)[0] >> 16


def lacks_a_bit(ring, image):
    """Whether a cursor with one bit more would stand where tags change: such an image is a damaged one as well."""
    tags = [struct.unpack_from("<I", image, 128 + 16 * slot + 12)[0] >> 8 & 3 for slot in range(ring.slots)]
    places = [slot + 1 for slot in range(1, ring.slots) if tags[slot] != tags[slot - 1]] + [ring.slots + 1]
    return any(bits >= 8 and bits & bits - 1 == 0 for bits in (place ^ cursor_of(image) for place in places))


def excuse(ring, image, done, rows):
    """Why nothing in an image can tell what is wrong: "bit", or "first": the slot at the cursor was being written when
    it was read, and nothing else was logged. None: there is no excuse."""
    if done.returncode == 2 and "the cursor of a chunk was damaged" in done.stderr and lacks_a_bit(ring, image):
        return "bit"
    at = cursor_of(image)
    torn = struct.unpack_from("<4I", image, 112 + 16 * at) if at <= ring.slots else None
    rest = [row for row in rows if row["event"] == "user_event_0" and torn is not None
            and json.loads(row["fields"]) != {"par1": torn[3] >> 16, "par2": torn[0]}]
    return "first" if torn is not None and len(rest) < len(rows) and examine(ring, rest)[1] is None else None


def run(rng, decoder, folder):
    slots = rng.choice((64, 256, 1024, 4096))
    per_word = rng.choice((0.02, 0.25, 1, 4, 16))
    gap = rng.choice((10, 25, 60, 200, 1000))
    piece = rng.choice((1, 2, 3, 4, 16, 64, 256, 1024, 4096))
    pause = rng.choice((0, 1, 20, 100, 1000, 5000))
    words = words_of(slots)
    length = words * per_word + words / piece * pause
    events = int(rng.uniform(0.3, 4.0) * slots) + int(1.5 * length / gap) + 50
    if events > 60000 or length > 6e6:
        return None
    ring = Ring(rng, slots, events, gap, rng.random() < 0.7)
    begin = ring.start[rng.randrange(8, max(9, events - int(1.4 * length / gap) - 20))] + rng.randrange(20)
    offset = rng.randrange(piece)
    image, end = read(ring, begin, piece, offset, per_word, pause)
    done, rows = decode(decoder, bytes(4 * offset) + image, folder)
    shown, wrong = examine(ring, rows)
    have = whole(ring, image, begin)
    if wrong is None and done.returncode != 0:
        wrong = f"exit {done.returncode}"
    excused = excuse(ring, image, done, rows) if wrong else None
    return {"setup": (slots, piece, per_word, pause, gap), "before": ring.reserved(begin),
            "meanwhile": ring.reserved(end) - ring.reserved(begin), "whole": len(have), "shown": len(shown),
            "torn": slots - len(have), "wrong": None if excused else wrong, "excused": excused,
            "said": done.stderr.strip(), "image": bytes(4 * offset) + image}


def main():
    decoder, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 150
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = done = lost = kept = excused = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            result = run(random.Random(f"{seed} {number}"), decoder, folder)
            if result is None:
                continue
            done += 1
            excused += result["excused"] is not None
            kept += result["shown"]
            lost += result["whole"] - result["shown"]
            if result["wrong"]:
                failed += 1
                if os.environ.get("KEEP"):
                    with open(os.path.join(os.environ["KEEP"], f"{number}.bin"), "wb") as file:
                        file.write(result["image"])
                print(f"model.py: run {number}: {result['setup']}, {result['before']} events before, "
                      f"{result['meanwhile']} meanwhile, {result['whole']} whole, {result['shown']} shown: "
                      f"{result['wrong']}\n{result['said']}")
    print(f"model.py: {done} images, {kept} events shown, {lost} whole ones not shown; {excused} images "
          f"that cannot be told from damaged or whole ones, {failed} wrong")
    return failed > 0 or excused > done // 20


if __name__ == "__main__":
    sys.exit(main())
