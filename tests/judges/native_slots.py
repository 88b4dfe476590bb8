"""native_slots.py - the slots of images: which hold events, the times of these, and the events that they make; sections
1, 2.3 and 2.5 of target/FORMAT.md, written from it alone."""
import bisect
import struct
from collections import defaultdict

import native_wraps
from native_image import M31, M32, NOTES, SLOT, WRAP, progress, tag_of

CONTROL, TIME, BUFFER, PAD, COARSE, TRIGGER, RATE = 1, 1, 2, 0x102, 0x103, 0x104, 0x108
LOSS = 0xFF                                                                 # code of the records that tell of a loss


# ---- slots, section 2.3 ----------------------------------------------------------------------------------------------

class Cell:
    """A slot that was filled in a lap. state: event, unfinished, claimed, damaged."""

    def __init__(self, image, s, lap, state):
        self.image, self.s, self.lap, self.state = image, s, lap, state
        self.offset = image.offset + image.slot_at(s)
        self.data = (image.data[image.slot_at(s):image.slot_at(s) + SLOT] + bytes(SLOT))[:SLOT]
        self.words = struct.unpack("<4I", self.data)
        self.head = self.words[3]
        self.clock = self.words[2]
        self.kind = self.head >> 10 & 31
        self.event = (self.head >> 8 & 0x300) | self.head & 255
        self.part = self.head >> 30
        self.time = None
        self.wrap, self.gap = False, 0                      # ahead of it: a wrap that was not seen; slots not there

    def is_record(self):
        return self.kind == 0

    def is_control(self, event):
        return self.kind == CONTROL and self.event == event

    def is_time(self):
        """Whether it tells its wraps."""
        return self.kind == 0 or self.is_control(TIME)

    def stamp(self):
        """The time that a record or a TIME slot tells."""
        if self.is_control(TIME):
            return self.words[0] << 32 | self.clock
        high = self.words[1] >> 9 & 0x3FFFFF if self.image.contexts else self.words[1] & M31
        return high << 32 | self.clock

    def contradicts(self):
        """Whether its bits contradict each other."""
        if self.is_record():
            return self.head & 255 == 0 or (self.words[1] ^ self.clock) >> 31 != 0
        return self.head & 0x00FC8000 != 0


def cells(image, trace):
    """The cells of an image, normal slots first; slots that mean nothing are left out."""
    n, _, i = progress(image.v)
    notes = struct.unpack("<8I", (image.data[image.seal_at() - NOTES:image.seal_at()] + bytes(32))[:32])
    noted = {(note & 0xFFFF, note >> 16) for note in notes if note}
    for s in range(1, image.slots + 1) if n else ():
        lap, at = n if s < i else n - 1, image.slot_at(s)
        if lap < 1:
            continue
        whole = at + SLOT <= len(image.data)
        tag = image.data[at + 13] & 3 if whole else 0
        if (s, n & 0xFFFF) in noted or s >= i and (s, n - 1 & 0xFFFF) in noted:
            state = "claimed"
        elif s in image.lost or tag == 0:
            state = "damaged"
        elif s == i and struct.unpack_from("<I", image.data, at + 12)[0] == tag_of(lap) << 8:
            state = "claimed"           # emptied
        else:
            state = "claimed" if tag == 3 else "event" if tag == tag_of(lap) else "unfinished"
        yield check_cell(Cell(image, s, lap, state), trace)
    for e in range(image.v["emergency_used"]):
        s = image.slots + 2 + e
        at = image.slot_at(s)
        tag = image.data[at + 13] & 3 if at + SLOT <= len(image.data) else 0
        state = "damaged" if s in image.lost or tag in (0, 3) else "event" if tag == 1 else "unfinished"
        yield check_cell(Cell(image, s, None, state), trace)


def check_cell(cell, trace):
    if cell.state == "event" and cell.contradicts():
        cell.state = "damaged"
        trace.damage(cell.offset, SLOT, "bits")
    elif cell.state == "damaged" and cell.s not in cell.image.lost:
        trace.damage(cell.offset, SLOT, "tag")
    return cell


RANK = ["damaged", "unfinished", "claimed", "event"]


def merge(images, trace):
    """The cells of all images of a chunk, {(lap, slot): cell}. Of two cells the one that tells more counts."""
    best = {}
    for image in images:
        for cell in cells(image, trace):
            old = best.get((cell.lap, cell.s))
            rank = (RANK.index(cell.state), image.sealed)
            if old is None or rank > (RANK.index(old.state), old.image.sealed):
                best[cell.lap, cell.s] = cell
    return best


# ---- times, sections 1.2 and 1.3 -------------------------------------------------------------------------------------

def not_before(time, clock):
    return time + (clock - time & M32)


def not_after(time, clock):
    return time - (time - clock & M32)


def ring_times(sequence, trace):
    """Give a time to the cells of a ring, which stand in their order; those that cannot be right become damaged."""
    cells_in = [c for c in sequence if c.state == "event"]
    anchors = [c for c in cells_in if c.is_time()]
    if any(c.is_control(COARSE) for c in cells_in) or not any(c.is_record() for c in cells_in):
        native_wraps.settle(cells_in)
    else:
        add_wraps(anchors)
    for lap in by_lap(anchors):
        for cell in set(lap) - in_every_order(lap):
            misplaced(cell, trace)
    end = 0
    for lap in by_lap([c for c in anchors if c.state == "event"]):
        for cell in lap:
            if cell.time < end <= lap[-1].time:
                misplaced(cell, trace)
        end = max(end, lap[-1].time)
    kept = [c for c in cells_in if c.state == "event"]
    fill_times(kept)
    mark_low_words(by_lap(kept))
    for lap in by_lap(kept):
        least = None
        for cell in reversed(lap):
            if cell.is_time():
                least = cell.time
            elif least is not None and cell.time > least:
                misplaced(cell, trace)


def mark_low_words(laps):
    """Slots that have no count run on over a wrap, and nothing behind them tells a count, in this lap or the next."""
    reached, told = 0, [native_wraps.last_told(lap) for lap in laps] + [None]
    for k, lap in enumerate(laps):
        for i, cell in enumerate(lap):
            is_last = told[k + 1] is None and (told[k] is None or told[k] < i)
            cell.wrap |= is_last and cell.time >> 32 > reached
            reached = cell.time >> 32


def by_lap(sequence):
    """The cells of each lap."""
    laps = []
    for cell in sequence:
        if not laps or (laps[-1][0].lap, laps[-1][0].image.number) != (cell.lap, cell.image.number):
            laps.append([])
        laps[-1].append(cell)
    return laps


def add_wraps(anchors):
    """Add a wrap where times step back by less than half of one, unless one slot alone is out of place there."""
    added, times = 0, [cell.stamp() for cell in anchors]
    for k, cell in enumerate(anchors):
        cell.time = times[k] + added
        if k == 0 or not 0 < times[k - 1] - times[k] < WRAP // 2:
            continue
        alone = k + 1 == len(times) or times[k + 1] >= times[k - 1] or k < 2 or times[k - 2] <= times[k]
        if not alone:
            added, cell.wrap = added + WRAP, True
            cell.time += WRAP


def in_every_order(anchors):
    """Those that belong to every longest ascending sequence of the times."""
    def lengths(values):
        """The length of the longest ascending sequence that ends with each value."""
        tops, found = [], []
        for value in values:
            at = bisect.bisect_right(tops, value)
            tops[at:at + 1] = [value]
            found.append(at + 1)
        return found

    ahead = lengths([cell.time for cell in anchors])
    behind = lengths([-cell.time for cell in reversed(anchors)])[::-1]
    best = max(ahead, default=0)
    inside = [k for k in range(len(anchors)) if ahead[k] + behind[k] == best + 1]
    ranks = defaultdict(int)
    for k in inside:
        ranks[ahead[k]] += 1
    return {anchors[k] for k in inside if ranks[ahead[k]] == 1}


def misplaced(cell, trace):
    cell.state = "damaged"
    trace.damage(cell.offset, SLOT, "time")


def fill_times(sequence):
    """Times of slots of traceevents, from those that tell theirs, lap by lap."""
    end = 0
    for lap in by_lap(sequence):
        first = next((k for k, c in enumerate(lap) if c.time is not None), None)
        if first is not None:
            time = lap[first].time
            for cell in reversed(lap[:first]):
                cell.time = time = max(not_after(time, cell.clock), cell.clock)
            end = lap[0].time
        for cell in lap:
            if cell.time is None:
                cell.time = not_before(end, cell.clock)
            end = cell.time


# ---- events, sections 1.1, 1.2, 2.5 ----------------------------------------------------------------------------------

NO_EVENT = {TIME, BUFFER, PAD, COARSE}


def assemble(sequence, trace, cpu):
    """The items of cells in their order, each (time, kind, ...): records, traceevents, losses, unseen wraps."""
    items, unfinished, further, pending, k = [], 0, 0, 0, 0
    while k < len(sequence):
        cell = sequence[k]
        k += 1
        if cell.gap:
            pending += cell.gap
        if cell.state == "unfinished":
            unfinished += 1
        if cell.state != "event":
            continue
        if pending:
            items.append((cell.time, "gap", pending))
            pending = 0
        if cell.wrap:
            items.append((cell.time, "wrap"))
        end = ["emergency"] if cell.lap is None else []
        if cell.is_record():
            par1, par2 = cell.head >> 16, cell.words[0]
            fast, context = cell.head >> 15 & 1, cell.words[1] & 0x1FF if cell.image.contexts else 0
            if cell.head & 255 == LOSS and par1 >> 15:      # two of them, as a rule: together they are one mark
                if par1 & 1 and items and items[-1][1:] == ("pause", 0):
                    items.pop()
                items.append((cell.time, "pause", par1 & 1))
                continue
            if cell.head & 255 == LOSS:                     # two of them, as a rule: the loss stands ahead of both
                first = items and items[-1][1:3] == ("blackout", 0x40)
                if par1 & 1:
                    loss = items[-1][0] if first else cell.time, "loss", (par1 >> 1) << 32 | par2
                    items.insert(len(items) - bool(first), loss)
                items.append((cell.time, "blackout", 0x50 if par1 & 1 else 0x40, par1 >> 1, par2, fast, context, *end))
                continue
            items.append((cell.time, "record", cell.head & 255, par1, par2, fast, context, *end))
            continue
        if cell.kind == CONTROL and cell.event in NO_EVENT:
            continue
        parts = [cell]
        while parts[-1].part in (1, 2) and k < len(sequence) and continues(parts[-1], sequence[k]):
            parts.append(sequence[k])
            k += 1
        if cell.part > 1 and cell.s > 1 and begins_lap(sequence, k - len(parts)):
            continue                                        # its first slots were overwritten
        if cell.part in (2, 3) or parts[-1].part in (1, 2):
            if lacks_unfinished(sequence, k - len(parts), k):
                unfinished += len(parts)
                further += len(parts) - (cell.part == 1)
            else:
                trace.lacking[cpu] += cell.part == 1
            continue
        words = [w for p in parts for w in p.words[:2]]
        if cell.is_control(RATE):
            trace.marks.append(words)
            continue
        kind = "trigger" if cell.is_control(TRIGGER) else "traceevent"
        items.append((cell.time, kind, cell.kind, cell.event, *words, *end))
    trace.unfinished[cpu] += unfinished
    trace.further[cpu] += further
    return items


def lacks_unfinished(sequence, first, end):
    """Whether the slot a combine event lacks is unfinished, not damaged. It has cells first..end-1; section 4.5."""
    k, cell = (end, sequence[end - 1]) if sequence[first].part == 1 else (first - 1, sequence[first])
    other = sequence[k] if 0 <= k < len(sequence) else None
    if other is None or (other.lap, other.image.number) != (cell.lap, cell.image.number):
        return cell.s < cell.image.slots and k >= end
    return other.state in ("unfinished", "claimed")


def begins_lap(sequence, k):
    """Whether cell k is the first that is left of its lap, or belongs to a combine event that is."""
    while k and continues(sequence[k - 1], sequence[k]):
        k -= 1
    return k == 0 or (sequence[k - 1].lap, sequence[k - 1].image.number) != (sequence[k].lap, sequence[k].image.number)


def continues(cell, after):
    """Whether the next cell is the next slot of the same combine event."""
    beside = (after.lap, after.image.number, after.s) == (cell.lap, cell.image.number, cell.s + 1)
    same = not (after.head ^ cell.head) & 0x3FFFFFFF and after.clock == cell.clock
    return after.state == "event" and after.part in (2, 3) and beside and same
