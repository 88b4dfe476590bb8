"""native_ends.py - images from which bytes were lost, or into which bytes came; section 4.1 of target/FORMAT.md,
written from it alone."""
import struct
import zlib

from native_image import HEADER, NOTES, SEAL, SLOT, WORDS, possible, progress, seal_crc, tag_of, values

REACH, NEAR = 4096, 64      # bytes that a seal tells, and that anything else does
MARK = struct.pack("<4I", 0, 0, 0, 0x300)


def is_others(at, image, images):
    """Whether an offset of the dump is in another proved image."""
    return any(i.offset <= at < i.offset + i.covers for i in images if i is not image)


def displacements(image, images, dump, in_order):
    """By how many bytes the rear may be displaced, nearest first; and what tells that: "seal", "mark" or "next"."""
    for by, what in all_displacements(image, images, dump, in_order):
        mark = image.offset + image.came + image.slot_at(image.slots + 1) + by
        if not is_others(mark, image, images) and not is_others(mark + SLOT - 1, image, images):
            yield by, what


def all_displacements(image, images, dump, in_order):
    start = image.offset + image.came
    groups = sum(1 for _ in image.groups())
    at, mark = start + image.seal_at(), start + image.slot_at(image.slots + 1)
    for by in sorted(range(-REACH, REACH + 1), key=abs):
        if by == 0:
            continue
        found = in_order(dump[at + by - NOTES:at + by + 48 + 4 * groups], image.order) if at + by >= NOTES else b""
        if found[NOTES:NOTES + 4] == struct.pack("<I", SEAL) and len(found) == NOTES + 48 + 4 * groups:
            if struct.unpack_from("<I", found, NOTES + 44)[0] == seal_crc(found, NOTES, groups):
                yield by, "seal"
        if abs(by) <= NEAR and mark + by > start and in_order(dump[mark + by:mark + by + SLOT], image.order) == MARK:
            yield by, "mark"
        if abs(by) <= NEAR and any(other.offset == start + image.buf_size + by for other in images):
            yield by, "next"


def joined(image, dump, by, split, in_order):
    """The image with its front, up to a break at an offset in it, and its rear, by so many bytes away."""
    start = image.offset + image.came
    front, rear = dump[start + HEADER:start + split], dump[start + split + by:start + image.buf_size + by]
    return image.data[:HEADER] + in_order(front + rear, image.order)


def group_is_right(image, data, g, first, n):
    at = image.slot_at(first)
    crc = struct.unpack_from("<I", data, image.seal_at() + 48 + 4 * g)[0]
    return zlib.crc32(data[at:at + SLOT * n]) == crc


def has_other_words(image, data):
    """Whether `cursor` and `lap` of the header can be right, and are others than those of the seal."""
    at = image.seal_at() + 4
    return possible(image, values(image)) and data[at:at + 8] != image.data[112:120]


def is_ours(image, data, dump, by, in_order):
    """Whether a right seal near to its place is this chunk's: it has the words of the header; or a group is right that
    has not moved, or, unless `cursor` and `lap` can be right and are others, one that has."""
    at = image.seal_at() + 4
    if data[at:at + 40] == b"".join(image.data[w:w + 4] for w in WORDS.values()):
        return True
    rear = joined(image, dump, by, HEADER, in_order)
    others = has_other_words(image, data)
    return any(group_is_right(image, data, g, *group) or not others and group_is_right(image, rear, g, *group)
               for g, group in enumerate(image.groups()))


def break_in_seal(image, dump, by, in_order):
    """(data, slots that are lost) with a seal: the group of the break is lost, unless a break makes it right."""
    groups = list(image.groups())
    ahead = joined(image, dump, by, image.slot_at(image.slots + 1), in_order)
    if len(ahead) < image.buf_size:
        return None
    good = 0
    while good < len(groups) and group_is_right(image, ahead, good, *groups[good]):
        good += 1
    if good == 0 and not (abs(by) <= NEAR and is_ours(image, ahead, dump, by, in_order)):
        return None
    if good == len(groups):
        return ahead, set()
    first, n = groups[good]
    for split in range(image.slot_at(first), image.slot_at(first + n) + 1) if by > 0 else ():
        data = joined(image, dump, by, split, in_order)
        if group_is_right(image, data, good, first, n):
            return data, set()
    return joined(image, dump, by, image.slot_at(first), in_order), set(range(first, first + n))


def are_in_order(image, data, lost):
    """Whether all slots but one are what they must be, and records in the order of time."""
    n, _, index = progress(values(image))
    last = [0, 0]
    for s in range(1, image.slots + 1):
        lap = n if s < index else n - 1
        if lap < 1 or s == lost:
            continue
        par2, high, low, head = struct.unpack_from("<4I", data, image.slot_at(s))
        if head >> 8 & 3 != tag_of(lap) or (head & 0x00FC8000 if head >> 10 & 31 else head & 255 == 0):
            return False
        if head >> 10 & 31:
            continue
        if (high ^ low) >> 31:
            return False
        time = (high >> 9 & 0x3FFFFF if image.contexts else high & 0x7FFFFFFF) << 32 | low
        if time < last[lap == n]:
            return False
        last[lap == n] = time
    return True


def break_in_order(image, dump, by, in_order):
    """The same without a seal: all slots on both sides of the break are in order."""
    n, _, index = progress(values(image))
    used = image.slots if n > 1 else min(image.slots, index - 1) if n and image.role != 1 else 0
    for lost in range(1, used + 1):
        data = joined(image, dump, by, image.slot_at(lost), in_order)
        if len(data) >= image.buf_size and are_in_order(image, data, lost):
            return data, {lost}
    return None


def displace(image, images, dump, in_order):
    """Find the rear of an image elsewhere: image.displaced by so many bytes, its data, and the slots that are lost."""
    for by, what in displacements(image, images, dump, in_order):
        found = (break_in_seal if what == "seal" else break_in_order)(image, dump, by, in_order)
        if found:
            image.displaced, (image.data, image.lost), image.shown = by, found, True
            end = image.offset + image.came + image.buf_size + by
            image.torn = end in [i.offset for i in images] + [len(dump)]
            image.far = what == "seal" and abs(by) > NEAR
            return
