#!/usr/bin/env python3
"""columns.py DECODER ARGUMENT... - a file of columns against what the decoder says of the same input: its events one by
one against --format=jsonl and --format=text, and sums over its rows against the figures of --stat --json.

Reads the file by struct, as host/formats/columns/FORMAT.md tells its bytes. Prints what agrees. Options before DECODER:
  --no-stat   --stat cannot answer about the arguments (--merge)
  --alike     they are two boards that did the same at the same times
"""
import bisect
import collections
import json
import re
import struct
import subprocess
import sys
import types

NONE = 0xFFFFFFFF
UNKNOWN, RUNNING, READY, BLOCKED, ENDED = range(5)
FROM_UNKNOWN, TO_UNKNOWN, LEFT, NO_EXIT = 1, 2, 4, 8
LINE = re.compile(r"\s*(.*)-(\d+)\s+\[(\d+)\] +(\d+)(?:\.(\d{9}))?:")
FORMS = {"f64": "d", "u32": "I", "u16": "H", "u8": "B"}
ARRAYS = {"cpu": "start end what", "task": "start end what state", "irq": "start end what state flags",
          "mutex": "start end what flags", "counter": "start value", "span": "start end what state",
          "log": "start what", "events": "time row text type cpu flags", "gaps": "start end count cpu kind",
          "wakes": "time from to", "strings": "offsets bytes"}


class Columns:
    """A file: trace (its JSON), rows and tables with their arrays as attributes, and text()."""

    def __init__(self, data):
        magic, version, size, at = struct.unpack_from("<8sIIQ", data)
        assert (magic, version, size % 8, at % 8, at + size) == (b"tlogcols", 1, 0, 0, len(data))
        self.data, self.next, self.end = data, 24, at
        self.trace = json.loads(data[at:])
        self.rows = [self.table(row, row["kind"]) for row in self.trace["rows"]]
        self.events, self.gaps, self.wakes, self.strings = (self.table(self.trace[name], name) for name in
                                                            ("events", "gaps", "wakes", "strings"))
        assert self.next == at, "bytes that belong to no array"
        self.bytes = bytes(self.strings.bytes)
        self.types = self.trace["types"]

    def table(self, told, kind):
        """The arrays of a row or a table; they follow each other in the file."""
        arrays = dict(told)
        assert " ".join(told["arrays"]) == ARRAYS[kind], (kind, told)
        for name, (form, offset, n) in told["arrays"].items():
            assert offset == self.next and (kind == "strings" or n == told["n"]), (told, self.next)
            arrays[name] = struct.unpack_from("<%d%s" % (n, FORMS[form]), self.data, offset)
            self.next = offset + (n * struct.calcsize(FORMS[form]) + 7) // 8 * 8
        return types.SimpleNamespace(**arrays)

    def text(self, number):
        first, last = self.strings.offsets[number:number + 2]
        return self.bytes[first:last]


def decode(decoder, arguments, *options):
    run = subprocess.run([decoder, "-q", *options, *arguments], stdout=subprocess.PIPE, check=False)
    assert run.returncode in (0, 2), "exit code %d: %s" % (run.returncode, options)
    return run.stdout


# ---- the file itself -------------------------------------------------------------------------------------------------

def check_rows(columns):
    """Intervals are in order, inside of the trace, and, of CPUs and tasks, without holes."""
    span, cpus = columns.trace["span"], columns.trace["cpus"]
    for index, row in enumerate(columns.rows):
        where = "row %d, %s %s" % (index, row.kind, row.name)
        assert all(a <= b for a, b in zip(row.start, row.start[1:])), where + ": order"
        assert row.n == 0 or (row.start[0] >= 0 and row.start[-1] <= span), where + ": outside"
        assert (row.kind == "cpu") == (index < cpus) and -1 <= row.parent < len(columns.rows), where
        if row.kind in ("counter", "log"):
            continue
        assert all(a <= b <= span for a, b in zip(row.start, row.end)), where + ": lengths"
        if row.kind in ("cpu", "task") and row.n > 0:
            assert row.start[0] == 0 and row.end[-1] == span and row.end[:-1] == row.start[1:], where + ": holes"
        if row.kind == "mutex":
            assert all(a <= b for a, b in zip(row.end, row.start[1:])), where + ": overlap"
        if row.kind in ("irq", "mutex", "span"):
            assert max(row.what, default=0) < columns.strings.n, where
        if row.kind == "cpu":
            assert all(what == NONE or columns.rows[what].kind == "task" for what in row.what), where
    for each in ("from", "to"):
        assert all(row == NONE or row < len(columns.rows) for row in getattr(columns.wakes, each))


def handlers_of(columns, cpu):
    """The interrupts of a CPU, the outer ones first."""
    return sorted((start, -end, depth, flags, index)
                  for index, row in enumerate(columns.rows) if row.kind == "irq" and row.cpu == cpu
                  for start, end, depth, flags in zip(row.start, row.end, row.state, row.flags))


def check_tasks_run(columns):
    """A task runs where the row of a CPU says so. Returns the numbers of those that run on two CPUs at a time: then the
    trace contradicts itself, and the row of the task has one of both."""
    runs, seems, twice = collections.defaultdict(list), collections.defaultdict(list), set()
    idle = [row for row in columns.rows if row.kind == "task" and row.number == 0]
    if columns.trace["cpus"] > 1 and idle:  # task 0 of every CPU
        assert set(idle[0].state) == {UNKNOWN}
        twice.add(0)
    for cpu, row in enumerate(columns.rows[:columns.trace["cpus"]]):
        left = {-end for _, end, depth, flags, _ in handlers_of(columns, cpu) if flags & LEFT and depth == 0}
        for i, what in enumerate(row.what):
            is_left = row.what[i + 1:i + 2] == (NONE,) and row.end[i + 1] in left  # until then it seemed to run
            if what != NONE:
                runs[what].append((row.start[i], row.end[i], cpu))
                seems[what].append((row.start[i], row.end[i + is_left], cpu))
    for index, row in enumerate(columns.rows):
        if row.kind != "task" or row.number in twice:
            continue
        told = sorted((start, end, what) for start, end, what, state in zip(row.start, row.end, row.what, row.state)
                      if state == RUNNING)
        wanted, seem = sorted(runs[index]), sorted(seems[index])
        if any(a[1] >= b[0] and a[2] != b[2] for a, b in zip(seem, seem[1:])):
            twice.add(row.number)
        else:
            differs = sorted(each for each in set(told) ^ set(wanted) if each[0] < each[1])
            assert not differs, "%s runs: %s" % (row.name, differs[:4])
    return twice


# ---- events ----------------------------------------------------------------------------------------------------------

def lines_of(text):
    """(time, cpu, event's name, the bytes behind it) of each line that is an event."""
    for line in text.split(b"\n"):
        match = LINE.match(line.decode("latin-1"))
        if match is None:
            continue
        cpu, seconds, ns = match.group(3, 4, 5)
        rest = line[match.end():]
        name = rest[1:].split(b":", 1)[0]
        yield (int(seconds) * (10**9 if ns else 1) + int(ns or 0), int(cpu), name.decode(),
               rest[max(23, len(name) + 3):])


def check_events(columns, rows, text):
    events, start = columns.events, int(columns.trace["start"])
    wanted = [row for row in rows if row["kind"] not in ("loss", "damage")]
    shown = [line for line in lines_of(text) if line[2] != "end_of_trace"]
    assert events.n == len(wanted) == len(shown), "%d events, %d, %d" % (events.n, len(wanted), len(shown))
    named = 0
    for i, (row, line) in enumerate(zip(wanted, shown)):
        kind, time = columns.types[events.type[i]], row.get("time_ns", row.get("time_ticks"))
        told = (int(events.time[i]) + start, events.cpu[i], kind["system"], kind["name"], events.flags[i] >> 1 & 1)
        assert told == (time, row["cpu"], row["system"], row["event"], row["kind"] == "derived"), (i, told, row)
        text = columns.text(events.text[i])
        assert told[:2] + (told[3], text) == line, (i, told, text, line)
        if events.row[i] == NONE:
            continue
        owner = columns.rows[events.row[i]]
        assert owner.kind in ("task", "irq") and (owner.kind == "irq" or owner.number == row["pid"]), (i, owner, row)
        assert owner.kind == "task" or owner.cpu == events.cpu[i], (i, owner)
        named += 1
    return named


def check_gaps(columns, rows):
    """Losses and damage, CPU by CPU, with their counts, each up to the CPU's next event."""
    gaps, start, span = columns.gaps, int(columns.trace["start"]), columns.trace["span"]
    told, wanted, open_now = (collections.defaultdict(list) for _ in range(3))
    for begin, end, count, cpu, kind in zip(gaps.start, gaps.end, gaps.count, gaps.cpu, gaps.kind):
        assert begin <= end
        if kind < 2:
            told[cpu].append([begin, end, ("loss", "damage")[kind], int(count)])
    for row in rows:
        cpu, time = row["cpu"], min(max(row.get("time_ns", row.get("time_ticks")) - start, 0), span)
        if row["kind"] in ("loss", "damage"):
            wanted[cpu].append([time, span, row["kind"], row["fields"]["count"]])
            open_now[cpu].append(wanted[cpu][-1])
            continue
        for each in open_now.pop(cpu, []):
            each[1] = time
    left_out = any(kind == 3 for kind in gaps.kind)  # their ends are not in the rows
    for cpu in told.keys() | wanted.keys():
        if len(told[cpu]) < len(wanted[cpu]) or left_out:
            assert sum(each[3] for each in told[cpu]) == sum(each[3] for each in wanted[cpu]), (cpu, told, wanted)
        else:
            assert told[cpu] == wanted[cpu], (cpu, told[cpu], wanted[cpu])
    return gaps.n


# ---- figures ---------------------------------------------------------------------------------------------------------

class Times:
    """Intervals that do not overlap."""

    def __init__(self, intervals):
        self.starts, self.ends, self.sums = [], [], [0]
        for start, end in intervals:
            self.starts.append(start)
            self.ends.append(end)
            self.sums.append(self.sums[-1] + end - start)

    def before(self, time):
        """How long they are up to a time."""
        at = bisect.bisect_right(self.starts, time)
        return self.sums[at] - (max(self.ends[at - 1] - time, 0) if at > 0 else 0)

    def within(self, start, end):
        return self.before(end) - self.before(start)


def check_left(columns):
    """Before it turns out that a handler was left, it is not known what ran."""
    for cpu, row in enumerate(columns.rows[:columns.trace["cpus"]]):
        for start, end, depth, flags, _ in handlers_of(columns, cpu):
            if depth == 0 and flags & LEFT and start < -end:
                assert row.what[bisect.bisect_left(row.end, -end)] == NONE, (cpu, start, -end)


class Handlers:
    """The interrupts of a CPU."""

    def __init__(self, columns, cpu):
        self.all = handlers_of(columns, cpu)
        self.whole = Times((start, -end) for start, end, depth, flags, _ in self.all if depth == 0 and not flags & LEFT)
        self.left = Times((start, -end) for start, end, depth, flags, _ in self.all if depth == 0 and flags & LEFT)

    def own(self):
        """By row: time without that of interrupts inside."""
        own, outer = collections.Counter(), {}
        inside = collections.Counter()
        for at, (start, end, depth, flags, _) in enumerate(self.all):
            outer[depth] = at
            if depth > 0 and not flags & NO_EXIT:
                inside[outer[depth - 1]] += -end - start
        for at, (start, end, depth, flags, index) in enumerate(self.all):
            if not flags & (NO_EXIT | LEFT):
                own[index] += max(-end - start - inside[at], 0)
        return own


def same(what, told, wanted):
    assert told == wanted, "%s: %s, and --stat says %s" % (what, told, wanted)
    return 1


def check_cpus(columns, stat):
    running, n = collections.Counter(), 0
    loads = {each["cpu"]: each for each in stat["load"]}
    for cpu, row in enumerate(columns.rows[:columns.trace["cpus"]]):
        handlers = Handlers(columns, cpu)
        busy = idle = 0
        for start, end, what in zip(row.start, row.end, row.what):
            busy += handlers.whole.within(start, end)
            if what == NONE:
                continue
            pid = columns.rows[what].number
            own = end - start - handlers.whole.within(start, end) - handlers.left.within(start, end)
            running[pid] += own
            idle += own if pid == 0 else 0
            busy += own if pid != 0 else 0
        if cpu not in loads:
            assert busy == idle == 0
            continue
        load = loads[cpu]
        n += same("CPU %d" % cpu, (busy, idle, max(stat["chosen"] - busy - idle, 0), handlers.whole.sums[-1]),
                  (load["busy"], load["idle"], load["unknown"], load["in_interrupts"]))
    for task in stat["tasks"]:
        n += same("%s running" % task["task"], running[task["pid"]], task["running"])
    return n


def states_of(columns, row):
    """Ready time, and what it was blocked for: count, time, time up to the end."""
    ready, blocked = 0, collections.defaultdict(lambda: [0, 0, 0])
    for i in range(row.n):
        length, is_last = row.end[i] - row.start[i], i + 1 == row.n
        if not is_last and row.state[i + 1] == UNKNOWN:
            continue
        if row.state[i] == READY:
            ready += length
        elif row.state[i] == BLOCKED and row.what[i] != 0:
            of = blocked[columns.text(row.what[i]).decode("utf-8", "replace")]
            of[0] += not is_last
            of[1] += 0 if is_last else length
            of[2] += length if is_last else 0
    return ready, {name: tuple(of) for name, of in blocked.items() if of != [0, 0, 0]}


def check_tasks(columns, stat, twice):
    rows, n = {row.number: row for row in columns.rows if row.kind == "task"}, 0
    same("tasks", sorted(map(int, rows)), sorted(task["pid"] for task in stat["tasks"]))
    for task in stat["tasks"]:
        row = rows[task["pid"]]
        ready, blocked = states_of(columns, row)
        wanted = collections.defaultdict(lambda: (0, 0, 0))
        for why in task["blocked"]:
            name = "%s %s" % (why["kind"], why["object"]) if why["object"] is not None else why["reason"]
            if not why["lock"] and name not in blocked and why["object"] is not None:
                name = "signal %s" % why["object"]
            wanted[name] = tuple(a + b for a, b in zip(wanted[name], (why["count"], why["time"], why["until_end"])))
        n += same("%s's name, priority" % task["task"], (row.name, row.priority), (task["task"], task["priority"]))
        if task["pid"] in twice:
            continue
        n += same("%s ready" % task["task"], ready, task["ready"])
        n += same("%s blocked" % task["task"], blocked, dict(wanted))
    return n


def check_interrupts(columns, stat):
    own, n = collections.Counter(), 0
    for cpu in range(columns.trace["cpus"]):
        for index, time in Handlers(columns, cpu).own().items():
            own[columns.rows[index].number] += time
    for irq in stat["interrupts"]:
        rows = [row for row in columns.rows if row.kind == "irq" and row.number == irq["number"]]
        each = [(end - start, flags, depth) for row in rows
                for start, end, flags, depth in zip(row.start, row.end, row.flags, row.state)]
        whole = [length for length, flags, _ in each if flags == 0]
        assert all(row.name == irq["interrupt"] for row in rows)
        n += same("interrupt %s" % irq["interrupt"],
                  (sum(not flags & FROM_UNKNOWN for _, flags, _ in each), len(whole), sum(whole),
                   min(whole, default=0), max(whole, default=0), own[irq["number"]],
                   max((depth for _, _, depth in each), default=0), sum(flags & LEFT > 0 for _, flags, _ in each)),
                  (irq["entered"], irq["count"], irq["time"], irq["min"], irq["max"], irq["own"], irq["inside"],
                   irq["left"]))
    numbers = {irq["number"] for irq in stat["interrupts"]}
    assert all(row.number in numbers for row in columns.rows if row.kind == "irq")
    return n


def check_mutexes(columns, stat):
    rows = {int(row.number): row for row in columns.rows if row.kind == "mutex"}
    for mutex in stat["mutexes"]:
        row = rows.pop(mutex["number"], None)
        held = [end - start for start, end, flags in zip(row.start, row.end, row.flags) if flags == 0] if row else []
        same("mutex %s" % mutex["mutex"], (len(held), sum(held), min(held, default=0), max(held, default=0)),
             tuple(mutex["held"][key] for key in ("count", "time", "min", "max")))
        assert row is None or row.name == mutex["mutex"]
    assert all(set(row.flags) <= {TO_UNKNOWN} for row in rows.values()), rows
    return len(stat["mutexes"])


def check_trace(columns, stat):
    trace, counts = columns.trace, columns.trace["counts"]
    same("trace", (trace["unit"], trace["cpus"]), (stat["unit"], stat["cpus"]))
    same("counts", tuple(counts[key] for key in ("events", "lost", "damaged", "leftOut")),
         (stat["events"], stat["dropped"] + stat["overwritten"], stat["damaged"], stat["left_out"]))
    same("complete", trace["complete"], stat["complete"])
    same("order of priorities", trace["priorityOrder"], stat["priority_order"])
    derived = sum(flags >> 1 & 1 for flags in columns.events.flags)
    same("derived", derived, counts["derived"])


def check_alike(columns):
    """Two boards that did the same at the same times: of each row there are two, with the same intervals."""
    rows = collections.Counter()
    for row in columns.rows[columns.trace["cpus"]:]:
        name = re.sub(r"^[12]:", "", row.name)
        rows[row.kind, name, tuple(row.start), tuple(getattr(row, "end", ())), tuple(getattr(row, "state", ()))] += 1
    assert all(n == 2 or key[:2] == ("task", "idle") for key, n in rows.items()), \
        [key[:2] for key, n in rows.items() if n != 2]


def main():
    arguments = sys.argv[1:]
    options = {"--no-stat": False, "--alike": False}
    while arguments[0] in options:
        options[arguments.pop(0)] = True
    decoder, *arguments = arguments
    columns = Columns(decode(decoder, arguments, "--format=columns"))
    rows = [json.loads(line) for line in decode(decoder, arguments, "--format=jsonl").splitlines()]
    check_rows(columns)
    twice = check_tasks_run(columns)
    named = check_events(columns, rows, decode(decoder, arguments, "--format=text"))
    gaps = check_gaps(columns, rows)
    check_left(columns)
    if options["--alike"]:
        check_alike(columns)
    figures = 0
    if not options["--no-stat"]:
        stat = json.loads(decode(decoder, arguments, "--stat", "--json"))[0]
        check_trace(columns, stat)
        figures = sum(check(columns, stat) for check in (check_cpus, check_interrupts, check_mutexes))
        figures += check_tasks(columns, stat, twice)
    print("%d events, %d of them of a row, %d rows, %d gaps, %d wake-ups, %d texts%s; %d figures of --stat"
          % (columns.events.n, named, len(columns.rows), gaps, columns.wakes.n, columns.strings.n,
             ", %d tasks on two CPUs at a time" % len(twice) if twice else "", figures))


if __name__ == "__main__":
    main()
