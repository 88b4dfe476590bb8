"""native_image.py - an image of a chunk, and which of its words its seal lets stand; sections 2.1, 2.2 and 2.6 of
target/FORMAT.md, written from it alone."""
import struct
import zlib

import native_laps
import native_region

M31, M32, WRAP = 0x7FFFFFFF, 0xFFFFFFFF, 1 << 32
MAGIC, TAG, SEAL = 0x00D6B7ED, 0x474F4C54, 0x4C414553
HEADER, SLOT, NOTES, SEAL_BYTES, GROUP = 128, 16, 32, 48, 32
STOP, JTN = 0x08, 0x04
WORDS = {"cursor": 112, "lap": 116, "dropped": 120, "reported": 104, "emergency_used": 72, "dropped_high": 92,
         "lap_high": 96, "extra_high": 100, "extra": 124, "trigger": 88}    # what the seal repeats, in its order


class Image:
    """An image of a chunk: its bytes in little-endian order, as many as the dump has; and what was found out of it."""

    def __init__(self, offset, data, order):
        self.offset, self.data, self.order = offset, data, order
        words = struct.unpack_from("<16I", data)
        self.format, self.place, self.slots, self.emergency, self.buf_size, self.freq, self.coarse = words[2:9]
        self.self, self.boot = words[10] | words[11] << 32, words[12]
        self.cpu, self.number, self.role = self.place & 255, self.place >> 8 & 255, self.place >> 16 & 63
        self.contexts, self.ring = self.place >> 22 & 3, self.place >> 24
        self.pointer = self.format >> 24
        self.lost, self.sealed = set(), False               # numbers of damaged slots; all slots have a valid check sum
        self.mended = False

    def word(self, at):
        return int.from_bytes(self.data[at:at + 4], "little")

    def slot_at(self, s):
        """Where slot s is; emergency slots follow, the first is slots + 2."""
        return HEADER + SLOT * (s - 1)

    def seal_at(self):
        return HEADER + SLOT * (self.slots + 1 + self.emergency) + NOTES

    def groups(self):
        """(first slot, slots) of each group."""
        for first, n in (1, self.slots), (self.slots + 2, self.emergency):
            for k in range(0, n, GROUP):
                yield first + k, min(GROUP, n - k)


# ---- check sums ------------------------------------------------------------------------------------------------------

CRC_TABLE = [zlib.crc32(bytes([i])) ^ zlib.crc32(b"\0") for i in range(256)]
CRC_TOP = {t >> 24: i for i, t in enumerate(CRC_TABLE)}
CRC_INDEX = {t: i for i, t in enumerate(CRC_TABLE) if i}


def one_byte(crc, right, n):
    """The (place, change) of one byte of n that makes crc right; all of them. The check sum itself is place n."""
    found, state = [], crc ^ right
    if sum(1 for i in range(4) if state >> 8 * i & 255) == 1:
        found.append((n, state))
    for back in range(n):
        if state in CRC_INDEX:
            found.append((n - 1 - back, CRC_INDEX[state]))
        i = CRC_TOP[state >> 24]
        state = (state ^ CRC_TABLE[i]) << 8 & M32 | i
    return found


FACTORS = [pow(0x9E3779B1, i + 1, WRAP) for i in range(15)]


def header_sum(words):
    return sum((w ^ w >> 16) * f for w, f in zip(words, FACTORS)) & M32


# ---- header and seal, sections 2.1, 2.2, 2.6 -------------------------------------------------------------------------

def count(high, low):
    """A count of two words; bit 31 of the high one repeats that of the low one, unless it was about to be carried."""
    if (high ^ low) >> 31:
        high = high + 0x80000000 + (high >> 31) & M32
    return (high & M31) << 32 | low


def values(image):
    """The changing words that the header tells."""
    return dict({name: image.word(at) for name, at in WORDS.items()}, reported_high=image.word(108))


def tag_of(lap):
    return 1 if lap % 2 else 2


def progress(v):
    """(lap, whether the chunk is parked, index of the cursor)"""
    lap, tag = count(v["lap_high"], v["lap"]) >> 16, v["cursor"] >> 8 & 3
    return lap + (tag not in (tag_of(lap), 3)), tag == 3, v["cursor"] >> 16


def possible(image, v):
    """Whether the changing words do not contradict each other."""
    lap, _, index = progress(v)
    counted = count(v["lap_high"], v["lap"]) >> 16
    return (v["cursor"] & 0xFCFF == 0 and v["cursor"] >> 8 & 3 != 0 and 1 <= index <= image.slots + 1
            and v["lap"] & 0xFFFF == tag_of(counted) << 8 and v["emergency_used"] <= image.emergency)


def seal_crc(data, at, groups):
    return zlib.crc32(data[at + 48:at + 48 + 4 * groups], zlib.crc32(data[at - NOTES:at], zlib.crc32(data[at:at + 44])))


def read_seal(image, trace):
    """(words of the seal, check sums of the groups), or None. One damaged byte is mended."""
    at, n = image.seal_at(), sum(1 for _ in image.groups())
    if hasattr(image, "region") or len(image.data) < at + 48 + 4 * n or image.word(at) == 0:
        return None
    data = image.data
    parts = data[at:at + 44] + data[at - NOTES:at] + data[at + 48:at + 48 + 4 * n]
    crc = zlib.crc32(parts)
    if crc != image.word(at + 44):
        changes = one_byte(crc, image.word(at + 44), len(parts))
        if len(changes) != 1:
            return None
        where, change = changes[0]
        if where < len(parts):
            parts = parts[:where] + bytes([parts[where] ^ change]) + parts[where + 1:]
        if struct.unpack_from("<I", parts)[0] != SEAL:
            return None
        image.data = b"".join((data[:at - NOTES], parts[44:76], parts[:44], data[at + 44:at + 48], parts[76:],
                               data[at + 48 + 4 * n:]))
        trace.damage(image.offset + at, 48, "seal")
    words = struct.unpack_from("<11I", parts)
    if words[0] != SEAL:
        return None
    v = dict(zip(WORDS, words[1:]))                         # reported is at most dropped, and less than 2^32 behind it
    dropped = count(v["dropped_high"], v["dropped"])
    reported = dropped - (v["dropped"] - v["reported"] & M32)
    v["reported_high"] = max(reported, 0) >> 32 | v["reported"] & 0x80000000
    return v, struct.unpack_from("<%dI" % n, parts, 76)


def wrong_groups(image, sums):
    """Numbers of the groups whose check sum is wrong, with the change that was found."""
    wrong = {}
    for g, (first, n) in enumerate(image.groups()):
        at = image.slot_at(first)
        crc = zlib.crc32(image.data[at:at + SLOT * n])
        if crc != sums[g]:
            wrong[g] = one_byte(crc, sums[g], SLOT * n)
    return wrong


def reserved(image, old, new):
    """{slot: the tag that it has while it is unfinished}, of those that were reserved between the two states; and how
    many reservations there were, 8 for more. Emergency slots are numbered as in section 2.3."""
    (n, _, i), (m, _, j) = progress(old), progress(new)
    first, last = (n * image.slots + i - 1, m * image.slots + j - 1)
    last = min(last, first + image.slots) if last - first > 7 else last
    slots = {k % image.slots + 1: tag_of(k // image.slots - 1) for k in range(first, last)}
    used = range(old["emergency_used"], min(new["emergency_used"], image.emergency))
    slots.update({image.slots + 2 + k: 2 for k in used})
    return slots, min(8, max(last - first, 0) + len(used))


def contradicts(image, old, new, wrong):
    """Whether a group is as it was sealed although slots of it were reserved since: not if these are few, and
    unfinished."""
    slots, times = reserved(image, old, new)
    for g, (first, n) in enumerate(image.groups()):
        mine = {s: tag for s, tag in slots.items() if first <= s < first + n}
        unfinished = times < 8 and all(image.word(image.slot_at(s) + 12) >> 8 & 3 == tag for s, tag in mine.items())
        if mine and g not in wrong and not unfinished:
            return True
    return False


def judge(image, trace):
    """Decide which changing words hold, and which slots the seal calls damaged: image.v, image.lost."""
    head = values(image)
    seal = read_seal(image, trace)
    image.v = head
    if seal is None:
        settle(image, head, trace)
        distrust_end(image, trace)
        return
    sealed, sums = seal
    wrong = wrong_groups(image, sums)
    normal = (image.slots + 31) // 32
    differ = {name for name in WORDS if name != "trigger" and head[name] != sealed[name]}
    current = "all"
    if differ:
        verdict = compare(image, head, sealed, differ, wrong)
        if verdict == "damaged":
            trace.damage(image.offset + 64, 64, "changing words")
            image.v = sealed
        elif verdict == "none":
            settle(image, head, trace)
            return
        else:
            current = "normal"
            settle(image, head, trace)
    image.sealed = current == "all"
    groups = list(image.groups())
    for g, changes in wrong.items():
        if current == "normal" and g >= normal or image.role == 1:
            continue
        first, n = groups[g]
        slots = {first + where // SLOT for where, _ in changes if where < SLOT * n}
        if len(changes) != 1:
            slots = set(range(first, first + n))
        image.lost |= slots
        for s in sorted(slots):
            trace.damage(image.offset + image.slot_at(s), SLOT, "check sum")


def distrust_end(image, trace):
    """Without a seal and an end mark, what wiped the mark may have begun in the last slot that is one by its tag."""
    at, s = image.slot_at(image.slots + 1), image.slots
    lap, index = native_laps.read(image.word(116), count(image.word(96), image.word(116)) >> 16, image.word(112), s)
    first = 1 if lap == 0 else index if lap == 1 and index else s + 1
    mark = image.data[at:at + SLOT]
    right = bytes(13) + b"\3" + bytes(2)
    heads = [image.word(image.slot_at(k) + 12) for k in range(min(first, s + 1), s + 1) if image.slot_at(k + 1) <= at]
    if hasattr(image, "region") or len(mark) < SLOT or mark == right or 0x300 in heads:
        return
    if mark[13] and sum(a != b for a, b in zip(mark, right)) < 2:
        return
    while s > max(image.slots - 4, 0) and image.data[image.slot_at(s) + 13] & 3 not in (1, 2):
        s -= 1
    image.lost.add(s)
    trace.damage(image.offset + at, SLOT, "end mark")


def settle(image, head, trace):
    """No seal tells whether the changing words are right: the tags of the slots do."""
    if hasattr(image, "region") or image.role == 1 and possible(image, head):
        return
    counted = count(head["lap_high"], head["lap"]) >> 16
    lap, index = native_laps.settle(image, head["lap"], counted, head["cursor"])
    parked = head["cursor"] >> 8 & 3 == 3
    if not possible(image, head) or (lap, parked, index) != progress(head):
        trace.damage(image.offset + 64, 64, "changing words")
    tag = 3 if parked else tag_of(lap)
    image.v = dict(head, cursor=index << 16 | tag << 8, lap=(lap & 0xFFFF) << 16 | tag_of(lap) << 8,
                   lap_high=lap >> 16 | (lap & 0x8000) << 16,
                   emergency_used=min(head["emergency_used"], image.emergency))


def compare(image, head, sealed, differ, wrong):
    """The header's words differ from the seal's: "damaged" header, "none": the seal says nothing, or valid for "normal"
    slots."""
    if not possible(image, head):
        return "damaged"
    (n, parked, i), (m, was_parked, j) = progress(head), progress(sealed)
    if (n, i) == (m, j) and head["lap"] == sealed["lap"]:
        more = {"cursor"} if parked != was_parked else set()
        old, new = sealed["emergency_used"], head["emergency_used"]
        if old < new <= image.emergency and not contradicts(image, sealed, head, wrong):
            more.add("emergency_used")
        stops = image.word(68) & STOP or image.word(68) & JTN and image.word(64) == 1
        was, now = count(sealed["dropped_high"], sealed["dropped"]), count(head["dropped_high"], head["dropped"])
        if was < now and (parked or was_parked or i > image.slots and stops):
            more |= {"dropped", "dropped_high"}
        return "normal" if differ <= more else "damaged"
    before = (n, i) < (m, j) or head["emergency_used"] < sealed["emergency_used"] or any(
        count(head[c + "_high"], head[c]) < count(sealed[c + "_high"], sealed[c]) for c in ("dropped", "extra"))
    if before or contradicts(image, sealed, head, wrong):
        return "damaged"
    return "none"
