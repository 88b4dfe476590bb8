"""native_find.py - the images of a dump: what proves them, where they end, and which of them add something; sections 3
and 4 of target/FORMAT.md, written from it alone. Not from it: images by symbols of an ELF file (4.4)."""
import struct

import native_header
import native_region
import native_seals
from native_ends import displace, group_is_right, has_other_words
from native_image import HEADER, MAGIC, NOTES, SEAL, SLOT, TAG, one_byte, possible, progress, seal_crc, values

NEAR, MARKS, LAST = 64, 64, 8


# ---- finding words ---------------------------------------------------------------------------------------------------

def offsets_of(dump, text):
    at = dump.find(text)
    while at >= 0:
        yield at
        at = dump.find(text, at + 1)


def candidates(dump):
    """(offset, byte order) where a word tells that a header or the head of a region may stand."""
    found = set()
    for order in "<>":
        words = [(MAGIC, 0), (TAG, 4), (native_region.MAGIC, 0), (native_region.SECOND, 4)]
        words += [(native_header.FORMAT | pointer << 24, 8) for pointer in (4, 8)]
        for value, back in words:
            found |= {(at - back, order) for at in offsets_of(dump, struct.pack(order + "I", value)) if at >= back}
    return sorted(found)


def in_order(data, order):
    """The bytes of whole words, as a little-endian image has them."""
    n = len(data) // 4
    return data if order == "<" else struct.pack("<%dI" % n, *struct.unpack(">%dI" % n, data[:4 * n]))


def region_at(dump, at, order):
    region = native_region.unpack(dump, at, order)
    if not region:
        return None
    words = list(struct.unpack_from("<16I", region.data))
    if not native_header.is_readable(words):
        return None
    image = native_header.Image(at, region.data, order)
    image.bytes, image.lost, image.mended, image.region = region.bytes, region.lost, region.mended, True
    image.build, image.came = tuple(words[13:15]), 0
    image.shown = not image.lost
    return image


def right_header(dump, at, order, trace):
    """The image of a header whose check is right. If it tells something unknown it is damage."""
    words = native_header.read(dump, at, order)
    if words is None or words[:2] != [MAGIC, TAG]:
        return None
    if words[2] & 0xFFFFFF == 0x700001:
        trace.note("version 1 at %d" % at)
        return None
    if not native_header.is_right(words):
        return None
    if not native_header.is_readable(words):
        trace.damage(at, 64, "unknown format")
        return None
    return native_header.image_of(dump, at, order, words)


# ---- the end of an image, section 4.1 --------------------------------------------------------------------------------

def body(image, dump):
    """The bytes of the image that the dump has, in its place."""
    came = image.came
    return image.data[:HEADER] + in_order(dump[image.offset + HEADER + came:image.offset + came + image.buf_size],
                                          image.order)


def is_seal_right(image, data):
    """Whether the seal in its place is right; a damaged byte of it can be found."""
    at, n = image.seal_at(), sum(1 for _ in image.groups())
    if len(data) < at + 48 + 4 * n or struct.unpack_from("<I", data, at)[0] == 0:
        return False
    right, crc = struct.unpack_from("<I", data, at + 44)[0], seal_crc(data, at, n)
    parts = data[at:at + 44] + data[at - NOTES:at] + data[at + 48:at + 48 + 4 * n]
    if crc == right:
        return struct.unpack_from("<I", data, at)[0] == SEAL
    found = one_byte(crc, right, len(parts))
    if len(found) != 1:
        return False
    where, change = found[0]
    first = parts[:4] if where > 3 else bytes(b ^ change * (i == where) for i, b in enumerate(parts[:4]))
    return first == struct.pack("<I", SEAL)


def mark_end(image, data):
    """Where the bytes end that are the chunk's by its end mark; None: there is no such mark."""
    at = image.slot_at(image.slots + 1)
    if data[at:at + SLOT] == struct.pack("<4I", 0, 0, 0, 0x300):
        return image.buf_size
    n, _, index = progress(values(image))
    first = {0: 1, 1: index}.get(n, 0) if image.role != 1 else 0
    if not 1 <= first <= MARKS:
        return None
    for s in range(first, min(first + MARKS, image.slots + 1)):
        head = data[image.slot_at(s) + 12:image.slot_at(s + 1)]
        if head != struct.pack("<I", 0x200):
            return image.slot_at(s + 1) if head == struct.pack("<I", 0x300) else None
    return None


def is_used(image, at):
    """Whether the image has something at an offset of it: a slot that holds something, or what stands behind the
    emergency slots."""
    n, _, index = progress(values(image))
    slots = image.slot_at(image.slots + 1 if n > 1 else index if n else 1)
    return HEADER <= at < slots or image.seal_at() - NOTES <= at < image.buf_size


def is_strange(image, data):
    """Whether nothing but its place tells that a right seal is the image's."""
    return (has_other_words(image, data) and
            not any(group_is_right(image, data, g, *group) for g, group in enumerate(image.groups())))


def look_at_end(image, dump, offsets):
    """Find out whether the image's end is shown: image.shown, and image.covers: bytes in which nothing else is
    searched. offsets: where proved images begin."""
    if hasattr(image, "region"):
        image.covers = image.bytes if image.shown else 0
        return
    data = body(image, dump)
    at, end = image.seal_at(), mark_end(image, data)
    inside = any(64 <= o - image.offset < at for o in offsets)
    image.sealed_right = is_seal_right(image, data) and not (inside and is_strange(image, data))
    free = not any(is_used(image, o - image.offset) for o in offsets)
    unsealed = len(data) >= image.buf_size and struct.unpack_from("<I", data, at)[0] == 0
    image.shown = image.sealed_right or unsealed and end is not None and free
    image.covers = 0 if not image.shown else image.buf_size if image.sealed_right else end


def next_offset(image, images, dump):
    """Where the next proved image begins that may cut this one."""
    n, _, index = progress(values(image))
    for other in sorted(images, key=lambda i: i.offset):
        at = other.offset - image.offset
        if at <= 0:
            continue
        unformatted = n == 0 or n == 1 and image.slot_at(index) <= at < image.seal_at() - NOTES
        if unformatted and at < image.buf_size and (other.boot != image.boot or other.self == image.self + at):
            continue
        return other.offset
    return len(dump)


def last_are_sound(image, data):
    """Whether half of the last slots are slots."""
    last = range(max(1, image.slots - LAST + 1), image.slots + 1)
    slots = [data[image.slot_at(s):image.slot_at(s + 1)] for s in last]
    return 2 * sum(is_slot(slot) for slot in slots) >= len(slots)


def is_slot(slot):
    if len(slot) < SLOT or slot[13] & 3 not in (1, 2):
        return False
    _, high, low, head = struct.unpack("<4I", slot)
    if head >> 10 & 31:
        return head & 0x00FC8000 == 0
    return head & 255 != 0 and (high ^ low) >> 31 == 0


def finish(image, images, dump):
    """Give the image its bytes: to its end, or to where it is cut; or with a rear that stands elsewhere."""
    image.missing, image.displaced = 0, 0
    image.torn = image.far = False                  # torn: it is damaged as images in a stream are; far: see displace()
    if hasattr(image, "region"):
        return
    if not image.shown:
        displace(image, images, dump, in_order)
    if image.displaced:
        return
    image.data = body(image, dump)[:image.buf_size]
    if image.shown:
        image.data += bytes(image.buf_size - len(image.data))
        return
    end = next_offset(image, images, dump)
    gap = end - image.offset - image.buf_size
    mark = image.slot_at(image.slots + 1)
    if abs(gap) <= NEAR:
        marked = image.data[mark:mark + SLOT] == struct.pack("<4I", 0, 0, 0, 0x300)
        image.torn = marked or last_are_sound(image, image.data)
    image.data = image.data[:max(end - image.offset - image.came, 64)]
    image.missing = image.buf_size - len(image.data)


# ---- all images ------------------------------------------------------------------------------------------------------

def is_stale(image, all_images):
    """Whether the image is of another run, inside the memory of a ring that this one has not yet reached."""
    for zero in all_images:
        if (zero.number == 0 and zero.role == 0 and zero.boot != image.boot and not hasattr(zero, "region")
                and zero.offset < image.offset < zero.offset + zero.ring * zero.buf_size
                and any(stands_beside(h, zero) for h in all_images)):
            return True
    return False


def stands_beside(image, zero):
    """Whether another chunk of the ring stands where it must, counted from chunk 0."""
    return (image.boot == zero.boot and image.cpu == zero.cpu and image.role == 0 and image.number > 0
            and image.offset - zero.offset == image.self - zero.self == image.number * zero.buf_size)


def uncovered(images):
    """Those that do not stand inside another one whose end is shown."""
    found, end = [], 0
    for image in sorted(images, key=lambda i: i.offset):
        if image.offset >= end:
            found.append(image)
            end = max(end, image.offset + image.covers)
    return found


def cover_of(images, at):
    return any(image.offset <= at < image.offset + image.covers for image in images)


def within(images, at):
    """Whether an offset stands in an image, as its header tells its size."""
    return any(i.offset <= at < i.offset + (i.bytes if hasattr(i, "region") else i.buf_size) for i in images)


def missing_places(images):
    """(offset, byte order) where the address of another chunk tells that one of its ring stands that no image shows."""
    have = {(i.boot, i.cpu, i.number) for i in images if i.role == 0}
    for image in images:
        if image.role == 0 and not hasattr(image, "region"):
            for k in range(image.ring):
                if (image.boot, image.cpu, k) not in have:
                    yield image.offset + (k - image.number) * image.buf_size, image.order


def find_images(dump, trace):
    """The images of the dump that are proved, with their bytes."""
    places = candidates(dump)
    images = [right_header(dump, at, order, trace) or region_at(dump, at, order) for at, order in places]
    images = [image for image in images if image]
    offsets = {image.offset for image in images}
    for image in images:
        look_at_end(image, dump, offsets)
    known = set(offsets)
    images = uncovered([image for image in images if not is_stale(image, images)])
    for told, where in (False, places), (True, sorted(missing_places(images))):
        for at, order in where:
            if at in known or cover_of(images, at):
                continue
            found = native_header.repair(dump, at, order, sorted(images, key=lambda i: i.offset), told)
            if found and (not told or native_header.is_told(found[0], at, images)):
                image = native_header.image_of(dump, at, order, *found)
                image.mended = True
                look_at_end(image, dump, known)
                known.add(at)
                images.append(image)
    for image in native_seals.find_lost(dump, images, lambda at: within(images, at), in_order, trace):
        look_at_end(image, dump, known)
        images.append(image)
    images = sorted(images, key=lambda i: i.offset)
    for image in images:
        finish(image, images, dump)
    return images


# ---- images that add something, section 3 ----------------------------------------------------------------------------

def age(image):
    """(lap, index) by the words of the header; None: they cannot be right."""
    v = values(image)
    lap, _, index = progress(v)
    return (lap, index) if possible(image, v) and (image.role != 1 or lap == 1) else None


def key_of(image):
    return image.boot, image.self, image.cpu


def is_needed(image, images):
    """Whether an image adds something: not if its end is not shown in its place, and that of one as new is."""
    if image.shown and not image.displaced:
        return True
    whole = [w for w in images
             if w is not image and key_of(w) == key_of(image) and w.shown and not w.displaced and age(w)]
    mine = age(image)
    if image.far:
        return not image.lost or not any(mine is None or age(w) >= mine for w in whole)
    if image.torn and mine:
        return not any(age(w) == mine for w in whole)
    return not any(mine is None or age(w) >= mine for w in whole)


def report(image, images, trace):
    """What is damaged of an image that adds something. A header that was mended is no damage beside a whole image."""
    if image.mended and not any(key_of(w) == key_of(image) and w is not image and w.shown and not w.mended and age(w)
                                and age(image) and age(w) >= age(image) for w in images):
        trace.damage(image.offset, 64, "header")
    if image.missing:
        trace.damage(image.offset + len(image.data), 0, "cut by %d" % image.missing)
    elif image.displaced and not image.far:
        trace.damage(image.offset, 0, "displaced by %d" % image.displaced)
    elif hasattr(image, "region") and image.lost:
        trace.damage(image.offset, 0, "groups are lost")


def those_that_add(images, trace):
    """The images of one run that add something."""
    found = [image for image in images if is_needed(image, images)]
    for image in found:
        report(image, images, trace)
    return found


def leads_on(image):
    """Whether the chunk was left, and its word `next` leads to the chunk with the next number."""
    return progress(image.v)[0] > 1 and image.word(64) == image.buf_size


def report_missing(images, every, trace):
    """A chunk that the run must have opened, and that no image shows. every: images of all runs."""
    rings = {}
    for image in images:
        if image.role == 0:
            laps = rings.setdefault(image.cpu, {})
            laps[image.number] = max(laps.get(image.number, 0), progress(image.v)[0])
    for cpu, laps in rings.items():
        more = max(max(i.ring, i.number + (2 if leads_on(i) else 1)) for i in images if i.role == 0 and i.cpu == cpu)
        for k in set(range(more)) - set(laps):
            if any(n >= (1 if j > k else 2) for j, n in laps.items()):
                trace.damage(0, 0, "chunk %d of CPU %d is missing" % (k, cpu))
    for image in images:
        if image.role == 1 and progress(image.v)[2] > 1 and not any(i.role == 0 and i.cpu == image.cpu for i in every):
            trace.damage(0, 0, "the ring of CPU %d is missing" % image.cpu)
