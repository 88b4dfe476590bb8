#!/usr/bin/env python3
"""order.py - events of tasks that move between CPUs, and what Linux would have told of them.

usage: order.py SEED CPUS EVENTS SCRIPT EXPECTED

Writes a script for tests/gen/script_reader.c, and a line for each event that a viewer must see: time, CPU, pid, event,
and of switches and wake-ups the tasks, their priorities and the state in which a task left. It knows nothing of the
decoder: it goes through the events of all CPUs in the order of time, of equal times the lower CPU first, and keeps
what a scheduler knows. A task that is woken again before it blocks is no sched_waking, nor is one that runs. Behind a
delay on a CPU that has an RTOS: there a priority or lock may be followed by a wake-up that is none, of a task that has
not blocked yet. A lock waits for mutex 0; that is a sleep if the task holds it itself, or a handler unlocked it."""
import random
import sys

BOOT, INTERRUPT = 65536, 70000


class Task:
    def __init__(self):
        self.state, self.priority, self.says, self.woken, self.begun = 0, 0, False, False, False


def make(random, cpus, events):
    """A list of (time, cpu, word, number, second)."""
    made, time = [], 1000
    inside = [[] for _ in range(cpus)]
    for _ in range(events):
        cpu, task = random.randrange(cpus), random.randrange(1, 12)
        time += random.choice([0, 0, 7, 100, 5000])
        word = random.choice("switch switch wake wake block lock unblock priority delay event event entry exit acquire "
                             "release".split())
        if word == "exit" and not inside[cpu] or word == "entry" and len(inside[cpu]) > 3:
            word = "event"
        number = {"entry": random.randrange(4), "exit": inside[cpu][-1] if inside[cpu] else 0}.get(word, task)
        number = 0 if word in ("switch", "block", "lock", "unblock", "release") and random.random() < 0.3 else number
        if word == "entry":
            inside[cpu].append(number)
        if word == "exit":
            inside[cpu].pop()
        second = random.randrange(9) if word not in ("acquire", "release") else random.choice([0, 0, 0, 1])
        made.append((time, cpu, word, number, second))
    return sorted(made, key=lambda event: event[:2])


class Cpu:
    def __init__(self):
        self.task, self.inside, self.has_rtos, self.raised = BOOT, [], False, []

    def runs(self):
        return INTERRUPT + self.inside[-1] if self.inside else self.task


def told(cpus, events):
    """The lines that a viewer must see."""
    holder, tasks, all_cpus = None, {}, [Cpu() for _ in range(cpus)]
    task = lambda number: tasks.setdefault(number, Task())
    with_priority = lambda number: "%d/%d" % (number, task(number).priority)

    def switch(before, state, after):
        return "sched_switch %s %d %s" % (with_priority(before), state, with_priority(after))

    for time, number, word, first, second in events:
        cpu = all_cpus[number]
        line = lambda text, pid: "%d %d %d %s" % (time, number, pid, text)
        runs = cpu.runs()
        if word == "switch" and first != cpu.task:
            before, cpu.task = cpu.task, first
            yield line(switch(before, 32 if before == BOOT else task(before).state, first), before)
            if cpu.inside:
                yield line(switch(first, 0, cpu.runs()), first)
        elif word == "wake":
            ready = first == cpu.task or (task(first).state == 0 if task(first).says
                                          else task(first).woken or task(first).begun and first in cpu.raised)
            if ready:
                yield line("task_activate", runs)
            else:
                yield line("sched_waking %s %d" % (with_priority(first), number), runs)
                yield line("sched_wakeup %s %d" % (with_priority(first), number), runs)
            task(first).state, task(first).woken, task(first).begun = 0, True, True
        elif word in ("entry", "exit"):
            if word == "entry":
                cpu.inside.append(first)
                yield line("irq_handler_entry %d" % first, cpu.runs())
                yield line(switch(runs, 0, cpu.runs()), runs)
            else:
                cpu.inside.pop()
                yield line("irq_handler_exit %d" % first, runs)
                yield line(switch(runs, 1, cpu.runs()), runs)
        else:
            name = {"switch": "context_switch", "block": "task_sleep", "lock": "set_mutex_wait",
                    "unblock": "task_begin_cycle", "priority": "set_priority", "event": "user_event_0",
                    "delay": "delay", "acquire": "set_mutex_lock", "release": "set_mutex_unlock"}[word]
            yield line(name, runs)
        if word in ("acquire", "release") and second == 0:
            holder = first if word == "acquire" else None if first or not (cpu.task or cpu.inside) else "handler"
        is_signal = word == "lock" and (holder == "handler" or first and holder == first)
        if word == "switch":
            task(first).state, task(first).woken, task(first).begun = 0, False, True
        if word in ("block", "lock", "unblock", "delay"):
            blocked = task(first if word != "delay" and first else cpu.task)
            blocked.state = {"block": 1, "lock": 1 if is_signal else 2, "unblock": 0, "delay": 1}[word]
            blocked.says = True
        if word != "event":
            cpu.has_rtos |= word == "delay"
            cpu.raised = {"priority": [first], "lock": range(1, 12)}.get(word, []) if cpu.has_rtos else []
        if word == "priority":
            task(first).priority = second


def main():
    seed, cpus, count, script, expected = sys.argv[1:]
    events = make(random.Random(int(seed)), int(cpus), int(count))
    with open(script, "w") as to:
        print("#script\ncpus %s\nclock 1000000000" % cpus, file=to)
        for time, cpu, word, first, second in events:
            print(word, cpu, time, first, second, file=to)
    with open(expected, "w") as to:
        for line in told(int(cpus), events):
            print(line, file=to)


main()
