#!/usr/bin/env python3
"""tables.py - no line of --stat is wider than 80 columns, and nothing is missing in it: names of every length and kind,
times of ns to years, several CPUs, ticks.

usage: tables.py DECODER SCRIPTS DIR DUMP...     SCRIPTS: a decoder that reads event scripts

The dumps are made by tests/gen/ring.py, from target/FORMAT.md. Names must stand in the text as they are; a number that
--stat --json tells must be there too, as far as four digits go, in the row that has the name.
"""
import json
import random
import subprocess
import sys

sys.path.insert(0, "tests/gen")
import ring  # noqa: E402

DECODER, SCRIPTS, HERE = sys.argv[1:4]
NAMES = {"short": "t%d", "common": "sensor_%d", "long": "measurement_of_the_left_wheel_%d",
         "blanks": "a b c d e f g h i j k l m n %d"}
STEPS = {"ns": (10**9, 50), "hours": (10**3, 60000), "years": (10, 10**8)}
ENTRY, EXIT, WAKE, SLEEP, SWITCH, PRIORITY = 3, 0x13, 0x12, 0x72, 0x15, 5
LOCK, UNLOCK, WAIT, MISS = 0x16, 0x36, 0x46, 0xB2
HANDLE = 0x20001234             # of a mutex without a name


def story(log):
    """A low task holds a mutex for which a high one waits, while a middle one runs; an interrupt inside of another."""
    for code, par1, par2 in ((SWITCH, 3, 0), (LOCK, 3, 9), (WAKE, 1, 0), (SWITCH, 1, 0), (WAIT, 1, 9), (SWITCH, 3, 0),
                             (WAKE, 2, 0), (SWITCH, 2, 0), (ENTRY, 20, 0), (ENTRY, 21, 0), (EXIT, 21, 0),
                             (EXIT, 20, 0), (SLEEP, 2, 0), (SWITCH, 3, 0), (UNLOCK, 3, 9), (WAKE, 1, 0),
                             (SWITCH, 1, 0), (LOCK, 1, 9), (UNLOCK, 1, 9), (MISS, 1, 0), (SLEEP, 1, 0), (SWITCH, 3, 0),
                             (SLEEP, 3, 0), (SWITCH, 0, 0)):
        log(code, par1, par2)


def dump_of(path, name, hz, step, cpus):
    images = []
    for cpu in range(cpus):
        one = ring.Ring(ring.Layout(cpu=cpu, slots=300, freq=hz, boot=5, address=0x20000000 + cpu * 0x100000),
                        bytes(ring.size_of(300, 0)), random.Random(1))

        def log(code, par1, par2):
            one.ticks += random.Random(one.ticks).randrange(1, step)
            one.record(code, par1, par2)
        for task in (1, 2, 3):
            log(PRIORITY, task, task)
        for _ in range(8):
            story(log)
        log(UNLOCK, 3, HANDLE)
        images.append(one)
    facts = ring.Ring(ring.Layout(role=ring.FACTS, address=0x20900000, freq=hz, boot=5), bytes(ring.size_of(40, 0)),
                      random.Random(1))
    for kind, ident in ((1, 1), (1, 2), (1, 3), (2, 20), (2, 21), (3, 9)):
        assert ring.log_fact(facts, kind, ident, (name % ident).encode()[:31])
    with open(path, "wb") as file:
        for one in (*images, facts):
            one.seal()
            file.write(one.bytes())


def script_of(path, clock):
    """Tasks of ticks or ns up to 2^63; heaps and counts with many digits."""
    lines = ["#script", "cpus 2", "clock %d" % clock, "name 1 a_task_whose_name_is_very_long_1"]
    for i in range(60):
        at, task = 1 << i, i % 3 + 1
        lines += ["wake 0 %d %d" % (at, task), "switch 0 %d %d" % (at + at // 8, task),
                  "allocate 0 %d 4294967295 %d" % (at + at // 7, 1 << i % 32),
                  "lock 0 %d %d" % (at + at // 4, task), "switch 0 %d 0" % (at + at // 3)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def digits(ns):
    """A time as the text has it, for ns or for ticks."""
    for unit, size, most in (("ns", 1, 1000), ("us", 1e3, 999.95), ("ms", 1e6, 999.95), ("s", 1e9, 999999.5),
                             ("d", 86400e9, 1e9)):
        amount = ns / size
        if amount < most:
            break
    n = 0 if unit == "ns" else 3 if amount < 9.9995 else 2 if amount < 99.995 else 1 if amount < 999.95 else 0
    return "%.*f %s" % (n, amount, unit)


def told(stat, is_ns):
    """(title of the table, names in the row, figures in the row) of each thing that the JSON has."""
    for task in stat["tasks"]:
        yield "Tasks", [task["task"]], [str(task["runs"])] + [digits(task["ready"]), digits(task["running"])] * is_ns
        for title, key in (("Responses", "response"), ("Latencies", "latency"), ("Periods", "period")):
            if task["pid"] and task[key]["count"] > (key == "period"):
                yield title, [task["task"]], [digits(task[key][each]) for each in ("min", "avg", "max") if is_ns]
        for each in task["blocked"]:
            yield "Blocked", [task["task"], each["reason"], *([each["object"]] if each["object"] else [])], [
                str(each["count"]), *([digits(each["max"])] * is_ns)] * (not each["until_end"])
    for each in stat["interrupts"]:
        yield "Interrupts", [each["interrupt"]], [digits(each["max"]), digits(each["avg"])] * is_ns
    for each in stat["mutexes"]:
        yield "Mutexes", [each["mutex"], each["held_longest_by"] or "-"], [str(each["held"]["count"])]
    for each in stat["inversions"]:
        yield "Priority", [each[key] for key in ("task", "mutex", "holder", "preempted_by")], [
            digits(each[key]) for key in ("waited", "preempted")]
    for each in stat["stacks_and_heaps"]:
        yield "Stack", [each["event"], each["field"]], []


def whole(text):
    return "".join(text.split())


def check(decoder, path, mutexes=()):
    command = [decoder, "-q", "--stat", path]
    text = subprocess.run(command, check=True, capture_output=True, env={}).stdout.decode("ascii")
    (stat,) = json.loads(subprocess.run([*command, "--json"], check=True, capture_output=True).stdout)
    for line in text.split("\n")[1:]:
        assert len(line) <= 80, (path, len(line), line)
    tables = {}
    for part in text.split("\n\n")[1:]:
        rows = part.split("\n")[1:]
        rows = [row for row in rows if row and (part.startswith("Priority") or not row.startswith("  interrupts"))]
        tables[part.split()[0]] = whole("".join(rows))
    count = 0
    assert {each["mutex"] for each in stat["mutexes"]} >= set(mutexes), (path, stat["mutexes"])
    for title, names, figures in told(stat, stat["unit"] == "ns"):
        table, at = tables[title], 0
        while True:  # a row that begins with the first name, and then has all else
            at = table.find(whole(names[0]), at)
            assert at >= 0, (path, title, names, figures)
            row = table[at:at + sum(len(each) + 30 for each in names) * 4 + 60]
            if all(whole(each) in row for each in names) and all(whole(each) in row for each in figures):
                break
            at += 1
        count += 1
    return count


count = sum(check(DECODER, path) for path in sys.argv[4:])
for kind, name in NAMES.items():
    for time, (hz, step) in STEPS.items():
        for cpus in (1, 2):
            path = HERE + "/tables-%s-%s-%d.bin" % (kind, time, cpus)
            dump_of(path, name, hz, step, cpus)
            count += check(DECODER, path, [hex(HANDLE)])
for clock in (0, 1, 10**9):
    script_of(HERE + "/tables-%d.txt" % clock, clock)
    count += check(SCRIPTS, HERE + "/tables-%d.txt" % clock)
print("tables: %d rows have their names and figures, in lines of at most 80 columns" % count)
