"""memory_cases.py - images of memory: sound dumps between what memory holds, copies of chunks and pieces of them among
that. make_case(seed, code) gives out a Case: the bytes, and what was placed where.
"""
import random
import struct
import zlib

import memory_fill
import ring

REGION, REGION_HEAD = 0x4B504C54, 168
ALIGN = 16          # of chunks in memory
NEAR, APART = 64, 100   # bytes between images that stand side by side, and between others
CLOCKS = 84000000, 1000000, 32768, 0


class Placed:
    """An image that was placed: where, and as what. proved, shown: whether FORMAT's section 4 proves it, and shows its
    end; have: bytes of it that are there."""
    def __init__(self, offset, image, proved=True, shown=True, have=None, way="chunk"):
        self.offset, self.image, self.proved, self.shown, self.way = offset, image, proved, shown, way
        self.have = image.layout.size if have is None else have


class Case:
    def __init__(self, seed):
        self.seed, self.label, self.data, self.placed = seed, [], b"", []
        self.missing = set()        # keys of chunks whose memory holds something else


# ---- runs ------------------------------------------------------------------------------------------------------------

class Run:
    """A run of a firmware. layouts: of its rings; shots: of each ring, copies of its memory while it logged: (bytes,
    images); now: the last one."""
    def __init__(self, r, layouts, near, before=None):
        self.layouts, self.shots, self.now = layouts, [], []
        style = r.choice((0, 0, 40, 100)) if all(each.slots >= 20 or each.role for each in layouts) else 0
        sealed, ticks = r.randrange(4), memory_ticks(r, style)
        for k, layout in enumerate(layouts):
            n = layout.size * layout.chunks
            old = before.now[k] if before and r.randrange(2) else (memory_fill.fill(r, n, near), ())
            self.one = ring.Ring(layout, old[0], r, ticks, old[1])
            self.one.traceevents = style if layout.role == ring.EVENTS else 0
            shots = log_names(r, self.one) if layout.role == ring.FACTS else log_events(r, self.one, sealed)
            self.shots.append(shots[:-1])
            self.now.append(shots[-1])
        self.ticks = self.one.ticks

    def some_shot(self, r):
        """A copy of a ring from some time; the last one, too."""
        k = r.randrange(len(self.layouts))
        return r.choice(self.shots[k] + [self.now[k]])


def memory_ticks(r, style):
    """When a run begins: traceevents do not tell wraps of the clock in every lap that is left."""
    return r.choice((1000, 123456789) if style else (1000, (1 << 31) - 5000, (1 << 32) - 20000, (1 << 40) + 77))


def shot(one):
    return one.bytes(), one.images()


def log_events(r, one, sealed):
    """Log events, with copies of the memory in between. sealed: 0 never, 1 at the end, 2 also before, 3 before only."""
    capacity = one.layout.slots * one.layout.chunks
    events, shots = r.choice((r.randrange(4), r.randrange(capacity + 1), r.randrange(3 * capacity + 1))), []
    times = {r.randrange(events + 1) for _ in range(r.randrange(4))}
    for k in range(events):
        if k in times:
            if sealed >= 2:
                one.seal()
            shots.append(shot(one))
        one.unfinished = 8 if not sealed and k > max(times, default=0) and k + 1 < events else 0
        if r.randrange(40) == 0 and sealed != 3:
            one.drop(r.randrange(1, 50))
        if one.layout.emergency and r.randrange(30) == 0:
            one.log_emergency()
        one.log(r.choice((200, 2000, 2000, 100000)))
    if sealed in (1, 2):
        one.seal()
    return shots + [shot(one)]


def log_names(r, one):
    shots = []
    for k in range(r.randrange(8)):
        ring.log_name(one, k + 1, "task %s%d" % ("x" * r.randrange(20), k))
        if r.randrange(4) == 0:
            shots.append(shot(one))
    return shots + [shot(one)]


# ---- layouts ---------------------------------------------------------------------------------------------------------

def some_layouts(r, boot):
    """Rings of a firmware: of a CPU or two, and perhaps facts."""
    pointer, freq = r.choice((4, 4, 4, 8)), r.choice(CLOCKS)
    common = {"boot": boot, "pointer": pointer, "freq": freq, "build": r.choice((0, r.getrandbits(64))),
              "told": r.randrange(8) > 0, "formatted": r.randrange(3) == 0}
    rings = [ring.Layout(cpu=cpu, chunks=r.choice((1, 1, 2, 3, 4)), slots=r.choice((1, 2, 5, 12, 20, 40, 40, 64, 100)),
                         emergency=r.choice((0, 0, 0, 4)), **common) for cpu in range(r.choice((1, 1, 1, 2)))]
    if r.randrange(3):
        rings.append(ring.Layout(role=ring.FACTS, slots=r.choice((12, 30)), stop=True, **{**common, "formatted": True}))
    return rings


def give_addresses(layouts, r):
    """Give rings addresses, in any order. Returns how many bytes stand behind each of them."""
    r.shuffle(layouts)
    at = memory_fill.RAM + ALIGN * r.randrange(4096)
    at += r.getrandbits(32) << 32 if layouts[0].pointer == 8 and r.randrange(4) == 0 else 0
    gaps = [ALIGN * r.choice((0, 1, r.randrange(64), r.randrange(800))) for _ in layouts]
    for layout, gap in zip(layouts, gaps):
        layout.address = at
        at += layout.size * layout.chunks + gap
    return gaps


# ---- what is made of a copy ------------------------------------------------------------------------------------------

def region_of(image):
    """A compressed region of an image, none of whose groups is compressed."""
    of, data = image.layout, image.data
    notes = image.slot_at(of.slots + 2 + of.emergency)
    groups, number = b"", 0
    body = data[8:ring.HEADER] + data[notes:notes + ring.NOTES]
    for first, n in (1, of.slots), (of.slots + 2, of.emergency):
        for k in range(0, n, ring.GROUP):
            count = min(ring.GROUP, n - k)
            payload = data[image.slot_at(first + k):image.slot_at(first + k + count)]
            head = struct.pack("<I", 4 * count | payload[13] << 8 | number << 16)
            groups, number = groups + head + payload + struct.pack("<I", crc(body + payload + head)), number + 1
    head = struct.pack("<III", REGION, 2 | REGION_HEAD << 16, REGION_HEAD + len(groups)) + body
    return head + struct.pack("<I", crc(head)) + groups


crc = zlib.crc32


class Maker:
    """Puts a case together, piece by piece."""
    def __init__(self, seed, code):
        self.r, self.case = random.Random(seed), Case(seed)
        self.near = memory_fill.Near(code, [], 0)
        self.parts, self.at = [], 0

    def put(self, data):
        self.parts.append(data)
        self.at += len(data)

    def is_near_an_end(self, at):
        """Whether a piece of an image should end about there: then it is damaged as in a stream."""
        return any((not p.shown or p.way == "used part") and abs(p.offset + p.image.layout.size - at) <= NEAR
                   for p in self.case.placed)

    def place(self, image, **how):
        """Note that an image is placed here. If a piece of an image should end about here, a bit behind."""
        while self.is_near_an_end(self.at):
            self.put(self.junk(APART))
        self.case.placed.append(Placed(self.at, image, **how))

    def place_ring(self, images):
        """The same of some images of a ring's memory."""
        size = images[0].layout.size if images else 0
        while any(self.is_near_an_end(self.at + image.number * size) for image in images):
            self.put(self.junk(APART))
        self.case.placed += [Placed(self.at + image.number * size, image) for image in images]

    def fill(self, most=6000):
        n = self.r.choice((0, 1, 2, 3, self.r.randrange(64), self.r.randrange(most)))
        self.put(memory_fill.fill(self.r, n, self.near))

    def junk(self, n):
        return memory_fill.fill(self.r, n, self.near)

    def over(self, image, have, n):
        """n bytes that an image is overwritten with behind its first ones. They are no end mark in its place."""
        junk, mark = self.junk(n), image.slot_at(image.layout.slots + 1) - have
        while mark >= 0 and junk[mark:mark + ring.SLOT] == bytes(12) + memory_fill.words([ring.MARK]):
            junk = self.junk(n)
        return junk

    # Ways to place a copy of a ring's memory: (bytes, images).

    def whole_ring(self, shot):
        self.place_ring(shot[1])
        self.put(shot[0])

    def whole(self, shot):
        image = self.r.choice(shot[1])
        self.place(image)
        self.put(image.data)

    def cut(self, shot):
        """The rear is overwritten, from a slot on that the chunk has formatted."""
        image = self.r.choice(shot[1])
        end = image.slot_at(image.index if image.lap == 1 else image.layout.slots + 1)
        have = self.r.randrange(ring.HEADER, end + 1) if image.lap else ring.HEADER
        self.place(image, shown=False, have=have)
        self.put(image.data[:have] + self.over(image, have, self.r.choice((16, image.layout.size - have, 4096))))

    def used_part(self, shot):
        """A copy of the part that is in use: of a chunk in its first lap, up to the mark."""
        image = self.r.choice(shot[1])
        if image.lap == 1 and image.mark <= image.layout.slots and image.used == 0:
            have = image.slot_at(image.mark + 1)
            self.place(image, shown=image.index <= 64, have=have, way="used part")
            self.put(image.data[:image.slot_at(image.mark + 1)])

    def header(self, shot):
        """Nothing is left but the words of the header that never change."""
        image, have = self.r.choice(shot[1]), self.r.randrange(64, ring.HEADER)
        self.place(image, shown=False, have=have)
        self.put(image.data[:have] + self.over(image, have, self.r.choice((image.layout.size - have, 4096))))

    def half_header(self, shot):
        self.put(self.r.choice(shot[1]).data[:self.r.randrange(4, 56)] + self.junk(64))

    def front(self, shot):
        """The front is overwritten, with most of the header. Its seal alone does not tell which chunk that was, unless
        it fills the space between two images."""
        image = self.r.choice(shot[1])
        have = self.r.randrange(64, image.layout.size)
        self.put(self.junk(APART + have) + image.data[have:] + self.junk(APART))

    def freed(self, shot):
        """Memory that was given back to the heap: a link stands in its first word, or two. With two nothing is left of
        magic and tag, and it is no image. But a seal would tell that it is."""
        image = self.r.choice(shot[1])
        n = 4 if image.sealed else self.r.choice((4, 8))
        self.put(bytes(APART if n == 8 else 0))     # not a magic, ahead of what could be the rest of its header
        self.place(image, proved=n == 4, way="freed")
        links = memory_fill.words([memory_fill.RAM + 8 * self.r.randrange(8192), image.layout.size | 1])
        self.put(links[:n] + image.data[n:])

    def ring_front(self, shot):
        """A copy of a ring, with most of the header of a chunk overwritten. If that fills the space between two images
        it can only be the chunk between them; its seal has the words of the header that change. But if these two are of
        different runs nothing tells of which one it is, unless the rear one is known to be left over."""
        lost = self.r.choice(shot[1])
        size, have, data = lost.layout.size, self.r.randrange(64, ring.HEADER + 1), shot[0]
        self.put(self.junk(APART))
        self.place_ring([image for image in shot[1] if image is not lost])
        boots = {image.number: image.layout.boot for image in shot[1] if image is not lost}
        beside = [boots[k] for k in (lost.number - 1, lost.number + 1) if k in boots]
        left_over = lost.layout.told and any(k > 0 and boot == boots.get(0) for k, boot in boots.items())
        if lost.sealed and len(beside) == 2 and (beside[0] == beside[1] or not left_over):
            same = beside[0] == beside[1]
            self.case.placed.append(Placed(self.at + lost.number * size, lost, proved=same,
                                           way="seal" if same else "unknown run"))
        at = lost.number * size
        self.put(data[:at] + self.junk(have) + data[at + have:] + self.junk(APART))

    def overlap(self, shot):
        """A copy over another one, a bit behind its beginning."""
        below = self.r.choice(shot[1])
        if below.lap == 0:
            return
        end = below.slot_at(below.index if below.lap == 1 else below.layout.slots + 1)
        have = min(end, self.r.choice((128, 128 + 16 * self.r.randrange(8), 128 + self.r.randrange(300))))
        self.place(below, shown=False, have=have)
        self.put(below.data[:have])
        self.whole(shot)

    def region(self, shot):
        image = self.r.choice(shot[1])
        if image.layout.role == ring.EVENTS:
            self.place(image, way="region")
            self.put(region_of(image))

    def region_cut(self, shot):
        image = self.r.choice(shot[1])
        if image.layout.role == ring.EVENTS:
            data = region_of(image)
            have = self.r.randrange(REGION_HEAD, len(data))
            self.place(image, shown=False, have=ring.HEADER, way="region")
            self.put(data[:have] + self.junk(len(data) - have))

    def piece(self, shot):
        """Some of its bytes, without the header and without the seal."""
        image = self.r.choice(shot[1])
        at = self.r.randrange(64, image.layout.size)
        end = min(at + self.r.randrange(image.layout.size), image.slot_at(image.layout.slots + 2))
        self.put(image.data[at:end])

    COPIES = (whole_ring, whole, whole, cut, cut, used_part, header, half_header, front, freed, ring_front, overlap,
              region, region_cut, piece)
    WHOLE = whole_ring, whole, half_header, region, piece
    PIECES = half_header, piece

    def copy(self, runs, ways):
        shot = self.r.choice(runs).some_shot(self.r)
        if shot[1]:
            way = self.r.choice(ways)
            self.case.label.append(way.__name__)
            way(self, shot)

    def between(self, runs, ways, most=6000, copies=(0, 0, 1, 1, 2, 3)):
        """What stands between images: some copies, and other bytes."""
        self.fill(most)
        for _ in range(self.r.choice(copies)):
            self.copy(runs, ways)
            self.fill(most)

    def gap(self, n, runs, sizes=(0,)):
        """The same, n bytes of it. sizes: images stand so many bytes behind it. Where a chunk is missing no piece of it
        must be all that there is: what stands behind the piece would be its slots."""
        end, n_placed, n_parts, label = self.at + n, len(self.case.placed), len(self.parts), len(self.case.label)
        self.between(runs, self.COPIES if not self.case.missing else self.WHOLE, max(n // 2, 1))
        if self.at > end or any(self.is_near_an_end(end + size) for size in sizes):
            del self.parts[n_parts:], self.case.placed[n_placed:], self.case.label[label:]
            self.at = end - n
        self.put(self.junk(end - self.at))

    # ---- whole images ------------------------------------------------------------------------------------------------

    def live(self, run, k):
        """The memory of a ring, at its address."""
        shot, layout = run.now[k], run.layouts[k]
        data = bytearray(shot[0])
        for image in shot[1]:
            if image.key() in self.case.missing:
                at = image.number * layout.size
                data[at:at + layout.size] = self.junk(layout.size)
            else:
                self.case.placed.append(Placed(self.at + image.number * layout.size, image))
        self.put(bytes(data))

    def lose_chunk(self, run):
        """Something else stands where a chunk must be."""
        k = self.r.choice([k for k, layout in enumerate(run.layouts) if layout.role == ring.EVENTS])
        image = self.r.choice(run.now[k][1])
        self.case.missing.add(image.key())
        self.case.label.append("missing")

    def memory_image(self, run, others, gaps):
        """Chunks at their addresses, in bytes that begin at any address."""
        self.case.label.append("memory")
        if self.r.randrange(16) == 0:
            self.lose_chunk(run)
        self.gap(self.r.randrange(8000), [run] + others, chunks_at(run.layouts[0]))
        for k, _ in enumerate(run.layouts):
            self.live(run, k)
            self.gap(gaps[k], [run] + others, chunks_at(run.layouts[k + 1]) if k + 1 < len(run.layouts) else (0,))
        self.gap(self.r.randrange(8000), [run] + others)

    def capture(self, run, others, gaps):
        """Images one behind the other, as they were sent, with other bytes between them."""
        self.case.label.append("capture")
        packed = self.r.randrange(4) == 0
        for k, layout in enumerate(run.layouts):
            for shot in run.shots[k] + [run.now[k]]:
                for image in shot[1]:
                    self.between([run] + others, self.COPIES, 200, (0, 0, 0, 1))
                    self.sent(image, packed and layout.role == ring.EVENTS)
        self.between([run] + others, self.COPIES)

    def sent(self, image, packed):
        self.place(image, way="region" if packed else "chunk")
        self.put(region_of(image) if packed else image.data)

    def nothing(self, run, others, gaps):
        """No chunk at all, but pieces."""
        self.case.label.append("nothing")
        for _ in range(self.r.randrange(1, 5)):
            self.between([run] + others, self.PIECES)

    def end(self):
        """The case. It has no seal at the end of a part that was in use, if the word is 0 where that would be."""
        parts = [p for p in self.case.placed if p.way == "used part"]
        pieces = [p for p in self.case.placed if not p.shown or p in parts]
        last = max((p.offset + p.image.layout.size + APART for p in pieces), default=0)
        self.case.data = data = b"".join(self.parts + [self.junk(max(0, last - self.at))])
        for p in parts:
            of, size = p.image.layout, p.image.layout.size
            notes = p.offset + p.image.slot_at(of.slots + 2 + of.emergency)
            begun = [q for q in self.case.placed if q.proved and notes <= q.offset < p.offset + size]
            p.shown &= data[notes + ring.NOTES:notes + ring.NOTES + 4] == bytes(4) and not begun
        return self.case


def chunks_at(layout):
    """Where the chunks of a ring stand, from its first one on."""
    return [k * layout.size for k in range(layout.chunks)]


def older_runs(r, layouts, near):
    """Runs that were before that of these layouts, and the last one if its chunks stood in the same memory."""
    others, before, boot = [], None, layouts[0].boot
    for back in range(r.choice((0, 1, 1, 2))):
        boot = (boot - 2) % 0xFFFFFFFF + 1
        if r.randrange(2):
            others.append(Run(r, [ring.Layout(**{**layout.__dict__, "boot": boot}) for layout in layouts], near))
            before = others[-1] if back == 0 else before
        else:
            other = some_layouts(r, boot)
            give_addresses(other, r)
            others.append(Run(r, other, near))
    return others, before


def make_case(seed, code=b""):
    """The case of that number."""
    maker = Maker(seed, code)
    r, near = maker.r, maker.near
    layouts = some_layouts(r, r.choice((1, 5, 0x1234, 0xFFFFFFFF, r.randrange(1, 1 << 32))))
    gaps = give_addresses(layouts, r)
    near.layouts, near.ticks = layouts, r.choice((1000, 123456789))
    others, before = older_runs(r, layouts, near)
    run = Run(r, layouts, near, before)
    near.ticks = run.ticks
    r.choice(3 * [maker.memory_image] + 2 * [maker.capture] + [maker.nothing])(run, others, gaps)
    return maker.end()
