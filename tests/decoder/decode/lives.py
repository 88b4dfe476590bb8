"""lives.py - numbers that the firmware gives again: each life is a task of its own, in every output.

usage: lives.py BUILD
Random scripts with tasks and queues that end and are made anew, on one CPU and on two. The script's maker knows which
life each event is of; the outputs must tell the same: first lives by the number, later ones by numbers of their own,
the last one by the name that the trace has, none of the others by it. Judges: the maker's own list, against JSON lines,
text to a file and to a pipe, CSV, --stat, trace.dat and CTF as trace-cmd and babeltrace2 read them, if installed.
"""
import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys

LATER = 80000                   # numbers of later lives
build = sys.argv[1]
decoder = os.path.join(build, "test", "tlog-decode-script")
home = os.path.join(build, "test", "lives")
checks = 0


class Wrong(Exception):
    pass


def claim(fact, *what):
    global checks
    checks += 1
    if not fact:
        raise Wrong(" ".join(str(word) for word in what))


class Maker:
    """Makes a script. lives: by (kind, number) how many there were; events: (time, CPU, kind, number, life) of each
    event about something with a number; runs: by CPU and time, the (number, life) of the task that runs then."""
    def __init__(self, seed, cpus, missing):
        self.random, self.cpus = random.Random(seed), cpus
        self.lines, self.events, self.runs = [], [], []
        self.time, self.lives, self.there = 1000, {}, {}
        self.running = [0] * cpus
        if missing:             # the beginning is missing: things are there whose creation is not in the trace
            for number in range(1, 5):
                self.there["task", number] = True
                self.lives["task", number] = 0
        for _ in range(self.random.randrange(20, 120)):
            self.step()

    def log(self, word, cpu, kind, number):
        self.time += self.random.randrange(1, 900)
        self.lines.append((cpu, "%s %d %d %d" % (word, cpu, self.time, number)))
        if number:
            self.events.append((self.time, cpu, kind, number, self.lives.get((kind, number), 0)))
        if word == "switch":
            self.running[cpu] = number
            self.runs.append((cpu, self.time, number, self.lives.get(("task", number), 0)))

    def begin(self, word, cpu, kind, number):
        self.lives[kind, number] = self.lives.get((kind, number), -1) + 1
        self.there[kind, number] = True
        self.log(word, cpu, kind, number)

    def step(self):
        choose, cpu = self.random, self.random.randrange(self.cpus)
        number = choose.randrange(1, 5)
        if choose.random() < 0.25:
            number += 70
            if not self.there.get(("queue", number)):
                self.begin("make", cpu, "queue", number)
            elif choose.random() < 0.6:
                self.log("send", cpu, "queue", number)
            else:
                self.log("destroy", cpu, "queue", number)
                self.there["queue", number] = False
        elif not self.there.get(("task", number)):
            self.begin("create", cpu, "task", number)
        elif number in self.running:
            cpu = self.running.index(number)
            if choose.random() < 0.5:
                self.log("notify", cpu, "task", number)
            if choose.random() < 0.5:
                self.log("end", cpu, "task", number)
                self.there["task", number] = False
            self.log("switch", cpu, "task", 0)
        else:
            self.log("wake", cpu, "task", number)
            self.log("switch", cpu, "task", number)

    def text(self):
        names = ["name %d n%d" % (number, number) for kind, number in sorted(self.lives) if kind == "task"]
        lines = [line for _, line in sorted(self.lines, key=lambda line: line[0])]
        return "\n".join(["#script", "cpus %d" % self.cpus, "clock 1000000000"] + names + lines) + "\n"

    def name(self, number, life):
        return "n%d" % number if life == self.lives["task", number] else "task-%d" % number


def run(*arguments):
    result = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    claim(result.returncode == 0, arguments, result.stderr)
    return result.stdout


class Numbers:
    """The numbers that lives have in an output."""
    def __init__(self):
        self.of = {}

    def claim(self, kind, number, life, seen, where):
        if life == 0:
            claim(seen == number, where, "the first life of", kind, number, "is", seen)
        else:
            claim(seen >= LATER, where, "a later life of", kind, number, "is", seen)
        claim(self.of.setdefault((kind, number, life), seen) == seen, where, kind, number, "has two numbers")

    def differ(self, where):
        for kind in "task", "queue":
            all_ = [seen for (of, _, _), seen in self.of.items() if of == kind]
            claim(len(set(all_)) == len(all_), where, "two lives share a number")


def rows_of(path):
    """The rows with a number: (time, CPU, kind, number seen, its name), and who runs: (CPU, time, pid, name)."""
    rows, runs = [], []
    for line in open(path):
        row = json.loads(line)
        fields = row["fields"]
        if row["kind"] == "derived":
            continue
        if row["event"] == "sched_switch":
            runs.append((row["cpu"], row["time_ns"], fields["next_pid"], fields["next_comm"]))
            seen = fields["next_pid"], fields["next_comm"], "task"
        elif row["event"] == "sched_waking":
            seen = fields["pid"], fields["comm"], "task"
        elif "queue" in fields:
            seen = fields["queue"], "", "queue"
        else:
            seen = fields["context"], fields.get("context_name", ""), "task"
        if seen[0]:
            rows.append((row["time_ns"], row["cpu"], seen[2], seen[0], seen[1]))
    return rows, runs


def check_rows(maker, path):
    numbers = Numbers()
    rows, runs = rows_of(path)
    claim(len(rows) == len(maker.events), path, len(rows), "rows for", len(maker.events))
    for row, (time, cpu, kind, number, life) in zip(sorted(rows), sorted(maker.events)):
        claim(row[:3] == (time, cpu, kind), path, row, (time, cpu, kind))
        numbers.claim(kind, number, life, row[3], path)
        if kind == "task":
            claim(row[4] == maker.name(number, life), path, row, "is not called", maker.name(number, life))
    numbers.differ(path)
    for cpu, time, pid, name in runs:
        number, life = next(run_[2:] for run_ in maker.runs if run_[:2] == (cpu, time))
        if number:
            expected = numbers.of["task", number, life], maker.name(number, life)
            claim((pid, name) == expected, path, cpu, time, pid, name)
    return numbers


def switches(text):
    return re.findall(r"(\d+)\.(\d+): +sched_switch: .*==> (\S+):(\d+) \[", text)


def check_tracecmd(maker, numbers, path):
    seen = [(int(s) * 10 ** 9 + int(ns.ljust(9, "0")), name, int(pid)) for s, ns, name, pid in
            switches(run("trace-cmd", "report", "-t", path)) if pid != "0"]
    expected = sorted((time, maker.name(number, life), numbers.of["task", number, life])
                      for _, time, number, life in maker.runs if number)
    claim(sorted(seen) == expected, path, seen, expected)


def check_stat(maker, script):
    """How many lives have each name, each of them with its turns."""
    stat = json.loads(run(decoder, "-q", "--stat", "--json", script))[0]
    seen = sorted((task["task"], task["runs"]) for task in stat["tasks"] if task["runs"] and task["task"] != "idle")
    turns = {}
    for _, _, number, life in maker.runs:
        if number:
            turns[number, life] = turns.get((number, life), 0) + 1
    folded = {}
    for (number, life), n in turns.items():
        folded[maker.name(number, life)] = folded.get(maker.name(number, life), 0) + n
    got = {}
    for name, n in seen:
        name = name.split(":")[0]
        got[name] = got.get(name, 0) + n
    claim(got == folded, script, got, folded)


def check_ctf(maker, numbers, script):
    path = os.path.join(home, "ctf")
    shutil.rmtree(path, ignore_errors=True)
    run(decoder, "-q", "--format=ctf", script, "-o", path)
    seen = re.findall(r'sched_switch: .*next_comm = "(\S+)",.* next_tid = (\d+)', run("babeltrace2", path))
    expected = [(maker.name(number, life), str(numbers.of["task", number, life]))
                for _, _, number, life in sorted(maker.runs, key=lambda run_: run_[1]) if number]
    claim([pair for pair in seen if pair[1] != "0"] == expected, path, seen, expected)


def check(seed, cpus, missing):
    maker = Maker(seed, cpus, missing)
    base = os.path.join(home, "case")
    with open(base, "w") as script:
        script.write(maker.text())
    for suffix in "jsonl", "csv", "txt", "dat":
        run(decoder, "-q", base, "-o", "%s.%s" % (base, suffix))
    numbers = check_rows(maker, base + ".jsonl")
    claim(run(decoder, "-q", "--format=text", base) == open(base + ".txt").read(), base, "a pipe gets other lines")
    with open(base + ".csv", newline="") as rows:
        pids = {row["pid"] for row in csv.DictReader(rows)} - {"0", "65536", "69999"}
    ran = {str(numbers.of["task", number, life]) for _, _, number, life in maker.runs if number}
    claim(pids <= ran, base, pids, ran)
    check_stat(maker, base)
    if shutil.which("trace-cmd"):
        check_tracecmd(maker, numbers, base + ".dat")
    if shutil.which("babeltrace2"):
        check_ctf(maker, numbers, base)


def folded(lives):
    """Which number each task of one name is shown by, of (created, ended or None, number): the first free row's."""
    rows, number_of = [], {}
    for begin, end, number in sorted(lives):
        free = next((row for row in rows if row[1] is not None and row[1] <= begin), None)
        if free is None:
            rows.append([number, end])
            number_of[number] = number
        else:
            free[1] = end
            number_of[number] = free[0]
    return number_of


def check_folds(seed):
    """Tasks with numbers of their own and one of two names: they share a row if they live one after the other."""
    choose, time, lines, lives, there = random.Random(seed), 1000, [], {}, []
    names = {number: choose.choice(("job", "task")) for number in range(10, 40)}
    for number in names:
        time += 10
        lines.append("create 0 %d %d" % (time, number))
        lives[number] = [time, None, number]
        there.append(number)
        while len(there) > choose.randrange(4):
            time += 10
            ended = there.pop(choose.randrange(len(there)))
            lines += ["wake 0 %d %d" % (time, ended), "switch 0 %d %d" % (time + 1, ended),
                      "end 0 %d %d" % (time + 2, ended), "switch 0 %d 0" % (time + 3)]
            lives[ended][1] = time + 2
    base = os.path.join(home, "case")
    with open(base, "w") as script:
        script.write("\n".join(["#script", "cpus 1", "clock 1000000000"] +
                               ["name %d %s" % pair for pair in names.items()] + lines) + "\n")
    number_of = {}
    for name in "job", "task":
        number_of.update(folded([life for number, life in lives.items() if names[number] == name]))
    run(decoder, "-q", base, "-o", base + ".jsonl")
    rows = [json.loads(row) for row in open(base + ".jsonl")]
    created = [row["fields"]["context"] for row in rows if row["event"] == "task_create"]
    claim(created == [number_of[number] for number in names], base, created)
    ended = [row["fields"]["context"] for row in rows if row["event"] == "task_end"]
    claim(ended == [number_of[int(line.split()[3])] for line in lines if line.startswith("end")], base, ended)
    stat = json.loads(run(decoder, "-q", "--stat", "--json", base))[0]["tasks"]
    seen = {task["pid"]: (task["task"], task["created"], task["blocked"]) for task in stat if task["pid"]}
    for row in set(number_of.values()):
        several = len({number_of[number] for number in names if names[number] == names[row]}) > 1
        name = names[row] + (":%d" % row if several else "")
        claim(seen.pop(row) == (name, list(number_of.values()).count(row), []), base, row, name)
    seen.pop(65536)                    # the code that starts the others
    claim(not seen, base, seen)


BOOT, UNKNOWN = "boot:65536", "<...>:69999"
STATES = {0: "R", 1: "S", 2: "D", 32: "X"}
FAR = "many 0 100000 4000 1\nswitch 0 200000 %d"
# Scripts, and for each switch away from the start-up its state and where it leads
BOOTS = [
    ("order", "event 0 100 1 1\nswitch 0 200 1\nswitch 0 300 0\nswitch 0 400 1", [("X", 1)]),
    ("", "event 0 100 1 1\nswitch 0 200 1\nswitch 0 300 2", [("X", 1)]),
    ("", "switch 0 200 1\nwake 0 250 2\nswitch 0 300 2\n" + FAR % 3, [("X", 1)]),
    ("order", "switch 0 200 0\nswitch 0 300 1", [("X", 0)]),
    # without a kernel, too, where context 0 may be the code that started the system
    ("", "event 0 100 1 1\nswitch 0 200 1\nswitch 0 300 0\nswitch 0 400 1", [("X", 1)]),
    ("", "switch 0 200 1\nswitch 0 300 2\n" + FAR % 0, [("X", 1)]),
    ("", "switch 0 200 0\nswitch 0 300 1", [("X", 0)]),
    ("", "switch 0 200 1\nloss 0 300 5\nevent 0 400 1 1\nswitch 0 500 0", [("X", 1)]),
    # nothing ever runs but the start-up
    ("order", "event 0 100 1 1\nentry 0 200 4\nexit 0 300 4\nevent 0 400 1 1", [("R", 70004)]),
    # what it becomes is lost, or was lost before
    ("order", "event 0 100 1 1\nloss 0 200 5\nevent 0 250 1 1\nswitch 0 300 1", [("S", 69999)]),
    ("", "event 0 100 1 1\npause 0 200 0\nevent 0 250 1 1\nswitch 0 300 1", [("S", 69999)]),
    ("", "loss 0 100 5\nevent 0 150 1 1\nswitch 0 200 1\nswitch 0 300 0", []),
    # a kernel's switch is logged in its handler
    ("order", "event 0 100 1 1\nentry 0 200 14\nswitch 0 250 1\nexit 0 300 14\nevent 0 400 1 1",
     [("R", 70014), ("X", 1)]),
    # each CPU has a start-up
    ("order", "event 0 100 1 1\nevent 1 150 1 1\nswitch 0 200 1\nevent 1 250 1 1\nswitch 1 300 2\nswitch 0 400 0",
     [("X", 1), ("X", 2)]),
    ("", "event 0 100 1 1\nevent 1 150 1 1\nswitch 0 200 1\nswitch 1 300 2\nswitch 1 400 0", [("X", 1), ("X", 2)]),
    ("", "event 0 100 1 1\nevent 1 150 1 1\nswitch 0 200 1\nswitch 1 300 2\nswitch 1 400 3", [("X", 1), ("X", 2)]),
]


def left_in_text(text):
    """The switches away from the start-up, as (state, pid)."""
    found = re.findall(r"sched_switch: +%s \[0\] (\S+) ==> .*:(\d+) \[" % BOOT, text)
    return [(state, int(pid)) for state, pid in found]


def left_in_json(path):
    rows = [json.loads(row) for row in open(path)]
    return [(STATES[row["fields"]["prev_state"]], row["fields"]["next_pid"]) for row in rows
            if row["event"] == "sched_switch" and row["fields"]["prev_pid"] == 65536]


def left_in_ctf(script):
    path = os.path.join(home, "ctf")
    shutil.rmtree(path, ignore_errors=True)
    run(decoder, "-q", "--format=ctf", script, "-o", path)
    found = re.findall(r"prev_tid = 65536,.* prev_state = (\d+).* next_tid = (\d+)", run("babeltrace2", path))
    return [(STATES[int(state)], int(pid)) for state, pid in found]


def check_boot(order, lines, left):
    """The start-up has ended at its first switch. Each output says so."""
    base, cpus = os.path.join(home, "case"), 1 + (" 1 " in lines and "event 1" in lines)
    with open(base, "w") as script:
        script.write("\n".join(["#script", "cpus %d" % cpus, "clock 1000000000", order, "name 1 main", lines]) + "\n")
    for suffix in "jsonl", "txt", "dat", "pftrace", "vcd":
        run(decoder, "-q", base, "-o", "%s.%s" % (base, suffix))
    text = run(decoder, "-q", "--format=text", base)
    claim(text == open(base + ".txt").read(), base, "a pipe gets other lines")
    with open(base) as script:
        piped = subprocess.run([decoder, "-q", "-"], stdin=script, capture_output=True, text=True).stdout
    claim(piped == text, base, "what comes from standard input gives other lines")
    claim("main-65536" not in text and "main:65536" not in text, base, "the start-up is called main")
    switched = [(state, pid) for state, pid in left if pid < 70000]     # CTF has no derived switches
    claim(left_in_ctf(base) == switched, base, "CTF", left_in_ctf(base), switched)
    for way, seen in (("text", left_in_text(text)), ("json", left_in_json(base + ".jsonl")),
                      ("trace.dat", left_in_text(run("trace-cmd", "report", "-t", base + ".dat")))):
        claim(seen == left, base, way, seen, left)
    if "pause" not in lines:
        run(decoder, "-q", "--format=text-full", base, "-o", base + ".full")
        run(sys.executable, "tests/judges/perfetto.py", base + ".pftrace", base + ".full")
    run(sys.executable, "tests/judges/vcd.py", "rows", base + ".vcd", base + ".jsonl")
    run(sys.executable, "tests/judges/columns.py", decoder, base)
    check_boot_stat(base, lines, left)


def check_boot_stat(base, lines, left):
    """A start-up that has ended is not ready."""
    tasks = json.loads(run(decoder, "-q", "--stat", "--json", base))[0]["tasks"]
    boot = [task for task in tasks if task["pid"] == 65536]
    claim([task["task"] for task in boot] == ["boot"] * (not lines.startswith("loss")), base, boot)
    states = {state for state, pid in left if pid < 65536}
    if states == {"X"}:
        claim(boot[0]["ready"] == 0, base, boot[0]["ready"])


def main():
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    is_quick = os.environ.get("TIER") == "quick"
    cases = 20 if is_quick else 30 if os.environ.get("TIER") == "full" else 200
    for seed in range(cases):
        try:
            check(seed, 1 + seed % 2, seed % 3 == 2)
            check_folds(seed)
        except Wrong as wrong:
            sys.exit("lives.py: seed %d: %s" % (seed, wrong))
    for order, lines, left in BOOTS[::4] if is_quick else BOOTS:
        try:
            check_boot(order, lines, left)
        except Wrong as wrong:
            sys.exit("lives.py: start-up: %r %r: %s" % (order, lines, wrong))
    print("lives.py: %d scripts, %d claims" % (cases, checks))


main()
