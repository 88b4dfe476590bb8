#!/usr/bin/env python3
"""rows.py DECODER ARGUMENT... - rows of CSV and of JSON lines, read by Python's own csv and json, against the full
lines of text: the same events, in the same order, with the same times, tasks, CPUs, numbers and texts.

ARGUMENT: input files and options for the decoder. Prints how many rows agree.
"""
import csv
import io
import json
import re
import subprocess
import sys

LINE = re.compile(r"^\s*(.*)-(\d+)\s+\[(\d+)\]\s+(\d+)\.?(\d{9})?: ([^ :]+):([^ :]+):(.*)$")
LOSS = re.compile(r"^CPU:(\d+) \[(DAMAGED INPUT)?:? ?(\d+)? ?EVENTS( DROPPED)?\]$|^CPU:(\d+) \[(DAMAGED INPUT)\]$")
COLUMNS = ["cpu", "pid", "task", "kind", "system", "event", "group", "context", "fields"]


def output(form):
    """What the decoder writes in a format."""
    run = subprocess.run([sys.argv[1], "-q", "--format=" + form] + sys.argv[2:], stdout=subprocess.PIPE)
    if run.returncode not in (0, 2):
        sys.exit("%s: exit code %d" % (form, run.returncode))
    return run.stdout


def shows(text, name, value):
    """Whether the fields of a line show the field with that value."""
    if value is None:
        return " %s=?" % name in text
    if isinstance(value, int):
        hidden = value == 0 and " %s=" % name not in text
        return hidden or re.search(r" %s=(%d|0x%x|[A-Za-z_][^ ]*)( |$)" % (name, value, value), text) is not None
    if isinstance(value, float):
        return " %s_text=" % name in text
    if isinstance(value, list):
        return True
    plain = value.encode("ascii", "replace").decode()
    return " %s=" % name in text and (not plain.isalnum() or " %s=%s" % (name, plain) in text)


def check(line, row):
    """The row is that of the line of text."""
    loss = line.startswith("CPU:")
    if loss:
        count = re.search(r"(\d+) EVENTS", line)
        assert row["kind"] == ("damage" if "DAMAGED" in line else "loss")
        assert row["cpu"] == int(line[4:line.index(" ")])
        assert row["fields"]["count"] == int(count.group(1) if count else 0)
        return
    task, pid, cpu, seconds, ns, system, event, fields = LINE.match(line).groups()
    time = row["time_ns"] if "time_ns" in row else row["time_ticks"]
    assert time == (int(seconds) * 10**9 + int(ns) if ns else int(seconds))
    shown = "<idle>" if row["task"] == "idle" and row["pid"] == 0 else row["task"] or "<...>"  # as trace-cmd has it
    assert (shown, row["pid"], row["cpu"]) == (task, int(pid), int(cpu))
    assert (row["system"], row["event"]) == (system, event)
    assert row["context"] == "" or "(%s)" % row["context"] in fields
    for name, value in row["fields"].items():
        derived = name[-5:] in ("_name", "_text") and name[:-5] in row["fields"]
        assert derived or shows(fields, name, value), name


def main():
    lines = [line for line in output("text-full").decode("utf-8", "replace").splitlines() if line[:5] != "cpus="]
    rows = [json.loads(line) for line in output("jsonl").decode("utf-8").splitlines()]
    table = list(csv.reader(io.StringIO(output("csv").decode("utf-8"), newline="")))
    if table[0][1:] != COLUMNS or table[0][0] not in ("time_ns", "time_ticks") or len(table) != len(rows) + 1:
        sys.exit("columns %s, %d rows of CSV, %d of JSON" % (table[0], len(table) - 1, len(rows)))
    for cells, row in zip(table[1:], rows):
        if list(row) != table[0]:
            sys.exit("columns: %s" % row)
        if cells[:-1] != [str(row[name]) for name in table[0][:-1]] or json.loads(cells[-1]) != row["fields"]:
            sys.exit("CSV %s, JSON %s" % (cells, row))
    logged = [row for row in rows if row["kind"] != "derived"]
    if len(logged) != len(lines):
        sys.exit("%d lines of text, %d rows" % (len(lines), len(logged)))
    for line, row in zip(lines, logged):
        try:
            check(line, row)
        except (AssertionError, AttributeError, KeyError) as error:
            sys.exit("%r: text %r, row %s" % (error, line, row))
    print("%d rows agree" % len(rows))


main()
