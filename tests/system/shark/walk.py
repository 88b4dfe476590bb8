#!/usr/bin/env python3
"""walk.py - checks that trace-cmd's report has a line for each row of the manual's tables, in order, with the name and
the parameters of the row.

usage: walk.py TABLE REPORT     (TABLE: table.h)"""
import re
import sys

rows = re.findall(r'^(ROW|FILTER)\((\w+), 0x(\w\w)(?:, "(\w*)", "(\w*)")?\)', open(sys.argv[1]).read(), re.M)
lines = [line for line in open(sys.argv[2]) if re.search(r"\bshark:|: +\w+:", line) and "cpus=" not in line]
at = 0


def expect(number, name, *fields):
    global at
    line = lines[at]
    shown = dict(re.findall(r"(\w+)=(\S+)", line))
    shown["context"] = shown.pop("task", shown.get("context", "-1"))  # what viewers call it
    assert re.search(r": +%s:" % re.escape(name), line), (number, name, line)
    for field, value in fields:
        assert field == "" or int(shown.get(field, "-1"), 0) == value, (number, name, field, value, line)
    at += 1


for number, (kind, name, code, par1, par2) in enumerate(rows, 1):
    if kind == "ROW":
        expect(number, name, (par1, 0x1000 + number), (par2, 0x20000 + number))
    else:
        expect(number, "filter_" + name, ("status", 0x1000 + number))
        expect(number, "filter_" + name, ("status", 0))
expect("the dump", "trace_stop")
assert at == len(lines), lines[at:]
print(len(rows), "rows,", at, "lines")
