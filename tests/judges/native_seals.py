"""native_seals.py - seals whose header is lost; section 4.3 of target/FORMAT.md, written from it alone. Of what it says
of the chunk that it must be, only this: by a header that can be repaired, or between two chunks of a ring."""
import struct
import zlib

import native_header
from native_image import GROUP, HEADER, M32, MAGIC, NOTES, SEAL, SEAL_BYTES, SLOT, TAG, WORDS, seal_crc

MOST = 2048     # groups of a chunk


def groups_of(dump, at, order, in_order):
    """The CRCs of the groups of a right seal at an offset of the dump, or None."""
    data = in_order(dump[at - NOTES:at + SEAL_BYTES + 4 * MOST], order) if at >= NOTES else b""
    if len(data) < NOTES + SEAL_BYTES + 4:
        return None
    right = struct.unpack_from("<I", data, NOTES + 44)[0]
    crc = zlib.crc32(data[:NOTES], zlib.crc32(data[NOTES:NOTES + 44]))
    for n in range(1, (len(data) - NOTES - SEAL_BYTES) // 4 + 1):
        end = NOTES + SEAL_BYTES + 4 * n
        crc = zlib.crc32(data[end - 4:end], crc)
        if crc == right:
            return struct.unpack_from("<%dI" % n, data, NOTES + SEAL_BYTES)
    return None


def right_groups(data, slots, emergency, crcs):
    """Which groups of the slots are right. data: from the first slot on."""
    parts = [data[SLOT * s:SLOT * min(s + GROUP, slots)] for s in range(0, slots, GROUP)]
    behind = data[SLOT * (slots + 1):]
    parts += [behind[SLOT * s:SLOT * min(s + GROUP, emergency)] for s in range(0, emergency, GROUP)]
    return [zlib.crc32(part) == crc for part, crc in zip(parts, crcs)]


def is_uniform(data, g, slots):
    """Whether a group of 32 slots does not tell where it begins: they are all the same."""
    group = data[SLOT * GROUP * g:SLOT * GROUP * (g + 1)]
    return slots >= GROUP * (g + 1) and group[SLOT:] == group[:-SLOT]


def layouts(dump, at, order, crcs, in_order):
    """(slots, emergency) that an end mark and the CRC of a group tell; `at` is where the notes begin. First those with
    which all groups are right, then those with an end mark."""
    found, n = [], len(crcs)
    for normal in range(n, 0, -1):
        extra = n - normal
        for emergency in range(32 * (extra - 1) + 1 if extra else 0, 32 * extra + 1):
            mark = at - SLOT * (emergency + 1)
            marked = mark >= 0 and in_order(dump[mark:mark + SLOT], order) == struct.pack("<4I", 0, 0, 0, 0x300)
            if mark < 0 or extra and not marked:
                continue
            for slots in range(32 * (normal - 1) + 1, 32 * normal + 1):
                first = mark - SLOT * slots
                if first < 0:
                    break
                data = in_order(dump[first:at], order)
                right = right_groups(data, slots, emergency, crcs)
                if any(right[g] and not is_uniform(data, g, slots) for g in range(normal)):
                    found.append((not all(right), not marked, n - normal, -slots, emergency))
    return [(-slots, emergency) for _, _, _, slots, emergency in sorted(found)]


def between(at, size, images):
    """Pairs of images of a ring with room for one chunk between them, which stands there."""
    ahead = [i for i in images if i.offset + i.buf_size == at]
    behind = [i for i in images if i.offset == at + size]
    for a in ahead:
        for b in behind:
            same = (a.cpu, a.slots, a.emergency) == (b.cpu, b.slots, b.emergency)
            if same and a.role == b.role == 0 and b.number == a.number + 2 and a.buf_size == size:
                yield a, b


def words_between(at, size, images):
    """The words of the chunk that can only stand between two images of a ring, side by side with both."""
    for a, b in between(at, size, images):
        if a.boot == b.boot:
            own = a.self + size
            return [MAGIC, TAG, a.format, a.place + 0x100, a.slots, a.emergency, size, a.freq, a.coarse, 0,
                    own & M32, own >> 32, a.boot, *a.build, 0]
    return None


def take_seal(image, dump, at, in_order):
    """Put the words of the seal in the header, in place of those that change."""
    seal = in_order(dump[at:at + 44], image.order)
    head = bytearray(image.data[:HEADER])
    for k, where in enumerate(WORDS.values()):
        head[where:where + 4] = seal[4 + 4 * k:8 + 4 * k]
    image.data = bytes(head) + image.data[HEADER:]


def find_lost(dump, images, is_covered, in_order, trace):
    """Images whose header is lost."""
    for order in "<>":
        at = -1
        while (at := dump.find(struct.pack(order + "I", SEAL), at + 1)) >= 0:
            if is_covered(at):
                continue
            crcs = groups_of(dump, at, order, in_order)
            for slots, emergency in layouts(dump, at - NOTES, order, crcs, in_order) if crcs else ():
                size = native_header.size_of(slots, emergency)
                start = at - NOTES - SLOT * (slots + 1 + emergency) - HEADER
                near = sorted(images, key=lambda i: i.offset)
                found = native_header.repair(dump, start, order, near, True, True) if start >= 0 else None
                words = found[0] if found else words_between(start, size, images)
                if words and words[native_header.SIZE] == size and not (found and found[1]):
                    image = native_header.image_of(dump, start, order, words)
                    image.mended = True
                    if not found:
                        take_seal(image, dump, at, in_order)
                    yield image
                    break
                if not words and any(between(start, size, images)):
                    trace.damage(start, 0, "a lost header, of which run is not told")
