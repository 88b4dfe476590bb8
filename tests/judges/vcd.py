#!/usr/bin/env python3
"""vcd.py COMMAND - reads value change dumps (IEEE 1364), of which it knows the standard and nothing of tlog.

  vcd.py rows FILE.vcd ROWS.jsonl   what the variables show follows from the JSON lines of the same input: states of
                                    tasks by switches and wake-ups, interrupts, mutexes, counters, events and their
                                    fields, losses. Behind it may stand --no-reasons: the input does not tell why tasks
                                    wait; and CPU,CPU:BASE for each board of a merged trace: its CPUs, and what is
                                    added to the numbers of its tasks
  vcd.py same A.vcd B.vcd           both have the same variables, with the same values at the same times
  vcd.py session A.vcd A.gtkw       GTKWave's save file shows what is in the dump, in the order of parts, every variable
                                    that belongs to one, and the whole trace
  vcd.py wires A.vcd SIGROK.vcd     what libsigrok has made of A, whose variables are all wires
"""
import json
import os
import re
import sys

from signals import Signals

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
BOARD = 100000  # the numbers of tasks that a board has in a merged trace
TYPES = {"wire", "reg", "integer", "real", "string", "event"}


class Variable:
    def __init__(self, kind, bits, scope, name):
        self.kind, self.bits, self.scope, self.name = kind, bits, scope, name
        self.first = None  # the value before the first event
        self.changes = []  # (time, value), but none to the value that it had; of events every one


def unescape(text):
    def one(match):
        code = match.group(1)
        if code[0] == "x":
            return chr(int(code[1:], 16))
        return chr(int(code, 8)) if code[0] in "01234567" else ESCAPES.get(code, code)
    return re.sub(r"\\(x[0-9a-fA-F]{2}|[0-7]{3}|.)", one, text)


def vector(bits, width):
    """All digits of a number: 1 and 0 are extended by 0, x by x."""
    return (bits[0] if bits[0] in "xz" else "0") * (width - len(bits)) + bits


class Dump:
    def __init__(self, path):
        self.variables, self.codes, self.scale, self.comments = [], {}, None, []
        self.begin = self.end = None
        self.dumping = False
        with open(path, encoding="latin-1", newline="\n") as file:
            self.read_header(file)
            for line in file:
                self.read_change(line.rstrip("\n"))

    def read_header(self, file):
        scopes, section = [], []
        for line in file:
            section += line.split()
            if not section or section[-1] != "$end":
                continue
            word, rest, section = section[0], section[1:-1], []
            if word == "$enddefinitions":
                break
            if word == "$scope":
                scopes.append(rest[1])
            elif word == "$upscope":
                scopes.pop()
            elif word == "$timescale":
                self.scale = "".join(rest)
            elif word == "$comment":
                self.comments.append(" ".join(rest))
            elif word == "$var":
                self.declare(rest, ".".join(scopes))
        assert not scopes, "scopes are open"

    def declare(self, rest, scope):
        kind, bits, code, name = rest[:4]
        assert kind in TYPES, rest
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name), "name %r" % name
        assert code not in self.codes, "two variables of code " + code
        variable = Variable(kind, int(bits), scope, name)
        self.codes[code] = variable
        self.variables.append(variable)

    def read_change(self, line):
        if line[0] == "#":
            time = int(line[1:].split()[0])
            assert self.end is None or time > self.end, "%d behind %d" % (time, self.end)
            self.begin = time if self.begin is None else self.begin
            self.end = time
            for change in line.split()[1:]:  # libsigrok has them on the same line
                self.read_change(change)
        elif line in ("$dumpvars", "$end"):
            self.dumping = line == "$dumpvars"
        elif line[0] in "brs":
            value, code = line[1:].split(" ")
            self.change(self.codes[code], line[0], value)
        else:
            assert line[0] in "01xz", line
            self.change(self.codes[line[1:]], "1", line[0])

    def change(self, variable, letter, value):
        assert letter == {"real": "r", "string": "s", "reg": "b", "integer": "b"}.get(variable.kind, "1"), variable.name
        if letter == "b":
            value = vector(value, variable.bits)
        elif letter == "r":
            value = float(value)
        elif letter == "s":
            value = unescape(value).encode("latin-1").decode("utf-8", "surrogateescape")
        if self.dumping and self.end == self.begin and not variable.changes and variable.kind != "event":
            variable.first = value
            return
        last = variable.changes[-1][1] if variable.changes else variable.first
        if variable.kind == "event" or last != value:
            variable.changes.append((self.end, value))

    def by_name(self):
        names = {variable.name: variable for variable in self.variables}
        assert len(names) == len(self.variables), "two variables of one name"
        return names


# ---- against rows ----------------------------------------------------------------------------------------------------

def clean(name):
    return re.sub(r"[^A-Za-z0-9]", "_", name.encode("utf-8", "surrogateescape").decode("latin-1"))


HANDLES = ("mutex", "object", "queue", "queue_set", "semaphore", "timer", "event_group", "stream_buffer",
           "message_buffer", "mailbox", "pipe", "memory_pool", "heap", "condition", "barrier", "lock", "work_queue",
           "counter")
WAITS = ("task_sleep", "task_disable", "task_end_cycle", "task_begin_cycle", "set_mutex_wait")
ABOUT = WAITS + ("task_end",)


class Expected:
    """What the variables show of the rows, variable by variable."""

    def __init__(self, dump, rows, boards, tells_why):
        self.dump, self.rows, self.boards, self.tells_why = dump, rows, boards, tells_why
        self.names, self.used = dump.by_name(), set()
        self.first, self.changes = {}, {}
        self.tasks, self.switched, self.gone = {}, {}, set()
        self.state, self.runs, self.known, self.reason = {}, {}, set(), {}
        self.irqs, self.mutexes, self.lost, self.in_task = {}, {}, {}, {}
        self.begun, self.signals = set(), Signals()
        self.cpus = {row["cpu"] for row in rows}
        kinds = {(row["system"], row["event"]) for row in rows}
        self.twins = {event for system, event in kinds if any(a != system and b == event for a, b in kinds)}
        self.counts = dict.fromkeys(("switches", "interrupts", "counters", "fields", "losses"), 0)
        for row in rows:
            self.learn(row)
        self.lowest = {}  # by the name of a task: the lowest number that has it
        for row in rows:  # that tell why a task will wait, or that it has ended, give it variables
            if row["system"] == "shark" and row["event"] in ABOUT and row["fields"].get("context"):
                number, (board, base) = row["fields"]["context"], self.board(row)
                name = row["fields"].get("context_name", "task-%d" % number)
                self.tasks.setdefault(number + base, "%d:%s" % (board, name) if board else name)
        told = {row["fields"][field]: row["fields"][field + "_name"] for row in rows if row["system"] == "shark"
                for field in ("context", "exec", "exec_shadow") if field + "_name" in row["fields"]}
        told.update(self.tasks)
        counted = [pid for pid in told if pid and not 65536 <= pid < 71024]
        names = [told[pid] for pid in counted]
        self.shared = {pid: told[pid] for pid in counted if names.count(told[pid]) > 1}
        for pid in sorted(self.tasks, reverse=True):
            self.lowest[clean(self.task(pid))] = pid

    def learn(self, row):
        fields = row["fields"]
        for pid, comm in (("prev_pid", "prev_comm"), ("next_pid", "next_comm"), ("pid", "comm")):
            if row["system"] == "sched" and comm in fields and fields[comm] != "<...>":
                self.tasks.setdefault(fields[pid], fields[comm])
        if row["task"] and row["task"] != "<...>":
            self.tasks[row["pid"]] = row["task"]

    def task(self, pid):
        return "idle" if pid == 0 else self.tasks.get(pid, "task-%d" % pid)

    def shown(self, pid):
        return self.task(pid) + (":%d" % pid if pid in self.shared else "")

    def board(self, row):
        """The number that a merged trace's CPU is of, and what is added to its tasks."""
        return next(((i + 1, base) for i, (cpus, base) in enumerate(self.boards) if row["cpu"] in cpus), (0, 0))

    def variable(self, row, *parts):
        """The name of a variable, with that of its board before it."""
        name = "_".join(clean(part) for part in parts if part != "")
        board = self.board(row)[0]
        name = "b%d_%s" % (board, name) if board else name
        return "_" + name if name[0].isdigit() else name

    def of_task(self, row, pid, tail):
        """Tasks that share a name have their numbers behind it; so has one whose name differs in signs alone."""
        name = self.task(pid)
        if self.lowest[clean(name)] < pid or pid in self.shared:
            name += "_%d" % pid
        return self.variable(row, re.sub(r"^%d:" % (self.board(row)[0] or -1), "", name), tail)

    def put(self, row, name, value):
        assert name in self.names, "no variable %s for %s" % (name, row)
        changes = self.changes.setdefault(name, [])
        time = row["time"]
        last = changes[-1][1] if changes else self.first.get(name)
        if value == "event" or value != last:
            changes.append((time, "1" if value == "event" else value))

    def begin(self, name, value):
        self.first.setdefault(name, value)

    # ---- tasks

    def set_task(self, row, pid, state):
        old = self.state.get(pid)
        self.state[pid] = state
        self.put(row, self.of_task(row, pid, ""), {"x": "x", "running": "1"}.get(state, "0"))
        self.put(row, self.of_task(row, pid, "ready"), {"x": "x", "ready": "1"}.get(state, "0"))
        if state == "blocked":
            state = self.reason.get(pid, "blocked")
        if old != self.state[pid]:
            self.put(row, self.of_task(row, pid, "state"), state)
        if self.state[pid] in ("running", "ready", "x"):
            self.reason.pop(pid, None)

    def switch(self, row, fields):
        cpu, old, new = row["cpu"], fields["prev_pid"], fields["next_pid"]
        is_named = fields["prev_comm"] != "<...>"
        if cpu not in self.known and cpu not in self.gone and is_named:
            self.begin(self.variable(row, "cpu%d" % cpu, "task"), self.shown(old))
            self.begin(self.variable(row, "cpu%d" % cpu, "idle"), "1" if old == 0 else "0")
            if old != 0 and old not in self.state:
                self.state[old] = "running"
                for tail, value in (("", "1"), ("ready", "0"), ("state", "running")):
                    self.begin(self.of_task(row, old, tail), value)
            self.runs[cpu] = old
            self.known.add(cpu)
        if fields["next_comm"] == "<...>":
            self.forget(row)
            return
        other = self.runs.get(cpu)
        if other not in (None, 0, old):
            self.set_task(row, other, "x")
        if old != 0 and is_named:
            state = fields["prev_state"]
            self.set_task(row, old, "ended" if state & 48 else "blocked" if state else "ready")
        self.run(row, new)
        self.counts["switches"] += 1

    def run(self, row, new):
        cpu = row["cpu"]
        if new != 0:
            self.set_task(row, new, "running")
        self.runs[cpu] = new
        self.known.add(cpu)
        self.put(row, self.variable(row, "cpu%d" % cpu, "idle"), "1" if new == 0 else "0")
        self.put(row, self.variable(row, "cpu%d" % cpu, "task"), self.shown(new))

    def note_task(self, row):
        """A row tells what runs on its CPU. If the first one is late, nothing is known of the time before."""
        cpu = row["cpu"]
        if cpu not in self.begun and row["time"] > self.rows[0]["time"]:
            self.gone.add(cpu)
        self.begun.add(cpu)
        is_told = row["event"] != "sched_switch" and "ISR:" not in row["task"] and row["task"] != "<...>"
        if cpu in self.gone and cpu not in self.known and is_told:
            self.run(row, row["pid"])

    def wake(self, row, fields):
        if fields["pid"] != 0 and self.state.get(fields["pid"]) != "running":
            self.set_task(row, fields["pid"], "ready")

    def block(self, row, fields, is_signal):
        """Why a task will wait, of the events that tell it."""
        name, pid = row["event"], fields.get("context")
        is_rtos = row["system"] == "rtos" and (name.endswith("_block") or name == "delay")
        if (row["system"], name) == ("shark", "task_end"):
            pid = pid + self.board(row)[1] if pid else self.runs.get(row["cpu"])
            if self.state.get(pid) in ("ready", "blocked"):
                self.set_task(row, pid, "ended")
        if not is_rtos and (row["system"] != "shark" or name not in WAITS):
            return
        pid = pid + self.board(row)[1] if pid and not is_rtos else self.runs.get(row["cpu"])
        kind = next((each for each in fields if is_rtos and each != "task" and name.startswith(each + "_")), "mutex")
        self.reason[pid] = "blocked: " + name if self.tells_why else "blocked"
        if self.tells_why and kind in fields:
            self.reason[pid] = "blocked: %s %s" % ("signal" if is_signal else kind, fields.get(
                kind + "_name", hex(fields[kind]) if kind in HANDLES else fields[kind]))
        if name == "task_begin_cycle":
            del self.reason[pid]
        elif self.tells_why and self.state.get(pid) == "ready":
            self.set_task(row, pid, "blocked")
        elif self.tells_why and self.state.get(pid) == "blocked":
            self.put(row, self.of_task(row, pid, "state"), self.reason[pid])

    # ---- interrupts and mutexes

    def interrupt(self, row, fields, value):
        cpu, number = row["cpu"], fields["irq"]
        name = next((each["fields"]["name"] for each in self.rows if each["event"] == "irq_handler_entry" and
                     (each["cpu"], each["fields"]["irq"]) == (cpu, number)), str(number))
        tail = "cpu%d" % cpu if len(self.cpus) > 1 or self.variable(row, "irq", name) not in self.names else ""
        name = self.irqs.setdefault((cpu, number), self.variable(row, "irq", name, tail))
        if cpu not in self.gone:
            self.begin(name, "0" if value == "1" else "1")
        self.put(row, name, value)
        self.counts["interrupts"] += 1

    def mutex(self, row, fields, locks):
        number = fields["mutex"]
        name = self.variable(row, "mutex", str(fields.get("mutex_name", hex(number))))
        mutex = self.mutexes.setdefault((self.board(row)[0], number), [name, None, 0])
        if self.begun == self.cpus and not self.gone:
            self.begin(name, "0" if locks else "1")
            self.begin(name + "_owner", "-" if locks else "x")
        owner = fields["context"] + (self.board(row)[1] if fields["context"] else 0)
        if locks:
            mutex[1:] = [owner, mutex[2] + 1 if mutex[2] and mutex[1] == owner else 1]
        else:
            mutex[2] = max(0, mutex[2] - 1)
        self.put(row, name, "1" if mutex[2] else "0")
        self.put(row, name + "_owner", self.shown(mutex[1]) if mutex[2] else "-")

    def no_mutex(self, row, fields):
        """It is a signal: it is not locked, and has no variables if it is nothing else."""
        mutex = self.mutexes.get((self.board(row)[0], fields["mutex"]))
        if mutex and mutex[2]:
            mutex[2] = 0
            self.put(row, mutex[0], "0")
            self.put(row, mutex[0] + "_owner", "-")
        if row["event"] == "set_mutex_wait":
            self.event(row, fields)

    # ---- events

    def of_event(self, row, tail=""):
        """A variable of the event. Events of two systems can have one name: then a number is behind that of the second,
        and which is meant can be seen from the fields, whose variables are declared behind the event's."""
        name = self.variable(row, row["event"], tail)
        if row["event"] not in self.twins:
            return name
        first, order = self.variable(row, row["event"]), list(self.names)
        begins = [i for i, each in enumerate(order) if self.names[each].kind == "event"] + [len(order)]
        for begin, end in zip(begins, begins[1:]):
            own = {re.sub(r"_\d+$", "", each): each for each in order[begin:end]}
            if re.sub(r"_\d+$", "", order[begin]) == first and all(
                    self.variable(row, row["event"], field) in own for field in row["fields"]):
                return own.get(name, name)
        return name

    def event(self, row, fields):
        # A variable of another kind may have the name already: then the event's own has a number behind it.
        self.put(row, self.of_event(row), "event")
        self.put(row, self.of_event(row, "in"), "x" if row["task"] == "<...>" else self.shown(row["pid"]))
        for name, value in fields.items():
            if not (name[-5:] in ("_name", "_text") and name[:-5] in fields):
                self.field(row, fields, name, value)

    def field(self, row, fields, name, value):
        path = self.of_event(row, name)
        path = path if path in self.names else self.variable(row, row["event"], "task")
        variable = self.names[path]
        text = fields.get(name + "_text")
        if value is None and text is None:
            return
        self.counts["fields"] += 1
        if variable.kind == "real":
            self.put(row, path, float(text if text is not None else value))
        elif variable.kind == "string":
            if isinstance(value, list):
                value = b"".join(word.to_bytes(4, "little") for word in value).hex()
            self.put(row, path, str(value))
        else:
            self.put(row, path, format(value & (1 << variable.bits) - 1, "0%db" % variable.bits))
            self.begin(path, "x" * variable.bits)
        if path + "_name" in self.names:
            shown = str(fields.get(name + "_name", hex(value) if name in HANDLES else value))
            is_task = isinstance(value, int) and shown == self.shared.get(value)
            self.put(row, path + "_name", shown + (":%d" % value if is_task else ""))

    # ---- losses

    def lose(self, row, fields):
        cpu = row["cpu"]
        lost = self.lost.setdefault(cpu, [0, 0])
        lost[0] += fields["count"]
        lost[1] += 1
        self.put(row, self.variable(row, "cpu%d" % cpu, "lost"), format(lost[0], "064b"))
        self.put(row, self.variable(row, "cpu%d" % cpu, "gaps"), format(lost[1], "032b"))
        self.forget(row)
        self.counts["losses"] += 1

    def forget(self, row):
        """From now on nothing is known of a CPU."""
        cpu, board = row["cpu"], self.board(row)
        self.gone.add(cpu)
        self.known.discard(cpu)
        self.signals.forget(board[0])
        runs = self.runs.pop(cpu, None)
        if runs is not None:
            self.put(row, self.variable(row, "cpu%d" % cpu, "task"), "x")
            self.put(row, self.variable(row, "cpu%d" % cpu, "idle"), "x")
        for pid, state in list(self.state.items()):
            is_here = not board[0] or pid // BOARD == board[1] // BOARD
            if is_here and (pid == runs or state in ("ready", "blocked", "ended")):
                self.set_task(row, pid, "x")
        for (of, _), name in self.irqs.items():
            if of == cpu:
                self.put(row, name, "x")
        for (of, _), mutex in self.mutexes.items():
            if of == board[0]:
                mutex[1:] = [None, 0]
                self.put(row, mutex[0], "x")
                self.put(row, mutex[0] + "_owner", "x")

    def take(self, row):
        fields, name = row["fields"], row["event"]
        if row["cpu"] not in self.known and row["kind"] not in ("loss", "damage"):
            self.note_task(row)
        is_signal = self.signals.take(self.board(row)[0], name, fields, row["pid"])
        self.block(row, fields, is_signal)
        if is_signal:
            self.no_mutex(row, fields)
        elif row["kind"] in ("loss", "damage"):
            self.lose(row, fields)
        elif (row["system"], name) == ("sched", "sched_switch"):
            self.switch(row, fields)
        elif row["system"] == "sched" and name in ("sched_waking", "sched_wakeup"):
            self.wake(row, fields)
        elif row["system"] == "irq" and name in ("irq_handler_entry", "irq_handler_exit"):
            self.interrupt(row, fields, "1" if name == "irq_handler_entry" else "x" if fields["ret"] == 4 else "0")
        elif (row["system"], name) in (("shark", "set_mutex_lock"), ("shark", "set_mutex_unlock")):
            self.mutex(row, fields, name == "set_mutex_lock")
        elif list(fields) == ["value"] and self.names[self.variable(row, name)].kind == "real":
            self.put(row, self.variable(row, name), float(fields["value"]))
            self.counts["counters"] += 1
        else:
            self.event(row, fields)
            if (row["system"], name) in (("rtos", "heap_allocate"), ("rtos", "heap_free")) and "in_use" in fields:
                assert self.names[self.variable(row, "heap_in_use")].kind == "real", row
                self.put(row, self.variable(row, "heap_in_use"), float(fields["in_use"]))
                self.counts["counters"] += 1

    def compare(self):
        for variable in self.dump.variables:
            name, wanted = variable.name, self.changes.pop(variable.name, [])
            unknown = "x" * variable.bits if variable.kind == "wire" else "x" if variable.scope in (
                "tlog.cpus", "tlog.tasks", "tlog.mutexes") else variable.first
            first = self.first.get(name, variable.first if name.endswith(("_lost", "_gaps")) else unknown)
            assert first == variable.first, "%s begins as %s, not %s" % (name, variable.first, first)
            if same_changes(wanted, variable.changes):
                continue
            at = next((i for i, (a, b) in enumerate(zip(wanted, variable.changes)) if not same_changes([a], [b])),
                      min(len(wanted), len(variable.changes)))
            sys.exit("%s: change %d: wanted %s, but it is %s" % (name, at, wanted[at:at + 2],
                                                                 variable.changes[at:at + 2]))
        assert not self.changes, "no variables: %s" % list(self.changes)


def same_changes(a, b):
    return len(a) == len(b) and all(x[0] == y[0] and same_value(x[1], y[1]) for x, y in zip(a, b))


def same_value(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b) or abs(a - b) <= 1e-15 * max(abs(a), abs(b))
    return a == b


def tells_known(row):
    """Whether a derived row tells that from now on it is known, or not known, what runs."""
    comms = [row["fields"].get(each, "") for each in ("prev_comm", "next_comm")]
    return row["system"] == "irq" or "<...>" in comms and "ISR:" not in "".join(comms)


def read_rows(path, unit):
    rows, last = [], 0
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if row["kind"] == "derived" and not tells_known(row):
            continue
        last = row["time"] = max(last, (row["time_ns"] if "time_ns" in row else row["time_ticks"]) // unit)
        rows.append(row)
    return rows


def check_rows(path, rows, *options):
    tells_why = "--no-reasons" not in options
    boards = [each.split(":") for each in options if each != "--no-reasons"]
    boards = [(set(map(int, cpus.split(","))), int(base)) for cpus, base in boards]
    dump = Dump(path)
    rows = read_rows(rows, {"1ns": 1, "1us": 1000}[dump.scale])
    expected = Expected(dump, rows, boards, tells_why)
    for row in rows:
        expected.take(row)
    expected.compare()
    if rows:
        assert (dump.begin, dump.end) == (rows[0]["time"], rows[-1]["time"]), "begin or end"
    print("%d variables agree: %s, %d events lost" % (len(dump.variables), ", ".join(
        "%d %s" % (n, what) for what, n in expected.counts.items() if n), sum(n for n, _ in expected.lost.values())))


# ---- dumps against dumps ---------------------------------------------------------------------------------------------

def check_same(one, other):
    a, b = Dump(one), Dump(other)
    found = {(variable.scope, variable.name): variable for variable in b.variables}
    assert len(a.variables) == len(b.variables), "%d and %d variables" % (len(a.variables), len(b.variables))
    assert a.scale == b.scale, "%s and %s" % (a.scale, b.scale)
    silent = 0
    for variable in a.variables:
        twin = found[(variable.scope, variable.name)]
        assert variable.kind == twin.kind and (variable.bits == twin.bits or variable.kind == "string"), variable.name
        silent += not variable.changes and variable.first is None
        assert same_changes(whole(a, variable), whole(b, twin)), variable.name
    print("%d variables are the same, %d of them without a value" % (len(a.variables), silent))


def whole(dump, variable):
    """All values; the first one has no time of its own. A value for no time counts as none."""
    first = [(dump.begin, variable.first)] if variable.first is not None else []
    return list(dict(first + variable.changes).items()) if variable.kind != "event" else variable.changes


def check_wires(ours, theirs):
    """libsigrok has 0 for x, counts times from the first one on, and shows nothing at the last one."""
    a, b = Dump(ours), Dump(theirs)
    found, changes = b.by_name(), 0
    assert len(a.variables) == len(b.variables), "%d and %d wires" % (len(a.variables), len(b.variables))
    for variable in a.variables:
        assert variable.kind == "wire"
        wanted = []
        for time, value in whole(a, variable):
            value = "1" if value == "1" else "0"
            if time < a.end and (not wanted or wanted[-1][1] != value):
                wanted.append((time - a.begin, value))
        have = whole(b, found[variable.name])
        assert wanted == have, "%s: %s, %s" % (variable.name, wanted[:9], have[:9])
        changes += len(have)
    print("%d wires agree, %d changes" % (len(a.variables), changes))


# ---- GTKWave's save file ---------------------------------------------------------------------------------------------

# The parts of a board: scope, and what its variables are called behind the entity's name.
PARTS = (("cpus", r".*_(task|idle)"), ("interrupts", ".*"), ("tasks", ".*"), ("mutexes", ".*"), ("counters", ".*"),
         ("cpus", r".*_(lost|gaps)"))
TEXT, WIRE, NUMBER, ANALOGUE, HEADING, TALLER = 0x820, 0x28, 0x24, 0x8420, 0x200, 0x20000
FLAGS = {"string": TEXT, "wire": WIRE, "reg": NUMBER, "real": ANALOGUE}


class Session:
    """The lines of a save file: what is told in [], the zoom, and the lines that are shown with their flags."""

    def __init__(self, path):
        self.told, self.zoom, self.shown, self.headings = {}, None, [], 0
        flags = None
        for line in open(path, encoding="utf-8", errors="surrogateescape", newline="\n"):
            line = line.rstrip("\n")
            if line.startswith("["):
                word, _, rest = line[1:].partition("]")
                self.told[word] = rest.strip()
            elif line.startswith("*"):
                self.zoom = float(line[1:].split()[0])
            elif line.startswith("@"):
                flags = int(line[1:], 16)
            elif line.startswith("-"):
                assert flags == (HEADING if line != "-" else TALLER), line
                self.headings += line != "-"
                assert line != "-" or self.shown[-1][1] == ANALOGUE, "no analogue line above"
            else:
                self.shown.append((line, flags))


def part_of(variable):
    """Its board, and the part of it in which it stands; None: it is not shown."""
    scopes = variable.scope.split(".")
    board = int(scopes[1][5:]) if len(scopes) == 3 else 0
    if scopes[-1] == "tasks" and variable.name.endswith("_ready"):
        return None
    for number, (scope, name) in enumerate(PARTS):
        if scope == scopes[-1] and re.fullmatch(name, variable.name):
            return board, number
    return None


def check_session(path, session_path):
    dump, session = Dump(path), Session(session_path)
    names = {"%s.%s%s" % (each.scope, each.name, "[%d:0]" % (each.bits - 1) if each.kind == "reg" else ""): each
             for each in dump.variables}
    assert session.told["dumpfile"] == '"%s"' % os.path.abspath(path), session.told
    assert session.told["savefile"] == '"%s"' % os.path.abspath(session_path), session.told
    parts = []
    for name, flags in session.shown:
        assert name in names, name + " is not in the dump"
        assert flags == FLAGS[names[name].kind], (name, flags)
        parts.append(part_of(names[name]))
    assert parts == sorted(parts) and session.headings == len(set(parts)), parts
    shown = [name for name, _ in session.shown]
    wanted = {name for name, each in names.items() if part_of(each) is not None}
    assert len(set(shown)) == len(shown) and wanted <= set(shown), wanted ^ set(shown)
    states = [name for name in shown if names[name].scope.endswith("tasks")]
    assert [names[name].kind for name in states] == ["string", "wire"] * (len(states) // 2), states
    if dump.begin is not None:
        steps = dump.end - dump.begin + 1
        width = steps * 200 / 2 ** -session.zoom
        assert int(session.told["timestart"]) == dump.begin
        assert width <= 960 and (width >= 800 or steps < 20000), "%d pixels of 960" % width
    print("%d of %d variables shown" % (len(shown), len(names)))


def main():
    what, one, others = sys.argv[1], sys.argv[2], sys.argv[3:]
    try:
        {"rows": check_rows, "same": check_same, "wires": check_wires, "session": check_session}[what](one, *others)
    except AssertionError as error:
        sys.exit("%s: %s" % (one, error))


if __name__ == "__main__":
    main()
