"""perfetto.py - an independent decoder of Perfetto traces, which compares one with the lines of text-full, or with what
a script that made the events expects.

usage: perfetto.py TRACE LINES [OPTION]...     every event, loss and damage of LINES is in TRACE, once, at its place
       perfetto.py TRACE --own EXPECTED [--no-sizes]   the own events have the values that tests/gen/own.py tells
       perfetto.py TRACE --slices   prints the slices of threads
       perfetto.py TRACE --count [--strict]   prints how many events of each name there are; texts must be UTF-8

Written from the format's field numbers (perfetto.dev/docs/reference/trace-packet-proto) and from FORMAT.md of the
writer. Options: --start: the real time in the file is the user's, so times are not moved by it; --merged=N: of two
boards, N CPUs of the first; --mapped: the input had Linux's events, with interrupts as tasks; --no-sizes: the input did
not tell how long functions are, so addresses have no names. TRACE may be a gzip file."""
import gzip
import json
import re
import string
import struct
import sys

from signals import Signals

LOST = 2000000000
FIRST_CPUS = next((int(a[9:]) for a in sys.argv if a.startswith("--merged=")), None)
LINE = re.compile(r"^ *(.*)-(\d+) +\[(\d+)\] +([\d.]+): (\w+):([^:]+):(.*)$")
LOSS = re.compile(r"^CPU:(\d+) \[(DAMAGED INPUT)?(?:: )?(\d*)(.*)\]$")
WAIT = object()  # the key of the slice of a wait
REASONS = {"set_mutex_wait", "task_end_cycle", "task_sleep", "task_disable"}


def need(condition, *what):
    if not condition:
        sys.exit("perfetto.py: " + " ".join(map(str, what)))


# ---- protobuf --------------------------------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message, by number: lists of values in their order."""
    found = {}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        else:
            need(kind == 2, "wire type", kind)
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            need(len(value) == size, "a message is cut")
        found.setdefault(tag >> 3, []).append(value)
    return found


def packed(data):
    values = []
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def signed(value, bits=64):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def text(value):
    return value.decode("utf-8", "strict" if "--strict" in sys.argv else "surrogateescape")


# ---- the trace -------------------------------------------------------------------------------------------------------

class Sequence:
    def __init__(self):
        self.texts = {}  # (kind, iid): text
        self.clock = None
        self.seen = False


class Trace:
    def __init__(self, data):
        self.sequences, self.events, self.tracks, self.tasks = {}, [], {}, {}
        self.switches, self.wakings, self.others, self.lost = {}, {}, {}, {}
        self.reasons, self.bias, self.ncpus = [], 0, None
        self.told = {}  # by task: all names that it had
        self.bundles = {}  # by CPU: (how many track events stand before it, whether events were lost before it)
        for packet in fields(data).get(1, []):
            self.packet(fields(packet))

    def packet(self, p):
        need(set(p) <= {1, 2, 6, 8, 10, 11, 12, 13, 45, 58, 59, 60, 87}, "fields of a packet", sorted(p))
        sequence = self.sequences.setdefault(p[10][0], Sequence())
        need((p[13] == [1]) == (not sequence.seen) == (p.get(87) == [1]), "flags", p[13])
        sequence.seen = True
        for interned in p.get(12, []):
            for kind, entries in fields(interned).items():
                for entry in map(fields, entries):
                    need((kind, entry[1][0]) not in sequence.texts, "text twice", kind, entry)
                    sequence.texts[kind, entry[1][0]] = text(entry[2][0])
        for snapshot in p.get(6, []):
            clocks = {c[1][0]: c[2][0] for c in map(fields, fields(snapshot)[1])}
            need(6 in clocks and fields(snapshot)[2] == [6], "clocks", clocks)
            if 64 in clocks:
                need(clocks[64] == clocks[6] and fields(p[59][0]) == {58: [64]}, "default clock")
                sequence.clock = clocks[64]
            if 1 in clocks:
                self.bias = clocks[1] - clocks[6]
        if 45 in p:
            self.ncpus = fields(p[45][0])[8][0]
        for tree in map(fields, p.get(2, [])):
            self.tree(tree)
        for descriptor in map(fields, p.get(60, [])):
            need(descriptor[1][0] not in self.tracks, "uuid twice")
            self.tracks[descriptor[1][0]] = descriptor
        if 1 in p:
            self.bundle(sequence, fields(p[1][0]))
        if 11 in p:
            self.track_event(sequence, p)

    def tree(self, tree):
        process, thread = fields(tree[1][0]), fields(tree[2][0])
        need(process[1] == thread[3] and process[3] == thread[2], "a task's process", process, thread)
        need(process[1][0] == thread[1][0] + 1000000, "a task's pid", process)
        self.tasks[thread[1][0]] = text(thread[2][0])
        self.told.setdefault(thread[1][0], set()).add(text(thread[2][0]))

    def bundle(self, sequence, bundle):
        cpu = bundle[1][0]
        if 3 in bundle:
            self.lost[cpu] = self.lost.get(cpu, 0) + 1
        self.bundles.setdefault(cpu, []).append((len(self.events), 3 in bundle))
        for event in map(fields, bundle.get(2, [])):
            kind = (set(event) & {17, 18, 36, 37}).pop()
            inner = fields(event[kind][0])
            if kind == 18:
                self.reasons.append((cpu, event[1][0], event[2][0], sequence.texts[26, inner[2][0]]))
            else:
                self.others.setdefault(cpu, []).append((event[1][0], event[2][0], kind, inner))
        if 4 not in bundle:
            return
        compact = fields(bundle[4][0])
        names = [text(name) for name in compact.get(5, [])]
        column = {n: packed(compact[n][0]) if n in compact else [] for n in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12)}
        time = 0
        for delta, state, pid, prio, comm in zip(*(column[n] for n in (1, 2, 3, 4, 6)), strict=True):
            time += delta
            self.switches.setdefault(cpu, []).append((time, state, pid, signed(prio), names[comm]))
        time = 0
        for delta, pid, target, prio, comm, flags in zip(*(column[n] for n in (7, 8, 9, 10, 11, 12)), strict=True):
            time += delta
            self.wakings.setdefault(cpu, []).append((time, pid, signed(prio), names[comm], target, flags))

    def track_event(self, sequence, p):
        if 58 in p:
            need(p[58] == [6], "clock", p[58])
            time = p[8][0]
        else:
            time = sequence.clock = sequence.clock + p[8][0]
        event = fields(p[11][0])
        log = fields(event[21][0]) if 21 in event else None
        name = sequence.texts[2, event[10][0]] if 10 in event else text(event[23][0]) if 23 in event else None
        self.events.append({
            "time": time, "type": event[9][0], "track": event[11][0], "name": name, "value": event.get(30, [None])[0],
            "categories": [sequence.texts[1, i] for i in event.get(3, [])] + [text(c) for c in event.get(22, [])],
            "args": dict(self.argument(sequence, fields(a)) for a in event.get(4, [])),
            "extra": list(zip(event.get(31, []), event.get(12, []), strict=True)),
            "log": (sequence.texts[20, log[2][0]], log[3][0]) if log else None})

    def argument(self, sequence, a):
        name = sequence.texts[3, a[1][0]] if 1 in a else text(a[10][0])
        for field, value in ((3, lambda v: v), (4, signed), (5, lambda v: struct.unpack("<d", v)[0]), (6, text),
                             (7, hex), (17, lambda v: sequence.texts[29, v])):
            if field in a:
                return name, value(a[field][0])
        return name, [fields(each)[3][0] for each in a.get(12, [])]

    def track(self, uuid):
        """What a track is: ("thread", tid), ("counter", name, parent), ("named", name)."""
        d = self.tracks[uuid]
        if 4 in d:
            return "thread", fields(d[4][0])[2][0]
        if 3 in d:
            return ("process",)
        return ("counter" if 8 in d else "named"), text(d[2][0]), d[5][0]


# ---- comparing with lines --------------------------------------------------------------------------------------------

def parse_fields(rest):
    """name=value, where a value may have blanks if no name= follows; a text is the last field."""
    for last in (" buf=", " text="):
        head, mark, tail = rest.partition(last)
        if mark:
            return parse_fields(head) + [(last[1:-1], tail)]
    parts = re.split(r" (?=[A-Za-z_][A-Za-z_0-9]*=)", rest)
    return [tuple(part.split("=", 1)) for part in parts if "=" in part]


def read_tells(path):
    """By the number of the line of text-full that follows them: rows of JSON lines that tell what is known, or not any
    more, of what runs. With none of them the trace must have no such row."""
    tells, n = {}, 0
    for line in open(path, encoding="utf-8") if path else ():
        row = json.loads(line)
        if row["kind"] != "derived":
            n += 1
        elif row["system"] == "irq" or tells_known(row):
            tells.setdefault(n, []).append(row)
    return tells


def tells_known(row):
    """Whether a derived switch is to or from the unknown task, and not for an interrupt."""
    comms = [row["fields"].get(each, "") for each in ("prev_comm", "next_comm")]
    return "<...>" in comms and "ISR:" not in "".join(comms)


class Judge:
    def __init__(self, trace, lines, known, bias):
        self.trace, self.bias, self.at = trace, bias, 0
        self.names = {}        # (label, number): name
        self.signals = Signals()
        self.open, self.mutex = {}, {}  # slices of tasks: (key, cpu); of mutexes: owners
        self.want_switches, self.want_wakings, self.want_others, self.want_reasons = {}, {}, {}, []
        self.cpus, self.n, self.losses, self.events_lost = {}, 0, {}, 0
        self.lost_at = {}  # by CPU: which of the track events are losses
        self.open_losses, self.last_loss = {}, {}  # by CPU: tracks of losses without an end; when the last one began
        self.reason, self.out, self.forgotten = {}, {}, 0  # why a task will wait; tasks on no CPU, by losses then
        self.counters = {}  # name: track, of those that other events tell of
        self.tells, at = read_tells(known), 0
        for line in lines:
            for row in self.tells.pop(at, ()) if not line.startswith("cpus=") else ():
                self.tell(row)
            at += not line.startswith("cpus=")
            self.line(line.rstrip("\n"))
        for rows in self.tells.values():
            for row in rows:
                self.tell(row)
        for cpu in sorted(self.open_losses):
            self.end_losses(cpu, self.last_loss[cpu], "the end")
        need(self.at == len(trace.events), "track events that no line has", trace.events[self.at:self.at + 3])
        self.finish()

    def next(self, kind, what):
        need(self.at < len(self.trace.events), "no track event for", what)
        event = self.trace.events[self.at]
        self.at += 1
        need(event["type"] == kind, "type of", what, event)
        return event

    def line(self, line):
        if line.startswith("cpus="):
            need(int(line[5:]) == self.trace.ncpus, "CPUs", line)
            return
        loss = LOSS.match(line)
        if loss:
            self.loss(int(loss[1]), loss[2] is not None, int(loss[3] or 0))
            return
        found = LINE.match(line)
        need(found, "line", line)
        comm, pid, cpu, time = found[1], int(found[2]), int(found[3]), int(found[4].replace(".", "")) - self.bias
        self.n += 1
        rest = re.sub(r"( \([a-z]+( \d+)?\))?( \(emergency slot\))?$", "", found[7])
        of = self.begin_event(cpu, time, line)
        if "--mapped" in sys.argv or not re.match(r"(\d+:)?ISR:", comm):
            of["current"], of["fresh"] = (pid, True) if pid % 100000 != 69999 else (None, False)
        self.event(cpu, of, comm, pid, time, found[5], found[6], parse_fields(rest), line)

    def begin_event(self, cpu, time, line):
        of = self.cpus.setdefault(cpu, {"first": time, "current": None, "seeded": False, "gap": None, "fresh": False,
                                        "losses": 0})
        self.end_losses(cpu, time, line)
        if of["gap"] and of["gap"][1] is None:
            of["gap"] = of["gap"][0], time
        of["last"] = time
        return of

    def end_losses(self, cpu, time, line):
        for track in self.open_losses.pop(cpu, ()):
            end = self.next(2, line)
            need((end["track"], end["time"]) == (track, time), "end of a loss", line, end, time)

    def tell(self, row):
        """What is known, or not known any more, of what runs; no line of text-full has that: it was not logged."""
        cpu, time, values = row["cpu"], row["time_ns" if "time_ns" in row else "time_ticks"] - self.bias, row["fields"]
        of = self.begin_event(cpu, time, row)
        if row["system"] == "irq":
            self.want_others.setdefault(cpu, []).append(
                (time, of["current"], row["event"], {key: str(value) for key, value in values.items()}))
        elif values["next_comm"] == "<...>":
            of["current"], of["fresh"] = row["pid"], True
            self.forget(cpu, time)
        else:
            of["current"], of["fresh"] = None, False
            self.switch(cpu, of, time, {key: str(value) for key, value in values.items()})

    def event(self, cpu, of, comm, pid, time, system, name, args, line):
        values = dict(args)
        full = system + ":" + name
        is_signal = system == "shark" and self.signals.take(self.board(cpu), name, values, pid)
        self.note_reason(of, cpu, time, system, name, values, is_signal)
        if is_signal:
            for _ in self.mutex.pop(self.mutex_key(cpu, values), []):
                need(self.next(2, line)["time"] == time, line)
            self.whole(cpu, pid, time, comm, system, name, args, line)
        elif full == "sched:sched_switch" and len(args) == 7:
            self.switch(cpu, of, time, values)
        elif full == "sched:sched_waking":
            self.end_wait(int(values["pid"]), time, line)
            self.want_wakings.setdefault(cpu, []).append(
                (time, int(values["pid"]), int(values["prio"]), values["comm"], int(values["target_cpu"])))
        elif full in ("irq:irq_handler_entry", "irq:irq_handler_exit", "sched:sched_wakeup"):
            self.want_others.setdefault(cpu, []).append((time, of["current"], name, values))
        elif full == "shark:set_mutex_lock":
            self.lock(cpu, time, values)
        elif full == "shark:set_mutex_unlock" and self.mutex.get(self.mutex_key(cpu, values)):
            event = self.next(2, line)
            track = self.trace.track(event["track"])
            need(event["time"] == time and track[1] == self.mutex_name(cpu, values), line, event)
            owner = self.mutex[self.mutex_key(cpu, values)].pop()[0]
            need((owner == values["context"]) == ("unlocked_by" not in event["args"]), line, event)
            if owner != values["context"]:
                self.called(cpu, values["context"], event["args"]["unlocked_by"], line)
        elif name.endswith("_begin") and [k for k, _ in args] == ["depth"]:
            self.begin(pid, cpu, time, comm, name[:-6], line)
        elif name.endswith("_end") and [k for k, _ in args] == ["duration", "depth", "begun"]:
            self.end(cpu, pid, time, name[:-4], line, (comm, system, name, args))
        elif full == "ftrace:funcgraph_entry":
            self.begin(pid, cpu, time, comm, values["func"], line)
        elif full == "ftrace:funcgraph_exit":
            self.end(cpu, pid, time, values["func"], line, (comm, system, name, args))
        elif full == "shark:set_priority":
            event = self.next(4, line)
            kind, label, parent = self.trace.track(event["track"])
            need(kind == "counter" and label == "priority" and signed(event["value"]) == int(values["priority"])
                 and event["time"] == time, line, event)
            of_task = int(values["context"])
            need(self.trace.track(parent) == ("thread", of_task + self.base(cpu)) or of_task == 0, line, event)
        elif [k for k, _ in args] == ["value"] and re.fullmatch(r"-?\d+", values["value"]):
            event = self.next(4, line)
            track = self.trace.track(event["track"])
            need(event["time"] == time and signed(event["value"]) == int(values["value"])
                 and track[0] == "counter" and re.sub(r"^\d+:", "", track[1]) == name, line, event, track)
        else:
            self.whole(cpu, pid, time, comm, system, name, args, line)

    @staticmethod
    def base(cpu):
        """What is added to the numbers of the tasks of a CPU's board."""
        return 100000 * max(Judge.board(cpu) - 1, 0)

    def whole(self, cpu, pid, time, comm, system, name, args, line):
        event = self.next(3, line)
        said = dict(args)["buf"].replace("\\\\", "\\") if event["log"] else ""
        is_it = event["name"] == (said or name) and event["time"] == time and event["categories"][0] == system
        need(is_it, line, event)
        self.on_track(event, pid, comm, line)
        is_heap = system == "rtos" and name in ("heap_allocate", "heap_free")
        self.counter(event, cpu, dict(args) if is_heap else {}, line)
        if event["log"]:
            need(event["log"][0] == said, line, event["log"])
            level = {"error": 6, "warning": 5, "debug": 3}.get(said.split(": ")[0], 4)
            need(event["log"][1] == level, "level", line, event["log"])
            return
        self.arguments(event, args, line)

    def arguments(self, event, args, line):
        have = {k: v for k, v in event["args"].items() if k not in ("exception", "slot")}
        skip = {k + "_text" for k, v in have.items() if isinstance(v, float)}
        want = [(k, v) for k, v in args if k not in skip]
        texts = dict(args)
        need(len(have) == len(want), "fields", line, have)
        for (label, value), (name, said) in zip(have.items(), want):
            need(label == name or (name == "context" and label == "task"), "label", label, line)
            if isinstance(value, float):
                need(value == float(texts[name + "_text"]) or value != value, label, line)
            elif isinstance(value, list):
                need(len(value) == 0 or int(said.split()[0]) == value[0], label, line)
            elif str(value) != said and said.replace("\\\\", "\\") != value:
                need(isinstance(value, str) and re.match(r"-?\d|0x", said), label, value, line)
                need(value == "-" or self.names.setdefault((label, said), value) == value, "two names", label, said,
                     value)

    def counter(self, event, cpu, values, line):
        """Of the heap an event has the bytes in use with it, on one track of its board; any other has none."""
        have = [(self.trace.track(track), value) for track, value in event["extra"]]
        want = [("counter", self.of_board(cpu) + "heap in use", int(values["in_use"]))] if "in_use" in values else []
        need([(*track[:2], value) for track, value in have] == want, "counter", line, have)
        for uuid, _ in event["extra"]:
            need(self.counters.setdefault(want[0][1], uuid) == uuid, "two tracks", line)
            need(fields(self.trace.tracks[uuid][8][0]) == {6: [b"bytes"]}, "unit", line)

    def on_track(self, event, pid, comm, line):
        track = self.trace.track(event["track"])
        if track[0] == "thread":
            need(track[1] == pid and self.trace.tasks[pid] == comm or comm == "<...>", "track of", line, track)
        else:
            need(track[0] == "named" and track[1] in (comm, "idle" if pid == 0 else comm), "track of", line, track)

    # Slices of tasks: spans and functions.
    def begin(self, pid, cpu, time, comm, key, line):
        stack = self.open.setdefault(pid, [])
        event = self.next(1, line)
        need(event["time"] == time and (event["name"] == key.split("+")[0]), line, event)
        self.on_track(event, pid, comm, line)
        stack.append((key, cpu, event["track"]))

    def end(self, cpu, pid, time, key, line, whole):
        stack = self.open.get(pid, [])
        if key not in [k for k, _, _ in stack]:
            self.whole(cpu, pid, time, whole[0], whole[1], whole[2], whole[3], line)
            return
        while True:
            closed, _, track = stack.pop()
            event = self.next(2, line)
            need(event["time"] == time and event["track"] == track, line, event)
            if closed == key:
                return

    # Mutexes.
    @staticmethod
    def mutex_key(cpu, values):
        return Judge.board(cpu), values["mutex"]

    @staticmethod
    def board(cpu):
        """1 or 2, or 0 if there is one alone."""
        return 0 if FIRST_CPUS is None else 1 if cpu < FIRST_CPUS else 2

    def mutex_name(self, cpu, values):
        shown = self.names.get(("mutex", values["mutex"]), values["mutex"])
        return self.of_board(cpu) + "mutex " + shown

    def lock(self, cpu, time, values):
        owners = self.mutex.setdefault(self.mutex_key(cpu, values), [])
        while owners and owners[-1][0] != values["context"]:
            owners.pop()
            need(self.next(2, values)["time"] == time, values)
        event = self.next(1, values)
        track = self.trace.track(event["track"])
        owners.append((values["context"], event["track"]))
        self.names.setdefault(("mutex", values["mutex"]), track[1].split(" ", 1)[1])
        need(event["time"] == time and track[0] == "named" and track[1] == self.mutex_name(cpu, values), values, track)
        self.called(cpu, values["context"], event["name"], values)

    def called(self, cpu, context, name, what):
        """A task is called as its thread is, and in any case as one of its board."""
        board = self.board(cpu)
        told = self.trace.told.get(int(context) + self.base(cpu))
        if int(context) == 0:
            need(name == "idle", "name of task 0", what, name)
        elif told:
            need(name in told, "name of a task", what, name, told)
        else:
            need(name.startswith(f"{board}:") or board == 0, "board of a task", what, name)

    # Switches, and what is lost.
    def switch(self, cpu, of, time, values):
        is_known = values["prev_comm"] != "<...>"
        if values["next_comm"] == "<...>":
            self.forget(cpu, time)
            return
        self.settle(cpu, of, int(values["prev_pid"]) if is_known else None)
        self.end_wait(int(values["next_pid"]), time, values)
        if is_known:
            self.out[int(values["prev_pid"])] = self.forgotten
        self.out.pop(int(values["next_pid"]), None)
        state = int(values["prev_state"]) if is_known else 0
        if "--mapped" not in sys.argv:  # the number that Perfetto shows as X, where trace-cmd has another one
            state = {32: 16}.get(state, state)
        self.want_switches[cpu].append((time, state, int(values["next_pid"]), int(values["next_prio"]),
                                        values["next_comm"]))
        reason = self.reason.pop(int(values["prev_pid"]), None) if is_known and int(values["prev_state"]) else None
        if reason:
            self.want_reasons.append((cpu, time + 1, int(values["prev_pid"]), reason))
        of["current"], of["fresh"] = int(values["next_pid"]), True

    def settle(self, cpu, of, pid):
        want = self.want_switches.setdefault(cpu, [])
        if not of["seeded"] and not of["gap"]:
            want += [(of["first"], 0, 0), (of["first"], 0, pid if pid is not None else LOST)]
        elif of["gap"]:
            want += [(of["gap"][0], 0, LOST)] + ([(of["gap"][1], 0, pid)] if pid is not None else [])
        of["seeded"], of["gap"] = True, None

    def forget(self, cpu, time):
        of = self.cpus.get(cpu)
        self.end_slices(cpu)
        if of is None:
            return
        is_known = of["current"] is not None and (of["fresh"] or not of["gap"])
        if is_known and self.trace.switches.get(cpu):
            if of["gap"] or not of["seeded"]:
                self.settle(cpu, of, of["current"])
            of["gap"] = time, None
        of["current"], of["fresh"] = None, False

    def of_board(self, cpu):
        return f"{self.board(cpu)}:" if self.board(cpu) else ""

    def note_reason(self, of, cpu, time, system, name, values, is_signal):
        """Why the task will wait. If it is known to be on no CPU, that is a slice on its track."""
        if "--mapped" in sys.argv:  # a trace.dat file does not tell what an event means
            return
        task = int(values["context"]) if values.get("context", "").isdigit() else 0
        task = task + self.base(cpu) if task else (of["current"] if of["current"] is not None else 0)
        if name in ("task_begin_cycle", "task_end") and system == "shark":
            reason = None
        elif system == "rtos" and (name == "delay" or name.endswith("_block")):
            reason = name if name == "delay" else self.of_board(cpu) + next(iter(values))
        elif name in REASONS and "context" in values:
            kind = "signal " if is_signal else "mutex "
            reason = self.of_board(cpu) + kind + values["mutex"] if "mutex" in values else name
        else:
            return
        if task == of["current"]:
            self.out.pop(task, None)
        if self.out.get(task) == self.forgotten:
            self.wait(task, cpu, time, reason, values)
        else:
            self.reason[task] = reason

    def wait(self, task, cpu, time, reason, what):
        self.end_wait(task, time, what)
        if reason:
            event = self.next(1, what)
            need(event["time"] == time and self.trace.track(event["track"])[:2] == ("thread", task), what, event)
            need(event["name"].split(" ")[0] == reason.split(" ")[0], "reason", what, event)
            self.open.setdefault(task, []).append((WAIT, cpu, event["track"]))

    def end_wait(self, task, time, what):
        if self.open.get(task) and self.open[task][-1][0] is WAIT:
            event = self.next(2, what)
            need((event["time"], event["track"]) == (time, self.open[task].pop()[2]), "end of a wait", what, event)

    def end_slices(self, cpu):
        self.forgotten += 1
        self.signals.forget(self.board(cpu))
        for stack in self.open.values():
            first = [i for i, (_, on, _) in enumerate(stack) if on == cpu]
            while first and len(stack) > first[0]:
                need(self.next(2, "loss")["track"] is not None, "loss")
                stack.pop()
        for (board, _), owners in self.mutex.items():
            while owners and board == self.board(cpu):
                owners.pop()
                self.next(2, "loss")

    def loss(self, cpu, is_damage, count):
        self.end_slices(cpu)
        event = self.next(1, "loss")
        self.open_losses.setdefault(cpu, []).append(event["track"])
        need(event["categories"] == ["damage" if is_damage else "loss"], "loss", event)
        need(event["args"] == {"events": count} and event["name"].startswith("input damaged" if is_damage else
             f"{count} event" if count else "events lost"), "loss", event, count)
        track = self.trace.track(event["track"])
        need(track[1] in ("Losses", f"Losses (CPU {cpu})"), "loss", track)
        of = self.cpus.get(cpu)
        self.events_lost += 0 if is_damage else count
        self.losses[cpu] = self.losses.get(cpu, 0) + 1
        start = event["time"]
        self.lost_at.setdefault(cpu, []).append(self.at - 1)
        self.last_loss[cpu] = start
        need(of is None or start == of["last"], "loss", event, of)
        self.forget(cpu, start)

    def compare_marks(self):
        """A CPU's bundle says that events were lost before it, if and only if they were since the bundle before."""
        for cpu, bundles in self.trace.bundles.items():
            before = 0
            for behind, lost in bundles:
                want = any(before <= at < behind for at in self.lost_at.get(cpu, []))
                need(lost == want, "bundle of CPU", cpu, "behind track event", behind, "lost before", lost)
                before = behind

    def finish(self):
        trace = self.trace
        for cpu, of in self.cpus.items():
            if of["gap"]:
                self.settle(cpu, of, of["current"] if of["fresh"] else None)
        for cpu in set(trace.switches) | set(self.want_switches):
            have, want = trace.switches.get(cpu, []), self.want_switches.get(cpu, [])
            need(len(have) == len(want), "switches of CPU", cpu, len(have), len(want))
            for a, b in zip(have, want):
                need(a[:len(b)] == b, "switch", a, b)
        for cpu in set(trace.wakings) | set(self.want_wakings):
            need([w[:5] for w in trace.wakings.get(cpu, [])] == self.want_wakings.get(cpu, []), "wake-ups of CPU", cpu)
        for cpu in set(trace.others) | set(self.want_others):
            self.compare_others(trace.others.get(cpu, []), self.want_others.get(cpu, []))
        need({cpu: n > 0 for cpu, n in trace.lost.items()} == {cpu: True for cpu in self.losses}, "losses", trace.lost)
        self.compare_marks()
        if "--mapped" not in sys.argv:  # a trace.dat file does not tell what an event means
            self.compare_reasons()

    @staticmethod
    def compare_others(have, want):
        kinds = {"sched_wakeup": 17, "irq_handler_entry": 36, "irq_handler_exit": 37}
        need(len(have) == len(want), "interrupts", len(have), len(want))
        for (time, pid, kind, inner), (when, current, name, values) in zip(have, want):
            need(time == when and kind == kinds[name], "interrupt", time, kind, when, name)
            need(pid == (current or 0) or kind == 17, "task below an interrupt", pid, current, time)
            if kind != 17:
                need(inner[1][0] == int(values["irq"]), "number of an interrupt", inner, values)
            if kind == 36:
                need(text(inner[2][0]) == values["name"], "name of an interrupt", inner, values)

    def compare_reasons(self):
        if not self.want_reasons and not self.trace.reasons:
            return
        have = [(c, t, p, r.split(" ")[0]) for c, t, p, r in self.trace.reasons]
        want = [(c, t, p, r.split(" ")[0]) for c, t, p, r in self.want_reasons]
        known = {board + kind for board in ("", "1:", "2:") for kind in ("mutex", "signal")}
        known |= REASONS | {reason for _, _, _, reason in want}
        extra = [reason for reason in have if reason[3] in known]
        need(sorted(extra) == sorted(want), "why tasks wait", len(extra), len(want),
             sorted(set(extra) ^ set(want))[:3])


# ---- own events ------------------------------------------------------------------------------------------------------

def compare_own(trace, expected):
    events = iter(trace.events)
    n = 0
    for line in expected:
        name, _, rest = line.strip().partition(": ")
        name = name.partition(":")[2] or name
        event = next(events)
        span = re.fullmatch(r"(.*)_(begin|end)", name)
        n += 1
        if span and "begin not seen" not in rest:
            need(event["type"] == (1 if span[2] == "begin" else 2), line, event)
            continue
        if event["type"] == 4:
            need(rest == "value=%d" % signed(event["value"]) and trace.track(event["track"])[1] == name, line, event)
            continue
        need(event["name"] == name, line, event)
        if span or not event["args"]:
            need(span or rest == "()", line, event)
            continue
        want = dict(parse_fields(" " + rest))
        for label, said in want.items():
            if said.startswith("["):
                values = [event["args"][f"{label}_{i}"] for i in range(len(said.split()))]
                need("[" + " ".join(map(str, values)) + "]" == said, line, event)
                continue
            value, unit = event["args"][label], event["args"].get(label + "_unit", "")
            if isinstance(value, float):
                number = re.match(r"[-+\d.e]*|inf|nan", said)[0]
                need(struct.pack("<d", value) == struct.pack("<d", float(number))
                     or abs(value - float(number)) < 1e-6 * abs(value), line, event)
            elif isinstance(value, int):
                number = re.match(r"0x[0-9a-f]+|-?\d+", said)
                need(number and int(number[0], 0) == value and said.endswith(unit), line, event)
            else:
                is_hex = value.startswith("0x")
                need(said == value or (is_hex and said.startswith(value))
                     or (is_hex and said[0] in "_" + string.ascii_letters and "--no-sizes" in sys.argv), line, event)
    need(next(events, None) is None, "more events than expected")
    print(f"{n} own events")


# ---- slices ----------------------------------------------------------------------------------------------------------

def print_slices(trace):
    """The slices of threads in the order of their beginnings: thread, name, begin, end."""
    rows, open_ones = [], {}
    for event in trace.events:
        track = trace.track(event["track"])
        if track[0] == "thread" and event["type"] == 1:
            rows.append([trace.tasks[track[1]], event["name"], event["time"], "-"])
            open_ones.setdefault(event["track"], []).append(rows[-1])
        elif track[0] == "thread" and event["type"] == 2:
            open_ones[event["track"]].pop()[3] = event["time"]
    for row in rows:
        print(*row)


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    trace = Trace(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    if sys.argv[2] == "--own":
        compare_own(trace, open(sys.argv[3], encoding="utf-8").readlines())
    elif sys.argv[2] == "--count":
        for name in sorted({e["name"] or "" for e in trace.events}):
            print(name, sum(e["name"] == name for e in trace.events))
    elif sys.argv[2] == "--slices":
        print_slices(trace)
    else:
        lines = open(sys.argv[2], encoding="utf-8", errors="surrogateescape").readlines()
        known = next((each[8:] for each in sys.argv if each.startswith("--known=")), None)
        judge = Judge(trace, lines, known, 0 if "--start" in sys.argv else trace.bias)
        print(f"{judge.n} events, {len(data) / max(judge.n, 1):.1f} bytes each, "
              f"{sum(judge.losses.values())} losses, {judge.events_lost} events lost, "
              f"{len(trace.reasons)} reasons to wait")


if __name__ == "__main__":
    main()
