"""define.py - shows the own events of a dump by their descriptions in the ELF file, and knows nothing of tlog but what
target/FORMAT.md says.

usage: define.py ELF DUMP          a line for each event, in order
       define.py --names ELF       the names that are described, sorted"""
import struct
import sys

SIZES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "bool": "B",
         "f32": "f", "f64": "d", "hex8": "B", "hex16": "H", "hex32": "I", "hex64": "Q", "enum8": "B", "enum16": "H",
         "enum32": "I", "flags8": "B", "flags16": "H", "flags32": "I", "ptr": "I", "str": "s"}


def sections(elf):
    """Yields name, address, whether it is loaded, and bytes of each section of a 32-bit little-endian ELF file."""
    at, = struct.unpack_from("<I", elf, 32)
    count, names = struct.unpack_from("<HH", elf, 48)
    heads = [struct.unpack_from("<10I", elf, at + 40 * i) for i in range(count)]
    text = heads[names][4]
    for head in heads:
        end = elf.index(b"\0", text + head[0])
        data = b"" if head[1] == 8 else elf[head[4]:head[4] + head[5]]
        yield elf[text + head[0]:end].decode(), head[3], bool(head[2] & 2), data


def description(words, data):
    """Head or magic, system, name, kind, and a list of fields: type, name, extra, {value: name}."""
    head, size, version, count = struct.unpack_from("<4I", data)
    assert version == 1 and size % 4 == 0 and size <= len(data), (hex(head), size, version)
    values = list(struct.unpack_from("<%di" % count, data, 16))
    lines = data[16 + 4 * count:size].rstrip(b"\0").decode().split("\n")
    assert lines.pop() == "" and lines[2] in ("event", "counter", "span"), lines
    fields = []
    for line in lines[3:]:
        assert line.endswith(","), line
        kind, name, *extra = line[:-1].split(" ", 2)
        kind = kind.replace("_t", "").replace("uint", "u").replace("int", "i")
        names = {}
        if kind.startswith(("enum", "flags")):
            names = {values.pop(0): word for word in extra[0].split(", ")}
        fields.append((kind, name, extra[0] if extra else "", names))
    assert not values, values
    return head, lines[:3], fields


def descriptions(elf):
    """The described events by head."""
    found = {}
    for name, address, loaded, data in sections(elf):
        if name == "tlog_event":
            assert not loaded and address == 0
            while data:
                head, names, fields = description(None, data)
                assert head not in found, hex(head)
                found[head] = names, fields
                data = data[struct.unpack_from("<I", data, 4)[0]:]
        elif name.startswith("tlog_event_id") and data:
            assert not loaded and address == 0x3000 + 0x400 * int(name[-1]) and len(data) <= 256
    return found


def in_flash(elf, address):
    """The description at that address."""
    for _, start, loaded, data in sections(elf):
        if loaded and start <= address < start + len(data):
            head, names, fields = description(None, data[address - start:])
            assert head == 0x54564554
            return names, fields
    raise AssertionError(hex(address))


def one(kind, names, payload, at):
    """The text of a field, and where it ends."""
    base, _, count = kind.partition("[")
    size = 4 if base == "str" else struct.calcsize(SIZES[base])
    at += -at % min(size, 4)
    if base == "str":
        return payload[at:payload.index(b"\0", at)].decode(), len(payload)
    values = struct.unpack_from("<%d%s" % (int(count.rstrip("]") or 1) if count else 1, SIZES[base]), payload, at)
    if count:
        return "[%s]" % " ".join(map(str, values)), at + size * len(values)
    if base.startswith("flags"):
        return "|".join(names[bit] for bit in sorted(names) if values[0] & bit), at + size
    return names.get(values[0], str(values[0])), at + size


def show(names, fields, kind, group, payload):
    """The line of an event."""
    at, texts = 0, []
    for type_, name, extra, enumerators in fields:
        text, at = one(type_, enumerators, payload, at)
        texts.append(" %s=%s%s" % (name, text, "" if enumerators else extra))
    assert not any(payload[at:]), payload
    print("%s:%s:%s%s%s%s" % (*names, ("", " begin", " end")[kind], "" if group is None else " group=%d" % group,
                              "".join(texts)))


def slots(dump):
    """The slots of the chunk of events, in order: words 0..3. The ring has not begun its second lap."""
    start = dump.index(struct.pack("<I", 0x00D6B7ED) + b"TLOG")
    cursor, = struct.unpack_from("<I", dump, start + 112)
    for i in range((cursor >> 16) - 1):
        yield struct.unpack_from("<4I", dump, start + 128 + 16 * i)


def main():
    if sys.argv[1] == "--names":
        found = descriptions(open(sys.argv[2], "rb").read())
        print("\n".join(sorted(":".join(names) for names, _ in found.values())))
        return
    elf, dump = (open(path, "rb").read() for path in sys.argv[1:])
    found, payload = descriptions(elf), b""
    for d0, d1, _, head in slots(dump):
        class_, event = head >> 10 & 31, head & 0xFF | head >> 8 & 0x300
        if class_ == 0 and head & 0xFF == 0x0F:
            par1 = head >> 16
            key = 0x3000 + (par1 >> 8 & 3) * 0x400 + (par1 & 0xFF)
            show(*found[key], par1 >> 12, par1 >> 8 & 3, struct.pack("<I", d0))
            continue
        if class_ < 12 and not (class_ == 1 and 0x105 <= event <= 0x107):
            assert (class_, event) in ((1, 1), (1, 2), (0, 0x30)), (class_, event)  # 0x30: the mark of the dump
            continue
        payload = (b"" if head >> 30 < 2 else payload) + struct.pack("<2I", d0, d1)
        if head >> 30 in (0, 3) and class_ == 1:
            show(*in_flash(elf, struct.unpack_from("<I", payload)[0]), event - 0x105, None, payload[4:])
        elif head >> 30 in (0, 3):
            show(*found[head & 0x7CFF], event >> 8, class_ - 12, payload)


main()
