"""native_laps.py - the words `lap` and `cursor` of a damaged header without a seal, by the tags of the slots: section
4.5 of target/FORMAT.md, written from it alone."""
import struct

HEADER, SLOT = 128, 16
EMPTY, MARK, CLAIMED = 0x200, 0x300, 0x700


def tag_of(lap):
    return 1 if lap % 2 else 2


def read(lap_word, laps, cursor, slots):
    """(lap, index or None) by the two words; laps: the count that the lap words make."""
    lap, tag, index = laps, cursor >> 8 & 3, cursor >> 16
    told = lap_word >> 8 & 3
    if told in (1, 2) and told != tag_of(lap):
        lap ^= 1
    if tag in (1, 2) and tag != tag_of(lap):
        lap += 1
    if lap == 0 and tag == 2 and 1 <= index <= slots:
        lap = 2
    return lap, index if 1 <= index <= slots + 1 else None


class Slots:
    """The normal slots of an image, from 1 on, as many as there are."""

    def __init__(self, image):
        n = max(0, min(image.slots, (len(image.data) - HEADER) // SLOT))
        self.words = [None] + [struct.unpack_from("<4I", image.data, image.slot_at(s)) for s in range(1, n + 1)]
        self.n, self.contexts = n, image.contexts

    def head(self, s):
        return self.words[s][3]

    def has_tag(self, s, tag):
        """Whether a slot may bear a tag, or is claimed."""
        return (self.head(s) >> 8 & 3) in (tag, 3)

    def stamp(self, s):
        """The time that a record tells; None: the slot is none."""
        _, high, low, head = self.words[s]
        if head >> 10 & 31 or head & 0xFF == 0 or (high ^ low) >> 31:
            return None
        return (high >> 9 & 0x3FFFFF if self.contexts else high & 0x7FFFFFFF) << 32 | low

    def formatted(self):
        """How many slots are ahead of the end mark."""
        return next((s - 1 for s in range(1, self.n + 1) if self.head(s) == MARK), self.n)


def fits(slots, lap, index):
    """Whether the slots on both sides of the cursor do not contradict it."""
    if 1 <= index - 1 <= slots.n and not slots.has_tag(index - 1, tag_of(lap)):
        return False
    if index > slots.n:
        return True
    if lap <= 1:
        used = next((slots.head(s) for s in range(index, slots.n + 1) if slots.head(s) != EMPTY), MARK)
        return used in (MARK, CLAIMED)
    return slots.has_tag(index, tag_of(lap - 1)) and slots.head(index) != EMPTY


def wrong(slots, lap, have, index):
    return sum(not slots.has_tag(s, tag_of(lap if s < index else lap - 1)) for s in range(1, have + 1))


def is_of_lap(slots, lap, have, index):
    """Whether slot `index`, where the cursor is, is of the open lap; by its time."""
    mine = slots.stamp(index)
    if lap <= 1 or mine is None:
        return lap <= 1
    for s in range(have, index, -1):
        if slots.head(s) >> 8 & 3 == tag_of(lap - 1) and slots.stamp(s) is not None:
            return mine >= slots.stamp(s)
    ahead = slots.stamp(index - 1) if index > 1 else None
    return ahead is None or mine >= ahead


def settle(image, lap_word, laps, cursor):
    """(lap, index) of an image without a seal."""
    lap, index = read(lap_word, laps, cursor, image.slots)
    slots = Slots(image)
    if lap == 0 or index and fits(slots, lap, index):
        return lap, index or 1
    have = slots.formatted()
    if lap > 1 and lap % 2 and (index or 1) < have and all(
            slots.head(s) == EMPTY for s in range(index or 1, have + 1)):
        lap = 1
        if index and fits(slots, lap, index):
            return lap, index
    have = have if lap <= 1 else slots.n
    counts = [wrong(slots, lap, have, i) for i in range(1, have + 2)]
    best = counts.index(min(counts)) + 1
    if index and best > index and not is_of_lap(slots, lap, have, index):
        return lap, index
    if index and best <= index and wrong(slots, lap, have, index) - min(counts) < 8:
        return lap, index
    return lap, best
