#!/usr/bin/env python3
"""names.py - names that no output can take as they are: quotes, ends of lines, controls, broken UTF-8, words of the
formats. trace.dat files with such names of tasks, interrupts, texts, events and fields become every other format; each
has all events, and whatever reads it is not misled.

usage: names.py BUILD

Judges: Python's csv and json; vcd.py, perfetto.py and columns.py beside this; babeltrace2; trace-cmd.
"""
import csv
import json
import os
import subprocess
import sys
import unicodedata

BUILD = sys.argv[1]
HERE = BUILD + "/test/names/"
sys.path.insert(0, "tests/gen")
sys.argv[1:] = ["names", "1", "-"]  # the generator's size
import hostile_writers as gen

NAMES = [b"", b" ", b'"', b'""', b"a,b", b"a\nb", b"a\r\nb", b"\r", b"\\", b"\\\"", b"$end", b"$var", b"$", b"#1",
         b"x y", b"\x01\x1b[31m", b"\x7f", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x82", b"\xf4\x90\x80\x80",
         b"{}", b"\";};", b"*/", b"'", b"%s%n%99999d", b"&<>", b"../..", b"null", b"time_ns", b"event", b"int", b"1st",
         b"_", b"-", "\u00e9\u20ac\U0001f600".encode(), "\u2028\u0085\ufeff".encode(), b"n" * 200]
EVENTS_OF_A_NAME = 6


# ---- the files -------------------------------------------------------------------------------------------------------

def events_of(name, pid):
    """A task, an interrupt and a text of this name."""
    comm = name[:15]

    def switch(old, new):
        return gen.event(gen.SWITCH, old, gen.pack("16siiq16sii", comm, old, 1, 1, comm, new, 1))

    return [switch(1, pid), gen.event(gen.WAKING, pid, gen.pack("16siii", comm, 1, 1, 0)),
            gen.event(gen.PLAIN, pid, gen.pack("64sI", name[:60], 7)),
            gen.event(gen.ENTRY, pid, gen.pack("i16s", pid, comm)), gen.event(gen.EXIT, pid, gen.pack("ii", pid, 1)),
            switch(pid, 1)]


def write(names, event=b"plain", field=b"value"):
    """in.dat, with the names, and an event and a field of it that have these names."""
    layout = (b"\tfield:char text[64];\toffset:8;\tsize:64;\tsigned:0;\n"
              b"\tfield:unsigned int %s;\toffset:72;\tsize:4;\tsigned:0;\n" % field)
    plain = gen.plain_text("@LAYOUT@", "@PRINT@", name="@NAME@")
    plain = plain if isinstance(plain, bytes) else plain.encode()
    plain = plain.replace(b"@LAYOUT@", layout).replace(b"@PRINT@", b'"%%s %%u", REC->text, REC->%s' % field)
    saved = b"".join(b"%d %s\n" % (pid, name[:15].replace(b"\n", b" ")) for pid, name in enumerate(names, 2))
    put_tables = gen.File.tables
    gen.File.tables = lambda self, *args, **more: put_tables(self, *args, _21=gen.sized(saved, "Q"), **more)
    events = [each for pid, name in enumerate(names, 2) for each in events_of(name, pid)]
    data = gen.one_cpu(events, (plain.replace(b"@NAME@", event),))
    gen.File.tables = put_tables
    with open(HERE + "in.dat", "wb") as file:
        file.write(data)


# ---- what is made of them --------------------------------------------------------------------------------------------

def run(*command):
    return subprocess.run(command, capture_output=True)


def must(*command, codes=(0,)):
    """What a program prints that must not complain."""
    done = run(*command)
    if done.returncode not in codes or done.stderr:
        sys.exit("names.py: %s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr[:500]))
    return done.stdout


def decode(to, *options):
    return must(BUILD + "/tlog-decode", "-q", HERE + "in.dat", *options, "-o", HERE + to, codes=(0, 2))


def check_rows(events):
    """CSV and JSON lines are UTF-8, have all events, and the same columns."""
    decode("out.csv", "--format=csv")
    decode("out.jsonl", "--format=jsonl")
    with open(HERE + "out.csv", encoding="utf-8", newline="") as file:
        head, *table = csv.reader(file, strict=True)
    lines = [json.loads(line) for line in open(HERE + "out.jsonl", "rb").read().decode("utf-8").split("\n")[:-1]]
    assert len(lines) == len(table), (len(lines), len(table))
    assert sum(line["kind"] == "event" for line in lines) == events, lines
    for row, line in zip(table, lines):
        assert list(line) == head, line
        assert [json.loads(value) if key == "fields" else value for key, value in zip(head, row)] == \
            [value if key == "fields" else str(value) for key, value in line.items()], (row, line)
    return lines


def check_answers():
    for answer in ("--stat", "--info", "--check"):
        decode("out.json", answer, "--json")
        json.loads(open(HERE + "out.json", "rb").read().decode("utf-8"))
        decode("out.txt", answer)
        text = open(HERE + "out.txt", "rb").read().decode("utf-8", "replace")
        for line in text.split("\n")[1:] if answer == "--stat" else ():
            width = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)
            assert width <= 80, (width, line)


def check_ctf(events):
    """Every event has its line, and those that tell the names of tasks come besides."""
    subprocess.run(["rm", "-rf", HERE + "ctf"], check=True)
    decode("ctf", "--format=ctf")
    text = must("babeltrace2", HERE + "ctf")
    states = text.count(b" lttng_statedump_")
    assert text.count(b"cpu_id") == events + states, (text.count(b"cpu_id"), events, states)


def check_others(events):
    decode("out.vcd", "--format=vcd")
    must("python3", "tests/judges/vcd.py", "same", HERE + "out.vcd", HERE + "out.vcd")
    decode("out.pftrace", "--format=perfetto")
    must("python3", "tests/judges/perfetto.py", HERE + "out.pftrace", "--count", "--strict")
    must("python3", "tests/judges/columns.py", BUILD + "/tlog-decode", HERE + "in.dat")
    decode("out.dat", "--session=" + HERE + "rows.json")
    json.loads(open(HERE + "rows.json", "rb").read().decode("utf-8"))
    shown = must("trace-cmd", "report", "-t", HERE + "out.dat")
    assert shown.count(b" plain: ") >= events // EVENTS_OF_A_NAME or b" plain: " not in shown, shown[:500]


def check_all(events):
    lines = check_rows(events)
    check_answers()
    check_ctf(events)
    check_others(events)
    return lines


def is_whole():
    """Whether the decoder takes the format of in.dat's event; if not it says so, and where the format is."""
    done = run(BUILD + "/tlog-decode", HERE + "in.dat", "--format=csv", "-o", HERE + "out.csv")
    says = b"in.dat: offset 0x" in done.stderr and b"its events are shown as hex" in done.stderr
    assert done.returncode == (2 if says else 0), (done.returncode, done.stderr)
    return not says


def main():
    os.makedirs(HERE, exist_ok=True)
    write(NAMES)
    lines = check_all(EVENTS_OF_A_NAME * len(NAMES))
    texts = [line["fields"]["text"] for line in lines if line["event"] == "plain"]
    for name, text in zip(NAMES, texts):
        assert name[:60].decode("utf-8", "replace") == text or not is_plain(name), (name, text)
    print("%d names of tasks, interrupts and texts: in every format" % len(NAMES))
    for what in ("event", "field"):
        taken = 0
        for name in NAMES:
            write([b"task"], **{what: name})
            taken += is_whole()
            check_all(EVENTS_OF_A_NAME)
        assert 0 < taken < len(NAMES), taken
        print("%d names of %ss, %d of them as they are: in every format" % (len(NAMES), what, taken))


def is_plain(name):
    """Whether a name has only what a text shows as it is."""
    return name.isascii() and name.decode().isprintable()


main()
