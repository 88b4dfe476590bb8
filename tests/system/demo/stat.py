#!/usr/bin/env python3
"""stat.py - compares what tlog-decode --stat --json tells of the demo with figures computed from the firmware's events.

usage: stat.py native.txt names.txt full.dat stat.json

native.txt is `trace-cmd report -t -R` of a trace.dat made with --map=native: check.py has compared it with what the
firmware noted itself. From it alone it is computed, with lists of all values, what each task, interrupt and mutex did.
What trace-cmd report --profile of full.dat tells too - how often and how long tasks slept, waited for a mutex, were
preempted or interrupted, and how long handlers took - must be the same as well."""
import collections
import json
import re
import sys

from profiles import read_profile

BOOT, ISR = 65536, 70000
BLOCKS = ("task_sleep", "task_end_cycle", "set_mutex_wait")


def logged(path, codes):
    """The events of native.txt: time in ns, event by its first name, its parameters."""
    line = re.compile(r"^ *.+-\d+ +\[\d+\] +(\d+)\.(\d{9}): (\w+): +(.*)$")
    for text in open(path):
        match = line.match(text)
        if match:
            values = [int(v, 0) for v in re.findall(r"=(0x[0-9a-f]+|-?\d+)", match.group(4))]
            yield int(match.group(1)) * 10**9 + int(match.group(2)), codes[match.group(3)], values + [0, 0]


class Task:
    def __init__(self):
        self.state, self.since, self.why = "new", 0, None  # new, run, ready (preempted), woken, or a reason
        self.released = self.begun = None
        self.turns = self.missed = self.preempted = self.running = self.interrupted = self.ready = 0
        self.latency, self.response, self.period, self.cycle = [], [], [], []
        self.blocked, self.open = collections.defaultdict(list), {}
        self.priority = 0


class Demo:
    """One CPU: who is scheduled, and which handlers run above it. Time is counted from event to event."""
    def __init__(self, events):
        self.tasks = collections.defaultdict(Task)
        self.scheduled, self.handlers, self.now = BOOT, [], None
        self.tasks[BOOT].state = "run"
        self.irqs = collections.defaultdict(lambda: {"spans": [], "own": 0, "inside": 0})
        self.in_interrupts = self.idle = self.busy = self.deepest = 0
        self.holder, self.holds, self.waits = {}, collections.defaultdict(list), collections.defaultdict(list)
        self.waiting, self.inversions = {}, []  # task -> mutex, since, holder, who ran meanwhile
        self.events = 0
        for time, name, values in events:
            self.events += 1
            self.pass_time(time)
            getattr(self, name, lambda *_: None)(time, *values[:2])
        for task in self.tasks.values():
            if isinstance(task.state, tuple):
                task.open[task.state] = self.now - task.since
            elif task.state in ("ready", "woken"):
                task.ready += self.now - task.since

    def pass_time(self, time):
        length = 0 if self.now is None else time - self.now
        self.first = time if self.now is None else self.first
        task = self.tasks[self.scheduled]
        if self.handlers:
            self.in_interrupts += length
            self.irqs[self.handlers[-1][0]]["own"] += length
            task.interrupted += length
        else:
            task.running += length
        self.idle += length if self.scheduled == 0 and not self.handlers else 0
        self.busy += length if self.scheduled != 0 or self.handlers else 0
        for waiter, (mutex, since, holder, others) in self.waiting.items():
            if self.scheduled not in (waiter, holder, 0) and self.tasks[holder].state in ("ready", "woken"):
                others[self.scheduled] += length
        self.now = time

    def context_switch(self, time, to, _):
        old, new = self.tasks[self.scheduled], self.tasks[to]
        old.why = "ended" if self.scheduled == BOOT else old.why  # the start-up never runs again
        old.since, old.state = time, old.why or "ready"
        old.preempted += old.why is None
        if new.state in ("ready", "woken"):
            new.ready += time - new.since
        if new.state == "woken":
            new.latency.append((time - new.since, new.since))
        new.state, new.since, new.why = "run", time, None
        new.turns += 1
        self.scheduled = to

    def task_activate(self, time, pid, _):
        task = self.tasks[pid]
        if isinstance(task.state, tuple):
            task.blocked[task.state].append((time - task.since, task.since))
        elif task.state != "new":
            return
        if task.state == "new" or task.state[0] != "set_mutex_wait":
            task.released = time
        task.state, task.since = "woken", time

    def block(self, name, pid, mutex=None):
        self.tasks[pid].why = (name, mutex)

    def task_sleep(self, time, pid, _):
        self.block("task_sleep", pid or self.scheduled)

    def task_end(self, time, pid, _):
        self.tasks[pid].why = "ended"

    def task_begin_cycle(self, time, pid, _):
        task = self.tasks[pid]
        if task.begun is not None:
            task.period.append((time - task.begun, task.begun))
        task.begun, task.why = time, None

    def task_end_cycle(self, time, pid, _):
        task = self.tasks[pid]
        task.cycle.append((time - task.begun, task.begun))
        if task.released is not None:
            task.response.append((time - task.released, task.released))
        task.released = None
        self.block("task_end_cycle", pid)

    def task_deadline_miss(self, time, pid, _):
        self.tasks[pid].missed += 1

    def set_priority(self, time, pid, priority):
        self.tasks[pid].priority = priority

    def interrupt_start(self, time, irq, _):
        self.irqs[irq]["inside"] = max(self.irqs[irq]["inside"], len(self.handlers))
        self.handlers.append((irq, time))
        self.deepest = max(self.deepest, len(self.handlers))

    def interrupt_end(self, time, irq, _):
        begun, since = self.handlers.pop()
        assert begun == irq
        self.irqs[irq]["spans"].append((time - since, since))

    def set_mutex_wait(self, time, pid, mutex):
        self.block("set_mutex_wait", pid, mutex)
        self.waiting[pid] = mutex, time, self.holder[mutex][0], collections.Counter()

    def set_mutex_lock(self, time, pid, mutex):
        if pid in self.waiting:
            _, since, holder, others = self.waiting.pop(pid)
            self.waits[mutex].append((time - since, since))
            above = [(ran, other) for other, ran in others.items() if ran > 0 and
                     self.tasks[pid].priority < self.tasks[other].priority < self.tasks[holder].priority]
            if above:
                self.inversions.append((time - since, since, pid, mutex, holder, max(above)[1], max(above)[0]))
        self.holder[mutex] = pid, time

    def set_mutex_unlock(self, time, pid, mutex):
        self.holds[mutex].append((time - self.holder[mutex][1], self.holder[mutex][1]))


def summary(spans):
    """Of (length, when): count, time, least, average, most, and when the first of the most was."""
    lengths = [span[0] for span in spans]
    most = max(lengths, default=0)
    return {"count": len(lengths), "time": sum(lengths), "min": min(lengths, default=0),
            "avg": sum(lengths) // max(1, len(lengths)), "max": most,
            "max_at": next((at for length, at in spans if length == most), 0)}


def with_percentiles(spans):
    ordered = sorted(span[0] for span in spans) or [0]
    rank = lambda percent: ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
    return dict(summary(spans), p50=rank(50), p99=rank(99), exact=True, in_no_percentile=0)


checked = 0


def check(what, told, expected):
    global checked
    checked += 1
    if told != expected:
        sys.exit("stat.py: %s: --stat says %s, the firmware's events %s" % (what, told, expected))


def check_task(told, task, mutexes, length):
    name, share = told["task"], round(task.running / length, 6)
    if told["pid"] < BOOT:
        check(name + " priority", told["priority"], task.priority)
    for key, value in (("runs", task.turns), ("running", task.running), ("interrupted", task.interrupted),
                       ("ready", task.ready), ("deadlines_missed", task.missed),
                       ("preempted", task.preempted), ("share", share)):
        check(name + " " + key, told[key], value)
    cycles = bool(task.cycle)
    for key, spans in (("latency", task.latency), ("response", task.response)):
        if key == "latency" or cycles:
            check(name + " " + key, told[key], with_percentiles(spans))
    if cycles:
        check(name + " cycle", told["cycle"], summary(task.cycle))
        check(name + " period", told["period"], summary(task.period))
        check(name + " jitter", told["jitter"], told["period"]["max"] - told["period"]["min"])
    blocked = {(row["reason"], row["object"]): row for row in told["blocked"]}
    expected = {(reason, mutexes.get(mutex)): (reason, mutex) for reason, mutex in set(task.blocked) | set(task.open)}
    check(name + " reasons", sorted(blocked, key=str), sorted(expected, key=str))
    for key, row in blocked.items():
        spans = summary(task.blocked.get(expected[key], []))
        check("%s %s" % (name, key), {part: row[part] for part in spans}, spans)
        check("%s %s to the end" % (name, key), row["until_end"], task.open.get(expected[key], 0))


def check_others(stat, demo, mutexes):
    names = {task["pid"]: task["task"] for task in stat["tasks"]}
    for row in stat["interrupts"]:
        irq = demo.irqs[row["number"]]
        spans = summary(irq["spans"])
        check(row["interrupt"], {part: row[part] for part in spans}, spans)
        length = demo.now - demo.first
        check(row["interrupt"], (row["own"], row["inside"], row["share"], row["entered"], row["per_second"]),
              (irq["own"], irq["inside"], round(irq["own"] / length, 6), len(irq["spans"]),
               round(len(irq["spans"]) * 1e9 / length, 6)))
    check("interrupts", len(stat["interrupts"]), len(demo.irqs))
    (cpu,) = stat["load"]
    check("CPU", (cpu["busy"], cpu["idle"], cpu["unknown"], cpu["in_interrupts"]),
          (demo.busy, demo.idle, 0, demo.in_interrupts))
    check("load", abs(sum(cpu["load_over_time"]) / 64 - cpu["load"]) < 0.0001, True)
    for row in stat["mutexes"]:
        check(row["mutex"] + " held", row["held"], summary(demo.holds[row["number"]]))
        check(row["mutex"] + " waited", row["waited"], summary(demo.waits[row["number"]]))
        count = sum(inversion[3] == row["number"] for inversion in demo.inversions)
        check(row["mutex"] + " inversions", row["inversions"], count)
    told = [(row["waited"], row["at"], row["task"], row["mutex"], row["holder"], row["preempted_by"],
             row["preempted"]) for row in stat["inversions"]]
    expected = [(length, at, names[waiter], mutexes[mutex], names[holder], names[other], ran)
                for length, at, waiter, mutex, holder, other, ran in demo.inversions]
    check("inversions", sorted(told), sorted(expected))


def check_profile(stat, path):
    told, rows = read_profile(path), 0
    for task in stat["tasks"]:
        for state, is_lock in (("S", False), ("D", True)):
            spans = [row for row in task["blocked"] if row["lock"] == is_lock and row["count"] > 0]
            if not spans:
                continue
            row = (sum(span["count"] for span in spans), sum(span["time"] for span in spans),
                   max(span["max"] for span in spans), min(span["min"] for span in spans))
            check("profile of %s, %s" % (task["task"], state), row, told.pop((task["pid"], "sched_switch:" + state)))
            rows += 1
        total = told.get((task["pid"], "sched_switch:R"), (0, None))[1]
        if total is not None and task["ready"] < 10**9:
            preempted = task["ready"] - task["latency"]["time"] + task["interrupted"]
            check("profile of %s, R" % task["task"], preempted, total)
            rows += 1
    for irq in stat["interrupts"]:
        row = told[ISR + irq["number"], "irq_handler_entry"]
        check("profile of %s" % irq["interrupt"], (irq["count"], irq["time"], irq["max"], irq["min"]), row)
        rows += 1
    return rows


def main():
    native, names, full, path = sys.argv[1:5]
    pairs = [text.split() for text in open(names)]
    first = {}
    for code, name in pairs:
        first.setdefault(code, name)
    demo = Demo(logged(native, {name: first[code] for code, name in pairs}))
    stat = json.load(open(path))[0]
    mutexes = {row["number"]: row["mutex"] for row in stat["mutexes"]}
    check("mutexes", sorted(mutexes.values()), ["bus", "store"])
    keys = "cpus", "first", "last", "events", "dropped", "overwritten", "damaged", "unit"
    check("trace", [stat[key] for key in keys], [1, demo.first, demo.now, demo.events, 0, 0, 0, "ns"])
    check("tasks", sorted(task["pid"] for task in stat["tasks"]), sorted(demo.tasks))
    for told in stat["tasks"]:
        check_task(told, demo.tasks[told["pid"]], mutexes, demo.now - demo.first)
    check_others(stat, demo, mutexes)
    rows = check_profile(stat, full)
    print("%d figures of --stat: as computed, %d of them as trace-cmd's profile; %d inversions"
          % (checked, rows, len(demo.inversions)))


main()
