"""native_header.py - headers: those that are right, and what proves a damaged one; sections 4 and 4.2 of
target/FORMAT.md, written from it alone."""
import struct

from native_image import HEADER, M32, MAGIC, NOTES, SEAL_BYTES, SLOT, TAG, WRAP, Image, header_sum

FORMAT = 2 | HEADER << 16
ENOUGH, OF_CHECK, OF_BYTE, OF_WORDS, OF_PARTS = 52, 32, 14, 8, 14      # bits; the last three are taken off
WORDS = 16                                                             # that are read: 15, and the check
PLACE, SLOTS, EMERGENCY, SIZE, NEEDS, SELF, HIGH, BOOT, BUILD, CHECK = 3, 4, 5, 6, 9, 10, 11, 12, 13, 15
REACH = 64
LAP_HIGH, LAP = 96, 116                                                # bytes


def size_of(slots, emergency):
    groups = (slots + 31) // 32 + (emergency + 31) // 32
    return HEADER + SLOT * (slots + 1 + emergency) + NOTES + SEAL_BYTES + (groups * 4 + 15) // 16 * 16


def is_format(word):
    return word & 0xFFFFFF == FORMAT and word >> 24 in (4, 8)


def is_known(place):
    return place >> 16 & 63 <= 2 and place >> 22 & 3 <= 2


def sizes_agree(words):
    return (1 <= words[SLOTS] <= 65534 and words[EMERGENCY] <= 65534
            and words[SIZE] == size_of(words[SLOTS], words[EMERGENCY]))


def is_right(words):
    return words[CHECK] == header_sum(words)


def is_readable(words):
    return words[2] & 0xFFFFFF == FORMAT and is_known(words[PLACE]) and sizes_agree(words) \
        and words[NEEDS] < 2


def self_of(words):
    return words[SELF] | words[HIGH] << 32


def read(dump, at, order):
    """The 16 words of a header at an offset, or None; zeros behind the end of the dump are none."""
    if at < 0 or at + 4 * WORDS > len(dump):
        return None
    return list(struct.unpack_from(order + "16I", dump, at))


# ---- evidence --------------------------------------------------------------------------------------------------------

def is_placed(words, at, siblings):
    """Whether a proved image of the same run stands as many bytes away as the address tells."""
    return any(not hasattr(s, "region") and s.boot == words[BOOT] and self_of(words) - s.self == at - s.offset
               for s in siblings)


def evidence(words, was, at, siblings):
    """The bits that agree, of words that were not changed; 0 without check and address."""
    same = [a == b for a, b in zip(words, was)]
    bits = 31 * (is_format(words[2]) and same[2]) + 4 * (is_known(words[PLACE]) and same[PLACE])
    if sizes_agree(words):
        bits += 16 * same[SLOTS] + 16 * same[EMERGENCY] + 32 * same[SIZE]
    bits += 31 * (words[NEEDS] < 2 and same[NEEDS])
    bits += 32 * (words[2] >> 24 == 4 and words[HIGH] == 0 and same[HIGH])
    checked, placed = is_right(words), is_placed(words, at, siblings)
    bits += OF_CHECK * checked + OF_CHECK * (placed and same[SELF])
    return bits if (checked or placed) and not words[BOOT] == words[CHECK] == 0 else 0


def is_proved(words, was, at, siblings, tries):
    return is_readable(words) and evidence(words, was, at, siblings) >= ENOUGH + tries


# ---- changes ---------------------------------------------------------------------------------------------------------

def changes_of_a_byte(words):
    """All headers with a right check that differ in one byte. w xor (w >> 16) is undone by doing it again."""
    wrong, found = words[CHECK] - header_sum(words) & M32, []
    for i in range(2, WORDS):
        if i == CHECK:
            new = header_sum(words)
        else:
            term = (words[i] ^ words[i] >> 16) + wrong * pow(pow(0x9E3779B1, i + 1, WRAP), -1, WRAP) & M32
            new = term ^ term >> 16
        if sum(1 for b in (new ^ words[i]).to_bytes(4, "little") if b) == 1:
            found.append(words[:i] + [new] + words[i + 1:])
    return found


def places_by(sibling, own):
    """What `place` may be, by an image beside it."""
    place = sibling.place
    number, rest = place >> 8 & 255, place & ~0xFF00
    found = [own] + [rest | n << 8 for n in (number + 1, number - 1, number) if 0 <= n <= 255]
    return found + [rest, rest + 1 & 0xFF | rest & ~0xFF, rest & 0xFF | 1 << 16 | 1 << 24, rest & 0xFF | 1 << 16]


def nearest(siblings, at):
    """The two images on each side."""
    before = [s for s in siblings if s.offset < at][-2:]
    return before[::-1] + [s for s in siblings if s.offset > at][:2]


def changes_by_siblings(words, at, siblings):
    """Headers with the words of an image beside it."""
    for s in nearest(siblings, at):
        if hasattr(s, "region"):
            continue
        address = s.self + at - s.offset
        for place in places_by(s, words[PLACE]):
            for boot in {words[BOOT], s.boot}:
                for own in {self_of(words), address}:
                    for sizes in {(words[SLOTS] & 0xFFFF, words[EMERGENCY] & 0xFFFF), (s.slots, s.emergency)}:
                        yield [MAGIC, TAG, FORMAT | s.pointer << 24, place, *sizes, size_of(*sizes), s.freq, s.coarse,
                               0, own & M32, own >> 32 & M32, boot, *s.build, words[CHECK]]


def is_legible(words, was, at, siblings):
    """Whether a header without a right check tells its place: its address is right, and the words on both sides."""
    return (is_placed(was, at, siblings) and words[BOOT] == was[BOOT] and words[PLACE] == was[PLACE]
            and is_format(was[2]) and was[SLOTS] <= 65535 and was[EMERGENCY] <= 65535
            and any(s.boot == was[BOOT] for s in nearest(siblings, at)))


def repair_by_words(was, words, at, siblings):
    for new in changes_by_siblings(words, at, siblings):
        if is_right(new) and is_proved(new, was, at, siblings, OF_WORDS):
            return new
    for new in changes_by_siblings(words, at, siblings) if is_placed(was, at, siblings) else ():
        if is_legible(new, was, at, siblings) and is_proved(new, was, at, siblings, OF_WORDS):
            return new
    return None


def repair_in_parts(dump, at, order, siblings):
    """(header, bytes that came in): its rear stands further behind."""
    data = dump[at:at + 64 + REACH]
    if data[:8] != struct.pack(order + "2I", MAGIC, TAG):
        return None
    for n in range(1, REACH + 1):
        for split in range(8, 64):
            both = data[:split] + data[split + n:64 + n]
            if len(both) < 64:
                continue
            words = list(struct.unpack(order + "16I", both))
            if words[:2] == [MAGIC, TAG] and is_right(words) and is_proved(words, words, at, siblings, OF_PARTS):
                return words, n
    return None


def is_taken_back(was, dump, at, order, sealed):
    """Whether firmware has taken the header back, or not finished it. A right seal shows that it has not, unless there
    is no event, or the chunk belongs to no ring."""
    if was[0] != 0 or was[1] != TAG:
        return False
    words = dump[at + LAP_HIGH:at + LAP + 4]
    if not sealed or was[PLACE] >> 16 & 63 == 2 or len(words) < LAP + 4 - LAP_HIGH:
        return True
    high, *_, cursor, lap = struct.unpack(order + "6I", words)
    first = lap == 0x10100 and cursor in (0x10100, 0x30100)
    return high == 0 and (first or lap == 0x200 and cursor & 0xFFFF == 0x200)


def repair(dump, at, order, siblings, told=False, sealed=False):
    """(words, bytes that came in) of a damaged header, or None. told: another chunk of its ring tells its place;
    sealed: a right seal does."""
    was = read(dump, at, order)
    if was is None:
        return None
    begin = struct.pack("<2I", *was[:2])
    if not told and sum(a == b for a, b in zip(begin, struct.pack("<2I", MAGIC, TAG))) < 3:
        return None
    words = [MAGIC, TAG] + was[2:]
    if is_taken_back(was, dump, at, order, sealed):
        return None
    if is_right(words) and is_proved(words, was, at, siblings, 0):
        return words, 0
    found = changes_of_a_byte(words)
    if len(found) == 1 and is_proved(found[0], was, at, siblings, OF_BYTE):
        return found[0], 0
    words = repair_by_words(was, words, at, siblings)
    return (words, 0) if words else repair_in_parts(dump, at, order, siblings)


def is_told(words, at, siblings):
    """Whether the chunk is the one that the address of another chunk of its ring tells."""
    cpu, number, size = words[PLACE] & 255, words[PLACE] >> 8 & 255, words[SIZE]
    return any(s.boot == words[BOOT] and s.cpu == cpu and s.role == words[PLACE] >> 16 & 63 == 0
               and s.offset + (number - s.number) * size == at for s in siblings)


def image_of(dump, at, order, words, came=0):
    """The image that a header tells. came: bytes that stand between its first and its last words."""
    rest = dump[at + 64 + came:at + came + HEADER]
    rest = rest[:len(rest) // 4 * 4]
    rest = struct.pack("<%dI" % (len(rest) // 4), *struct.unpack(order + "%dI" % (len(rest) // 4), rest))
    image = Image(at, struct.pack("<16I", *words) + rest + bytes(HEADER - 64 - len(rest)), order)
    image.bytes, image.build, image.came = image.buf_size, (words[BUILD], words[BUILD + 1]), came
    return image
