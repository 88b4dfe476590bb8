#!/usr/bin/env python3
"""seeds.py - inputs from which a fuzzer of a reader starts: small files of every kind, as fuzz.h tells.

  fuzz/seeds.py READER DIRECTORY
"""
import os
import subprocess
import sys
import tempfile

HOSTILE = {"native": "wiped_heads wiped_unsealed holes sealed_holes lost_and_seals many torn laps slots_and_marks",
           "kev": "kev_cpus kev_open kev_orphans kev_long kev_threads kev_names kev_buffers",
           "shark": "shark_stretches shark_back shark_empty shark_codes shark_marks"}
SHAPES = {"native": 3, "live": 3}  # as fuzz.h has them; of other readers there is one
# As decode_harness.c has them.
LTTNG_FILES = ["control/facilities_0", "control/interrupts_0", "control/modules_0", "control/processes_0", "metadata_0",
               "cpu_0", "kernel_0", "user_0", "flight-cpu_1", "flight-kernel_1", "cpu_1"]
PAGE = 4096
SEED_MOST = 8192


def run(*command):
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)


def file_of(path):
    with open(path, "rb") as file:
        return file.read()


def hostile(reader, path):
    for kind in HOSTILE[reader].split():
        run("tests/gen/hostile_dumps.py", kind, "6", path)
        yield kind, file_of(path)[:SEED_MOST]


def tracedat(path):
    for options in ("version=7", "version=6", "version=7 big=1 long=4", "version=7 compression=zstd loss=2",
                    "version=7 instances=1", "version=6 options=date,offset"):
        run("tests/gen/tracedat.py", path, path + ".txt", "events=10", "chunk=1", *options.split())
        yield options.replace(" ", "-"), file_of(path)


def lttng(path):
    """The pieces of files, each of which is filled up to a page."""
    for version in ("0.3", "seed", "0.8", "1.0", "2.0", "2.3", "2.6"):
        run("tests/gen/lttng.py", path, version, "small")
        pieces = b""
        for number, name in enumerate(LTTNG_FILES):
            whole = file_of(os.path.join(path, name)) if os.path.exists(os.path.join(path, name)) else b""
            for at in range(0, len(whole), PAGE):
                piece = whole[at:at + PAGE].rstrip(b"\0\xAA")
                pieces += bytes([number]) + len(piece).to_bytes(2, "little") + piece
        yield version, pieces


def packet(text):
    return b"$" + text + b"#%02x" % (sum(text) % 256)


def live(_):
    """What servers answer: of memory of 40 and 6 bytes at two places, as live_harness.c has it."""
    memory = packet(b"ab" * 40), packet(b"01*" + bytes([29 + 10]))
    halted, features = packet(b"T05thread:01;"), b"PacketSize=400;qXfer:memory-map:read+"
    plain = b"+" + packet(features) + b"+" + halted
    yield "gdb", plain + b"+" + memory[0] + b"+" + memory[1] + b"+"
    yield "short", plain + (b"+" + packet(b"12345678")) * 12 + b"+" + halted
    yield "pieces", packet(b"PacketSize=40") + halted + packet(b"00" * 32) + packet(b"00" * 8) + packet(b"00" * 6)
    yield "binary", (packet(b"PacketSize=100;binary-upload+;QStartNoAckMode+") + packet(b"OK") + halted +
                     packet(b"b" + b"}\x03}\x04" * 20) + b"%Stop:T05#00" + packet(b"b*$$$"))
    yield "map", (plain[:-len(halted) - 1] + packet(b'l<memory type="ram" start="0x20000000" length="4"/>') + halted +
                  packet(b"00000000"))
    yield "errors", plain + packet(b"E01") + packet(b"") + b"-+"
    yield "openocd", (b"0 " + b"0x12345678 " * 10 + b"\x1a") + b"0 0x1 0x2 0x3 0x4 0x5 0xff\x1a"
    yield "old", (b'1 invalid command name "read_memory"\x1a' + b"0 0x20000000: " + b"12345678 " * 8 + b"\n0x20000020: "
                  b"00000000 00000000 \n\x1a" + b"1 no\x1a")


def main():
    reader, directory = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "seed")
        makers = {"trace.dat": tracedat, "lttng": lttng, "live": live}
        seeds = makers[reader](path) if reader in makers else hostile(reader, path)
        for name, seed in list(seeds):
            for shape in range(SHAPES.get(reader, 1)):
                with open(os.path.join(directory, "%s.%d" % (name, shape)), "wb") as file:
                    file.write(bytes([shape]) + seed)


main()
