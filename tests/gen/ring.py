"""ring.py - a model of the runtime: it logs events into chunks that stand in memory with any content, and remembers
what it logged. Written from target/FORMAT.md alone, and from how chunks are formatted in their first lap.

A Ring has chunks; an Image is a copy of a chunk at some time, with what its slots hold then.
"""
import struct
import zlib

MAGIC, TAG, SEAL, MARK = 0x00D6B7ED, 0x474F4C54, 0x4C414553, 0x300
HEADER, SLOT, NOTES, SEAL_BYTES, GROUP = 128, 16, 32, 48, 32
FORMAT = 2 | HEADER << 16
JTN, STOP = 4, 8
EVENTS, FACTS = 0, 1
CONTROL, TIME, BUFFER, PAD = 1, 1, 2, 0x102
NAMELESS = 9                    # a class whose events have no names
FIRST, STEP, ITEMS = 3, 7, 5    # slots that are formatted at first; of a step; steps that format a part of a chunk, too
SEALED = 112, 116, 120, 104, 72, 92, 96, 100, 124, 88
CODES = 0x15, 0x15, 0x03, 0x13, 0x12, 0x62, 0x09, 0x19, 0xE9, 0x16, 0x36, 0x0B, 0x01, 0x72
EMERGENCY = -1                  # in place of the lap of an emergency slot
LOSS, START, END, TRACEEVENT = 0xFF, 0x40, 0x50, 0x102  # the last one is the code of an item that is no record
FACTOR = [pow(0x9E3779B1, i + 1, 1 << 32) for i in range(15)]


def groups_of(slots, emergency):
    return (slots + 31) // GROUP + (emergency + 31) // GROUP


def size_of(slots, emergency):
    table = (groups_of(slots, emergency) * 4 + 15) // 16 * 16
    return HEADER + SLOT * (slots + 1 + emergency) + NOTES + SEAL_BYTES + table


def put(data, at, *words):
    struct.pack_into("<%dI" % len(words), data, at, *words)


def get(data, at):
    return struct.unpack_from("<I", data, at)[0]


def check_of(data):
    words = struct.unpack_from("<15I", data)
    return sum((w ^ w >> 16) * f for w, f in zip(words, FACTOR)) & 0xFFFFFFFF


def high_of(value):
    """The high word of a count: its bit 31 repeats that of the low word."""
    return value >> 32 | value & 0x80000000


def tag_of(lap):
    return 1 if lap % 2 else 2


class Event:
    """What was logged. item: (time in ns, count, CPU, code, par1, par2) as the decoder's tests have it; slots: where it
    stands, (chunk, lap, slot); counted: section 2.4 counts it."""
    def __init__(self, item, counted=True):
        self.item, self.counted, self.slots, self.finished = item, counted, [], True


class Layout:
    """What is constant about a ring. address: of the first chunk; freq: of its clock."""
    def __init__(self, **values):
        self.cpu, self.role, self.chunks, self.slots, self.emergency = 0, EVENTS, 1, 40, 0
        self.address, self.pointer, self.freq, self.boot, self.build = 0x20000000, 4, 84000000, 1, 0
        self.told, self.formatted, self.stop = True, False, False   # formatted: all at once, when the ring is opened
        self.__dict__.update(values)
        self.size = size_of(self.slots, self.emergency)


class Image:
    """A copy of a chunk: its bytes, and what its slots hold: {(number, lap, slot): Event, or None: no event}. lap,
    index, logged, dropped: of the chunk at that time; mark: the slot where the end mark is, in its first lap. sealed:
    its seal is of that time."""
    def __init__(self, chunk, data):
        self.layout, self.number, self.data = chunk.ring.layout, chunk.number, data
        self.lap, self.index, self.cells = chunk.lap, chunk.index, dict(chunk.cells)
        self.mark = chunk.mark
        self.used, self.facts, self.sealed = chunk.used, dict(chunk.facts), chunk.sealed
        self.logged = max(chunk.lap - 1, 0) * self.layout.slots + (chunk.index - 1 if chunk.lap else 0) - chunk.extra
        self.logged += chunk.used
        self.dropped = chunk.ring.dropped if chunk.number == 0 else 0

    def key(self):
        return self.layout.cpu, self.layout.role, self.layout.boot, self.layout.address, self.number

    def slot_at(self, slot):
        return HEADER + SLOT * (slot - 1)


class Chunk:
    def __init__(self, ring, number, memory):
        self.ring, self.number, self.data = ring, number, bytearray(memory)
        self.lap, self.index, self.extra, self.used = 0, ring.layout.slots + 1, 0, 0
        self.mark, self.items, self.named, self.sealed = 0, 0, False, False
        self.cells, self.facts, self.before = {}, {}, None

    def at(self, slot):
        return HEADER + SLOT * (slot - 1)

    # ---- formatting --------------------------------------------------------------------------------------------------

    def name(self):
        """Write the words of the header that never change, and those that are zeros at first."""
        of = self.ring.layout
        place = of.cpu | self.number << 8 | of.role << 16 | (of.chunks << 24 if of.told else 0)
        address = of.address + self.number * of.size
        last = self.number + 1 == of.chunks
        put(self.data, 0, MAGIC, TAG, FORMAT | of.pointer << 24, place, of.slots, of.emergency, of.size, of.freq, 0, 0,
            address & 0xFFFFFFFF, address >> 32, of.boot, of.build & 0xFFFFFFFF, of.build >> 32)
        put(self.data, 60, check_of(self.data))
        flags = (JTN if of.chunks > 1 else 0) | (STOP if last and of.stop else 0)
        put(self.data, 64, of.size if not last else -self.number * of.size & 0xFFFFFFFF, flags, *[0] * 14)
        self.erase_seal()
        self.named = True

    def erase_seal(self):
        self.sealed = False
        put(self.data, self.at(self.ring.layout.slots + 2 + self.ring.layout.emergency) + NOTES, 0)

    def put_empty(self, first, n):
        for slot in range(first, min(first + n, self.ring.layout.slots + 1)):
            put(self.data, self.at(slot) + 12, 0x200)

    def put_notes(self):
        at = self.at(self.ring.layout.slots + 2 + self.ring.layout.emergency)
        self.data[at:at + NOTES] = bytes(NOTES)

    def put_end(self):
        put(self.data, self.at(self.ring.layout.slots + 1), 0, 0, 0, MARK)

    def start(self):
        """The first slots, with the mark behind them."""
        slots = self.ring.layout.slots
        if self.ring.layout.formatted or slots <= FIRST + ITEMS:
            self.put_empty(1, slots)
            self.put_notes()
            self.put_end()
            self.mark, self.items = slots + 1, ITEMS
            self.ring.name_behind(self)
            return
        self.put_empty(1, FIRST)
        self.mark = FIRST + 1
        put(self.data, self.at(self.mark) + 12, MARK)

    def step(self):
        """The mark is in the way: format more slots, and a part of the chunk or of the next one's header."""
        if self.items < ITEMS:
            ring = self.ring
            (self.put_notes, self.put_end, ring.erase_next, ring.start_next, ring.name_next)[self.items]()
            self.items += 1
        new = min(self.mark + (1 if self.items < ITEMS else STEP), self.ring.layout.slots + 1)
        self.erase_seal()
        self.put_empty(self.mark, new - self.mark)
        put(self.data, self.at(new) + 12, MARK)
        self.mark = new

    def open(self):
        if self.lap == 0 and not self.named:
            self.name()
        if self.lap == 0 and self.mark == 0:
            self.start()
        self.lap, self.index = self.lap + 1, 1

    # ---- writing -----------------------------------------------------------------------------------------------------

    def write(self, event, words, head):
        """Fill the next slot. words: those ahead of the head, which lacks its tag. None: its owner is interrupted."""
        slot, self.sealed = self.index, False
        while self.lap == 1 and slot >= self.mark and self.mark <= self.ring.layout.slots:
            self.step()
        if words is not None:
            put(self.data, self.at(slot), *words, head | tag_of(self.lap) << 8)
        self.cells.pop((self.number, self.lap - 1, slot), None)
        self.cells[self.number, self.lap, slot] = event
        if event is not None:
            event.slots.append((self.number, self.lap, slot))
        self.index += 1

    def was_filled(self):
        """Whether the next slot was filled in the lap before, if there was one."""
        before = self.cells.get((self.number, self.lap - 1, self.index))
        return self.lap == 1 or (before is not None and before.finished)

    def emergency(self, event, words, head):
        self.sealed = False
        put(self.data, self.at(self.ring.layout.slots + 2 + self.used), *words, head | 1 << 8)
        self.used += 1
        self.cells[self.number, EMERGENCY, self.used] = event
        event.slots.append((self.number, EMERGENCY, self.used))

    def seal(self):
        of = self.ring.layout
        at = self.at(of.slots + 2 + of.emergency) + NOTES
        put(self.data, at, SEAL, *(get(self.data, w) for w in SEALED))
        crcs = []
        for first, n in (1, of.slots), (of.slots + 2, of.emergency):
            for k in range(0, n, GROUP):
                crcs.append(zlib.crc32(self.data[self.at(first + k):self.at(first + min(k + GROUP, n))]))
        put(self.data, at + SEAL_BYTES, *crcs)
        crc = zlib.crc32(self.data[at - NOTES:at], zlib.crc32(self.data[at:at + 44]))
        put(self.data, at + 44, zlib.crc32(self.data[at + SEAL_BYTES:at + SEAL_BYTES + 4 * len(crcs)], crc))
        self.sealed = True

    def settle(self):
        """Write the words of the header that change."""
        if not self.named:
            return
        ring, laps = self.ring, self.lap << 16
        dropped, reported = (ring.dropped, ring.reported) if self.number == 0 else (0, 0)
        put(self.data, 72, self.used)
        put(self.data, 92, high_of(dropped), high_of(laps), high_of(self.extra), reported, high_of(reported))
        tag = tag_of(self.lap) << 8
        put(self.data, 112, self.index << 16 | tag, laps & 0xFFFF0000 | tag, dropped, self.extra)

    def image(self):
        """The image that stands there: that of an earlier run, until its magic is erased, and then this one's."""
        self.settle()
        if self.named:
            return Image(self, bytes(self.data))
        return self.before if get(self.data, 0) == MAGIC else None


class Ring:
    """A ring of chunks. memory: what stands in memory before, as many bytes as the chunks have, and images in it. r:
    what is random."""
    def __init__(self, layout, memory, r, ticks=1000, images=()):
        self.layout, self.r, self.ticks = layout, r, ticks
        self.chunk = [Chunk(self, k, memory[k * layout.size:(k + 1) * layout.size]) for k in range(layout.chunks)]
        for image in images:
            self.chunk[image.number].before = image
        self.home, self.dropped, self.reported, self.lost, self.wraps = 0, 0, 0, 0, None
        self.traceevents = self.unfinished = 0      # in 100 events
        self.chunk[0].open()

    def next(self):
        return self.chunk[self.home + 1] if self.home + 1 < len(self.chunk) else None

    def name_behind(self, chunk):
        """Make the header of the chunk behind that one, too: whoever switches to it finds it whole."""
        if chunk.number + 1 < len(self.chunk) and not self.chunk[chunk.number + 1].named:
            self.chunk[chunk.number + 1].name()
            self.chunk[chunk.number + 1].start()
            self.chunk[chunk.number + 1].settle()

    def erase_next(self):
        if self.next():
            put(self.next().data, 0, 0)
            self.next().erase_seal()

    def start_next(self):
        if self.next():
            self.next().start()

    def name_next(self):
        if self.next():
            self.next().name()
            self.next().settle()

    # ---- time --------------------------------------------------------------------------------------------------------

    def ns(self):
        return self.ticks * 1000000000 // self.layout.freq if self.layout.freq else self.ticks

    def high(self):
        return self.ticks >> 32 | self.ticks & 0x80000000

    # ---- slots -------------------------------------------------------------------------------------------------------

    def room(self):
        return self.layout.slots + 1 - self.chunk[self.home].index

    def control(self, event, *data):
        chunk = self.chunk[self.home]
        chunk.write(None, (*data, self.ticks & 0xFFFFFFFF), (event >> 8) << 16 | CONTROL << 10 | event & 0xFF)
        chunk.extra += 1

    def begin(self):
        """Open the next lap, if this one is full."""
        opened = self.chunk[self.home].index == 1
        if self.room() == 0:
            self.home = (self.home + 1) % len(self.chunk)
            self.chunk[self.home].open()
            opened = True
        if opened and self.traceevents and self.layout.slots > 2:
            self.control(BUFFER, self.chunk[self.home].lap, self.layout.slots)
            self.control(TIME, self.ticks >> 32, self.ticks & 0xFFFFFFFF)
            self.wraps = self.ticks >> 32

    def reserve(self, slots):
        """Make room for an event of so many slots, and tell the wraps of the clock if they are new."""
        self.begin()
        while self.room() < slots + 1 and self.room() > 0 and slots > 1:
            self.control(PAD, 0, 0)
        self.begin()
        if self.traceevents and self.wraps != self.ticks >> 32 and self.room() > 1:
            self.control(TIME, self.ticks >> 32, self.ticks & 0xFFFFFFFF)
            self.wraps = self.ticks >> 32

    def record(self, code, par1, par2, counted=True):
        """Log a record. Losses are records, too, and have other codes in the slot."""
        value = par1 << 32 | par2
        head = par1 << 16 | code
        if not counted:
            head = ((value >> 32 << 1 | (code == END)) << 16 & 0xFFFF0000) | LOSS
        self.reserve(1)
        event = Event((self.ns(), 0, self.layout.cpu, code, par1, par2), counted)
        chunk = self.chunk[self.home]
        event.finished = not counted or self.r.randrange(100) >= self.unfinished or not chunk.was_filled()
        words = (par2, self.high(), self.ticks & 0xFFFFFFFF)
        chunk.write(event, words if event.finished else None, head | (par2 & 0x8000 if counted else 0))
        chunk.extra += not counted

    def traceevent(self, slots):
        number, words = self.r.randrange(1024), [self.r.getrandbits(32) for _ in range(2 * slots)]
        self.reserve(slots)
        item = self.ns(), words[0] | words[1] << 32, self.layout.cpu, TRACEEVENT, NAMELESS << 16 | number, 2 * slots
        event, chunk = Event(item), self.chunk[self.home]
        for i in range(slots):
            part = 0 if slots == 1 else 1 if i == 0 else 3 if i + 1 == slots else 2
            head = part << 30 | (number >> 8) << 16 | NAMELESS << 10 | number & 0xFF
            chunk.write(event, (words[2 * i], words[2 * i + 1], self.ticks & 0xFFFFFFFF), head)
        chunk.extra += slots - 1

    # ---- events ------------------------------------------------------------------------------------------------------

    def log(self, most=2000):
        """Log an event, with what was lost ahead of it."""
        self.ticks += self.r.randrange(most)
        if self.lost:
            self.record(START, 0, self.r.randrange(1000), False)
            self.record(END, 0, self.lost, False)
            self.reported, self.lost = self.reported + self.lost, 0
        if self.r.randrange(100) < self.traceevents:
            self.traceevent(self.r.choice((1, 1, 1, 2, 3)))
        else:
            self.record(self.r.choice(CODES), self.r.getrandbits(16), self.r.getrandbits(32))

    def drop(self, n):
        self.dropped, self.lost = self.dropped + n, self.lost + n

    def log_emergency(self):
        chunk = self.chunk[self.home]
        if chunk.used == self.layout.emergency:
            return
        self.ticks += self.r.randrange(2000)
        par1, par2 = self.r.getrandbits(16), self.r.getrandbits(32)
        event = Event((self.ns(), 0, self.layout.cpu, 0xE9, par1, par2))
        chunk.emergency(event, (par2, self.high(), self.ticks & 0xFFFFFFFF), par1 << 16 | 0xE9)

    def images(self):
        """Copies of all chunks that have a header, of this run or an earlier one."""
        return [image for image in (chunk.image() for chunk in self.chunk) if image]

    def seal(self):
        for chunk in self.chunk:
            if chunk.named:
                chunk.settle()
                chunk.seal()

    def bytes(self):
        """All of the memory, as it is."""
        for chunk in self.chunk:
            chunk.settle()
        return b"".join(bytes(chunk.data) for chunk in self.chunk)


def fact_check(kind, words, wraps=0):
    s = kind + 256 * (len(words) // 3) + (wraps << 16)
    for w in words:
        s = (s ^ w) * 0x9E3779B1 & 0xFFFFFFFF
        s = s << 15 & 0xFFFFFFFF | s >> 17
    return s & 0x7FFF


def log_fact(ring, kind, ident, rest, ended=None):
    """Log a fact, to a ring of facts: rest is the text of a name, or the bytes of the value behind the id. ended: the
    time when a name became one of the past. False: there is no room."""
    data = ident.to_bytes(ring.layout.pointer, "little")
    if kind < 128:
        data += struct.pack("<I", (ended or 0) & 0xFFFFFFFF)
    data += rest
    n = max((len(data) + 11) // 12, 2 if kind < 128 else 1)
    if ring.room() < n:
        return False
    words, heads = struct.unpack("<%dI" % (3 * n), data.ljust(12 * n, b"\0")), [0x500] * n
    wraps = (ended or 0) >> 32 & 0x7FFF
    checked = [0 if kind == 128 and i == ring.layout.pointer // 4 else w for i, w in enumerate(words)]
    heads[0] = fact_check(kind, checked, wraps) << 16 | (0x8000 if ended is not None else 0) | 1 << 10 | kind
    if wraps:
        heads[1] |= wraps << 16
    for i in range(n):
        more = 1 << 31 if i + 1 < n else 0
        ring.chunk[0].write(None, words[3 * i:3 * i + 3], more | heads[i] & ~0x300)
    return True


def log_name(ring, ident, text):
    """Log the name of a task as a fact."""
    if log_fact(ring, 1, ident, text.encode()):
        ring.chunk[0].facts[ident] = text


def log_priority(ring, task, priority):
    """Log the priority of a task as a fact."""
    value = priority & 0xFFFF
    return log_fact(ring, 128, task, struct.pack("<I", value | (value * 0x9E3779B1 & 0xFF000000)))
