#!/usr/bin/env python3
"""tracedat.py - makes trace.dat files of every kind, and the text that tlog-decode must make of them.

Written from the manual pages trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) and the kernel's description of its ring
buffer (events/header_page, events/header_event). It shares no code with the decoder.

  gen/tracedat.py OUT.dat EXPECT.txt [NAME=VALUE]...

  version=7         of the file: 6 or 7             instances=0  buffers beside the top one
  big=0             1: big-endian                   loss=0       1: losses between events; 2: also one at the end
  long=8            bytes of a long                 chunk=3      pages of a chunk
  commit=8          bytes of the commit word        order=0      1: sections and options in reverse order
  page=4096         bytes of a page                 chain=0      1: three sections of options
  compression=none  or zlib, zstd                   clock=local  or counter, whose times are no ns
  options=          of time, with commas: shift1, shift2, shift3, shifti, offset, date, tsc
  events=400        how many                        fields=all   or few: without events of the system ftrace;
                                                                 plain: of bprint only formats that trace-cmd can
  holes=0           1: a CPU has no pages           many=0       so many formats, and no events but theirs
  old=0             1: open arrays of the system ftrace are declared without [], as in kernels before 5.x
  broken=0          1: the format of bprint makes no sense
  symbols=0         so many more symbols: at addresses that have one already, absolute ones, of modules
  compressor=1.5.4  the version of what compressed, any text
"""

import random
import struct
import subprocess
import sys
import zlib

settings = {
    "version": 7, "big": 0, "long": 8, "commit": 8, "page": 4096, "compression": "none", "instances": 0, "loss": 0,
    "chunk": 3, "order": 0, "chain": 0, "clock": "local", "options": "", "events": 400, "fields": "all", "holes": 0,
    "many": 0, "old": 0, "broken": 0, "symbols": 0, "compressor": "1.5.4",
}
for argument in sys.argv[3:]:
    key, value = argument.split("=", 1)
    settings[key] = type(settings[key])(value)
S = type("Settings", (), settings)
ORDER = ">" if S.big else "<"
rng = random.Random(S.page * 7 + S.big + S.long)


def pack(layout, *values):
    return struct.pack(ORDER + layout, *values)


def number(value, size):
    return (value % (1 << 8 * size)).to_bytes(size, "big" if S.big else "little")


# ---- formats ------------------------------------------------------------------------------------------------------

COMMON = [("unsigned short common_type", 0, 2, 0), ("unsigned char common_flags", 2, 1, 0),
          ("unsigned char common_preempt_count", 3, 1, 0), ("int common_pid", 4, 4, 1)]
LONG = S.long


LOCATED = ("loc", "rel", "mask")


class Field:
    """A field of a record. kind: u, s, x: a number (unsigned, signed, shown as hex); chars; loc, rel, open: a text at
    the end of the record; mask: a set of bits there, in longs; hex: bytes; array; p, str: the address of a text."""

    def __init__(self, declaration, size, kind="u", count=1, signed=0):
        self.declaration, self.size, self.kind, self.count, self.signed = declaration, size, kind, count, signed
        self.name = declaration.split("[")[0].split()[-1] if kind not in LOCATED else declaration.split()[-1]
        self.offset = 0


class Format:
    """The format of an event. Fields are aligned as a C compiler aligns them."""

    def __init__(self, system, name, ident, fields, print_fmt):
        self.system, self.name, self.id, self.fields, self.print_fmt = system, name, ident, fields, print_fmt
        offset = 8
        for field in fields:
            align = min(field.size // max(field.count, 1) or 4, 8) if field.kind != "chars" else 1
            if field.kind == "hex":
                align = 1
            offset += -offset % align
            field.offset = offset
            offset += field.size
        self.end = offset

    def text(self):
        """As the kernel's format file."""
        lines = ["name: %s\nID: %d\nformat:\n" % (self.name, self.id)]
        lines += ["\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % field for field in COMMON]
        lines.append("\n")
        for f in self.fields:
            field = (f.declaration, f.offset, f.size, f.signed)
            lines.append("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % field)
        return ("".join(lines) + "\nprint fmt: " + self.print_fmt + "\n").encode()

    def record(self, pid, flags, values):
        """The bytes of an event, padded to whole words."""
        body = bytearray(self.end)
        body[0:8] = pack("HBBi", self.id, flags, 0, pid)
        tail = b""
        for field, value in zip(self.fields, values):
            at = slice(field.offset, field.offset + field.size)
            if field.kind in LOCATED:
                data = value if isinstance(value, bytes) else value.encode() + b"\0"
                place = self.end + len(tail)
                place -= field.offset + 4 if field.kind == "rel" else 0
                body[at] = pack("I", place | len(data) << 16)
                tail += data
            elif field.kind == "open":
                tail += value if isinstance(value, bytes) else value.encode() + b"\0"
            elif field.kind == "chars":
                body[at] = value.encode().ljust(field.size, b"\0")
            elif field.kind == "hex":
                body[at] = value
            elif field.kind == "array":
                size = field.size // field.count
                body[at] = b"".join(number(v, size) for v in value)
            else:
                body[at] = number(value, field.size)
        data = bytes(body) + tail
        return data + b"\0" * (-len(data) % 4)


def u(name, size, kind="u"):
    ctype = {1: "unsigned char", 2: "u16", 4: "unsigned int", 8: "u64"}[size]
    return Field("%s %s" % (ctype, name), size, kind)


def s(name, size):
    return Field("%s %s" % ({1: "signed char", 2: "short", 4: "int", 8: "s64"}[size], name), size, "s", signed=1)


switch = Format("sched", "sched_switch", 316, [
    Field("char prev_comm[16]", 16, "chars"), s("prev_pid", 4), s("prev_prio", 4),
    Field("long prev_state", LONG, "s", signed=1), Field("char next_comm[16]", 16, "chars"), s("next_pid", 4),
    s("next_prio", 4)],
    '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, '
    'REC->prev_pid, REC->prev_prio, REC->prev_state, REC->next_comm, REC->next_pid, REC->next_prio')
numbers = Format("test", "numbers", 400, [
    u("a", 1), u("b", 2), u("c", 4), u("d", 8), s("e", 1), s("f", 2), s("g", 4), s("h", 8), u("i", 4, kind="x"),
    u("j", 8, kind="x")],
    '"a=%u b=%u c=%u d=%llu e=%hhd f=%hd g=%d h=%lld i=0x%x j=%llx", REC->a, REC->b, REC->c, REC->d, REC->e, REC->f, '
    'REC->g, REC->h, REC->i, (unsigned long long)REC->j')
texts = Format("test", "texts", 401, [
    Field("__data_loc char[] first", 4, "loc"), Field("char fixed[12]", 12, "chars"),
    Field("__rel_loc char[] second", 4, "rel"), u("n", 4)],
    '"%s|%s|%s|%u", __get_str(first), REC->fixed, __get_rel_str(second), REC->n')
arrays = Format("test", "arrays", 402, [
    Field("u32 three[3]", 12, "array", 3), Field("unsigned long pair[2]", 2 * LONG, "array", 2),
    Field("u8 mac[6]", 6, "hex", 6), Field("__data_loc u8[] more", 4, "loc")],
    '"three=%u,%u,%u pair=%lx,%lx", REC->three[0], REC->three[1], REC->three[2], REC->pair[0], REC->pair[1]')
empty = Format("test", "empty", 403, [], '""')
insn = Format("kvm", "kvm_emulate_insn", 405, [
    u("rip", 8, kind="x"), u("csbase", 4, kind="x"), u("len", 1), Field("u8 insn[15]", 15, "hex", 15), u("flags", 1),
    u("failed", 1)],
    '"%x:%llx: %s", REC->csbase, REC->rip, __print_hex(REC->insn, REC->len)')
mask = Format("test", "mask", 406, [
    Field("__data_loc cpumask_t cpus", 4, "mask"), Field("__data_loc unsigned long[] bits", 4, "mask")],
    '"%s %s", __get_bitmask(cpus), __get_bitmask(bits)')
# A newline in the source of a print format is a real one in the format file: a line of trace-cmd's report ends there.
lines = Format("test", "lines", 404, [u("clnt", 4), Field("u8 tag", 1, "u")],
               '"clnt %u(tag = %u)\n", REC->clnt, REC->tag')
OPEN = "" if S.old else "[]"
fprint = Format("ftrace", "print", 5, [Field("unsigned long ip", LONG, "x"), Field("char buf" + OPEN, 0, "open")],
                '"%ps: %s", (void *)REC->ip, REC->buf')
bprint = Format("ftrace", "bprint", 6, [Field("unsigned long ip", LONG, "x"), Field("const char * fmt", LONG, "p"),
                                        Field("u32 buf" + OPEN, 0, "open")], '"%ps: %s", (void *)REC->ip, REC->fmt')
if S.broken:
    bprint.fields[1].offset = bprint.fields[0].offset  # both fields in the same bytes
bputs = Format("ftrace", "bputs", 15, [Field("unsigned long ip", LONG, "x"), Field("const char * str", LONG, "str")],
               '"%ps: %s", (void *)REC->ip, REC->str')
function = Format("ftrace", "function", 1, [Field("unsigned long ip", LONG, "x"),
                                            Field("unsigned long parent_ip", LONG, "x")],
                  '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip')
FTRACE = [function, fprint, bprint, bputs]
MANY = [Format("many", "event_%d" % n, 1000 + n, [u("n", 4)], '"n=%u", REC->n') for n in range(S.many)]
EVENTS = [switch, numbers, texts, arrays, empty, lines, insn, mask]

PRINTK = {0x8000: "count %d of %u, %s and %llx\\n", 0x8010: "just text %%\\n", 0x8020: "long %lu at %ps\\n",
          0x8030: "width [%5d] [%-5d] [%05d] [%.3s]\\n", 0x8040: "a plain text"}
SYMBOLS = [(0x1000, "T", "start_here"), (0x2000, "t", "helper"), (0x3000, "T", "_etext")]
MORE = [(0x2000, "t", "helper_twin"), (0, "A", "fixed_percpu_data"), (0x1000, "T", "start_twin"),
        (0x2000, "W", "helper_third"), (0xf000, "t", "probe\t[a_module]"), (0, "A", "irq_stack"),
        (0x2000, "t", "$d"), (0x1800, "t", "between"), (0x1000, "T", "start_third"), (0xf000, "t", "twin\t[other]")]
SYMBOLS += MORE[:S.symbols]
TASKS = {1: "init", 42: "a worker", 77: "kworker/0:1", 300: "x" * 15}


def bprint_event():
    """The address of one of the formats, its packed arguments, and the text that they make."""
    which = rng.choice([0x8000, 0x8010, 0x8020] + ([0x8030] if S.fields == "all" else []))
    if which == 0x8000:
        a, b, c, d = rng.randrange(-9, 9), rng.randrange(1 << 32), rng.choice(["abc", "", "four"]), rng.getrandbits(60)
        args = number(a, 4) + number(b, 4) + c.encode() + b"\0"
        args += b"\0" * (-len(args) % 4) + number(d, 8)
        return which, args, "count %d of %u, %s and %x" % (a, b, c, d)
    if which == 0x8010:
        return which, b"", "just text %"
    if which == 0x8020:
        return which, number(123456, LONG) + number(0x2004, LONG), "long 123456 at helper"
    a, b, c = rng.randrange(-999, 999), rng.randrange(99), rng.randrange(99)
    args = number(a, 4) + number(b, 4) + number(c, 4) + b"abcdef\0"
    return which, args, "width [%5d] [%-5d] [%05d] [abc]" % (a, b, c)


def value_text(field, value):
    """What the decoder's text shows of a field, as a list of words."""
    if field.kind in ("x", "p"):
        return ["%s=%s" % (field.name, hex(value))]
    if field.kind == "array":
        hexed = field.name == "pair"
        return ["%s_%d=%s" % (field.name, i, hex(v) if hexed else v) for i, v in enumerate(value)]
    if field.kind in ("loc", "hex") and isinstance(value, bytes):
        return ["%s=%s" % (field.name, value.hex())]
    if field.kind == "mask":
        longs = [int.from_bytes(value[i:i + LONG], "big" if S.big else "little") for i in range(0, len(value), LONG)]
        digits = "".join("%0*x" % (2 * LONG, n) for n in reversed(longs))
        return ["%s=%s" % (field.name, ",".join(digits[i:i + 8] for i in range(0, len(digits), 8)))]
    return ["%s=%s" % (field.name, value)]


def make_event(made_so_far):
    """A format, its values, and the text of its fields; None if the decoder cannot know the fields."""
    if MANY:
        return MANY[made_so_far % len(MANY)], [7], "many:%s: n=7" % MANY[made_so_far % len(MANY)].name
    kinds = EVENTS + (FTRACE if S.fields != "few" else [])
    f = rng.choice(kinds)
    if f is switch:
        a, b = rng.choice([1, 42, 77, 300]), rng.choice([1, 42, 77, 300])
        values = [TASKS[a], a, 120, rng.choice([0, 1, 2]), TASKS[b], b, 100]
    elif f is numbers:
        values = [rng.getrandbits(8 * x.size) - (1 << 8 * x.size - 1 if x.signed else 0) for x in f.fields]
    elif f is texts:
        values = ["some text" * rng.randrange(9), rng.choice(["short", "eleven char"]), rng.choice(["", "two"]), 5]
    elif f is arrays:
        values = [[rng.getrandbits(32) for _ in range(3)], [rng.getrandbits(8 * LONG) for _ in range(2)],
                  rng.randbytes(6), rng.randbytes(rng.randrange(1, 9))]
    elif f is empty:
        values = []
    elif f is insn:
        values = [rng.getrandbits(64), rng.getrandbits(32), rng.randrange(1, 16), rng.randbytes(15), 5, 0]
    elif f is mask:
        # trace-cmd takes the longs of a big-endian mask in the wrong order, so where it is to judge there is one.
        longs = 1 if S.big and S.fields != "all" else rng.randrange(1, 4)
        values = [b"".join(number(rng.getrandbits(8 * LONG), LONG) for _ in range(longs)) for _ in "12"]
    elif f is lines:
        values = [rng.getrandbits(32), rng.getrandbits(8)]
    elif f is fprint:
        values = [0x1004, "printed " + "p" * rng.randrange(200)]
    elif f is bprint:
        address, args, made = bprint_event()
        if S.broken:
            return f, [0x2000, address, args], None
        return f, [0x2000, address, args], "tracing:bprint: ip=0x2000 buf=" + made
    elif f is bputs:
        values = [0x1000, 0x8040]
        return f, values, "ftrace:bputs: ip=0x1000 str=a plain text"
    else:
        values = [0x2010, 0x1020]
    words = [w for x, v in zip(f.fields, values) for w in value_text(x, v)]
    return f, values, " ".join(["%s:%s:" % (f.system, f.name)] + words)


# ---- pages --------------------------------------------------------------------------------------------------------

HEADER = 8 + S.commit


def word(kind, delta):
    """What stands in front of a record."""
    return pack("I", kind << 27 | delta if S.big else delta << 5 | kind)


class Pages:
    """Puts records on pages, with every way there is to write a length and a time."""

    def __init__(self, page_size):
        self.size, self.pages = page_size, []  # bytes of a page; pages that are closed
        self.body, self.time, self.start = None, 0, 0  # of the open page: records or None, time of the last, its own
        self.flags, self.count = 0, 0  # of its commit word; of events lost before it

    def close(self):
        if self.body is None:
            return
        page = pack("Q", self.start) + number(len(self.body) | self.flags, S.commit) + self.body
        if self.flags & 1 << 30:
            page += number(self.count, S.commit)
        assert len(page) <= self.size
        self.pages.append(page + b"\0" * (self.size - len(page)))
        self.body, self.flags, self.count = None, 0, 0

    def open(self, time):
        self.close()
        self.body, self.time, self.start = b"", time, time

    def lose(self, time, count):
        """Open a page with a mark for lost events; count 0: without a number."""
        self.open(time)
        self.flags = 1 << 31 | (1 << 30 if count else 0)
        self.count = count

    def room(self):
        return self.size - HEADER - 8 - len(self.body)

    def add(self, time, data):
        need = len(data) + 40
        if self.body is None or self.room() < need:
            self.open(time)
        delta = time - self.time
        first = not self.body
        if delta >= 1 << 27 or (not first and rng.random() < 0.05):
            if rng.random() < 0.5:
                self.body += word(31, time & (1 << 27) - 1) + pack("I", time >> 27 & 0xFFFFFFFF)
            else:
                self.body += word(30, delta & (1 << 27) - 1) + pack("I", delta >> 27)
            delta = 0
        if not first and rng.random() < 0.05:
            skip = rng.choice([4, 8, 12])
            part = rng.randrange(1, delta) if delta > 1 else 0
            if part:
                self.body += word(29, part) + pack("I", skip) + b"\xee" * (skip - 4)
                delta -= part
        if len(data) <= 112 and rng.random() < 0.8:
            self.body += word(len(data) // 4, delta) + data
        else:
            self.body += word(0, delta) + pack("I", len(data) + 4) + data
        self.time = time

    def bytes(self):
        self.close()
        return b"".join(self.pages)


# ---- events -------------------------------------------------------------------------------------------------------

# Options TIME_SHIFT: flag 1 for offsets that change evenly between two samples; for every CPU the same samples (time,
# offset, scaling, fraction).
SHIFTS = {
    "shift1": (0, [(0, -1234, 1, 0)]),
    "shift2": (0, [(0, 100, 3, 1), (6_000_000_000, -70, 1, 0)]),
    "shift3": (0, [(5_000_000_000, -5, 1, 0), (5_100_000_000, 7, 1, 0), (5_900_000_000, 1000, 1, 0)]),
    "shifti": (1, [(5_000_000_000, -50_000, 1, 0), (5_300_000_000, 40_000, 1, 0), (5_900_000_000, 0, 1, 0)]),
}


def shifted(time, flags, samples):
    """A time by the last sample that is not later, but never by the last of all, if there are several."""
    if len(samples) == 1:
        return time + samples[0][1]
    index = max([i for i in range(len(samples) - 1) if samples[i][0] <= time], default=0)
    start, offset, scaling, fraction = samples[index]
    if flags:
        span, rise = samples[index + 1][0] - start, samples[index + 1][1] - offset
        product = (time - start) * rise + span // 2
        offset += abs(product) // span * (1 if product >= 0 else -1)
    return (time * scaling >> fraction) + offset


def shift_option(flags, samples):
    cpu = pack("I", len(samples)) + b"".join(pack("q", sample[k]) for k in range(3) for sample in samples)
    fractions = b"".join(pack("q", sample[3]) for sample in samples)
    return pack("QII", 1, flags, NCPUS) + cpu * NCPUS + fractions * NCPUS


def shown_time(time):
    """What a time of the file is in ns, by the options."""
    for option in S.options.split(","):
        if option in SHIFTS:
            time = shifted(time, *SHIFTS[option])
    for option in S.options.split(","):
        if option == "tsc":
            time = time * 1500 >> 10
    for option in S.options.split(","):
        time += {"offset": -5000, "date": 0x1234000}.get(option, 0)
        if option == "date":
            time = time - 0x1234000 + 0x1234 * 1000
    return time


def line(cpu, time, pid, text):
    """The line of an event in the decoder's text."""
    name = TASKS.get(pid, "<...>") if pid else "<idle>"
    raw = S.clock == "counter" and "tsc" not in S.options
    stamp = "%12d" % time if raw else "%5d.%09d" % (time // 10**9, time % 10**9)
    return "%16s-%-5d [%03d] %s: %s" % (name, pid, cpu, stamp, text)


NCPUS = 3
BUFFERS = [""] + ["inst-%d" % i for i in range(1, S.instances + 1)]
pages = {(b, c): Pages(S.page if b == "" or S.version == 6 else S.page * 2) for b in BUFFERS for c in range(NCPUS)}
expected = []  # (time, CPU, line). A loss stands where what is unknown begins: at the CPU's last event before
last = {}
now = 5_000_000_000
for n in range(S.events):
    now += rng.choice([1, 10, 1000, 50_000, 200_000_000 if n % 40 == 0 else 700])
    buffer = rng.choice(BUFFERS)
    cpu = rng.choice([0, 2]) if S.holes else rng.randrange(NCPUS)
    pid = rng.choice([0, 1, 42, 77, 300, 555])
    flags = rng.choice([0, 1, 8])
    form, values, text = make_event(n)
    prefix = "" if buffer == "" else buffer.replace("-", "_") + "_"
    packer = pages[buffer, cpu]
    if S.loss and n % 30 == 29:
        count = rng.choice([0, 1, 17, 1 << 30])
        packer.lose(now, count)
        expected.append((last.get(cpu, now), cpu, "CPU:%d [%sEVENTS DROPPED]" % (cpu, "%d " % count if count else "")))
    record = form.record(pid, flags, values)
    packer.add(now, record)
    if text is None:
        text = "unknown_%s:%s: id=%d data=%s" % (form.system, form.name, form.id, record.hex())
    last[cpu] = now
    expected.append((now, cpu, line(cpu, shown_time(now), pid, prefix + text)))
if S.loss == 2:
    now += 1000
    pages["", 1].lose(now, 5)
    expected.append((last[1], 1, "CPU:1 [5 EVENTS DROPPED]"))

# ---- sections -----------------------------------------------------------------------------------------------------

header_page = ("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:%d;"
               "\tsigned:1;\n\tfield: char data;\toffset:%d;\tsize:%d;\tsigned:0;\n" %
               (S.commit, HEADER, S.page - HEADER)).encode()
headers = b"header_page\0" + pack("Q", len(header_page)) + header_page + b"header_event\0" + pack("Q", 5) + b"event"


def sized(data, layout):
    return pack(layout, len(data)) + data


def format_list(formats):
    return pack("I", len(formats)) + b"".join(sized(f.text(), "Q") for f in formats)


printk = "".join('0x%x : "%s"\n' % item for item in PRINTK.items()).encode()
kallsyms = "".join("%x %s %s\n" % item for item in SYMBOLS).encode()
cmdlines = "".join("%d %s\n" % item for item in TASKS.items()).encode()
systems = [("sched", [switch]), ("test", [numbers, texts, arrays, empty, lines, mask]), ("kvm", [insn]), ("many", MANY)]
TABLES = [
    (16, headers), (17, format_list(FTRACE)),
    (18, pack("I", len(systems)) + b"".join(n.encode() + b"\0" + format_list(f) for n, f in systems)),
    (19, sized(kallsyms, "I")), (20, sized(printk, "I")), (21, sized(cmdlines, "Q")),
]


def compress(data):
    if S.compression == "zlib":
        return zlib.compress(data, 9)
    return subprocess.run(["zstd", "-q", "-c", "-3"], input=data, stdout=subprocess.PIPE, check=True).stdout


def option(ident, data):
    return pack("HI", ident, len(data)) + data


def clock_names():
    return (b"local global [counter]" if S.clock == "counter" else b"[local] global counter") + b"\0"


def time_options():
    """The options that change times."""
    out = b""
    for name in S.options.split(","):
        if name in SHIFTS:
            out += option(12, shift_option(*SHIFTS[name]))
            continue
        out += {"offset": lambda: option(7, b"-5000\0"), "date": lambda: option(1, b"0x1234\0"),
                "tsc": lambda: option(14, pack("IIQ", 1500, 10, 99)), "": lambda: b""}[name]()
    return out


MAGIC = b"\x17\x08\x44tracing%d\0" % S.version + bytes([S.big, S.long]) + pack("I", S.page)


def align(data, to):
    return data + b"\0" * (-len(data) % to)


def chunks(data, size):
    """Pages as a number of chunks, and the chunks."""
    parts = [data[i:i + size * S.chunk] for i in range(0, len(data), size * S.chunk)]
    out = pack("I", len(parts))
    for part in parts:
        packed = compress(part)
        out += pack("II", len(packed), len(part)) + packed
    return out


def version7():
    compressed = S.compression != "none"
    version = S.compressor.encode() if compressed else b""
    out = MAGIC + S.compression.encode() + b"\0" + version + b"\0"
    patch = len(out)
    out += b"\0" * 8
    options = []
    tables = TABLES[::-1] if S.order else TABLES
    for ident, data in tables:
        options.append(option(ident, pack("Q", len(out))))
        if compressed:
            packed = compress(data)
            data = pack("II", len(packed), len(data)) + packed
        out += pack("HHIQ", ident, int(compressed), 0xFFFFFFFF, len(data)) + data
    options += [option(8, pack("I", NCPUS)), option(4, clock_names()), time_options(), option(5, b"Linux test\0"),
                option(99, b"unknown")]
    for buffer in BUFFERS:
        at = len(out)
        out += b"\0" * 16
        size = pages[buffer, 0].size
        table = b""
        for cpu in range(NCPUS):
            data = pages[buffer, cpu].bytes()
            if not data and S.holes:
                continue
            out = align(out, 4096 if size < 4096 else size)
            place = len(out)
            if compressed:
                data = chunks(data, size)
            out += data
            table += pack("IQQ", cpu, place, len(data) - (4 if compressed else 0))
        out = out[:at] + pack("HHIQ", 3, int(compressed), 0xFFFFFFFF, len(out) - at - 16) + out[at + 16:]
        head = pack("Q", at) + buffer.encode() + b"\0local\0" + pack("II", size, len(table) // 20)
        options.append(option(3, head + table))
    if S.order:
        options.reverse()
    groups = [options[:3], options[3:5], options[5:]] if S.chain else [options]
    following = 0
    for group in reversed(groups):  # the last group comes first in the file
        place = len(out)
        data = b"".join(group) + option(0, pack("Q", following))
        out += pack("HHIQ", 0, 0, 0xFFFFFFFF, len(data)) + data
        following = place
    return out[:patch] + pack("Q", following) + out[patch + 8:]


def version6():
    out = MAGIC + b"".join(data for _, data in TABLES) + pack("I", NCPUS) + b"options  \0"
    out += option(4, b"") + time_options() + option(5, b"Linux test\0")
    patches = {}
    for buffer in BUFFERS[1:]:
        patches[buffer] = len(out) + 6
        out += option(3, pack("Q", 0) + buffer.encode() + b"\0")
    out += pack("H", 0) + b"flyrecord\0"
    tables = {"": len(out)}
    out += b"\0" * (16 * NCPUS)
    out += sized(clock_names(), "Q")
    for buffer in BUFFERS[1:]:
        out = out[:patches[buffer]] + pack("Q", len(out)) + out[patches[buffer] + 8:]
        out += b"flyrecord\0"
        tables[buffer] = len(out)
        out += b"\0" * (16 * NCPUS)
    for buffer in BUFFERS:
        table = b""
        for cpu in range(NCPUS):
            out = align(out, S.page)
            data = pages[buffer, cpu].bytes()
            table += pack("QQ", len(out), len(data))
            out += data
        at = tables[buffer]
        out = out[:at] + table + out[at + len(table):]
    return out


with open(sys.argv[1], "wb") as file:
    file.write(version7() if S.version == 7 else version6())
expected.sort(key=lambda item: item[0])
with open(sys.argv[2], "w") as file:
    file.write("cpus=%d\n" % NCPUS + "".join(text + "\n" for _, _, text in expected))
