#!/usr/bin/env python3
"""picture.py - compares what trace-cmd measures in the demo's trace with figures computed from the firmware's events.

usage: picture.py native.txt names.txt full.dat

native.txt is `trace-cmd report -t -R` of a trace.dat made with --map=native: check.py has compared it with what the
firmware noted itself. names.txt has a line "code name" for each event. full.dat is the trace with Linux's events.

From native.txt alone it is computed who ran when, in which state each task left the CPU, how long a task that was woken
waited for it, how long each handler took, and how many events each task logged. The same must be what trace-cmd says:

    report -w          each latency, their number, average, maximum and minimum
    report --profile   per task and state: how often, total, maximum and minimum; per handler: the same
    report -F          how many switches leave a task that waits for a mutex
    hist               events of each kind per task"""
import collections
import re
import subprocess
import sys

from profiles import read_profile

ISR = 70000
BOOT = 65536
BLOCKS = {"task_sleep": "S", "task_end_cycle": "S", "task_end": "X", "set_mutex_wait": "D"}


def logged(path, codes):
    """The events of native.txt: time in ns, event by its first name, first parameter."""
    line = re.compile(r"^ *.+-\d+ +\[\d+\] +(\d+)\.(\d{9}): (\w+): +(.*)$")
    events = []
    for text in open(path):
        match = line.match(text)
        if not match:
            continue
        values = [value.split("=")[1] for value in match.group(4).split()]
        first = int(values[0], 0) if values and values[0] else 0
        events.append((int(match.group(1)) * 10**9 + int(match.group(2)), codes[match.group(3)], first, match.group(3)))
    return events


class Figures:
    def __init__(self):
        self.latencies = []
        self.spans = collections.defaultdict(list)  # (pid, "sched_switch:S") -> ns
        self.events = collections.Counter()  # (pid, event)
        self.locked = 0
        self.scheduled, self.handlers = BOOT, []  # who runs: handlers above a task
        self.state = collections.defaultdict(lambda: "new")  # of a task: R, S, D; new: it never left the CPU
        self.left, self.woken, self.entered = {}, {}, {}
        self.waits = {}  # since when a woken task waits for the CPU

    def running(self):
        return self.handlers[-1] if self.handlers else self.scheduled

    def change(self, time, before, state, after):
        """The CPU goes from one task or handler to another."""
        self.events[before, "sched_switch"] += 1
        self.left[before] = (time, state)
        if after in self.woken:
            self.spans[after, "sched_wakeup"].append(time - self.woken.pop(after))
        if after in self.left:
            left, state = self.left.pop(after)
            self.spans[after, "sched_switch:" + state].append(time - left)

    def switch(self, time, to):
        before, state = self.scheduled, self.state[self.scheduled]
        self.locked += state == "D"
        self.scheduled = to
        if to in self.waits:
            self.latencies.append(time - self.waits.pop(to))
        self.state[to] = "R"
        self.change(time, before, state if state in "SDX" else "R", to)

    def wake(self, time, task):
        if self.state[task] not in ("new", "S", "D", "X"):
            return False
        self.state[task] = "R"
        if task == self.scheduled:  # woken before it left the CPU: it goes on, or is preempted
            return False
        self.waits[task] = time
        if task in self.left:  # --profile does not know of tasks that never ran
            left, state = self.left.pop(task)
            self.spans[task, "sched_switch:" + state].append(time - left)
            self.woken[task] = time
        return True

    def take(self, time, code, first, name):
        if code == "context_switch":
            self.switch(time, first)
        elif code == "interrupt_start":
            before = self.running()
            self.handlers.append(ISR + first)
            self.events[ISR + first, "irq_handler_entry"] += 1
            self.entered[first] = time
            self.change(time, before, "R", self.running())
        elif code == "interrupt_end":
            self.events[ISR + first, "irq_handler_exit"] += 1
            self.spans[ISR + first, "irq_handler_entry"].append(time - self.entered.pop(first))
            self.change(time, self.handlers.pop(), "S", self.running())
        elif code == "task_activate" and self.wake(time, first):
            self.events[self.running(), "sched_waking"] += 1
            self.events[self.running(), "sched_wakeup"] += 1
        else:
            self.events[self.running(), name] += 1
            if code in BLOCKS:
                self.state[first] = BLOCKS[code]
            elif code == "task_begin_cycle":
                self.state[first] = "R"


def trace_cmd(*args):
    return subprocess.run(["trace-cmd", *args], capture_output=True, text=True, check=True).stdout


def nanoseconds(text):
    return int(text.replace(".", ""))


def check(what, told, expected):
    if told != expected:
        sys.exit("picture.py: %s: trace-cmd says %.300s, the firmware's events %.300s" % (what, told, expected))


def check_latencies(figures, report):
    told = [nanoseconds(text) for text in re.findall(r" Latency: (\d+\.\d{3}) usecs$", report, re.M)]
    check("latencies", told, figures.latencies)
    average = re.search(r"Average wakeup latency: (\d+\.\d{3}) usecs", report)
    check("average latency", nanoseconds(average.group(1)), sum(told) // len(told))
    for word, value in ("Maximum", max(told)), ("Minimum", min(told)):
        check(word, nanoseconds(re.search(word + r" Latency: (\d+\.\d{3}) usecs", report).group(1)), value)


def check_profile(figures, told):
    spans = {key: (len(span), sum(span), max(span), min(span)) for key, span in figures.spans.items()}
    for key in sorted(set(told) | set(spans)):
        check("profile %s %s" % key, told.get(key), spans.get(key))
    return len(spans)


def main():
    native, names, full = sys.argv[1:4]
    pairs = [text.split() for text in open(names)]
    first = {}
    for code, name in pairs:
        first.setdefault(code, name)
    codes = {name: first[code] for code, name in pairs}
    figures = Figures()
    for event in logged(native, codes):
        figures.take(*event)

    check_latencies(figures, trace_cmd("report", "-t", "-w", full))
    rows = check_profile(figures, read_profile(full))
    locked = trace_cmd("report", "-F", "sched_switch: prev_state == 2", full)
    check("switches that wait for a mutex", len(locked.splitlines()) - 1, figures.locked)
    hist = re.findall(r"^ +%\d+\.\d+ +\((\d+)\) .*? (\w+) #(\d+)$", trace_cmd("hist", "-i", full), re.M)
    check("hist", {(int(pid), name): int(count) for pid, name, count in hist}, dict(figures.events))
    print("%d latencies, %d rows of the profile, %d waits for a mutex, %d rows of hist: as computed"
          % (len(figures.latencies), rows, figures.locked, len(hist)))


main()
