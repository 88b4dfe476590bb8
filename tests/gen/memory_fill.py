"""memory_fill.py - what memory of a microcontroller holds beside the chunks of tlog: tables of vectors, code, arrays,
control blocks, heaps, stacks, texts, buffers. Nothing of it is a chunk. fill() gives out bytes of several kinds.
"""
import struct

import ring

FLASH, RAM = 0x08000000, 0x20000000
WORDS = b"the quick brown fox jumps over UART0 timeout ERROR: %s:%d\r\n AT+CIPSEND=4,16 GET /index.html".split(b" ")


def words(values):
    return struct.pack("<%dI" % len(values), *[v & 0xFFFFFFFF for v in values])


def zeros(r, n, near):
    return bytes(n)


def pattern(r, n, near):
    return words([r.choice((0xFFFFFFFF, 0xA5A5A5A5, 0xDEADBEEF, 0xCDCDCDCD, 0x55555555, 0x20000000))]) * (n // 4 + 1)


def noise(r, n, near):
    return r.randbytes(n)


def vectors(r, n, near):
    """A table of vectors: the stack, and handlers, most of them one and the same."""
    same, first = FLASH + r.randrange(1 << 16) * 2 + 1, FLASH + r.randrange(1 << 14) * 2 + 1
    table = [RAM + r.randrange(1 << 14) * 8]
    for i in range(n // 4):
        table.append(first + 16 * i if r.randrange(4) == 0 else same)
    return words(table)


def code(r, n, near):
    if not near.code:
        return thumb(r, n, near)
    at = r.randrange(max(1, len(near.code) - n))
    return near.code[at & ~1 if r.randrange(4) else at:][:n]


def thumb(r, n, near):
    """Functions with pools of constants, as of code that fills headers and looks for chunks."""
    parts = []
    for _ in range(n // 64 + 1):
        opcodes = 0xB510, 0x4B05, 0x681A, 0xBD10, 0x4770, 0xF7FF, 0x2300, r.getrandbits(16)
        constants = (ring.MAGIC, ring.TAG, ring.FORMAT | 4 << 24, ring.SEAL, 0x4B504C54, 0xA80002, 0x300, 84000000,
                     RAM + 64 * r.randrange(256))
        parts.append(struct.pack("<24H", *r.choices(opcodes, k=24)) + words(r.sample(constants, 4)))
    return b"".join(parts)


def templates(r, n, near):
    """What the runtime keeps of its rings: the first words of headers, behind an address and two numbers."""
    parts = []
    for layout in near.layouts * (n // (64 * max(1, len(near.layouts))) + 1):
        place = layout.cpu | layout.role << 16 | layout.chunks << 24
        parts.append(words([layout.address, layout.chunks, ring.STOP * layout.stop, ring.MAGIC, ring.TAG,
                            ring.FORMAT | layout.pointer << 24, place, layout.slots, layout.emergency, layout.size,
                            layout.freq, 0, 0, r.getrandbits(32), layout.size - 48]))
    return b"".join(parts)


def entries(r, n, near):
    """An array of entries {id, value, time, time}, in any order, with counters and times of any rate."""
    rate, number = r.choice((0, 1, 3, 17, 1000, 48000, 1 << 20, 1 << 27)), r.choice((0, 1, 5, 0x100, 0x101, 0x10001))
    first = r.choice((0, 600, near.ticks, near.ticks + 100, r.getrandbits(31), r.getrandbits(32)))
    identity = r.choice((0, 1, 0x109, 0x209, 0x20000000, r.getrandbits(16)))
    step = r.choice((0, 1, 2, 4))
    order, rows = r.sample(range(4), 4), []
    for i in range(n // 16 + 1):
        row = identity + step * i, number * i, first + rate * i, first + rate * i + r.choice((0, 1))
        rows += [row[k] for k in order]
    return words(rows)


def samples(r, n, near):
    """What an ADC or a UART has left in a buffer."""
    if r.randrange(2):
        base, noise_of = r.randrange(4096), r.choice((1, 4, 64))
        return struct.pack("<%dH" % (n // 2 + 1), *[base + r.randrange(noise_of) for _ in range(n // 2 + 1)])
    return bytes((i * r.choice((1, 1, 3)) + 7) & 255 for i in range(n))


def blocks(r, n, near):
    """Control blocks of tasks, with lists, names and stacks between them."""
    parts = []
    for i in range(n // 200 + 1):
        at = RAM + 64 * r.randrange(2048)
        parts.append(words([at + 200, *[at + 4 * r.randrange(40) for _ in range(8)], at, 5, i, near.ticks >> 10]))
        parts.append((b"task %d" % i).ljust(16, b"\0"))
        parts.append(words([0, 0, r.randrange(56), 1, *[0xA5A5A5A5] * 12]))
        parts.append(stack(r, 64, near))
    return b"".join(parts)


def heap(r, n, near):
    """Blocks of a heap: a link and a size, or a size and links, then what the blocks held."""
    parts = []
    while sum(map(len, parts)) < n:
        size = r.choice((16, 24, 40, 64, 128, 256))
        parts.append(words([RAM + 8 * r.randrange(8192) if r.randrange(2) else 0, size | r.choice((0, 1 << 31, 1))]))
        parts.append(r.choice((zeros, noise, text, entries, stack))(r, size, near)[:size - 8])
    return b"".join(parts)


def stack(r, n, near):
    """Frames: addresses of code and of data, small numbers, and what was never used."""
    values = []
    for _ in range(n // 4 + 1):
        kind = r.randrange(6)
        values.append((FLASH + 2 * r.randrange(1 << 15) + 1, RAM + 4 * r.randrange(1 << 14), r.randrange(256),
                       0xA5A5A5A5, r.getrandbits(32), 0xFFFFFFFD)[kind])
    return words(values)


def text(r, n, near):
    parts = b" ".join(r.choices(WORDS, k=n // 5 + 8))
    return parts.ljust(n, b"\0")


def counters(r, n, near):
    """Words that count, or times, as of a histogram or a log of time stamps."""
    first, step = r.choice((0, near.ticks, r.getrandbits(32))), r.choice((0, 1, 16, 100, 999, 1 << 16))
    return words([first + step * i + r.choice((0, 0, 1)) for i in range(n // 4 + 1)])


def slots(r, n, near):
    """Slots and end marks, of nothing: as a queue of events might hold them, or what is left of an old buffer."""
    parts, tag, ticks = [], r.choice((1, 2)), r.choice((near.ticks, r.getrandbits(30)))
    for i in range(n // 16 + 1):
        kind = r.randrange(12)
        head = ring.MARK if kind == 0 else 0x200 if kind == 1 else r.getrandbits(16) << 16 | tag << 8
        head |= r.choice(ring.CODES) if kind > 1 else 0
        parts.append(bytes(12) + words([head]) if kind < 2 else words([r.getrandbits(32), 0, ticks + 500 * i, head]))
    return b"".join(parts)


KINDS = (zeros, zeros, pattern, noise, vectors, code, code, thumb, templates, entries, entries, samples, blocks, heap,
         stack, text, counters, slots)


class Near:
    """What the bytes are near to: code of a firmware, layouts of rings, and the time in their clock."""
    def __init__(self, code_of_firmware, layouts, ticks):
        self.code, self.layouts, self.ticks = code_of_firmware, layouts, ticks


def fill(r, n, near):
    """n bytes of one kind or of several."""
    parts, left = [], n
    while left > 0:
        size = min(left, r.choice((16, 60, 100, 256, 1000, 4096)))
        parts.append(r.choice(KINDS)(r, size, near)[:size].ljust(size, b"\0"))
        left -= size
    return b"".join(parts)


def load_code(path):
    """The bytes that an ELF file of 32 bits loads."""
    with open(path, "rb") as file:
        elf = file.read()
    at, size, n = struct.unpack_from("<I", elf, 28)[0], *struct.unpack_from("<HH", elf, 42)
    parts = []
    for i in range(n):
        kind, offset, _, _, length = struct.unpack_from("<5I", elf, at + i * size)
        if kind == 1:
            parts.append(elf[offset:offset + length])
    return b"".join(parts)
