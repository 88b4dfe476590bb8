#!/usr/bin/env python3
"""kev.py DECODER DIRECTORY - write .kev files in both byte orders, and compare what the decoder prints of them with
what was put in.

The files are made from QNX's layout alone, and stay in DIRECTORY. Of the decoder the script knows nothing but the lines
that it prints for events.
"""
import os
import struct
import subprocess
import sys

S, CB, CC, CE = 0, 1, 2, 3
CONTROL, KERCALL, INT, PRTH, SYSTEM, USER, COMM = 1, 2, 3, 4, 5, 6, 7


class File:
    """A .kev file in the making, and the lines that the decoder must print of it."""

    def __init__(self, big, release="6.4.1", cpus=2, syspage=b""):
        self.order = ">" if big else "<"
        attributes = [
            ("HEADER_BEGIN", ""), ("FILE_NAME", "/dev/shmem/THE_TEST_Trace.kev"), ("DATE", "Tue Jun  2 2008"),
            ("VER_MAJOR", "1"), ("VER_MINOR", "01"), ("BIG_ENDIAN" if big else "LITTLE_ENDIAN", "TRUE"),
            ("ENCODING", "16 byte events"), ("BOOT_DATE", "Tue Jun  2 2008"), ("CYCLES_PER_SEC", "1000000"),
            ("CPU_NUM", str(cpus)), ("SYSNAME", "QNX"), ("NODENAME", "localhost"), ("SYS_RELEASE", release),
            ("SYS_VERSION", "2008/06/02-TTTT"), ("MACHINE", "armle"), ("SYSPAGE_LEN", str(len(syspage))),
            ("TRACELOGGER_ARGS", "-n1 TT TRA"), ("HEADER_END", "")]
        self.head = "".join("TRACE_%s::%s" % a for a in attributes).encode() + syspage
        self.slots = b""
        self.lines = []
        self.context = {}
        self.lost = [False, False]
        self.counted = None                                # offset of the slot that begins the present kernel buffer

    def slot(self, part, cpu, kind, event, stamp, data):
        """Append a slot. data: two words, or 8 bytes that stay as they are."""
        self.slots += struct.pack(self.order + "II", part << 30 | cpu << 24 | kind << 10 | event, stamp)
        self.slots += data if isinstance(data, bytes) else struct.pack(self.order + "II", *data)

    def buffer(self, cpu, stamp, sequence):
        """Begin a kernel buffer of that number."""
        self.count()
        self.counted = len(self.slots)
        self.slot(S, cpu, CONTROL, 2, stamp, (sequence, 0))

    def count(self):
        """Enter how many slots the present kernel buffer has."""
        if self.counted is not None:
            n = struct.pack(self.order + "I", (len(self.slots) - self.counted) // 16)
            self.slots = self.slots[:self.counted + 12] + n + self.slots[self.counted + 16:]

    def parts(self, kind, event, words=(), text=None, cpu=0, stamp=0):
        """The slots of an event, as arguments of slot()."""
        data = struct.pack(self.order + "%dI" % len(words), *words) + (text + b"\0" if text is not None else b"")
        data += b"\0" * (-len(data) % 8) or b""
        data = data or b"\0" * 8
        pieces = [data[i:i + 8] for i in range(0, len(data), 8)]
        marks = [S] if len(pieces) == 1 else [CB] + [CC] * (len(pieces) - 2) + [CE]
        return [(m, cpu, kind, event, stamp, p) for m, p in zip(marks, pieces)]

    def event(self, *args, **kw):
        for part in self.parts(*args, **kw):
            self.slot(*part)

    def line(self, cpu, us, rest):
        """Expect an event, at a time in microseconds."""
        self.lines.append("[%03d] %5d.%06d000: %s" % (cpu, us // 1000000, us % 1000000, rest))

    def loss(self, cpu):
        """Expect a loss, which stands where it begins: behind the CPU's last event."""
        own = [i + 1 for i, line in enumerate(self.lines) if line.startswith("[%03d]" % cpu)]
        at = max(own, default=len(self.lines))
        self.lines.insert(at, "CPU:%d [EVENTS DROPPED]" % cpu)

    def check(self, decoder, name, code=0):
        """Write the file, and end the script if the decoder prints other lines or has another exit code."""
        self.count()
        path = os.path.join(directory, name + ".kev")
        with open(path, "wb") as out:
            out.write(self.head + self.slots)
        command = [decoder, "--map=native", "-q", path, "--format=text-full", "-o", "-"]
        run = subprocess.run(command, stdout=subprocess.PIPE)
        got = [text[text.find("["):] if not text.startswith("CPU:") else text
               for text in run.stdout.decode().splitlines()[1:]]
        if run.returncode != code or got != self.lines:
            print("%s: exit %d" % (name, run.returncode))
            for want, have in zip(self.lines + [""] * 99, got + [""] * 99):
                if want != have:
                    print("  want %s\n  have %s" % (want, have))
            sys.exit(1)


def six(big):
    """A file of QNX 6 with two CPUs and all there is in it."""
    f = File(big, syspage=b"\x0aTRACE_HEADER_BEGIN::\0\x0aTRACE_X::" + b"\xff" * 5)
    high = 1 << 32
    f.slot(S, 0, CONTROL, 1, 0x100, (1, 0xFF))             # TIME: high word 1
    f.buffer(0, 0x100, 2047)
    f.event(PRTH, 192, (1, 1), b"proc/boot/procnto", stamp=0x100)
    f.line(0, high + 0x100, "qnx:PROCCREATE_NAME: ppid=1 pid=1 name=proc/boot/procnto")
    f.event(PRTH, 24, (1, 4), stamp=0x101)
    f.line(0, high + 0x101, "qnx:THCREATE: context=1 pid=1 tid=4")
    f.event(PRTH, 1, (1, 4, 10, 2), stamp=0x102)
    f.line(0, high + 0x102, "qnx:THRUNNING_wide: context=1 pid=1 tid=4 priority=10 policy=2")
    f.slot(S, 1, CONTROL, 1, 0x103, (1, 0x102))
    f.event(PRTH, 2, (4099, 2), cpu=1, stamp=0x103)
    f.line(1, high + 0x103, "qnx:THREADY: context=2 pid=4099 tid=2")
    f.event(KERCALL, 11, (0x40000001, 0x1234), stamp=0x104)
    f.line(0, high + 0x104, "qnx:MSG_SENDV_enter: coid=0x40000001 msg0=0x1234")
    f.event(KERCALL, 11 + 128, (3, 7), stamp=0x105)
    f.line(0, high + 0x105, "qnx:MSG_SENDV_exit: status=3 rmsg0=0x7")
    # Two combine events of two CPUs take turns slot by slot, with an interrupt in between.
    a = f.parts(USER, 6, text=b"hello, world", cpu=0, stamp=0x110)
    b = f.parts(USER, 7, (1, 2, 3, 4, 5), cpu=1, stamp=0x110)
    f.slot(*a[0])
    f.slot(*b[0])
    f.event(INT, 1, (33, 0x8000), cpu=0, stamp=0x111)
    f.slot(*b[1])
    f.slot(*a[1])
    f.slot(*b[2])
    f.line(0, high + 0x110, "qnx:user_string: event=6 text=hello, world")
    f.line(1, high + 0x110, "qnx:user_words6: event=7 d0=0x1 d1=0x2 d2=0x3 d3=0x4 d4=0x5 d5=0x0")
    f.line(0, high + 0x111, "qnx:INT_ENTRY: number=33 ip=0x8000")
    f.event(INT, 2, (33, 0), stamp=0x112)
    f.line(0, high + 0x112, "qnx:INT_EXIT: number=33 inkernel=0x0")
    f.event(USER, 6, text=b"hello", stamp=0x113)
    f.line(0, high + 0x113, "qnx:user_string: event=6 text=hello")
    # A kernel buffer ends inside of a combine event.
    c = f.parts(USER, 1023, text=b"abcdefgh", cpu=1, stamp=0x120)
    f.slot(*c[0])
    f.buffer(1, 0x120, 0)
    f.slot(*c[1])
    f.line(1, high + 0x120, "qnx:user_string: event=1023 text=abcdefgh")
    f.loss(1)                                              # of buffer 1, see below: CPU 1 logs nothing after it
    # The low word of time stamps wraps, and a TIME tells so.
    f.slot(S, 0, CONTROL, 1, 0x50, (2, 0x4F))
    f.event(USER, 1, (5, 6), stamp=0x50)
    f.line(0, 2 * high + 0x50, "qnx:user: event=1 d0=5 d1=6")
    f.event(SYSTEM, 2, (4099, 2), b"/dev/null", stamp=0x51)
    f.line(0, 2 * high + 0x51, "qnx:SYS_PATHMGR: pid=4099 tid=2 path=/dev/null")
    # Buffer 1 is missing.
    f.buffer(0, 0x60, 2)
    f.loss(0)
    f.event(COMM, 0, (9, 4099), stamp=0x60)
    f.line(0, 2 * high + 0x60, "qnx:COMM_SMSG: rcvid=0x9 pid=4099")
    f.event(9, 77, (1, 2), stamp=0x61)
    f.line(0, 2 * high + 0x61, "qnx:unknown: class=9 event=77 d0=0x1 d1=0x2")
    f.event(PRTH, 3 + 26, (1, 2), cpu=0, stamp=0x62)
    f.line(0, 2 * high + 0x62, "qnx:VTHSTOPPED: pid=1 tid=2")
    return f


def eight(big):
    """A file of QNX 8 with four CPUs."""
    f = File(big, release="8.0.0", cpus=4)
    # In QNX 8 the CPU of control events is wrong, and each CPU numbers its own buffers.
    for cpu, start in ((3, 0x1000), (0, 0x900)):
        f.slot(S, 1, CONTROL, 1, start, (7, start))
        f.slot(S, 1, CONTROL, 2, start, (cpu + 1 if cpu == 0 else 0, 5))
        f.event(PRTH, 26, (8200, 1), cpu=cpu, stamp=start)
        f.event(KERCALL, 512 + 11, (1, 2, 3), cpu=cpu, stamp=start + 1)
        f.slot(S, 1, CONTROL, 4, start + 1, (0xE6E6E6E6, 0xE6E6E6E6))
    high = 7 << 32
    for cpu, start in ((0, 0x900), (3, 0x1000)):
        f.line(cpu, high + start, "qnx:THMUON_MUTEX: context=1 pid=8200 tid=1")
        f.line(cpu, high + start + 1,
               "qnx:MSG_SENDV_enter_64_data: words=4 data=00000001 00000002 00000003 00000000")
    return f


def many(big):
    """9000 events of two CPUs: threads that take turns, interrupts with texts inside, kernel calls, missing buffers."""
    f = File(big)
    stamp, number, running = 0x100, 0, [4099, 4099]
    for cpu in (0, 1):
        f.slot(S, cpu, CONTROL, 1, stamp, (0, stamp))
    for i in range(9000):
        stamp += 7
        cpu = i // 3 % 2
        if i % 700 == 0:
            number += 2 if i == 7000 else 1
            f.buffer(cpu, stamp, number)
        us = stamp
        if i == 7000:
            f.lost = [True, True]
        if i >= 7000 and f.lost[cpu]:
            f.loss(cpu)
            f.lost[cpu] = False
        kind = i % 6
        if kind == 0:
            pid, tid = 4099 + 4096 * (i // 6 % 3), 1 + i // 18 % 2
            f.event(PRTH, 1, (pid, tid), cpu=cpu, stamp=stamp)
            context = f.context.setdefault((pid, tid), len(f.context) + 1)
            f.line(cpu, us, "qnx:THRUNNING: context=%d pid=%d tid=%d" % (context, pid, tid))
        elif kind == 1:
            f.event(INT, 1, (cpu + 5, 0x8000), cpu=cpu, stamp=stamp)
            f.line(cpu, us, "qnx:INT_ENTRY: number=%d ip=0x8000" % (cpu + 5))
        elif kind == 2:
            text = "event number %d" % i
            f.event(USER, 17, text=text.encode(), cpu=cpu, stamp=stamp)
            f.line(cpu, us, "qnx:user_string: event=17 text=" + text)
        elif kind == 3:
            f.event(INT, 2, (5 + cpu, 0), cpu=cpu, stamp=stamp)
            f.line(cpu, us, "qnx:INT_EXIT: number=%d inkernel=0x0" % (cpu + 5))
        elif kind == 4:
            f.event(KERCALL, 80, (i, 2), cpu=cpu, stamp=stamp)
            f.line(cpu, us, "qnx:SYNC_MUTEX_LOCK_enter: sync=0x%x owner=0x2" % i)
        else:
            f.event(KERCALL, 80 + 128, (0, 0), cpu=cpu, stamp=stamp)
            f.line(cpu, us, "qnx:SYNC_MUTEX_LOCK_exit: ret=0")
    return f


def simple(big):
    """Events with two words of types that may end in a text: without a byte of it, with an empty one, with one."""
    f = File(big)
    f.slot(S, 0, CONTROL, 1, 0x100, (0, 0x100))
    f.buffer(0, 0x100, 1)
    for i, text in enumerate((None, b"", b"/dev/null", None)):
        f.event(SYSTEM, 2, (4099, 2), text, stamp=0x110 + 2 * i)
        f.line(0, 0x110 + 2 * i, "qnx:SYS_PATHMGR: pid=4099 tid=2 path=" + (text or b"").decode())
        f.event(PRTH, 192, (1, 5), text, stamp=0x111 + 2 * i)
        f.line(0, 0x111 + 2 * i, "qnx:PROCCREATE_NAME: ppid=1 pid=5 name=" + (text or b"").decode())
    return f


def slots(path):
    """The slots of a little-endian file, as tuples: header, stamp, data; without those of class CONTROL."""
    data = open(path, "rb").read()
    data = data[data.index(b"TRACE_HEADER_END::") + 18:]
    found = [struct.unpack_from("<IIQ", data, i) for i in range(0, len(data) - 15, 16)]
    return [slot for slot in found if slot[0] >> 10 & 31 != CONTROL]


def compare(original, written):
    """All slots of an original come back, bit for bit, but for those about the trace, in any order."""
    if sorted(slots(original)) != sorted(slots(written)):
        sys.exit("kev: %s: other slots are written" % original)


def unique(path):
    """No two events of a CPU have the same stamp."""
    begun = [(slot[0] >> 24 & 63, slot[1]) for slot in slots(path) if slot[0] >> 30 in (S, CB)]
    if len(begun) < 10 or len(set(begun)) != len(begun):
        sys.exit("kev: %s: %d events, %d stamps" % (path, len(begun), len(set(begun))))


if sys.argv[1] == "compare":
    compare(*sys.argv[2:])
    sys.exit()
if sys.argv[1] == "unique":
    unique(sys.argv[2])
    sys.exit()
directory = sys.argv[2]
for order in (False, True):
    six(order).check(sys.argv[1], "six-%d" % order)
    eight(order).check(sys.argv[1], "eight-%d" % order)
    simple(order).check(sys.argv[1], "simple-%d" % order)
    many(order).check(sys.argv[1], "many-%d" % order)
print("kev: what was written is what was read, in both byte orders")
