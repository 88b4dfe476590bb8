#!/usr/bin/env python3
"""memory.py - images of a firmware's whole memory, taken at moments of its run: each must decode to what the memory of
its chunks alone decodes to, whatever else stands in it.

usage: memory.py [--parallel] [--again] BUILD FIRMWARE.elf MOMENTS FLASH RAM QEMU...
FLASH and RAM are ADDRESS:BYTES; QEMU... starts the emulator, in the folder of the firmware. --parallel: several CPUs
run side by side; --again: the firmware runs a second time, over the memory that the first run has left.

The truth is what the symbols of the ELF file cut out of the memory. What is cut out must be whole, also of a firmware
that is stopped in the middle of a write; native.py, written from FORMAT.md alone, must read the same of it. In an
image stand besides: data, stacks and code; the flash; the same RAM once more; an older copy of the chunks, or a piece
of one. Images for which the decoder says something else are kept beside the firmware, as wrong-*.bin."""
import os
import re
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(__file__), "..", "..", "judges"))
import native_compare
import native_image
from emulator import Parallel, Recorded, opening, visit

SIZE, BOOT, CURSOR = 24, 48, 112                # where a header has these words
OPTIONS = ["--map=native"], ["--elf=ELF"]
KEPT = 8                                        # images that are wrong, of a firmware
CHUNKS = re.compile(r"^(\w+) (\w+) \w (tlog_event_chunks|tlog_name_chunks)$", re.M)


class Firmware:
    """A firmware's ELF file, and where its memory is."""

    def __init__(self, elf, flash, ram):
        self.elf, self.folder = elf, os.path.dirname(elf)
        self.flash, self.ram = (tuple(int(n, 0) for n in text.split(":")) for text in (flash, ram))
        names = subprocess.run(["arm-none-eabi-nm", "-S", elf], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.chunks = sorted((int(at, 16), int(size, 16)) for at, size, _ in CHUNKS.findall(names))
        self.stops = [int(re.search(r"^(\w+) .* %s$" % name, names, re.M).group(1), 16)
                      for name in ("tlog_dump", "semihost_exit")]

    def saved(self, run, region):
        path = os.path.join(self.folder, "region.bin")
        run.save(path, *region)
        with open(path, "rb") as file:
            return file.read()

    def cut(self, ram):
        """The memory of the chunks, of an image of the RAM: zeros stand for what is between them."""
        memory = b""
        for at, size in self.chunks:
            memory = memory.ljust(at - self.chunks[0][0], b"\0") + ram[at - self.ram[0]:][:size]
        return memory

    def areas(self, memory):
        """(address, bytes) of each ring, of the memory of the chunks."""
        return [(at, memory[at - self.chunks[0][0]:][:size]) for at, size in self.chunks]

    def parts(self, memory):
        """(address, bytes) of each chunk, of the memory of the chunks. Those of a ring stand side by side."""
        for start, ring in self.areas(memory):
            step = word(ring, SIZE)
            yield from ((start + k, ring[k:k + step]) for k in range(0, len(ring), step)) if step else ()

    def left(self, memory):
        """Options of QEMU with which the firmware finds its chunks' memory so, in place of zeros."""
        for at, ring in self.areas(memory):
            name = "left-%x.bin" % at
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(ring)
            yield from ("-device", "loader,file=%s,addr=%d,force-raw=on" % (name, at))


class Judge:
    """What the decoder has said wrong so far."""

    def __init__(self, build, firmware):
        self.decoder, self.firmware = build + "/tlog-decode", firmware
        self.path = os.path.join(firmware.folder, "image.bin")
        self.wrong = self.images = self.amid = self.events = 0
        self.known = None, []

    def put(self, image):
        with open(self.path, "wb") as file:
            file.write(image)

    def decoded(self, image):
        """[(options, exit code, summary, lines)] of an image."""
        self.put(image)
        return [self.lines(*options) for options in OPTIONS]

    def of_chunks(self, memory):
        """The same of the memory of chunks alone, which most images of a moment have in common."""
        if memory != self.known[0]:
            self.known = memory, self.decoded(memory)
        return self.known[1]

    def lines(self, *options):
        options = [option.replace("ELF", self.firmware.elf) for option in options]
        done = subprocess.run([self.decoder, *options, "--format=text-full", self.path, "-o", "-"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        said = done.stderr.decode(errors="replace").strip().split("output: ")[-1] if done.returncode != 1 else ""
        return options, done.returncode, said, done.stdout.split(b"\n")

    def complain(self, image, what, why):
        self.wrong += 1
        kept = "wrong-%d.bin" % self.wrong if self.wrong <= KEPT else "not kept"
        if self.wrong <= KEPT:
            with open(os.path.join(self.firmware.folder, kept), "wb") as file:
                file.write(image)
        print("WRONG: %s: %s (%s)" % (what, why, kept), flush=True)

    def second_opinion(self, image, what):
        """native.py must read the same of the image, and no damage."""
        self.put(image)
        ours, theirs = native_compare.of_python(image), native_compare.of_decoder(self.decoder, self.path)
        self.amid += ours["unfinished"] > 0
        self.events = max(self.events, len(ours["events"]))
        found = ["native.py: damage %s" % (each,) for each in ours["trace"].damages[:1]]
        code = 0 if ours["trace"].runs else 1
        if theirs["code"] != code:
            found.append("exit code %d, not %d" % (theirs["code"], code))
        for each in (found + native_compare.differences(theirs, ours))[:2]:
            self.complain(image, what, each)

    def compare(self, image, truth, what):
        """The image must decode to the same as the truth, with all options."""
        self.images += 1
        for found, wanted in zip(self.decoded(image), self.of_chunks(truth)):
            if found != wanted:
                self.complain(image, " ".join([what, *found[0]]), difference(found[1:], wanted[1:]))
                return


def word(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def difference(found, wanted):
    """What the decoder says of an image, and what it should say, in words."""
    words = ["exit code %d, not %d" % (found[0], wanted[0])] if found[0] != wanted[0] else []
    words += ["%r, not %r" % (found[1], wanted[1])] if found[1] != wanted[1] else []
    differ = [pair for pair in zip(found[2], wanted[2]) if pair[0] != pair[1]]
    words += ["%r, not %r" % tuple(line.decode(errors="replace").strip() for line in pair) for pair in differ[:1]]
    return "; ".join(words)


def pieces(data):
    """(what, bytes) of a chunk's image: its front without an end, its rear without a header, and neither."""
    image = native_image.Image(0, data, "<")
    lap, _, cursor = native_image.progress(native_image.values(image))
    used = cursor - 1 if lap < 2 else image.slots
    front = image.slot_at(1 + 2 * used // 3)
    if lap > 0 and used >= 3:
        yield "front", data[:front]
        yield "rear", data[image.slot_at(1 + used // 3):]
        yield "middle", data[image.slot_at(1 + used // 3):front]


def variants(firmware, flash, ram, older, turn):
    """(what, image, truth): images with the RAM, and the memory of chunks that each must decode to. older: that memory
    at a moment before, or nothing; turn: which of its chunks is taken in pieces. A piece adds nothing beside the chunk
    that it is of; so it must be of the same run."""
    now = firmware.cut(ram)
    yield "RAM", ram, now
    yield "flash and RAM", flash + ram, now
    yield "RAM twice", ram + ram, now
    gap = max(re.finditer(rb"\0{64,}", ram), key=lambda found: len(found.group()), default=None)
    if not older or not gap or len(gap.group()) < len(older) + 8192:
        return

    def with_copy(copy):
        at = gap.start() + 33
        return ram[:at] + copy + ram[at + len(copy):]

    ahead = gap.start() < firmware.chunks[0][0] - firmware.ram[0]
    yield "RAM with an older copy", with_copy(older), older + now if ahead else now + older
    parts = [part for _, part in firmware.parts(older) if word(part, BOOT) == word(now, BOOT)]
    if parts:
        for what, piece in pieces(parts[turn % len(parts)]):
            yield "RAM with the %s of an older chunk" % what, with_copy(piece), now


def judge_run(judge, kind, command, moments, what):
    """Judge the images of a run at its moments. Returns the chunks' memory at its end."""
    firmware, older = judge.firmware, b""
    words = [at + CURSOR for at, _ in firmware.chunks]
    for turn, (moment, run) in enumerate(visit(kind, command, firmware.folder, firmware.stops, words, moments)):
        flash, ram = firmware.saved(run, firmware.flash), firmware.saved(run, firmware.ram)
        now = firmware.cut(ram)
        words[:] = [at + CURSOR for at, _ in firmware.parts(now)] or words
        at = "%s, %s: " % (what, moment)
        judge.second_opinion(now, at + "the chunks")
        for variant, image, truth in variants(firmware, flash, ram, older, turn):
            judge.compare(image, truth, at + variant)
        older = now
    return older


def judge_opening(judge, kind, command, what):
    """Judge the RAM while the first ring is opened: behind each store to its header."""
    firmware = judge.firmware
    for moment, run in opening(kind, command, firmware.folder, firmware.stops, firmware.chunks[0][0]):
        ram = firmware.saved(run, firmware.ram)
        judge.compare(ram, firmware.cut(ram), "%s, %s: RAM while a ring is opened" % (what, moment))


def main():
    flags = [argument for argument in sys.argv[1:3] if argument in ("--parallel", "--again")]
    build, elf, moments, flash, ram, *command = sys.argv[1 + len(flags):]
    firmware = Firmware(elf, flash, ram)
    judge = Judge(build, firmware)
    kind = Parallel if "--parallel" in flags else Recorded
    left = judge_run(judge, kind, command, int(moments), "run 1")
    if "--again" in flags:
        judge_opening(judge, kind, command, "run 1")
        command += firmware.left(left)
        judge_run(judge, kind, command, int(moments), "run 2")
        judge_opening(judge, kind, command, "run 2")
    print("%s: %s moments of a run, %d amid a write; up to %d events; %d images, %d wrong" % (
        os.path.basename(firmware.folder), moments, judge.amid, judge.events, judge.images, judge.wrong))
    return judge.wrong != 0


sys.exit(main())
