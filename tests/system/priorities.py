#!/usr/bin/env python3
"""priorities.py - priority inversions of made-up kernels, to which the lowest or the highest priorities are the more
important ones: --stat finds each one that the kernel knows of, whatever way the kernel counts, and KernelShark's
session has the most important task first.

usage: priorities.py DECODER DIR SEEDS

The dumps are made by tests/gen/ring.py, from target/FORMAT.md; the kernel below notes each inversion while it runs, and
knows nothing of the decoder. Each dump is also decoded with a fact that tells the wrong order, with one that tells
nothing, and without; and written as other formats, which are read again."""
import collections
import json
import os
import re
import random
import subprocess
import sys

sys.path.insert(0, "tests/gen")
import ring  # noqa: E402

WAKE, SLEEP, SWITCH, PRIORITY, LOCK, UNLOCK, WAIT = 0x12, 0x72, 0x15, 0x05, 0x16, 0x36, 0x46
LOWEST, HIGHEST = b"lowest", b"highest"
WORDS = {LOWEST: "lowest_first", HIGHEST: "highest_first", None: None}
TASKS, MUTEXES = range(1, 7), (100, 200)
READY, ASLEEP, WAITING = range(3)


class Kernel:
    """One CPU. Of ready tasks that with the highest urgency runs. events: (time, code, par1, par2). inversions: (mutex,
    waiter, holder, who ran between, for how long, begin and length of the wait)."""
    def __init__(self, seed, steps):
        self.r, self.time, self.events, self.inversions = random.Random(seed), 2000, [], []
        self.urgency = dict(zip(TASKS, self.r.sample(range(1, 40), len(TASKS))))
        self.state, self.runs = dict.fromkeys(TASKS, ASLEEP), 0
        self.holder, self.waiter, self.ran = {}, {}, {}
        for _ in range(steps):
            self.step()
        for mutex in list(self.waiter):     # --stat ends these waits at the last event
            self.end_wait(mutex, self.events[-1][0])

    def log(self, code, par1, par2=0):
        self.events.append((self.time, code, par1, par2))
        self.time += self.r.randrange(1, 50)

    def pass_time(self, since):
        """A task ran since then: who waits for a mutex of a ready task notes it."""
        for mutex, waiter in self.waiter.items():
            holder = self.holder.get(mutex)
            if self.runs not in (0, waiter, holder) and holder is not None and self.state[holder] == READY:
                self.ran[mutex][self.runs] += self.events[-1][0] - since

    def schedule(self):
        ready = [task for task in TASKS if self.state[task] == READY]
        best = max(ready, key=self.urgency.get, default=0)
        if best != self.runs:
            self.log(SWITCH, best)
            self.pass_time(self.events[-2][0])
            self.runs = best
        for mutex, waiter in list(self.waiter.items()):
            if waiter == self.runs:         # it was woken, because the mutex is free
                self.act(LOCK, mutex)

    def act(self, code, mutex=0):
        before = self.events[-1][0] if self.events else 0
        self.log(code, self.runs, mutex)
        self.pass_time(before)
        task = self.runs
        if code == LOCK:
            self.end_wait(mutex, self.events[-1][0])
            self.holder[mutex] = task
        elif code == UNLOCK:
            del self.holder[mutex]
        elif code == WAIT:
            self.waiter[mutex], self.state[task] = task, WAITING
            self.ran[mutex] = collections.Counter()
            self.begin = {**getattr(self, "begin", {}), mutex: (self.events[-1][0], self.holder[mutex])}
        elif code == SLEEP:
            self.state[task] = ASLEEP

    def wake(self, task):
        before = self.events[-1][0] if self.events else 0
        self.log(WAKE, task)
        self.pass_time(before)
        self.state[task] = READY

    def end_wait(self, mutex, now):
        if mutex not in self.waiter:
            return
        waiter, (begin, holder) = self.waiter.pop(mutex), self.begin[mutex]
        urgency = self.urgency
        between = [(ran, task) for task, ran in self.ran[mutex].items()
                   if urgency[waiter] > urgency[task] > urgency[holder]]
        if between:
            ran, task = max(between)
            self.inversions.append((mutex, waiter, holder, task, ran, begin, now - begin))

    def step(self):
        asleep = [task for task in TASKS if self.state[task] == ASLEEP]
        mine = [mutex for mutex in MUTEXES if self.holder.get(mutex) == self.runs]
        chance = self.r.random()
        if self.runs == 0 or chance < 0.4 and asleep:
            self.wake(self.r.choice(asleep or list(TASKS)))
        elif chance < 0.6 and mine:
            self.act(UNLOCK, mine[0])
            if mine[0] in self.waiter:
                self.wake(self.waiter[mine[0]])
        elif chance < 0.85 and not mine:
            mutex = self.r.choice(MUTEXES)
            if mutex not in self.holder and mutex not in self.waiter:
                self.act(LOCK, mutex)
            elif mutex in self.holder and mutex not in self.waiter:
                self.act(WAIT, mutex)
        elif not mine:
            self.act(SLEEP)
        self.schedule()


def dump_of(kernel, order, told, path):
    """Write its dump. order: how the kernel counts; told: the text of the fact about that, None: there is none."""
    number = {task: urgency - 20 if order == HIGHEST else 20 - urgency for task, urgency in kernel.urgency.items()}
    common = {"freq": 10**9, "boot": 5}
    events = ring.Ring(ring.Layout(slots=len(kernel.events) + 20, **common),
                       bytes(ring.size_of(len(kernel.events) + 20, 0)), random.Random(1))
    facts = ring.Ring(ring.Layout(role=ring.FACTS, address=0x20100000, **common), bytes(ring.size_of(40, 0)),
                      random.Random(1))
    for task in TASKS:
        ring.log_name(facts, task, "task%d" % task)
        assert ring.log_priority(facts, task, number[task])
        events.ticks = 1000 + task
        events.record(PRIORITY, task, number[task] & 0xFFFFFFFF)
    if told is not None:
        assert ring.log_fact(facts, 32, 0, told)
    for time, code, par1, par2 in kernel.events:
        events.ticks = time
        events.record(code, par1, par2)
    for one in events, facts:
        one.seal()
    with open(path, "wb") as file:
        file.write(events.bytes() + facts.bytes())


def run(*command):
    return subprocess.run([str(each) for each in command], check=True, capture_output=True).stdout


def answer(decoder, what, path):
    return json.loads(run(decoder, "-q", what, "--json", path))[0]


def check_stat(decoder, path, wanted):
    """The inversions that --stat tells are these."""
    stat = answer(decoder, "--stat", path)
    name = "task%d".__mod__
    told = sorted((each["task"], each["holder"], each["preempted_by"], each["waited"], each["at"], each["preempted"])
                  for each in stat["inversions"])
    expected = sorted((name(waiter), name(holder), name(task), length, begin, ran)
                      for _, waiter, holder, task, ran, begin, length in wanted)
    count = sum(mutex["inversions"] for mutex in stat["mutexes"])
    assert count == len(wanted), (path, count, len(wanted))
    if len(wanted) <= 16:
        assert told == expected, (path, told, expected)
    else:
        assert set(told) <= set(expected) and len(told) == 16, (path, told)
    return stat["priority_order"]


def rows_of(decoder, path, directory):
    run(decoder, "-q", path, "-o", directory + "/rows.dat", "--session=" + directory + "/rows.json")
    session = json.load(open(directory + "/rows.json"))
    return [pid for pid in session["data streams"][0]["TaskPlots"] if pid < 60000]


def waves_of(decoder, directory, *inputs):
    """The tasks that GTKWave shows, from top to bottom: board and number."""
    run(decoder, "-q", *inputs, "-o", directory + "/waves.vcd", "--session=" + directory + "/waves.gtkw")
    names = re.findall(r"^tlog\.(?:board(\d+)\.)?tasks\..*?task(\d+)(?:_\d+)?_state$",
                       open(directory + "/waves.gtkw").read(), re.MULTILINE)
    return [(int(board or 0), int(task)) for board, task in names]


def check_other_formats(decoder, directory, path, order, wanted):
    """What is written tells the order, and is written again."""
    for first in "dat", "v6", "kev":
        paths = [directory + "/first." + first, directory + "/second.dat"]
        option = ["--format=trace.dat-v6"] if first == "v6" else []
        run(decoder, "-q", *option, path, "-o", paths[0])
        run(decoder, "-q", paths[0], "-o", paths[1])
        for each in paths:
            assert answer(decoder, "--info", each)["priority_order"] == WORDS[order], (each, WORDS[order])
        if first != "kev":                  # in which waits are no events of their own
            for each in paths:
                check_stat(decoder, each, wanted)


def check_kernel(decoder, directory, kernel, order):
    path = directory + "/dump.bin"
    by_urgency = sorted((task for task in TASKS if any(event[1:3] == (SWITCH, task) for event in kernel.events)),
                        key=kernel.urgency.get, reverse=True)
    other = LOWEST if order == HIGHEST else HIGHEST
    for told in order, None, b"largest", other:
        dump_of(kernel, order, told, path)
        known = WORDS.get(told)
        assert answer(decoder, "--info", path)["priority_order"] == known, (told, known)
        wanted = kernel.inversions if told != other else []
        assert check_stat(decoder, path, wanted) == (known or WORDS[order])
        follows = (told if known else LOWEST) == order
        rows = [pid for pid in rows_of(decoder, path, directory) if pid]
        assert rows == (by_urgency if follows else by_urgency[::-1]), (order, told, rows, by_urgency)
        waves = [task for _, task in waves_of(decoder, directory, path) if task in by_urgency]
        assert waves == rows, (order, told, waves, rows)
        check_other_formats(decoder, directory, path, told if known else None, wanted)


def check_boards(decoder, directory, kernel):
    """Boards that are merged: what is written tells an order only if both have it. In KernelShark each board's tasks
    stand in its own order."""
    for orders in (LOWEST, LOWEST), (HIGHEST, LOWEST), (HIGHEST, HIGHEST), (HIGHEST, None):
        paths = [directory + "/board%d.bin" % i for i in range(2)]
        for order, path in zip(orders, paths):
            dump_of(kernel, order or LOWEST, order, path)
        merged = directory + "/merged.dat"
        run(decoder, "-q", "--merge", *paths, "-o", merged, "--session=" + directory + "/rows.json")
        expected = WORDS[orders[0]] if orders[0] == orders[1] else None
        assert answer(decoder, "--info", merged)["priority_order"] == expected, orders
        rows = json.load(open(directory + "/rows.json"))["data streams"][0]["TaskPlots"]
        for base in 0, 100000:
            mine = [pid - base for pid in rows if base < pid < base + 10]
            assert mine == sorted(mine, key=kernel.urgency.get, reverse=True) and mine, (orders, rows)
            waves = [task for board, task in waves_of(decoder, directory, "--merge", *paths) if board == 1 + (base > 0)]
            assert [task for task in waves if task in mine] == mine, (orders, waves, mine)


def check_linux(decoder, directory):
    """To Linux the lowest are the more important ones; a file of an unknown system tells nothing."""
    for version in 6, 7:
        path = directory + "/linux.dat"
        run(sys.executable, "tests/gen/tracedat.py", path, directory + "/linux.txt", "version=%d" % version)
        assert answer(decoder, "--info", path)["priority_order"] == WORDS[LOWEST]
        data = open(path, "rb").read()
        assert data.count(b"Linux test") == 1
        open(path, "wb").write(data.replace(b"Linux test", b"Minix test"))
        assert answer(decoder, "--info", path)["priority_order"] is None


def main():
    decoder, directory, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.makedirs(directory, exist_ok=True)
    found = 0
    for seed in range(seeds):
        kernel = Kernel(seed, 1500)
        found += len(kernel.inversions)
        assert kernel.inversions, seed
        for order in LOWEST, HIGHEST:
            check_kernel(decoder, directory, kernel, order)
    check_boards(decoder, directory, kernel)
    check_linux(decoder, directory)
    print("%d inversions of %d kernels, found whichever way these count" % (found, seeds))


main()
