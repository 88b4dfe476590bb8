#!/usr/bin/env python3
"""decoder/hostile.py - files that ask for far more memory, time or output than they are large.

  decoder/hostile.py BUILD [WORD]    only the kinds whose name holds the word

gen/hostile.py, gen/hostile_dumps.py and gen/hostile_writers.py make each file, in a small size and four times as large.
The decoder must end with the exit status that is said here; with at most 64 MiB of memory and four times the input's
bytes; with an output of bounded size; and within a bounded time per byte of input: generous, but far below what
quadratic work needs. Files of the last one are written in every format and answered that WAYS has. In the tier full
each file has the small size only.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from pace import pace

MIB = 1 << 20
MEMORY, MEMORY_TIMES = 64 * MIB, 4  # bytes; and for each byte of input
SECONDS, SECONDS_PER_MIB = 4.0, 4.0  # of CPU, of the machine that pace.py speaks of
OUTPUT = 64 * MIB

# kind, size, exit status, lines of events. None: any
FILES = [
    ("chunks", 10, 2, None), ("shared_chunk", 80, 0, 80 * 2 * 64 * 20), ("lost_pages", 4, None, None),
    ("kallsyms", 4000000, 2, 1), ("printk", 8000000, 2, 1), ("cmdlines", 150000, 0, 1), ("symbols", 200000, 0, 1),
    ("systems", 20000, 0, 1), ("bad_formats", 20000, 2, 1), ("long_lines", 5, 2, 1), ("no_offset", 4000, 2, 1),
    ("long_print", 20000, 0, 1), ("format_in_instances", 100, None, None), ("claims", 20000, None, None),
    ("instances", 250, 0, 0), ("chain", 20000, 0, 3), ("many_cpus", 256, 0, 256 * 78),
    ("time_shift", 400000, None, None),
    ("gzip_bomb", 100, 1, 0), ("elf_names", 15000, 0, 3), ("elf_texts", 2000, 1, 0), ("elf_notes", 3000, 1, 0),
]


# The same of gen/hostile_dumps.py: dumps of tlog, .kev and S.Ha.R.K. files.
DUMPS = [
    ("false_heads", 100000, 0, 4), ("false_seals", 40000, 0, 4), ("right_seals", 1000, 0, 4),
    ("only_slots", 16, 1, 0), ("slots_and_marks", 20000, 0, 4), ("slots_by_image", 4, 0, None),
    ("wiped_heads", 3000, 0, 8), ("wiped_unsealed", 3000, 2, None), ("lost_and_seals", 1000, 0, 8),
    ("holes", 3000, 0, None), ("sealed_holes", 3000, 2, None), ("holes_of_noise", 3000, 0, 4),
    ("overlapping", 2000, 2, None), ("overlapping_stale", 2000, 2, None), ("lanes", 500, 2, None),
    ("many", 65536, 2, None), ("laps", 2000, 0, 8000), ("images_of_lap", 1000, None, None),
    ("torn", 1000, None, 0), ("runs", 3000, 0, 2), ("back_and_forth", 2, 0, None), ("combined", 2, None, 0),
    ("cut_regions", 400, 1, 0), ("small_regions", 16, None, None), ("damaged_regions", 2, 1, 0),
    ("kev_cpus", 65536, 0, 65536), ("kev_open", 65536, 0, 0), ("kev_orphans", 65536, None, 0),
    ("kev_long", 65536, 0, 1), ("kev_threads", 65536, 0, None), ("kev_names", 2000, 0, None),
    ("kev_buffers", 65536, 0, None),
    ("shark_stretches", 65536, 2, 65537), ("shark_back", 65536, 1, 0), ("shark_empty", 262144, 0, 4),
    ("shark_codes", 65536, 0, 65536), ("shark_marks", 65536, 0, 65536),
]

# The same of gen/hostile_writers.py: size, exit status, and the ways of WAYS, if not all.
WRITERS = [
    ("cpus", 1024, 0, None), ("tasks", 250000, 0, None), ("task_switches", 250000, 0, None),
    ("task_spans", 250000, 0, None), ("deep_spans", 1000000, 0, None), ("task_locks", 250000, 0, None),
    ("span_losses", 16384, 0, None), ("mutexes", 16384, 0, None), ("held_mutexes", 16384, 0, None),
    ("mutex_losses", 16384, 0, None), ("task_mutexes", 65536, 0, None), ("objects", 16384, 0, None),
    ("types", 1000, None, None), ("symbols_of_mutex", 16384, None, ("stat", "stat-json")),
]
WAYS = {"perfetto": ["--format=perfetto"], "columns": ["--format=columns"], "ctf": ["--format=ctf"],
        "csv": ["--format=csv"], "jsonl": ["--format=jsonl"], "stat": ["--stat"], "stat-json": ["--stat", "--json"],
        "info": ["--info"], "info-json": ["--info", "--json"], "check": ["--check"], "vcd": ["--format=vcd"],
        "vcd-wires": ["--format=vcd-wires"], "around": ["--format=csv", "--around=*:1us"]}


class Wrong(Exception):
    pass


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (600, 600))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def decode(decoder, arguments, out, way=("--format=text",)):
    """Exit status, seconds of CPU, most bytes of memory."""
    with open(out, "wb") as to, open(out + ".err", "wb") as errors:
        process = subprocess.Popen([decoder, "-q", *way, *arguments], stdout=to, stderr=errors, preexec_fn=limits)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def events_in(path):
    with open(path, "rb") as file:
        return sum(b"EVENTS DROPPED" not in line and not line.startswith(b"cpus=") for line in file)


def check(decoder, directory, generator, kind, size, wanted, events):
    path, out = os.path.join(directory, kind), os.path.join(directory, "out")
    subprocess.run([sys.executable, generator, kind, str(size), path], check=True)
    arguments = ["--elf", path, os.path.join(directory, "small")] if kind.startswith("elf_") else [path]
    bytes_in = sum(os.path.getsize(each) for each in arguments[-2:] if each[0] == "/")
    took = decode(decoder, arguments, out)
    bytes_out = os.path.getsize(out)
    told = judge("%s %d" % (kind, size), wanted, bytes_in, bytes_out, *took)
    if bytes_out > OUTPUT + 200 * bytes_in:
        raise Wrong("output: " + told)
    if events is not None and events_in(out) != events:
        raise Wrong("%d events, not %d: " % (events_in(out), events) + told)
    os.remove(path)


def judge(what, wanted, bytes_in, bytes_out, status, seconds, memory):
    """Whether a call of the decoder is within the bounds. Returns what it took as text."""
    told = "%s: %d bytes, exit status %d, %.2f s, %.1f MiB, %d bytes of output" % (
        what, bytes_in, status, seconds, memory / MIB, bytes_out)
    print(told, flush=True)
    if status not in ((0, 1, 2) if wanted is None else (wanted,)):
        raise Wrong("exit status: " + told)
    if memory > MEMORY + MEMORY_TIMES * bytes_in:
        raise Wrong("memory: " + told)
    bound = SECONDS + SECONDS_PER_MIB * bytes_in / MIB
    if seconds > bound and seconds > bound * pace():
        raise Wrong("time: " + told)
    return told


def check_ways(decoder, directory, kind, size, wanted, ways):
    """Write a file in each format, and answer each question about it. Yields what was wrong."""
    path, out = os.path.join(directory, kind), os.path.join(directory, "out")
    subprocess.run([sys.executable, "tests/gen/hostile_writers.py", kind, str(size), path], check=True)
    for way in ways or WAYS:
        shutil.rmtree(out + ".d", ignore_errors=True)
        to = ["-o", out + ".d"] if way == "ctf" else []
        took = decode(decoder, to + [path], out, WAYS[way])
        try:
            judge("%s %s %d" % (way, kind, size), wanted, os.path.getsize(path), os.path.getsize(out), *took)
        except Wrong as why:
            yield str(why)
    os.remove(path)


def main():
    decoder, word = os.path.join(sys.argv[1], "tlog-decode"), sys.argv[2] if len(sys.argv) > 2 else ""
    directory = tempfile.mkdtemp()
    wrong = []
    once = os.environ.get("TIER") == "full"
    try:
        subprocess.run([sys.executable, "tests/gen/hostile.py", "chain", "0", os.path.join(directory, "small")],
                       check=True)
        files = [("tests/gen/hostile.py", *file) for file in FILES]
        files += [("tests/gen/hostile_dumps.py", *file) for file in DUMPS]
        for generator, kind, size, wanted, events in files:
            for times in () if word not in kind else (1,) if once else (1, 4):
                try:
                    check(decoder, directory, generator, kind, size * times, wanted,
                          events * times if events is not None and events > 9 else events)
                except Wrong as why:
                    wrong.append(str(why))
        for kind, size, wanted, ways in WRITERS:
            for times in () if word not in kind else (1,) if once else (1, 4):
                wrong += check_ways(decoder, directory, kind, size * times, wanted, ways)
    finally:
        shutil.rmtree(directory)
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
