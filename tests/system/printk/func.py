#!/usr/bin/env python3
"""func.py - checks the function trace of tests/system/printk/func.c: as text, as a graph and flat, and in trace-cmd's
report of the graph.

usage: func.py GRAPH FLAT REPORT"""
import re
import sys

EVENT = re.compile(r"^ *(\S+)-(\d+) +\[000\] +(\d+)\.(\d+): ftrace:(\w+): (.*)$")
RECURSE = ["recurse", "leaf", "recurse", "leaf", "recurse", "leaf"]
FLAT = ["main", "inside", *RECURSE, "leaf", "leaf"]
# Written by hand from func.c: task, function that it enters, depth. main is entered before the first switch.
ENTRIES = [("boot", "main", 0), ("one", "inside", 0)]
ENTRIES += [("two", name, depth) for name, depth in zip(RECURSE, (0, 1, 1, 2, 2, 3))]
ENTRIES += [("ISR:9", "leaf", 0), ("one", "leaf", 0)]


def events(name):
    with open(name, encoding="utf-8") as lines:
        for match in filter(None, map(EVENT.match, lines)):
            task, _, seconds, ns, kind, fields = match.groups()
            fields = dict(field.split("=") for field in fields.split())
            yield task, int(seconds) * 10**9 + int(ns), kind, fields


def function(address):
    name, _, offset = address.partition("+")
    if offset:
        sys.exit(f"{address}: not the begin of a function")
    return name


def check_graph(name):
    stacks, entries = {}, []
    for task, time, kind, fields in events(name):
        stack = stacks.setdefault(task, [])
        called = function(fields["func"])
        if kind == "funcgraph_entry":
            entries.append((task, called, int(fields["depth"])))
            stack.append((called, time))
            continue
        known = bool(stack)
        begun = stack.pop() if known else (called, time)
        want = {"calltime": begun[1], "rettime": time, "overrun": int(not known), "depth": len(stack)}
        if begun[0] != called or any(int(fields[key]) != value for key, value in want.items()):
            sys.exit(f"{called} left at {time} by {task}: {fields} instead of {want}")
        if not known and (task, called) != ("one", "main"):
            sys.exit(f"{called} left by {task} without having been entered")
    if entries != ENTRIES:
        sys.exit(f"entered: {entries} instead of {ENTRIES}")
    if {task: [called for called, _ in stack] for task, stack in stacks.items() if stack} != {"boot": ["main"]}:
        sys.exit(f"not left: {stacks}")


def check_report(name):
    with open(name, encoding="utf-8") as file:
        lines = [line.rstrip("\n").partition("|")[2] for line in file if "funcgraph_" in line]
    want = ["  main() {", "  inside() {", "  recurse() {", "    leaf();", "    recurse() {", "      leaf();",
            "      recurse() {", "        leaf();", "      }", "    }", "  }", "  leaf();", "  }", "  leaf();", "  }"]
    if lines != want:
        sys.exit(f"trace-cmd shows {lines} instead of {want}")


def main():
    graph, flat, report = sys.argv[1:]
    check_graph(graph)
    calls = [(function(fields["ip"]), fields["parent_ip"]) for _, _, _, fields in events(flat)]
    if [call[0] for call in calls] != FLAT or not calls[1][1].startswith("main+"):
        sys.exit(f"flat: {calls}")
    check_report(report)
    print(f"{len(ENTRIES)} functions entered and left, with names, depths and durations")


main()
