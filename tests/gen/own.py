"""own.py - makes a dump with events that a firmware defines itself, and the assembly of a firmware that describes them.

usage: own.py DIR [--events=N] [--plain] [--records] [--portable] [--foreign] [--texts]

DIR/dump.bin, DIR/firmware.s, and DIR/expected.txt: system, name and fields of each event in order, as trace-cmd shows
them. --events: so many; --plain: adc_sample alone; --records: as records of code 0x0F where they fit; --portable: by
the addresses of descriptors; --foreign: what the decoder must leave as numbers; --texts: TLOG_PRINTK whose formats name
their arguments. Written from target/FORMAT.md and the
description of descriptors alone; nothing here knows the decoder."""
import struct
import sys

BUILD = b"ABCDEFGH"  # first bytes of the firmware's build id
CODE = 0x8000  # address of its code; functions main, other; then descriptors, if they are in memory
MAGIC = 0x54564554
SIZES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "bool": "B",
         "f32": "f", "f64": "d", "hex8": "B", "hex16": "H", "hex32": "I", "hex64": "Q", "enum8": "B", "enum16": "H",
         "enum32": "I", "flags8": "B", "flags16": "H", "flags32": "I", "ptr": "I"}


class Event:
    """An event: fields are (type, name, extra, values of enumerators)."""
    def __init__(self, name, *fields, kind="event", system="user", group=0):
        self.name, self.fields, self.kind, self.system, self.group = name, fields, kind, system, group
        self.id = None

    def head(self):
        return (12 + self.group) << 10 | self.id

    def descriptor(self, first):
        values = [value for field in self.fields if len(field) > 3 for value in field[3]]
        text = f"{self.system}\n{self.name}\n{self.kind}\n"
        for field in self.fields:
            text += field[0] + " " + field[1] + (" " + field[2] if len(field) > 2 and field[2] else "") + ",\n"
        text = text.encode() + b"\0"
        text += b"\0" * (-len(text) % 4)
        words = struct.pack(f"<4I{len(values)}i", first, 16 + 4 * len(values) + len(text), 1, len(values), *values)
        return words + text

    def data(self, values):
        data = b""
        for field, value in zip(self.fields, values):
            kind, brackets, _ = field[0].replace(" ", "").partition("[")
            if kind == "str":
                data += b"\0" * (-len(data) % 4) + value.encode() + b"\0"
                continue
            letter = SIZES[{"_Bool": "bool", "int64_t": "i64"}.get(kind, kind)]
            data += b"\0" * (-len(data) % min(struct.calcsize(letter), 4))
            for each in value if brackets else (value,):
                data += struct.pack("<" + letter, each)
        return data + b"\0" * (-len(data) % 4)


EVENTS = [
    Event("adc_sample", ("u8", "ch"), ("i16", "mv", '"mV"')),
    Event("motor_state", ("u8", "motor"), ("enum8", "state", "IDLE, RUN, STALL", (0, 1, 7)), ("_Bool", "braked"),
          ("f32", "rpm"), system="motor"),
    Event("energy", ("u64", "total", '"uJ"'), ("int64_t", "delta"), ("ptr", "owner"), ("hex16", "mask"),
          ("f64", "ratio"), group=1),
    Event("irq_bits", ("flags16", "bits", "RX, TX, ERR", (1, 2, 0x8000))),
    Event("opened", ("u32", "handle"), ("str", "path"), group=3),
    Event("queue_depth", ("i32", "value"), kind="counter"),
    Event("load", ("u8", "load", '"%"'), ("i8", "temp", '"\u00b0C"')),
    Event("mac", ("u8 [6]", "mac"), ("u16[2]", "port"), ("u32[ 2 ]", "seq"), group=2),
    Event("small", ("i8", "a"), ("i8", "b"), ("u16", "c")),
    Event("booted"),
    Event("control", kind="span"),
    Event("quoted", ("hex32", "reg", '"a\\"b\\\\c"'), ("enum32", "mode", "mode::NEVER, mode::ALWAYS", (-1, 3))),
]
LOGGED = [  # name, values, fields as shown, tag
    ("adc_sample", (3, -120), "ch=3 mv=-120mV"),
    ("adc_sample", (2, 32767), "ch=2 mv=32767mV"),
    ("motor_state", (1, 7, 0, 624.5), "motor=1 state=STALL braked=0 rpm=624.5"),
    ("motor_state", (2, 3, 1, -0.1), "motor=2 state=0x3 braked=1 rpm=-0.1"),
    ("energy", (5000000000, -1, CODE + 1, 0xBEEF, 1 / 7),
     "total=5000000000uJ delta=-1 owner=main mask=0xbeef ratio=0.14285714285714285"),
    ("energy", (1, 0, CODE + 7, 0, 2.0), "total=1uJ delta=0 owner=other+0x3 mask=0x0 ratio=2"),
    ("irq_bits", (3,), "bits=RX|TX"),
    ("irq_bits", (0x8004,), "bits=ERR|0x4"),
    ("irq_bits", (0,), "bits="),
    ("opened", (77, "log.txt"), "handle=77 path=log.txt"),
    ("opened", (78, ""), "handle=78 path="),
    ("opened", (79, "x" * 63), "handle=79 path=" + "x" * 63),
    ("queue_depth", (-4,), "value=-4"),
    ("load", (97, -40), "load=97% temp=-40\u00b0C"),
    ("mac", (range(1, 7), (80, 65535), (4294967295, 7)), "mac=[1 2 3 4 5 6] port=[80 65535] seq=[4294967295 7]"),
    ("small", (-1, 1, 65535), "a=-1 b=1 c=65535"),
    ("booted", (), "()"),
    ("control", (), "depth=0", 1),
    ("control", (), "depth=1", 1),
    ("control", (), "duration=1000ns depth=1", 2),
    ("control", (), "duration=3000ns depth=0", 2),
    ("control", (), "duration=0ns depth=0 (begin not seen)", 2),
    ("quoted", (0xCAFE, 0xFFFFFFFF), "reg=0xcafeabc mode=mode::NEVER"),
]


TEXTS = [  # format, arguments as words, with --typed-text, as a text
    ("motor: rpm=%d state=%u\n", struct.pack("<iI", -5, 7), "motor: rpm=-5 state=7", None),
    ("motor: rpm=%d, load=%u%% ref=%08lx", struct.pack("<iII", 3, 40, 0xAB), "motor_2: rpm=3 load=40% ref=0xab", None),
    ("pid: out=%.2fV sum=%lld who=%s", struct.pack("<dq", 1.25, -1) + b"main\0\0\0\0", "pid: out=1.25V sum=-1 who=main",
     None),
    ("at: where=%p", struct.pack("<I", CODE + 1), "at: where=main", None),
    ("plain text %d", struct.pack("<I", 3), None, "plain text 3"),
    ("two: a=%s b=%d", b"x\0\0\0" + struct.pack("<I", 3), None, "two: a=x b=3"),
    ("odd: a=%c", struct.pack("<I", 65), None, "odd: a=A"),
]


def chunk(slots):
    """An image of a chunk of CPU 0 in its first lap with these slots; a tick is a ns."""
    n = len(slots) + 2
    groups = (n + 31) // 32
    size = 128 + 16 * (n + 1) + 32 + 48 + (4 * groups + 15) // 16 * 16
    header = [0x00D6B7ED, 0x474F4C54, 2 | 128 << 16 | 4 << 24, 0, n, 0, size, 1000000000, 0, 0, 0x20000000, 0, 1]
    header += struct.unpack("<2I", BUILD[:8])
    total, factor = 0, 1
    for word in header:
        factor = factor * 0x9E3779B1 & 0xFFFFFFFF
        total = total + (word ^ word >> 16) * factor & 0xFFFFFFFF
    header += [total, 0, 1] + [0] * 10 + [(len(slots) + 1) << 16 | 0x100, 1 << 16 | 0x100, 0, 0]
    image = struct.pack("<32I", *header)
    for slot in slots + [(0, 0, 0, 0x200)] * 2 + [(0, 0, 0, 0x300)]:
        image += struct.pack("<4I", *slot)
    return image + b"\0" * (size - len(image))


def traceevent(class_, number, data, clock):
    """The slots of a traceevent."""
    data += b"\0" * (-len(data) % 8 if data else 8)
    words = struct.unpack(f"<{len(data) // 4}I", data)
    head = class_ << 10 | number >> 8 << 16 | 0x100 | (number & 0xFF)
    n = len(words) // 2
    kinds = [0] if n == 1 else [1] + [2] * (n - 2) + [3]
    return [(words[2 * i], words[2 * i + 1], clock, head | kinds[i] << 30) for i in range(n)]


def assembly(portable):
    """The firmware's source, and the address of each event's descriptor."""
    text = ".syntax unified\n.thumb\n.text\n.type main, %function\n.global main, _start\n_start:\nmain: bx lr\nnop\n"
    text += ".type other, %function\n.global other\n.size main, 4\nother: bx lr\nnop\n.size other, 4\n"
    addresses, at = [], CODE + 8
    for event in EVENTS * (2 if portable else 1):  # a copy, as every file and each end of a span may have
        descriptor = event.descriptor(MAGIC if portable else event.head())
        addresses.append(at)
        at += len(descriptor)
        text += "" if portable else '.section tlog_event,"",%progbits\n'
        text += ".byte " + ",".join(map(str, descriptor)) + "\n"
    return text, addresses


def log(options, addresses):
    """Slots of all events, and the lines that they are shown as."""
    slots, lines, clock = [], [], 1000000
    count = int(options.get("--events", len(LOGGED)))
    for i in range(count):
        name, values, shown, *tag = LOGGED[i % (2 if "--plain" in options else len(LOGGED))]
        index = [event.name for event in EVENTS].index(name)
        event, tag, clock = EVENTS[index], (tag or [0])[0], clock + 1000
        data = event.data(values)
        if "--portable" in options:
            at = addresses[index + len(EVENTS) * (i % 2 if tag == 0 else tag - 1)]
            slots += traceevent(1, 0x105 + tag, struct.pack("<I", at) + data, clock)
        elif "--records" in options and len(data) <= 4:
            par1 = event.id | event.group << 8 | tag << 12
            slots.append((struct.unpack("<I", (data + b"\0" * 4)[:4])[0], 0, clock, par1 << 16 | 0x10F))
        else:
            slots += traceevent(12 + event.group, tag << 8 | event.id, data, clock)
        lines.append(f"{event.system}:{name + ['', '_begin', '_end'][tag]}: {shown}")
    return slots, lines


def log_texts():
    """Slots of the texts, and the lines they are shown as; the section of formats."""
    slots, lines, section, clock = [], [], b"", 1000000
    for text, data, typed, plain in TEXTS:
        section += b"\0" * (16 - len(section) % 16)
        clock += 1000
        slots += traceevent(1, 0x101, struct.pack("<I", len(section)) + data, clock)
        lines.append("text:" + typed if typed else "ftrace:print: " + plain)
        section += text.encode() + b"\0"
    return slots, lines, '.section tlog_printk,"",%progbits\n.byte ' + ",".join(map(str, section)) + "\n"


def main():
    """Write the files."""
    options = dict(option.partition("=")[::2] for option in sys.argv[2:])
    directory = sys.argv[1]
    for event in EVENTS:
        event.id = sum(other.group == event.group for other in EVENTS[:EVENTS.index(event)])
    source, addresses = assembly("--portable" in options)
    slots, lines = log(options, addresses)
    if "--texts" in options:
        slots, lines, formats = log_texts()
        source += formats
    if "--foreign" in options:  # not described, a begin of what is no span, too many words, no end of text
        slots += traceevent(12, 200, b"\1\2\3\4", 90000000) + traceevent(12, 0x100, b"", 90001000)
        slots += traceevent(12, 0, bytes(24), 90002000) + traceevent(15, 0, b"AAAABBBB", 90003000)
    with open(directory + "/dump.bin", "wb") as file:
        file.write(chunk(slots))
    with open(directory + "/firmware.s", "w", encoding="utf-8") as file:
        file.write(source)
    with open(directory + "/expected.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
