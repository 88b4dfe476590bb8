#!/usr/bin/env python3
"""lttng.py - check a trace directory of LTTng format 1.0 and print its events, without any code of tlog.

    judges/lttng.py DIR [word=4|8] [order=little|big] [packed] [heartbeat] [flight] [compact] [block=BYTES]

This was written from "The LTTng trace format" (2008) and the layout of version 1.0 in its readers: block header and
trace header of 109 bytes, ids and sizes of 16 bits, start time in seconds and microseconds. The headers must be what
the options say; a file of one block has no page without events, and the facilities of a CPU without events are empty.
Creations and ends of tasks are in the processes files, too. A line is printed for each event of the CPUs, in the order
of files: cpu, ns, name, fields. At the first error there is a message, and the exit code is 1.
"""
import os
import re
import struct
import sys

HEADER = "QQQQIIIIIIBBBBBBBBBIQQQQQ"
SEED = "QQQQIIIIIIBBBBBBBBBIQQQII"  # of the document of 2008: the start is a timespec of 2 x 4 bytes
CORE = 8


def fail(*what):
    print(*what, file=sys.stderr)
    sys.exit(1)


def need(condition, *what):
    if not condition:
        fail(*what)


def pad(offset, size, alignment):
    """Bytes of padding before something of size bytes at an offset."""
    least = min(alignment, size)
    return (least - offset) & (least - 1) if least else 0


class File:
    """One file of the trace."""

    def __init__(self, path, want):
        self.path, self.want = path, want
        self.bytes = open(path, "rb").read()
        need(len(self.bytes) > 0, path, "is empty")
        self.block = min(len(self.bytes), want["block"])
        need(len(self.bytes) % self.block == 0, path, "is no whole number of blocks")
        self.order = ">" if want["order"] == "big" else "<"
        self.compact = "compact" in os.path.basename(path)

    def header(self, at):
        """The headers of the block at an offset, by name."""
        names = ("begin freq0 end freq1 lost size magic arch variant floats arch_size major minor flight heartbeat "
                 "alignment truncate tscbits shift scale freq start mono sec usec").split()
        h = dict(zip(names, struct.unpack_from(self.order + (SEED if self.want["seed"] else HEADER), self.bytes, at)))
        h["start_ns"] = h["sec"] * 10**9 + h["usec"] * (1 if self.want["seed"] else 1000)
        return h

    def check(self, h, at):
        """Compare the headers of the block at an offset with the options."""
        w = self.want
        need(struct.calcsize("<" + HEADER) == 109 and struct.calcsize("<" + SEED) == 101, "this script is wrong")
        need(h["arch"] == 6, self.path, "arch_type is not ARM:", h["arch"])
        unit = 1 if w["seed"] else 1000
        need(w["start"] is None or h["start_ns"] == w["start"] // unit * unit, self.path, at, "start_time", h["sec"],
             h["usec"])
        need(h["magic"] == 0x00D6B7ED, self.path, at, "magic", hex(h["magic"]))
        need((h["major"], h["minor"]) == (1, 0), self.path, "version", h["major"], h["minor"])
        need(h["size"] == self.block and h["size"] % 4096 == 0, self.path, "buf_size", h["size"])
        need(len(self.bytes) > self.block or h["lost"] < 4096, self.path, "the only block has pages without events")
        need(h["arch_size"] == w["word"], self.path, "arch_size", h["arch_size"])
        need(h["alignment"] == (0 if w["packed"] else w["word"]), self.path, "alignment", h["alignment"])
        need(h["heartbeat"] == int(w["heartbeat"]), self.path, "has_heartbeat", h["heartbeat"])
        need(h["flight"] == int(w["flight"]), self.path, "flight_recorder", h["flight"])
        need(h["freq0"] == h["freq1"] == h["freq"] > 0, self.path, "frequencies", h)
        need(h["lost"] <= h["size"] - (101 if w["seed"] else 109), self.path, "lost_size", h["lost"])
        need(h["mono"] == 0 and h["floats"] == 0 and h["variant"] == 0, self.path, "unused fields")

    def events(self, size_of):
        """(tsc, id, payload, header) of every event, heartbeats included; size_of(id) is a compact event's size."""
        last = None
        for at in range(0, len(self.bytes), self.block):
            h = self.header(at)
            self.check(h, at)
            need(last is None or h["begin"] >= last, self.path, "blocks overlap in time")
            pos, end, tsc, n = 101 if self.want["seed"] else 109, h["size"] - h["lost"], h["begin"], 0
            while pos < end:
                pos, tsc, ident, payload = self.event(h, at, pos, tsc, size_of)
                if ident == 3:
                    tsc = struct.unpack(self.order + "Q", payload)[0]
                need(n > 0 or tsc == h["begin"], self.path, "the first event is not at the block's begin")
                need(h["begin"] <= tsc <= h["end"], self.path, "an event outside its block's time")
                n += 1
                yield tsc, ident, payload, h
            need(pos == end, self.path, at, "lost_size is not exact: events end at", pos, "not", end)
            need(n > 0, self.path, "a block without events")
            need(tsc == h["end"], self.path, "the last event is not at the block's end")
            last = h["end"]

    def event(self, h, at, pos, tsc, size_of):
        """The event at offset pos of the block at an offset: its end, tsc, id and payload. tsc is the last event's."""
        if self.compact:
            return self.compact_event(h, at, pos, tsc, size_of)
        pos += pad(pos, h["arch_size"], h["alignment"])
        if h["heartbeat"]:
            low, ident, size = struct.unpack_from(self.order + "IHH", self.bytes, at + pos)
            if low < tsc & 0xFFFFFFFF:
                tsc += 1 << 32
            tsc = tsc >> 32 << 32 | low
            pos += 8
        else:
            tsc, ident, size = struct.unpack_from(self.order + "QHH", self.bytes, at + pos)
            pos += 12
        if self.want["seed"]:  # facility and event, a byte each
            high, low = self.bytes[at + pos - 4], self.bytes[at + pos - 3]
            ident = high << 8 | low
        pos += pad(pos, h["arch_size"], h["alignment"])
        need(size != 0xFFFF, self.path, "a size that is not in the header")
        return pos + size, tsc, ident, self.bytes[at + pos:at + pos + size]

    def compact_event(self, h, at, pos, tsc, size_of):
        """The same of a compact event."""
        pos += pad(pos, 4, h["alignment"])
        word, = struct.unpack_from(self.order + "I", self.bytes, at + pos)
        pos += 4
        bits, shift = h["tscbits"], h["truncate"]
        stamp = (word & (1 << bits) - 1) << shift
        mask = ((1 << bits) - 1) << shift
        if stamp < tsc & mask:
            tsc += 1 << (bits + shift)
        tsc = tsc & ~mask | stamp
        need(word >> h["shift"] == 0, self.path, "compact data are not 0")
        ident = word >> bits
        # The reader of 2008 takes 32 - compact_data_shift bits for the id.
        need(ident < 1 << (32 - h["shift"]), self.path, "an id that a reader of 2008 would cut")
        size = 8 if ident == 3 else 0 if ident == 2 else size_of(ident)
        return pos + size, tsc, ident, self.bytes[at + pos:at + pos + size]


class Marker:
    """A marker; sizes: of int, long, pointer and size_t, and the alignment."""

    def __init__(self, name, sizes):
        self.name, self.sizes, self.fields = name, sizes, None

    def parse(self, text):
        """Set fields to (name, kind, size), as the marker parser of version 1.0 understands the text."""
        size = {"": self.sizes[0], "l": self.sizes[1], "ll": 8, "1": 1, "2": 2, "4": 4}
        self.fields = []
        for name, trace, middle, conv in re.findall(r"(\S+) (#\S*?[dux])?(0x)?(%-?(?:ll|l)?[duxsp])", text):
            kind = conv[-1]
            which = trace[1:-1] if trace else conv.strip("%-duxsp")
            self.fields.append((name, kind, None if kind == "s" else size[which]))
        need(" ".join(n + " " for n, _, _ in self.fields).split() == [w for w in text.split() if "%" not in w],
             "format not understood:", text)

    def decode(self, payload, order, alignment):
        """(name, value) of all fields."""
        at, values = 0, []
        for name, kind, size in self.fields:
            if kind == "s":
                end = payload.index(b"\0", at)
                values.append((name, payload[at:end].decode("ascii")))
                at = end + 1
                continue
            at += pad(at, size, alignment)
            value = int.from_bytes(payload[at:at + size], "big" if order == ">" else "little", signed=kind == "d")
            values.append((name, hex(value) if kind in "xp" else value))
            at += size
        need(at == len(payload), self.name, "event_size is", len(payload), "but its fields take", at)
        return values

    def size(self, alignment):
        """Bytes of a payload without texts."""
        at = 0
        for _, _, size in self.fields:
            at += pad(at, size, alignment) + size
        return at


def text_of(payload, at):
    """The text at an offset, and the offset behind it."""
    end = payload.index(b"\0", at)
    return payload[at:end].decode("ascii"), end + 1


def read_markers(directory, want):
    """The markers by id, and the number of CPUs, from the files of facilities."""
    by_id, by_name, cpus = {}, {}, 0
    names = sorted(os.listdir(os.path.join(directory, "control")))
    for name in names:
        if not name.startswith("facilities_"):
            continue
        cpus += 1
        cpu = name.replace("facilities", "flight-cpu" if want["flight"] else "cpu")
        if os.path.getsize(os.path.join(directory, "control", name)) == 0:
            need(not os.path.exists(os.path.join(directory, cpu)), name, "is empty, but the CPU has events")
            continue
        need(name == "facilities_0" or os.path.exists(os.path.join(directory, cpu)), name, "has a block for nothing")
        file = File(os.path.join(directory, "control", name), want)
        for _, ident, payload, h in file.events(None):
            need(ident < 4, "an ordinary event in facilities")
            if ident == 0:
                marker, at = text_of(payload, 0)
                at += pad(at, 2, h["alignment"])
                need(at + 7 == len(payload), "marker_id of a wrong size")
                number, *sizes = struct.unpack_from(file.order + "H5B", payload, at)
                need(number >= CORE and number not in by_id, "id", number)
                need(sizes[4] == h["alignment"] and sizes[1] == sizes[2] == sizes[3] == h["arch_size"], "sizes", sizes)
                by_id[number] = by_name[marker] = Marker(marker, sizes)
            if ident == 1:
                marker, at = text_of(payload, 0)
                text, at = text_of(payload, at)
                need(at == len(payload), "marker_format of a wrong size")
                by_name[marker].parse(text)
    return by_id, cpus


LIVES = {"shark_task_create": "kernel_process_fork", "shark_task_end": "kernel_process_exit"}


def names_of(told):
    """(task, whether the name is its number), for each listing of a task but the last."""
    later = set()
    for _, _, name, values in reversed(told):
        if name == "list_process_state":
            if values["pid"] in later:
                yield values["pid"], values["name"] == "task-%d" % values["pid"]
            later.add(values["pid"])


def check_processes(told, logged, named):
    """Compare creations and ends in the processes files with those that the CPUs logged, (tsc, cpu, name, fields) and
    (tsc, cpu, name, task). All that are named are listed. The viewer of 2008 ends if a process
    is created that exists, or if idle is."""
    lives, exist = [], {0}
    told.sort(key=lambda event: event[:2])  # the order in a file stays
    for i, (tsc, cpu, name, values) in enumerate(told):
        task = values.get("child_pid", values.get("pid"))
        if name == "kernel_process_fork":
            need(task not in exist, "process", task, "is created, and exists")
            need(values["child_tgid"] == task, "tgid", values)
        if name == "kernel_process_exit":
            need(task in exist or task not in named, "process", task, "ends, and was not listed")
        if name in LIVES.values():
            lives.append((tsc, cpu, name, task & 0xFFFFFFFF))
        before = told[i - 1]
        is_named = before[2] == "kernel_process_fork" and before[:2] == (tsc, cpu) and before[3]["child_pid"] == task
        need(name != "list_process_state" or is_named or tsc == told[0][0], "process", task, "is listed late")
        exist = exist - {task} if name == "kernel_process_free" else exist | {task}
    for task, is_known in names_of(told):
        need(is_known, "process", task, "has the name of a later one")
    listed = {v["pid"] & 0xFFFFFFFF: v["name"] for _, _, name, v in told if name == "list_process_state"}
    need(listed == named, "listed:", listed, "named:", named)
    need(sorted(lives) == sorted(logged), "the processes files tell", len(lives), "creations and ends, CPUs",
         len(logged))


def main():
    want = {"word": 8, "order": "little", "block": 65536, "packed": False, "heartbeat": False, "flight": False,
            "compact": False, "seed": False, "start": None}
    for word in sys.argv[2:]:
        key, _, value = word.partition("=")
        need(key in want, "no such option:", key)
        want[key] = int(value) if value.isdigit() else value or True
    want["heartbeat"] = want["heartbeat"] or want.pop("compact")
    directory = sys.argv[1]
    markers, cpus = read_markers(directory, want)
    alignment = 0 if want["packed"] else want["word"]
    control = [n for n in os.listdir(os.path.join(directory, "control")) if not n.startswith("facilities_")]
    prefix = "flight-" if want["flight"] else ""
    first = [prefix + n + "_0" for n in ("interrupts", "modules", "processes")]
    need(set(first) <= set(control), "control:", control)
    need(all(n in first or n.startswith(prefix + "processes_") for n in control), "control:", control)
    files = [os.path.join("control", n) for n in sorted(control)]
    files += sorted(n for n in os.listdir(directory) if n != "control")
    told, logged, named = [], [], {}
    for name in files:
        base = os.path.basename(name)
        need(base.startswith("flight-") == want["flight"], base, "prefix")
        cpu = int(name.rsplit("_", 1)[1])
        need(cpu < cpus, name, "is of a CPU without facilities")
        file = File(os.path.join(directory, name), want)
        for tsc, ident, payload, h in file.events(lambda i: markers[i].size(alignment)):
            if ident in (2, 3):
                need(ident == 2 or want["heartbeat"], "a heartbeat in a trace without")
                continue
            need(ident in markers, name, "unknown id", ident)
            values = markers[ident].decode(payload, file.order, alignment)
            if markers[ident].name == "tlog_name" and dict(values)["kind"] == 0:
                named[dict(values)["id"]] = dict(values)["name"]
            if "processes" in name:
                told.append((tsc, cpu, markers[ident].name, dict(values)))
            if not name.startswith("control") and not markers[ident].name.startswith("tlog_event"):
                if markers[ident].name in LIVES and dict(values)["context"] != 0:
                    logged.append((tsc, cpu, LIVES[markers[ident].name], dict(values)["context"]))
                ns = h["start_ns"] + (tsc - h["start"]) * 10**9 // (h["freq"] * h["scale"])
                print(cpu, ns, markers[ident].name, *("%s=%s" % v for v in values))
    check_processes(told, logged, named)


main()
