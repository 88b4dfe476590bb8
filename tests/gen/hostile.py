#!/usr/bin/env python3
"""hostile.py - makes files that ask for far more memory or time than they are large: see decoder/hostile.py.

  gen/hostile.py KIND SIZE OUT    SIZE: how often the part is there that costs

It knows the formats' documents and nothing of tlog. The trace.dat files are little-endian.
"""

import random
import struct
import sys
import zlib

KIND, SIZE, OUT = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def pack(layout, *values):
    return struct.pack("<" + layout, *values)


# ---- trace.dat ------------------------------------------------------------------------------------------------------

COMMON = ("\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
          "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
          "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
          "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n")


def format_text(name, ident, fields="", print_fmt='"x"'):
    return ("name: %s\nID: %d\nformat:\n%s%s\nprint fmt: %s\n" % (name, ident, COMMON, fields, print_fmt)).encode()


def sized(data, layout):
    return pack(layout, len(data)) + data


def headers():
    page = b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\n\tfield: local_t commit;\toffset:8;\tsize:8;\n"
    return b"header_page\0" + sized(page, "Q") + b"header_event\0" + sized(b"event", "Q")


def tables(**replaced):
    """The six tables by their section's number."""
    plain = {16: headers(), 17: pack("I", 1) + sized(format_text("event", 1), "Q"), 18: pack("I", 0),
             19: sized(b"", "I"), 20: sized(b"", "I"), 21: sized(b"", "Q")}
    plain.update({int(key[1:]): value for key, value in replaced.items()})
    return plain


def option(ident, data):
    return pack("HI", ident, len(data)) + data


def section(ident, data, packed=False):
    if packed:
        data = data if isinstance(data, tuple) else (zlib.compress(data, 9), len(data))
        data = pack("II", len(data[0]), data[1]) + data[0]
    return pack("HHIQ", ident, int(packed), 0xFFFFFFFF, len(data)) + data


def zeros(n, front=b"", unit=b"\0"):
    """The front and n times the unit, compressed piece by piece."""
    packer = zlib.compressobj(9)
    out = [packer.compress(front)]
    step = max(1, (1 << 20) // len(unit))
    for at in range(0, n, step):
        out.append(packer.compress(unit * min(step, n - at)))
    return b"".join(out) + packer.flush(), len(front) + n * len(unit)


def page(time, pids, size=4096, flags=0):
    """A page with an event of type 1 for each pid."""
    body = b"".join(pack("IHBBi", 2 | (32 << 5 if i else 0), 1, 0, 0, pid) for i, pid in enumerate(pids))
    return (pack("QQ", time, len(body) | flags) + body).ljust(size, b"\0")


def chunk(data):
    data = data if isinstance(data, tuple) else (zlib.compress(data, 9), len(data))
    return pack("II", len(data[0]), data[1]) + data[0]


class File:
    """A file of version 7."""

    def __init__(self, packed=True, page_size=4096):
        self.packed = packed
        start = b"\x17\x08\x44tracing7\0" + bytes([0, 8]) + pack("I", page_size)
        self.out = bytearray(start + (b"zlib\0001\0" if packed else b"none\0\0"))
        self.patch, self.options = len(self.out), []
        self.out += bytes(8)

    def tables(self, packed=(), **replaced):
        for ident, data in tables(**replaced).items():
            self.options.append(option(ident, pack("Q", len(self.out))))
            self.out += section(ident, data, ident in packed)

    def pages(self, data):
        """Append a CPU's pages; returns where they are."""
        at = len(self.out)
        self.out += data
        return at, len(data) - (4 if self.packed else 0)

    def buffer(self, ranges, name=b"", page_size=4096):
        """An option for (cpu, offset, size)s, and the header of its section."""
        at = len(self.out)
        self.out += section(3, b"") if not self.packed else pack("HHIQ", 3, 1, 0xFFFFFFFF, 0)
        table = b"".join(pack("IQQ", *each) for each in ranges)
        self.options.append(option(3, pack("Q", at) + name + b"\0local\0" + pack("II", page_size, len(ranges)) + table))

    def one_event(self):
        """Pages of CPU 0 with one event."""
        data = page(10, [5])
        return [(0, *self.pages(pack("I", 1) + chunk(data) if self.packed else data))]

    def close(self, chain=0):
        """Write the options: behind `chain` sections that only lead to the next one."""
        at = len(self.out)
        empty = len(section(0, option(0, bytes(8))))
        for i in range(chain):
            self.out += section(0, option(0, pack("Q", at + (i + 1) * empty)))
        self.out += section(0, b"".join(self.options) + option(0, bytes(8)))
        self.out[self.patch:self.patch + 8] = pack("Q", at)
        return bytes(self.out)


def chunks():
    """As many CPUs, each with a chunk that becomes 64 MiB."""
    file = File()
    file.tables()
    big = chunk(zeros(16384, b"", page(10, [5])))
    file.buffer([(cpu, *file.pages(pack("I", 1) + big)) for cpu in range(SIZE)])
    return file.close()


def shared_chunk():
    """Such CPUs, but few: all of them must be there."""
    file = File()
    file.tables()
    ranges = []
    for cpu in range(SIZE):
        pages = b"".join(page(1000 * i, [cpu + 1] * 20) for i in range(1, 65))
        ranges.append((cpu, *file.pages(pack("I", 2) + chunk(pages) + chunk(pages))))
    file.buffer(ranges)
    return file.close()


def lost_pages():
    """Pages without events, each with a mark of losses, which compress well."""
    file = File(page_size=64)
    file.tables()
    big = chunk(zeros(1 << 20, b"", page(10, [], 64, 1 << 31)))
    file.buffer([(0, *file.pages(pack("I", SIZE) + big * SIZE))], page_size=64)
    return file.close()


def kallsyms():
    file = File()
    packed, size = zeros(SIZE, pack("I", SIZE * 6), b"0 T a\n")
    file.tables((19,), _19=(packed, size))
    file.buffer(file.one_event())
    return file.close()


def printk():
    file = File()
    file.tables((20,), _20=zeros(SIZE, pack("I", SIZE * 3), b"0:\n"))
    file.buffer(file.one_event())
    return file.close()


def cmdlines():
    """Names of tasks: plain ones, and no two of the same."""
    file = File(False)
    text = "".join("%d a\n" % pid for pid in range(1, SIZE)).encode()
    file.tables(_21=sized(text, "Q"))
    file.buffer(file.one_event())
    return file.close()


def symbols():
    """A symbol in few bytes."""
    file = File(False)
    file.tables(_19=sized("".join("%x T a\n" % (i * 7919 % SIZE) for i in range(SIZE)).encode(), "I"))
    file.buffer(file.one_event())
    return file.close()


def systems():
    """Names of systems without formats."""
    file = File(False)
    file.tables(_18=pack("I", SIZE) + b"".join(b"s%d\0" % i + pack("I", 0) for i in range(SIZE)))
    file.buffer(file.one_event())
    return file.close()


def bad_formats():
    """Systems with a format without an id."""
    file = File(False)
    file.tables(_18=pack("I", SIZE) + b"".join(b"s%d\0" % i + pack("IQ", 1, 0) for i in range(SIZE)))
    file.buffer(file.one_event())
    return file.close()


def one_format(fields, print_fmt='"x"'):
    """A format that an event needs."""
    file = File(False)
    file.tables(_17=pack("I", 1) + sized(format_text("event", 1, fields, print_fmt), "Q"))
    file.buffer([(0, *file.pages(page(10, [5])))])
    return file.close()


def long_lines():
    """Formats with thousands of common fields, of which each lacks what is looked for."""
    file = File()
    fields = "".join("\tfield:int common_%x;\toffset:0;\tsize:4;\n" % i for i in range(20000))
    texts = [sized(format_text("event", i + 1, fields), "Q") for i in range(SIZE)]
    file.tables((17,), _17=pack("I", SIZE) + b"".join(texts))
    file.buffer(file.one_event())
    return file.close()


def no_offset():
    """One field that lacks its place, in front of a long text."""
    return one_format("\tfield:int a;\tsize:4;\n" * SIZE)


def long_print():
    return one_format("".join("\tfield:unsigned char f%d[4];\toffset:%d;\tsize:4;\tsigned:0;\n" % (i, 8 + 4 * i)
                              for i in range(190)), '"%d", ' + "REC->f0," * SIZE)


def format_in_instances():
    """A long format, of which each instance has an event."""
    file = File()
    fields = "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
    text = format_text("event", 1, fields, '"%d", ' + "REC->a," * 140000)
    file.tables((17,), _17=pack("I", 1) + sized(text, "Q"))
    for i in range(SIZE):
        file.buffer([(0, *file.pages(pack("I", 1) + chunk(page(10, [5]))))], b"i%d" % i if i else b"")
    return file.close()


def claims():
    """Ranges of one byte of as many CPUs and instances, in no order."""
    file = File(False)
    file.tables()
    at, _ = file.pages(bytes(SIZE))
    places = random.Random(1).sample(range(at, at + SIZE), SIZE)
    for i in range(0, SIZE, 4096):
        file.buffer([(k, place, 1) for k, place in enumerate(places[i:i + 4096])], b"i%d" % i if i else b"")
    return file.close()


def instances():
    """Instances with nothing but a last CPU, whose number is the highest there may be."""
    file = File(False)
    file.tables()
    for i in range(SIZE):
        file.buffer([(4095, 0, 0)], b"i%d" % i if i else b"")
    return file.close()


def chain():
    """Options behind as many sections."""
    file = File(False)
    file.tables()
    file.buffer([(0, *file.pages(page(10, [5, 6, 7])))])
    return file.close(SIZE)


def many_cpus():
    """CPUs with as many events as a page holds, all at the same times."""
    file = File()
    file.tables()
    full = chunk(page(10, list(range(1, 40))) + page(400, list(range(1, 40))))
    file.buffer([(cpu, *file.pages(pack("I", 1) + full)) for cpu in range(SIZE)])
    return file.close()


def time_shift():
    """Samples of clocks, compressed."""
    file = File()
    file.tables()
    file.buffer([(0, *file.pages(pack("I", 1) + chunk(page(10, [5]))))])
    file.options.append(option(12, pack("QIII", 1, 0, 1, SIZE) + bytes(24 * SIZE)))
    at = len(file.out)
    file.out += section(0, b"".join(file.options) + option(0, bytes(8)), True)
    file.out[file.patch:file.patch + 8] = pack("Q", at)
    return bytes(file.out)


# ---- ELF ------------------------------------------------------------------------------------------------------------

def elf(sections):
    """An ELF file for ARM of sections: (name, type, flags, address, bytes or (offset's section, size), link, entry)."""
    names, out, heads = bytearray(b"\0"), bytearray(52), []
    places = {}
    for name, kind, flags, address, data, link, entry in [("", 0, 0, 0, b"", 0, 0)] + sections:
        at = names.find(name.encode() + b"\0") if name else 0
        if at < 0:
            at = len(names)
            names += name.encode() + b"\0"
        if isinstance(data, tuple):
            place, size = places[data[0]], data[1]
        else:
            place, size = len(out), len(data)
            out += data
            out += bytes(-len(out) % 4)
        places[len(heads)] = place
        heads.append(pack("10I", at, kind, flags, address, place, size, link, 0, 4, entry))
    shstr = len(out)
    out += names + b"\0"
    out += bytes(-len(out) % 4)
    heads.append(pack("10I", 0, 3, 0, 0, shstr, len(names), 0, 0, 1, 0))
    head = b"\x7fELF\1\1\1" + bytes(9) + pack("HHIIIIIHHHHHH", 2, 40, 1, 0, 0, len(out), 0, 52, 32, 0, 40, len(heads),
                                              len(heads) - 1)
    out[:52] = head
    return bytes(out) + b"".join(heads)


def elf_names():
    """Symbols at one address with one long name."""
    name = b"\0" + b"n" * (SIZE * 16) + b"\0"
    table = bytes(16) + b"".join(pack("IIIBBH", 1 + i % 16, 0x1000, 4, 0x12, 0, 1) for i in range(SIZE))
    return elf([(".text", 1, 6, 0x1000, bytes(16), 0, 0), (".strtab", 3, 0, 0, name, 0, 0),
                (".symtab", 2, 0, 0, table, 2, 16)])


def elf_texts():
    """Sections of format strings that share one text."""
    text = b"a\0" * (SIZE * 20)
    shared = [("tlog_printk.%d" % i, 1, 0, i * len(text), (1, len(text)), 0, 0) for i in range(1, SIZE)]
    return elf([("tlog_printk", 1, 0, 0, text, 0, 0)] + shared)


def elf_notes():
    """Sections of notes that share their bytes."""
    note = pack("III", 4, 4, 99) + b"XXX\0" + bytes(4)
    text = note * (SIZE * 2)
    return elf([(".note", 7, 0, 0, text, 0, 0)] + [(".note", 7, 0, 0, (1, len(text)), 0, 0)] * SIZE)


def gzip_bomb():
    """Zeros, SIZE MiB of them, which become a thousandth."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(SIZE)) + packer.flush()


if __name__ == "__main__":
    with open(OUT, "wb") as to:
        to.write(globals()[KIND]())
