#!/usr/bin/env python3
"""known.py - no output gives time of which nothing is known to a task, and time that is known is not lost.

usage: known.py DECODER DIR CASES

DECODER reads scripts (tests/gen/script_reader.c). A system is made up here, of one or two CPUs, with tasks that move
between them, interrupts and a mutex; so what ran when is known to the ns, whatever a trace tells. Then 1 to 1,000
events are taken out at random places: as losses, damage, pauses, or all up to a place, as in a ring that has started
over. Each output is asked what ran when: text, trace.dat by trace-cmd, VCD, CSV, Perfetto, CTF by babeltrace2, columns,
--stat.
What it says must be true, wherever it says something; and it must say something from the first event on that tells what
runs - a switch, or one that only the running task can log - up to the last event before a gap. Nothing of the decoder
is used but what it writes. States of tasks and mutexes, in waveforms and columns, are compared with one CPU.
"""
import bisect
import collections
import csv
import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "judges"))
import columns  # noqa: E402
import perfetto  # noqa: E402
import vcd  # noqa: E402

DECODER, DIR, CASES = sys.argv[1], sys.argv[2], int(sys.argv[3])
BOOT, UNKNOWN, FIRST_INTERRUPT, TASKS, MUTEX = 65536, 69999, 70000, 6, 1


class System:
    """The truth: by CPU what runs from a time on, and each task's state; and the script that logs it."""
    def __init__(self, dice, cpus, steps):
        self.dice, self.cpus, self.now, self.lines = dice, cpus, 1000000, [[] for _ in range(cpus)]
        self.runs = [[(0, BOOT)] for _ in range(cpus)]          # the task below the interrupts
        self.busy = [[(0, True)] for _ in range(cpus)]          # a task but idle, or an interrupt
        self.states = {task: [(0, "blocked")] for task in range(1, TASKS + 1)}
        self.owner = [(0, None)]
        self.inside, self.holder = [[] for _ in range(cpus)], None
        for _ in range(steps):
            self.step(dice.randrange(cpus))
        self.end = self.now

    def log(self, cpu, word, *numbers):
        self.now += self.dice.choice((300, 1000, 2500, 9000))
        self.lines[cpu].append((self.now, word, *numbers))

    def state(self, task, state):
        if task in self.states:
            self.states[task].append((self.now, state))

    def note(self, cpu):
        self.busy[cpu].append((self.now, bool(self.inside[cpu]) or self.runs[cpu][-1][1] != 0))

    def switch(self, cpu, to, state):
        self.log(cpu, "switch", to)
        self.state(self.runs[cpu][-1][1], state)
        self.state(to, "running")
        self.runs[cpu].append((self.now, to))
        self.note(cpu)

    def step(self, cpu):
        task, ready = self.runs[cpu][-1][1], [t for t in self.states if self.states[t][-1][1] == "ready"]
        asleep = [t for t in self.states if self.states[t][-1][1] == "blocked"]
        what = self.dice.choices(("event", "wake", "preempt", "block", "entry", "exit", "mutex"),
                                 (4, 5, 4, 5, 2, 3, 3))[0]
        if what == "wake" and asleep:
            self.log(cpu, "wake", self.dice.choice(asleep))
            self.state(self.lines[cpu][-1][2], "ready")
        elif what == "entry" and len(self.inside[cpu]) < 3:
            number = 10 + cpu + 2 * len(self.inside[cpu])
            self.log(cpu, "entry", number)
            self.inside[cpu].append(number)
            self.note(cpu)
        elif what == "exit" and self.inside[cpu]:
            self.log(cpu, "exit", self.inside[cpu].pop())
            self.note(cpu)
        elif self.inside[cpu] or what in ("event", "wake", "entry", "exit"):
            self.log(cpu, "event", 1, 2)
        elif what == "preempt" and ready:
            self.switch(cpu, self.dice.choice(ready), "ready")
        elif what == "block" and task in self.states and self.holder != task:
            self.log(cpu, self.dice.choice(("block", "lock")), task, MUTEX)
            self.switch(cpu, self.dice.choice(ready + [0]), "blocked")
        elif what == "mutex" and task in self.states and self.holder in (None, task):
            self.log(cpu, "release" if self.holder == task else "acquire", task, MUTEX)
            self.holder = None if self.holder == task else task
            self.owner.append((self.now, self.holder))


class Case:
    """What of a system is in a trace, and what follows from that: what is known from when to when. gaps: by CPU how
    many events are taken out where, and as what; 0: those before it."""
    def __init__(self, system, name, gaps):
        self.system, self.path, self.known = system, os.path.join(DIR, name), []
        with open(self.path + ".txt", "w", encoding="ascii") as file:
            print("#script\ncpus %d\nclock 1000000000" % system.cpus, file=file)
            for cpu, lines in enumerate(system.lines):
                kept = self.cut(list(lines), gaps[cpu])
                for time, word, *numbers in kept:
                    print(word, cpu, time, *numbers, file=file)
                self.known.append(self.follow(kept))
        times = [line[0] for lines in self.kept_times for line in lines]
        self.begin, self.end = min(times), max(times)

    kept_times = ()

    def cut(self, lines, gaps):
        for at, n, what in sorted(gaps, reverse=True):
            n = min(n, len(lines) - 1)
            if at == 0:
                lines[:n] = [(lines[n][0], "loss", n)]
            elif what == "pause":
                lines[at:at + n] = [(lines[at][0], "pause", 0)]
            elif at + n < len(lines):
                lines[at:at + n] = [(lines[at + n][0], "loss", n) if what == "loss" else
                                    (lines[at + n][0], "damage", 0, 8, n, "a hole")]
        self.kept_times = (*self.kept_times, [line for line in lines if line[1] not in ("loss", "damage")])
        return lines

    @staticmethod
    def follow(lines):
        """The stretches in which an output must know what runs: from, to. A task must have logged twice that it takes
        or gives the mutex, because a kernel may hand that to a task that does not run."""
        known, since, last, hint, depth = [], None, None, None, 0
        is_whole = lines[0][1] not in ("loss", "damage")
        for time, word, *numbers in lines:
            if word in ("loss", "damage", "pause"):
                if since is not None:
                    known.append((since, time if word == "pause" else last))
                since, hint, depth, is_whole = None, None, 0, False
            if is_whole and depth == 0 and word != "entry":  # the first event outside of interrupts
                since, is_whole = time, False
            depth += {"entry": 1, "exit": -1}.get(word, 0) if depth or word == "entry" else 0
            if word in ("block", "lock") and depth == 0 or word == "switch":
                since = time if since is None else since
            if word in ("acquire", "release"):
                since = time if since is None and hint == numbers[0] else since
                hint = numbers[0]
            hint = None if word == "switch" else hint
            last = time
        return known + ([(since, last)] if since is not None else [])


# ---- what outputs say ------------------------------------------------------------------------------------------------

def decode(case, *options, of="", exits=(0, 2)):
    done = subprocess.run([DECODER, "-q", *options, case.path + ".txt", *(["-o", case.path + of] if of else [])],
                          stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode in exits, (options, done.returncode)
    return done.stdout


def runs_of(switches):
    """CPU, time, task that runs from then on; of switches: CPU, time, task before, task behind. What the first one of a
    CPU is from has run since the CPU's first event, which is told by no time."""
    begun = set()
    for cpu, time, before, behind in switches:
        if cpu not in begun:
            yield cpu, None, before
        begun.add(cpu)
        yield cpu, time, behind


def rows_of_text(lines):
    """The switches that trace-cmd's report shows."""
    for line in lines:
        found = re.match(r".*\[(\d+)\] +(\d+)\.(\d{9}): sched_switch: +.*:(\d+) \[\d+\] \w ==> .*:(\d+) \[", line)
        if found:
            yield int(found[1]), int(found[2] + found[3]), int(found[4]), int(found[5])


def by_text(case):
    return runs_of(rows_of_text(decode(case, "--format=text").splitlines()))


def by_trace_dat(case):
    decode(case, of=".dat")
    report = subprocess.run(["trace-cmd", "report", "-t", case.path + ".dat"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True, check=True)
    return runs_of(rows_of_text(report.stdout.splitlines()))


def by_csv(case):
    rows = [(row, json.loads(row["fields"])) for row in csv.DictReader(decode(case, "--format=csv").splitlines())
            if row["event"] == "sched_switch"]
    return runs_of((int(row["cpu"]), int(row["time_ns"]), fields["prev_pid"], fields["next_pid"])
                   for row, fields in rows)


def by_ctf(case):
    subprocess.run(["rm", "-rf", case.path + ".ctf"], check=True)
    decode(case, "--format=ctf", of=".ctf")
    told = subprocess.run(["babeltrace2", "--clock-seconds", case.path + ".ctf"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True)
    form = r"\[(\d+)\.(\d{9})\].* sched_switch: \{ cpu_id = (\d+) \}.*prev_tid = (\d+).*next_tid = (\d+)"
    found = [re.match(form, line) for line in told.stdout.splitlines()]
    return runs_of((int(each[3]), int(each[1] + each[2]), int(each[4]), int(each[5])) for each in found if each)


def by_perfetto(case):
    decode(case, of=".pftrace")
    with open(case.path + ".pftrace", "rb") as file:
        trace = perfetto.Trace(file.read())
    for cpu, switches in trace.switches.items():
        for time, _, pid, *_ in switches:
            yield cpu, time + trace.bias, UNKNOWN if pid == perfetto.LOST else pid


def waves(case):
    decode(case, of=".vcd")
    return vcd.Dump(case.path + ".vcd")


def by_vcd(case):
    dump = waves(case)
    for name, variable in dump.by_name().items():
        found = re.fullmatch(r"cpu(\d+)_task", name)
        if found:
            for time, value in [(dump.begin, variable.first), *variable.changes]:
                known = {"x": UNKNOWN, "idle": 0, "boot": BOOT}
                yield int(found[1]), time, known[value] if value in known else int(value.split("-")[1])


def drawn(case):
    decode(case, of=".columns")
    with open(case.path + ".columns", "rb") as file:
        return columns.Columns(file.read())


def by_columns(case):
    told = drawn(case)
    for cpu, row in enumerate(told.rows[:told.trace["cpus"]]):
        for start, what in zip(row.start, row.what):
            task = UNKNOWN if what == columns.NONE else told.rows[what].number
            yield cpu, int(start) + int(told.trace["start"]), task


# ---- comparing -------------------------------------------------------------------------------------------------------

def at(moments, time):
    return moments[bisect.bisect_right(moments, time, key=lambda moment: moment[0]) - 1][1]


def pieces(low, high, *lists):
    """The stretches between low and high in which nothing of the lists changes."""
    cuts = {low, high}
    for moments in lists:
        cuts.update(time for time, *_ in moments if low < time < high)
    cuts = sorted(cuts)
    return zip(cuts, cuts[1:])


def check_rows(case, what, rows):
    """What an output says of CPUs. Interrupts are passed over: what they interrupt is of interest."""
    said = collections.defaultdict(list)
    for cpu, time, task in rows:
        time = case.kept_times[cpu][0][0] if time is None else time
        assert not said[cpu] or time >= said[cpu][-1][0], (what, "time goes back", cpu, time)
        if task < FIRST_INTERRUPT or task >= 2 * FIRST_INTERRUPT:
            said[cpu].append((time, task))
    wrong = lost = 0
    for cpu in range(case.system.cpus):
        if all(task == UNKNOWN for _, task in said[cpu]):
            continue  # without a switch viewers have no row of tasks
        moments = said[cpu]
        for low, high in pieces(case.begin, case.end, moments, case.system.runs[cpu],
                                [(t,) for stretch in case.known[cpu] for t in stretch]):
            says = at(moments, low) if low >= moments[0][0] else UNKNOWN
            must = any(a <= low and high <= b for a, b in case.known[cpu])
            true = at(case.system.runs[cpu], low)
            if says not in (UNKNOWN, true):
                wrong += high - low
                assert False, (case.path, what, cpu, "from", low, "to", high, "said", says, "was", true)
            if must and says == UNKNOWN:
                lost += high - low
                assert False, (case.path, what, cpu, "from", low, "to", high, "was", true, "known, but not said")
    return wrong, lost


def check_states(case):
    """What waveforms say of tasks and of the mutex."""
    dump = waves(case)
    for name, variable in dump.by_name().items():
        task, owner = re.fullmatch(r"task_(\d+)_state", name), re.fullmatch(r"mutex_\d+_owner", name)
        if not owner and not (task and int(task[1]) in case.system.states):
            continue
        said = [(dump.begin, variable.first), *variable.changes]
        truth = case.system.owner if owner else case.system.states[int(task[1])]
        for low, high in pieces(case.begin, case.end, said, truth):
            says, was = at(said, low), at(truth, low)
            was = ("-" if was is None else "task-%d" % was) if owner else was
            assert says == "x" or says.split(":")[0] == was, (case.path, name, low, high, says, was)


def check_rows_of_columns(case):
    """What columns say of tasks and of the mutex."""
    told = drawn(case)
    begin = int(told.trace["start"])
    for row in told.rows:
        if row.kind not in ("task", "mutex") or (row.kind == "task" and row.number not in case.system.states):
            continue
        truth = case.system.owner if row.kind == "mutex" else case.system.states[row.number]
        for i in range(row.n):
            low, high = max(int(row.start[i]) + begin, case.begin), min(int(row.end[i]) + begin, case.end)
            says = told.text(row.what[i]).decode() if row.kind == "mutex" else STATES[row.state[i]]
            for a, _ in pieces(low, high, truth) if low < high and says != "x" else ():
                was = at(truth, a)
                was = "task-%s" % was if row.kind == "mutex" else was
                assert says == was, (case.path, row.kind, row.name, a, says, was)


def lengths(case, stretches):
    """By CPU: how long it was busy and idle in stretches; and by task, how long it ran on all of them."""
    busy, ran = [], collections.Counter()
    for cpu in range(case.system.cpus):
        both = collections.Counter()
        for low, high in stretches[cpu]:
            for a, b in pieces(low, high, case.system.busy[cpu], case.system.runs[cpu]):
                both[at(case.system.busy[cpu], a)] += b - a
                ran[at(case.system.runs[cpu], a)] += b - a
        busy.append(both)
    return busy, ran


def check_stat(case, window=None):
    """--stat: what it counts is at least what is known, and no more than what is true of the chosen time."""
    options = ["--time=%d.%09d..%d.%09d" % (*divmod(window[0], 10**9), *divmod(window[1], 10**9))] if window else []
    low, high = window or (case.begin, case.end)
    low, high = max(low, case.begin), min(high, case.end)
    told = json.loads(decode(case, "--stat", "--json", *options))[0]
    least, _ = lengths(case, [[(max(a, low), min(b, high)) for a, b in known if max(a, low) < min(b, high)]
                              for known in case.known])
    most, ran = lengths(case, [[(low, high)]] * case.system.cpus)
    assert told["chosen"] <= high - low, (case.path, told["chosen"], low, high)
    unknown = 0
    for cpu in told["load"]:
        number = cpu["cpu"]
        assert cpu["busy"] + cpu["idle"] + cpu["unknown"] == told["chosen"], (case.path, cpu, told["chosen"])
        assert least[number][True] <= cpu["busy"] <= most[number][True], (case.path, cpu, least, most)
        assert least[number][False] <= cpu["idle"] <= most[number][False], (case.path, cpu, least, most)
        known = cpu["busy"] + cpu["idle"]
        assert known == 0 or abs(cpu["load"] - cpu["busy"] / known) < 1e-5, (case.path, cpu)
        unknown += cpu["unknown"]
    for task in told["tasks"]:
        assert task["running"] + task["interrupted"] <= ran[task["pid"]], (case.path, task, ran)
    return unknown


OUTPUTS = {"text": by_text, "trace.dat": by_trace_dat, "csv": by_csv, "vcd": by_vcd, "perfetto": by_perfetto,
           "ctf": by_ctf, "columns": by_columns}
STATES = ("x", "running", "ready", "blocked", "ended")  # of columns


def random_gaps(dice, n):
    gaps, place = [], 0
    if dice.random() < 0.4:
        place = dice.choice((1, 10, 100, n // 2))
        gaps.append((0, place, "loss"))
    for _ in range(dice.randrange(4)):
        size = min(dice.choice((1, 2, 5, 20, 100, 1000)), n)
        place += 2 + dice.randrange(max(1, n // 3))
        if place + size + 2 < n:
            gaps.append((place, size, dice.choice(("loss", "damage", "pause"))))
        place += size
    return gaps


def main():
    os.makedirs(DIR, exist_ok=True)
    taken = unknown = checks = 0
    for number in range(CASES):
        dice = random.Random(number)
        system = System(dice, 1 + number % 2, dice.choice((60, 400, 3000)))
        if min(map(len, system.lines)) < 12:
            continue
        gaps = [random_gaps(dice, len(lines)) for lines in system.lines]
        case = Case(system, "case%d" % number, gaps)
        taken += sum(size for of_cpu in gaps for _, size, _ in of_cpu)
        for what, rows in OUTPUTS.items():
            check_rows(case, what, list(rows(case)))
            checks += 1
        if system.cpus == 1:
            check_states(case)
            check_rows_of_columns(case)
        unknown += check_stat(case)
        length = case.end - case.begin
        if length > 1:
            low = case.begin + dice.randrange(length)
            check_stat(case, (low, low + dice.randrange(1, length)))
        checks += 3
    print("known: %d comparisons, %d events taken out, %d ns unknown: nothing is given to anybody, nothing is lost"
          % (checks, taken, unknown))


if __name__ == "__main__":
    main()
