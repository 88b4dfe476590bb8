#!/usr/bin/env python3
"""from_qemu.py BUILD [ROUNDS] - memory of a firmware that runs in QEMU, read piece by piece, in a file

Every event tells its number in several words. So it is known which slots of the image are whole; none that is made of
two may be shown, those that are shown must rise, and there must be no word of damage. The model in model.py meets more
cases; this one meets a real writer.
"""
import csv
import json
import os
import re
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from target import Target, chunks, decode  # noqa: E402

MASK = 0xFFFFFFFF
WORDS = 64  # bytes: pieces of no more are read by xp
SMALL = ((4, 0), (8, 0), (12, 0), (16, 0), (20, 0), (64, 0))  # bytes of a piece, seconds of pause
LARGE = ((1024, 0.003), (4096, 0.01), (16384, 0.05), (1000, 0), (256, 0), (65536, 0))


def words(target, begin, size):
    """A few words by xp of QEMU's monitor for humans."""
    told = target.ask("human-monitor-command", **{"command-line": f"xp /{size // 4}xw {begin:#x}"})
    return struct.pack(f"<{size // 4}I", *(int(word, 16) for word in re.findall(r"(?<=[: ])0x[0-9a-f]{8}", told)))


def take(target, begin, size, piece, pause):
    """The memory, taken in pieces: of a word or a few by xp, of more by pmemsave."""
    image = b""
    while len(image) < size:
        n = min(piece, size - len(image))
        image += words(target, begin + len(image), n) if piece <= WORDS else target.memory(begin + len(image), n)
        if pause:
            time.sleep(pause)
    return image


def number_of(row):
    """The number that a row's words tell; None if they contradict each other, -1 if it is no event of the app."""
    fields = json.loads(row["fields"])
    if row["event"] == "user_event_0":
        return int(fields["par2"]) if int(fields["par1"]) == int(fields["par2"]) & 0xFFFF else None
    if row["system"] != "qnx" or not row["event"].startswith("user"):
        return -1
    words = [int(fields[name]) & MASK for name in sorted(fields) if name != "event"]
    if len(words) == 2:
        return words[0] if words[1] == ~words[0] & MASK else None
    i = words[0]
    return i if words[:5] == [i, ~i & MASK, i ^ 0x55555555, i, ~i & MASK] else None


def whole_records(image):
    """How many slots of records are whole, by their words."""
    n = 0
    for at in range(0, len(image) - 15, 16):
        par2, _, _, head = struct.unpack_from("<4I", image, at)
        n += head & 0x7CFF == 0x09 and head >> 16 == par2 & 0xFFFF
    return n


def examine(build, folder, name, image, exact):
    path, out = os.path.join(folder, "image.bin"), os.path.join(folder, "out.csv")
    with open(path, "wb") as file:
        file.write(image)
    code, _, said, _ = decode(build, "--map=native", "--format=csv", path, "-o", out)
    if code != 0:
        return f"{name}: exit {code}: {said}", 0
    last, shown = -1, 0
    with open(out, newline="") as file:
        for row in csv.DictReader(file):
            number = number_of(row)
            if number is None:
                return f"{name}: an event is made of two: {row}", shown
            if number < 0:
                continue
            if number <= last:
                return f"{name}: event {number} stands behind {last}", shown
            last = number
            shown += 1
    if exact and shown < exact // 4:
        return f"{name}: {shown} of {exact} whole events are shown: {said}", shown
    return None, shown


def main():
    build, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2
    wrong = images = 0
    for name in sorted(os.listdir(os.path.join(build, "test", "smear"))):
        folder = os.path.join(build, "test", "smear", name)
        elf = os.path.join(folder, "firmware.elf")
        begin, size = chunks(elf)
        with Target(folder, "mps2-an385", elf) as target:
            time.sleep(1)
            for turn in range(rounds):
                for piece, pause in SMALL if size < 8192 else LARGE:
                    shift = 4 * (turn % 4)
                    image = take(target, begin - shift, size + shift, piece, pause)
                    exact = whole_records(image[shift:]) if name.startswith("records") else 0
                    fault, shown = examine(build, folder, f"{name}, pieces of {piece}", image, exact)
                    images += 1
                    wrong += fault is not None
                    print(f"{name:12} {piece:6} {pause:6} {shown:5} shown {exact:5} whole" if fault is None else fault)
    print(f"from_qemu.py: {images} images, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
