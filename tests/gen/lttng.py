#!/usr/bin/env python3
"""lttng.py - write small LTTng traces of every version from 0.3 to 2.6, and print the events they hold.

    gen/lttng.py DIR VERSION [word=4|8] [order=little|big] [packed] [heartbeat] [small] [map=FILE] [ends=N | fields=N]

VERSION: 0.3 to 0.8, seed (the document of 2008 to the letter), 1.0, 2.0 to 2.6. This was written from the document and
the headers of these versions, and shares no code with tlog. A trace has two CPUs, several blocks each, and several
channels. A line is printed for each event, in the order of time: cpu, ns, system:name:, fields. From 2.2 on, channel
kernel of each CPU has lost 3 events.

ends, for 2.2 and later: one CPU, with an event in channel kernel and N in channel user, whose file lacks as much at its
end as a file can: before the last event 3 events were lost and one is described by no marker; behind it 5 were lost,
and there are bytes too few for an event. With N=0 there is only what is behind the last event.

fields: one event of N fields, numbers of 8 bytes and strings, and one behind it.

small: few events, in blocks of 4 events.

map: where every field of the trace is, for tests that break it. It has a line for each event, in the order of CPU and
time: "event PATH BLOCK", and a line for each field: "field PATH BLOCK BLOCK_OFFSET BLOCK_SIZE OFFSET SIZE RULE OWNER
NAME"; OWNER is the number of the event that the field belongs to, or -1. RULE says what a wrong value of the field may
do. "Reported" means that the decoder must report damage in the block.
    !  it must be reported
    .  it has no effect, or is reported
    b  like !, but only for values that change whether the field is 0
    w  times in the block may change, if that is reported
    v  like w, perhaps without a report, since stamps of 27 bits soon begin again at 0
    c  times may change
    l  it may change the count of lost events
    d  events may be missing, if that is reported
    n  events may be missing, or have other fields
    i  the event may change; or be missing, if that is reported
    p  the same
    s  the event may be missing, if that is reported
    t  like i; the next event's time may change, too, if that is reported
    h  the field is a heartbeat's: it may look like an event, and times behind it in the block may change, if that is
       reported
    x  like p for the event and all behind it in the block: headers do not have their sizes, so it is not known where
       they begin, nor, if all looks well, that they have changed
"""
import os
import struct
import sys

MAGIC = 0x00D6B7ED
BLOCK = 4096
KHZ, SCALE = 2400000, 1000
START_TSC, SEC, USEC = 7 << 32, 1212364800, 654321


def pad(offset, size, alignment):
    """Bytes of padding before something of size bytes at an offset."""
    least = min(alignment, size)
    return (least - offset) & (least - 1) if least else 0


class Config:
    """The version and options of a trace, and its block headers."""

    def __init__(self, version, options):
        self.version = version
        self.word, self.order, self.alignment, self.heartbeat = 8, "<", None, False
        self.small, self.map, self.ends, self.fields = False, None, None, None
        for option in options:
            key, _, value = option.partition("=")
            if key == "word":
                self.word = int(value)
            elif key == "order":
                self.order = ">" if value == "big" else "<"
            elif key == "packed":
                self.alignment = 0
            elif key == "heartbeat":
                self.heartbeat = True
            elif key == "small":
                self.small = True
            elif key == "map":
                self.map = value
            elif key == "ends":
                self.ends = int(value)
            elif key == "fields":
                self.fields = int(value)
        if self.alignment is None:
            self.alignment = self.word
        self.major, self.minor = (1, 0) if version == "seed" else map(int, version.split("."))
        self.ids8 = version == "seed" or self.major == 0
        # 2.4 and 2.5 align numbers to their size, whatever the machine's word is.
        self.cap = 8 if self.major == 2 and self.minor in (4, 5) and self.alignment else self.alignment

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def header(self, begin, end, lost, size, events_lost=0):
        """The headers of a block of size bytes, of which lost are unused."""
        if self.major == 2:
            used = size - lost if self.minor >= 5 else lost
            text = self.pack("QQIBBBBQQQIII", begin, end, MAGIC, 2, self.minor, self.word, self.alignment, SEC, USEC,
                             KHZ * SCALE if self.minor >= 2 else KHZ, 1 if self.minor >= 2 else SCALE, used, size)
            return text + (self.pack("II", events_lost, 0) if self.minor >= 2 else b"")
        wall = (self.major, self.minor) in ((0, 3), (0, 4), (0, 5), (0, 6))
        when = self.pack("QQ" if self.word == 8 else "II", SEC, USEC) if wall else b""
        text = when + self.pack("QQ", begin, KHZ) + when + self.pack("QQII", end, KHZ, lost, size)
        text += self.pack("IIIIBBBBBB", MAGIC, 6, 0, 0, self.word, self.major, self.minor, 0, int(self.heartbeat),
                          self.alignment)
        if self.major == 0 and self.minor < 7:
            text += b"\1"
        if self.major == 1 or self.minor == 8:
            text += b"\0\x20"
        if self.major == 1:
            text += b"\0"
        if self.major == 1 or self.minor >= 7:
            text += self.pack("I", SCALE)
        if self.major == 1 or self.minor >= 4:
            text += self.pack("QQQ", KHZ, START_TSC, 0)
            if self.version == "seed":
                text += self.pack("II", SEC, USEC * 1000)
            elif self.version == "0.4":
                text += self.pack("QQ" if self.word == 8 else "II", SEC, USEC * 1000)
            else:
                text += self.pack("QQ", SEC, USEC)
        return text

    def header_fields(self, metadata):
        """(name, size, rule) of all fields of a block's headers."""
        if self.major == 2:
            fields = [("begin", 8, "c" if metadata else "v"), ("end", 8, "."), ("magic", 4, "!"), ("major", 1, "!"),
                      ("minor", 1, "!"), ("arch_size", 1, "!"), ("alignment", 1, "!"), ("start_sec", 8, "!"),
                      ("start_usec", 8, "!"), ("start_freq", 8, "!"), ("freq_scale", 4, "!"), ("lost_size", 4, "!"),
                      ("buf_size", 4, "!")]
            return fields + ([("events_lost", 4, "l"), ("subbuf_corrupt", 4, "l")] if self.minor >= 2 else [])
        # In version 0.3 only the first block shows when the trace began.
        start = "c" if (self.major, self.minor) == (0, 3) else "."
        wall = []
        if (self.major, self.minor) in ((0, 3), (0, 4), (0, 5), (0, 6)):
            wall = [("wall_sec", self.word, start), ("wall_usec", self.word, start)]
        fields = wall + [("begin", 8, "c" if start == "c" else "w"), ("begin_freq", 8, start)] + wall
        fields += [("end", 8, "."), ("end_freq", 8, "."), ("lost_size", 4, "!"), ("buf_size", 4, "!"),
                   ("magic", 4, "!"), ("arch_type", 4, "."), ("arch_variant", 4, "."), ("float_word_order", 4, "."),
                   ("arch_size", 1, "!"), ("major", 1, "!"), ("minor", 1, "!"), ("flight_recorder", 1, "."),
                   ("has_heartbeat", 1, "b"), ("alignment", 1, "!")]
        if self.major == 0 and self.minor < 7:
            fields.append(("has_tsc", 1, "b"))
        if self.major == 1 or self.minor == 8:
            fields += [("tsc_lsb_truncate", 1, "!"), ("tscbits", 1, "!")]
        if self.major == 1:
            fields.append(("compact_data_shift", 1, "!"))
        if self.major == 1 or self.minor >= 7:
            fields.append(("freq_scale", 4, "!"))
        if self.major == 1 or self.minor >= 4:
            size = 4 if self.version == "seed" else self.word if self.version == "0.4" else 8
            fields += [("start_freq", 8, "!"), ("start_tsc", 8, "!"), ("start_monotonic", 8, "."),
                       ("start_sec", size, "!"), ("start_usec", size, "!")]
        return fields


class File:
    """Blocks of one channel, filled event by event."""

    marks = []  # of all files: path, block, its offset, its size, offset, size, rule, owner, name
    homes = {}  # of events: path and block

    def __init__(self, config, path):
        self.config, self.path, self.blocks, self.at = config, path, [], None
        self.lost, self.count, self.open_marks = 0, 0, []
        self.metadata = os.path.basename(path).split("_")[0] in ("facilities", "metadata")
        os.makedirs(os.path.dirname(path), exist_ok=True)

    def flush(self):
        """Finish the current block, if there is one."""
        if self.at is None:
            return
        body = self.body
        size = BLOCK
        if self.config.major == 2 and self.config.minor >= 5 and len(self.blocks) == 1:
            size = 2 * BLOCK  # in 2.5 and 2.6 blocks may differ in size
        header = self.config.header(self.begin, self.tsc, size - len(body), size, self.lost)
        body[:len(header)] = header
        at, start = 0, sum(map(len, self.blocks))
        for name, length, rule in self.config.header_fields(self.metadata):
            self.mark(at, length, rule, -1, name)
            at += length
        assert at == len(header), (at, len(header))
        File.marks += [(self.path, len(self.blocks), start, size, start + m[0]) + m[1:] for m in self.open_marks]
        self.open_marks, self.count = [], 0
        self.blocks.append(bytes(body) + b"\xAA" * (size - len(body)))
        self.at = None

    def mark(self, at, size, rule, owner, name):
        """Note a field of the current block for the map. Fields of an event without owner are a heartbeat's."""
        if owner == -1 and rule in "tisx" and not self.metadata:
            rule = "h"
        self.open_marks.append((at, size, rule, owner, name))

    def enter(self, tsc):
        """Begin a block at time tsc."""
        self.flush()
        self.at = 0
        self.begin = self.tsc = tsc
        self.body = bytearray(self.config.header(0, 0, 0, 0))

    def event(self, ident, tsc, payload, form=0, largest=1, owner=-1, marks=()):
        """Add an event. marks: (offset, size, rule, name) of the payload's fields. form: an id of version 2 that
        announces more of a header, or 99 for a header of version 1 without a size."""
        c = self.config
        if self.at is not None and (len(self.body) + len(payload) + 64 > BLOCK or (c.small and self.count == 4)):
            self.flush()
        if self.at is None:
            self.enter(tsc)
        self.count += 1
        if c.major == 2:
            sized = self.header_of_2(ident, tsc, len(payload), form, largest, owner)
        else:
            sized = self.header_of_1(ident, tsc, len(payload), form, owner)
        for at, size, rule, name in marks:
            self.mark(len(self.body) + at, size, "x" if rule == "p" and not sized else rule, owner, name)
        if owner != -1:
            File.homes[owner] = (self.path, len(self.blocks))
        self.body += payload
        self.tsc = tsc

    def header_of_2(self, ident, tsc, length, form, largest, owner):
        """Add the header of an event of version 2. Returns whether it has the payload's size."""
        c, body = self.config, self.body
        body += bytes(pad(len(body), 4, c.alignment))
        far = tsc - self.tsc >= 1 << 27
        form = form or (29 if far else 31 if ident >= 29 else 0)
        self.mark(len(body), 4, "x", owner, "word")
        body += c.pack("I", (form or ident) << 27 | tsc & (1 << 27) - 1)
        if form:
            self.mark(len(body), 2, "x", owner, "id")
            body += c.pack("H", ident)
        if form in (29, 30):
            self.mark(len(body), 2, "x", owner, "size")
            if ident % 2:
                self.mark(len(body) + 2, 4, "s", owner, "long_size")
            body += c.pack("HI", 0xFFFF, length) if ident % 2 else c.pack("H", length)
        if form == 29:
            body += bytes(pad(len(body), 8, c.cap))
            self.mark(len(body), 8, "x", owner, "stamp")
            body += c.pack("Q", tsc)
        body += bytes(pad(len(body), largest, c.cap))
        return form in (29, 30)

    def header_of_1(self, ident, tsc, length, form, owner):
        """The same for versions before 2."""
        c, body = self.config, self.body
        assert not c.heartbeat or tsc - self.tsc < 1 << 32
        body += bytes(pad(len(body), c.word, c.alignment))
        sized = form != 99
        rule = "i" if sized else "x"
        self.mark(len(body), 4 if c.heartbeat else 8, "t", owner, "stamp")
        body += c.pack("I", tsc & 0xFFFFFFFF) if c.heartbeat else c.pack("Q", tsc)
        if c.ids8:
            self.mark(len(body), 1, rule, owner, "facility_id")
            self.mark(len(body) + 1, 1, rule, owner, "event_id")
        else:
            self.mark(len(body), 2, rule, owner, "event_id")
        body += bytes([ident >> 8, ident & 255]) if c.ids8 else c.pack("H", ident)
        self.mark(len(body), 2, "x" if not sized else "i" if c.major == 0 else "s", owner, "event_size")
        body += c.pack("H", length if sized else 0xFFFF)
        body += bytes(pad(len(body), c.word, c.alignment))
        return sized

    def close(self):
        self.flush()
        with open(self.path, "wb") as out:
            out.write(b"".join(self.blocks))


class Marker:
    """A kind of event. Its fields are (name, format, kind, size). Kind: u, s and x are numbers, n is one in network
    byte order, t is a text. Size: bytes, "w" for those of a long.
    """

    def __init__(self, channel, name, ident, fields, shown=None):
        self.channel, self.name, self.ident, self.fields = channel, name, ident, fields
        self.shown = shown or "%s:%s" % (channel, name)

    def format(self):
        return " ".join("%s %s" % (f[0], f[1]) for f in self.fields)

    def largest(self, c):
        return max([self.size(c, f) for f in self.fields if f[2] != "t"] + [1])

    @staticmethod
    def size(c, field):
        return c.word if field[3] == "w" else field[3]

    def payload(self, c, values):
        """The payload of an event; self.marks are then its fields."""
        out, self.marks = b"", []
        for field, value in zip(self.fields, values):
            if field[2] == "t":
                if value:
                    self.marks.append((len(out), 1, "p", field[0]))
                self.marks.append((len(out) + len(value), 1, "p", field[0] + "_end"))
                out += value.encode() + b"\0"
                continue
            size = self.size(c, field)
            out += bytes(pad(len(out), size, c.cap))
            order = "big" if field[2] == "n" or c.order == ">" else "little"
            self.marks.append((len(out), size, "p", field[0]))
            out += (value % (1 << 8 * size)).to_bytes(size, order)
        return out

    def line(self, values):
        """The fields as they are printed."""
        shown = []
        for field, value in zip(self.fields, values):
            shown.append("%s=%s" % (field[0], hex(value) if field[2] == "x" else value))
        return shown


ALL = [("c1", "%c", "u", 1), ("u2", "#2u%u", "u", 2), ("d4", "%d", "s", 4), ("text", "%s", "t", 0),
       ("u1", "#1u%hhu", "u", 1), ("x8", "#8x%llx", "x", 8), ("long", "%ld", "s", "w"), ("ip", "#n4u%u", "n", 4),
       ("h", "%hu", "u", 2), ("pointer", "%p", "x", "w"), ("more", "%s", "t", 0), ("z", "%zu", "u", "w")]
MARKERS = [
    Marker("kernel", "sched_schedule", 130, [("prev_pid", "%d", "s", 4), ("next_pid", "%d", "s", 4),
                                             ("prev_state", "%ld", "s", "w")]),
    Marker("kernel", "irq_entry", 131, [("irq_id", "#2u%u", "u", 2), ("kernel_mode", "#1u%u", "u", 1)]),
    Marker("kernel", "irq_exit", 132, [("handled", "#1u%u", "u", 1)]),
    Marker("user", "all", 133, ALL),
    Marker("user", "nothing", 134, []),
]


def real_ns(tsc, config):
    return (SEC * 10**6 + USEC) * 1000 + (tsc - START_TSC) * 10**9 // (KHZ * SCALE)


def events(cpu, config):
    """(tsc, marker, values) of a CPU: 300 events, some far from the one before, some at the same time."""
    tsc, out = START_TSC + 1000 * cpu, []
    for i in range(15 if config.small else 300):
        tsc += [0, 17, 4000, 90000000, (1 << 31) + 5, (1 << 32) - 1][i % 6] if i else 0
        marker = MARKERS[i % 5]
        if marker.name == "all":
            values = [i % 256, 65535 - i, -i, "text %d" % i, (i * 7) % 256, i << 40 | 0xFE, -(i << 20), 0x7F000001 + i,
                      i * 200 % 65536, 0x8000 + i, "x" * (i % 13), i]
        else:
            values = {"sched_schedule": [i, i + 1, i % 3], "irq_entry": [i % 8, 1], "irq_exit": [1],
                      "nothing": []}[marker.name]
        out.append((tsc, marker, values))
    return out


def shown(marker, values):
    """The fields as the decoder shows them: next_pid of a switch comes first."""
    words = marker.line(values)
    if marker.name == "sched_schedule":
        words = [words[1], words[0], words[2]]
    return words


def marker_events(config, add):
    """Call add(kind, payload, marks) for each description of a marker; kind: 0 = id, 1 = format."""
    c = config
    for marker in MARKERS:
        names = marker.channel.encode() + b"\0" + marker.name.encode() + b"\0"
        ident = marker.ident
        if c.major < 2:
            names = (marker.channel + "_" + marker.name).encode() + b"\0"
        else:
            ident = marker.ident - 130 if marker.name != "all" else 40
        text = names + bytes(pad(len(names), 2, c.alignment)) + c.pack("H", ident)
        text += bytes([4, c.word, c.word, c.word, c.alignment])
        form = names + marker.format().encode() + b"\0"
        end, n = len(text), len(names)
        sizes = ("of_int", "of_long", "of_pointer", "of_size_t", "of_alignment")
        of_text = [(0, 1, "d", "name"), (n - 1, 1, "d", "name_end"), (end - 7, 2, "d", "marker_id")]
        of_text += [(end - 5 + i, 1, "!", name) for i, name in enumerate(sizes)]
        of_form = [(0, 1, "d", "name"), (n - 1, 1, "d", "name_end"), (n, 1, "x" if c.major == 2 else "n", "format"),
                   (len(form) - 1, 1, "d", "format_end")]
        # Either of the two may come first.
        both = (0, text, of_text), (1, form, of_form)
        for kind, payload, marks in both if marker.ident % 2 else both[::-1]:
            add(kind, payload, marks)


def write_markers(c, directory):
    """Write the file of descriptions."""
    if c.major == 2:
        facilities = File(c, os.path.join(directory, "metadata_0"))
    else:
        facilities = File(c, os.path.join(directory, "control", "facilities_0"))
    tsc = START_TSC

    def add(kind, payload, marks):
        facilities.event(kind, tsc, payload, 30 if c.major == 2 and kind else 0, 1 if kind else 2, -1, marks)

    marker_events(c, add)
    facilities.close()


def with_markers(config, directory):
    """Versions 1.0 and later. Returns (ns, cpu, order, text) of each event, as the other writers of traces do."""
    c = config
    write_markers(c, directory)
    lines = []
    for cpu in (0, 1):
        files = {}
        for i, (tsc, marker, values) in enumerate(events(cpu, c)):
            channel = marker.channel if c.major == 2 else "cpu"
            if channel not in files:
                name = "%s%s_%d" % ("flight-" if cpu else "", channel, cpu)
                files[channel] = File(c, os.path.join(directory, name))
            file = files[channel]
            ident = marker.ident if c.major < 2 else 40 if marker.name == "all" else marker.ident - 130
            was_open = file.at is not None
            while c.major < 2 and c.heartbeat and was_open and tsc - file.tsc >= 1 << 31:
                file.event(2, file.tsc + (1 << 31) - 1, b"")
            if c.major == 2 and c.minor >= 2 and i == 250:
                file.lost += 3  # counted in the header of the current block
            payload = marker.payload(c, values)
            form = 99 if i % 7 == 3 and c.major == 1 else 0
            file.event(ident, tsc, payload, form, marker.largest(c), (cpu, i), marker.marks)
            # Events of the same time are in the order of their files.
            text = "%s: %s" % (marker.shown, " ".join(shown(marker, values)))
            lines.append((real_ns(tsc, c), cpu, (channel, i), text))
        for file in files.values():
            file.close()
    return lines


def with_facilities(config, directory):
    """Versions 0.3 to 0.8: facilities with numbers, events whose formats are elsewhere."""
    c = config
    facilities = File(c, os.path.join(directory, "control", "facilities_0"))
    for number, name in ((1, "kernel"), (7, "user")):
        sizes = [4] if c.minor >= 7 else []
        n = len(name) + 1
        marks = [(0, 1, "n", "name"), (n - 1, 1, "d", "name_end"), (n, 4, ".", "checksum"),
                 (n + 4, 4, "d", "facility")]
        marks += [(n + 8 + 4 * i, 4, ".", "of_%d" % i) for i in range(4 + len(sizes))]
        numbers = (0xABCD, number, *sizes, c.word, c.word, c.word, c.alignment)
        payload = name.encode() + b"\0" + c.pack("%dI" % len(numbers), *numbers)
        facilities.event(0, START_TSC, payload, 0, 1, -1, marks)
        facilities.event(2, START_TSC, b"")
    facilities.close()
    lines = []
    for cpu in (0, 1):
        file = File(c, os.path.join(directory, "cpu_%d" % cpu))
        for i, (tsc, marker, values) in enumerate(events(cpu, c)):
            while c.heartbeat and file.at is not None and tsc - file.tsc >= 1 << 31:
                file.event(2, file.tsc + (1 << 31) - 1, b"")
            payload = bytes(range(i % 60))
            facility, event = (7, "user") if i % 2 else (1, "kernel")
            marks = [(0, 1, "p", "first"), (len(payload) - 1, 1, "p", "last")] if payload else []
            file.event(facility << 8 | i % 256, tsc, payload, 0, 1, (cpu, i), marks)
            text = payload[:48].hex() + ("..." if len(payload) > 48 else "")
            # The name of a facility has no "_", at which it would be split into system and name.
            line = "lttng:%s: event=%d size=%d data=%s" % (event, i % 256, len(payload), text)
            lines.append((real_ns(tsc, c), cpu, i, line))
        file.close()
    return lines


def with_ends(config, directory):
    """The trace of ends=N; its events are not printed."""
    c, tsc, user = config, START_TSC + 1000, MARKERS[4]
    write_markers(c, directory)
    file = File(c, os.path.join(directory, "kernel_0"))
    file.event(0, tsc, MARKERS[0].payload(c, [1, 2, 0]), 0, 8)
    file.close()
    file = File(c, os.path.join(directory, "user_0"))
    for i in range(c.ends):
        tsc += 1000
        if i == c.ends - 1:
            file.flush()
            file.lost += 3
            file.event(998, tsc, b"", 30)
        file.event(user.ident - 130, tsc, b"")
    file.enter(tsc + 1000)
    file.lost += 5
    file.body += b"\xAA\xAA"
    file.close()
    return []


def with_fields(config, directory):
    """The trace of fields=N."""
    c, tsc, nothing = config, START_TSC + 1000, MARKERS[4]
    kinds = [("%s", "t", 0) if i % 5 == 4 else ("%llu", "u", 8) for i in range(c.fields)]
    many = Marker("user", "many", 135, [("f%d" % i,) + kind for i, kind in enumerate(kinds)])
    values = ["text%d" % i if kind[1] == "t" else i << 40 | 1 for i, kind in enumerate(kinds)]
    MARKERS.append(many)
    write_markers(c, directory)
    file = File(c, os.path.join(directory, "user_0" if c.major == 2 else "cpu_0"))
    lines = []
    for marker, filled in (many, values), (nothing, []):
        tsc += 1000
        # In version 2 the header has the payload's size.
        file.event(marker.ident - 130 if c.major == 2 else marker.ident, tsc, marker.payload(c, filled),
                   30 if c.major == 2 else 0, marker.largest(c))
        lines.append((real_ns(tsc, c), 0, tsc, "%s: %s" % (marker.shown, " ".join(marker.line(filled)))))
    file.close()
    return lines


def write_map(path, directory, events):
    """Write the map; events: (cpu, ns, (channel, number)) of each event."""
    index = {-1: -1}
    for cpu, _, (_, i) in sorted(events):
        index[(cpu, i)] = len(index) - 1
    with open(path, "w") as out:
        for owner in sorted(File.homes, key=index.get):
            out.write("event %s %d\n" % (os.path.relpath(File.homes[owner][0], directory), File.homes[owner][1]))
        for mark in File.marks:
            out.write("field %s %d %d %d %d %d %s %d %s\n" % (
                (os.path.relpath(mark[0], directory),) + mark[1:7] + (index[mark[7]], mark[8])))


def main():
    config = Config(sys.argv[2], sys.argv[3:])
    write = with_facilities if config.major == 0 else with_markers
    if config.ends is not None:
        write = with_ends
    if config.fields is not None:
        write = with_fields
    lines = write(config, sys.argv[1])
    if config.map:
        keys = [(cpu, ns, key if isinstance(key, tuple) else ("", key)) for ns, cpu, key, _ in lines]
        write_map(config.map, sys.argv[1], keys)
    for ns, cpu, _, text in sorted(lines):
        print("%d %d %s" % (cpu, ns, text.strip()))


main()
