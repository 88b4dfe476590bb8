"""native_region.py - the chunk that a compressed region holds, section 7 of target/FORMAT.md, written from it alone."""
import struct
import zlib

MAGIC, SECOND, HEAD, SLOT, M32 = 0x4B504C54, 2 | 168 << 16, 168, 16, 0xFFFFFFFF
CODES = [0x00, 0x56, 0x62, 0x16, 0x09, 0x15, 0x52, 0x13, 0x12, 0x82, 0x36, 0x29, 0x03, 0x72, 0x01, 0x19]


class Bad(Exception):
    """A payload that cannot be right."""


class Region:
    """data: the image of the chunk; bytes: of the region; lost: numbers of its damaged slots."""


class Bits:
    def __init__(self, words):
        self.value, self.left = sum(w << 32 * i for i, w in enumerate(words)), 32 * len(words)

    def take(self, n):
        if n > self.left:
            raise Bad
        bits, self.value, self.left = self.value & (1 << n) - 1, self.value >> n, self.left - n
        return bits

    def number(self, m):
        """N(m); None: verbatim."""
        c = self.take(4)
        if c == 0:
            return self.take(m)
        b = c + m
        if c == 15:
            d = self.take(5)
            if d == 31:
                return None
            b = 15 + d + m
            if b > 32:
                raise Bad
        return self.take(b - 1) + (1 << b - 1)


def signed(n):
    return n // 2 if n % 2 == 0 else -((n + 1) // 2)


def hk(w):
    return (w * 8 ^ (w & 0xFFFF) >> 4) % 64


def hv(w):
    return (hk(w) + 5 * (w >> 16)) % 32


class Group:
    """What is remembered from slot to slot of a group."""

    def __init__(self, bits, high_byte):
        self.bits, self.high_byte = bits, high_byte
        self.W, self.P, self.D, self.K, self.V = [], [], [], {}, {}
        self.low = self.high = 0
        self.next = None

    def par1(self, i):
        return self.W[i] >> 16

    def expected_par1(self, r):
        i = len(self.W)
        if r >= 1 and self.par1(r) == self.par1(r - 1):
            return self.par1(i - 1)
        if r >= 2 and self.par1(r) == self.par1(r - 2):
            return self.par1(i - 2)
        return self.par1(r)

    def expected_high(self, low):
        if (self.high ^ low) >> 31 & 1 == 0:
            return self.high
        return self.high + 0x80000000 + (self.high >> 31) & M32

    def take_par1(self, expected):
        if not self.bits.take(1):
            return expected
        return self.bits.take(16 if self.bits.take(1) else 4)

    def head(self):
        """(head, r or None, whether the slot is near r)"""
        bits, i = self.bits, len(self.W)
        if self.next is not None:
            r = self.next
            if not bits.take(1):
                return self.W[r] & 0xFFFF | self.expected_par1(r) << 16, r, True
            if not bits.take(1):
                return self.W[r] & 0xFFFF | bits.take(16 if bits.take(1) else 4) << 16, r, True
        if not bits.take(1):
            if i == 0:
                raise Bad
            r = bits.take((i - 1).bit_length())
            if r >= i:
                raise Bad
            return self.W[r] & 0xFFFF | self.take_par1(self.expected_par1(r)) << 16, r, False
        code = bits.take(8) if bits.take(1) else CODES[bits.take(4)]
        verbatim = code == 0xFF
        par1 = self.take_par1(self.par1(i - 1) if i else 0)
        key = bits.take(16) if verbatim else code | (self.W[i - 1] & 0xFF00 if i else self.high_byte << 8)
        return key | par1 << 16, None, False

    def value(self, table, r):
        if not self.bits.take(1):
            return table[r] if r is not None else 0
        n = self.bits.number(0)
        if n is None:
            raise Bad
        return (table[r] + signed(n + 1) if r is not None else n + 1) & M32

    def number(self, m):
        n = self.bits.number(m)
        if n is None:
            raise Bad
        return n

    def slot(self):
        """Decode a slot; its four words."""
        i = len(self.W)
        head, r, near = self.head()
        last = self.value(self.P, r)
        before = self.low
        if head >> 10 & 31:
            data = self.value(self.D, r)
            self.low = before + self.number(4) & M32
            self.high = self.expected_high(self.low)
            words, d = (data, last, self.low, head), data
        else:
            n = self.bits.number(0 if near else 4)
            if n is None:
                self.high, self.low = self.bits.take(32), self.bits.take(32)
            else:
                self.low = before + (self.D[r] + signed(n) if near else n) & M32
                self.high = self.expected_high(self.low)
            words, d = (last, self.high, self.low, head), self.low - before & M32
        v = self.V.get(hv(head))
        if v is None or self.W[v] != head:
            v = self.K.get(hk(head))
            v = v if v is not None and (self.W[v] ^ head) & 0xFFFF == 0 else None
        self.next = v + 1 if v is not None else None
        self.W.append(head)
        self.P.append(last)
        self.D.append(d)
        self.K[hk(head)] = self.V[hv(head)] = i
        return words


def group_slots(payload, n, high_byte):
    """The bytes of the n slots of a payload."""
    if len(payload) == 4 * n:
        return struct.pack("<%dI" % len(payload), *payload)
    group = Group(Bits(payload), high_byte)
    slots = b"".join(struct.pack("<4I", *group.slot()) for _ in range(n))
    if group.bits.left >= 32 or group.bits.value:
        raise Bad
    return slots


def mend(head):
    """The region's head, with a damaged byte mended; None: it cannot be."""
    if zlib.crc32(head[:164]) == struct.unpack_from("<I", head, 164)[0]:
        return head
    found = []
    for i in range(HEAD):
        for change in range(1, 256):
            new = head[:i] + bytes([head[i] ^ change]) + head[i + 1:]
            if zlib.crc32(new[:164]) == struct.unpack_from("<I", new, 164)[0]:
                found.append(new)
    return found[0] if len(found) == 1 else None


def unpack(dump, at, order):
    """The Region at that offset of the dump, or None."""
    data = dump[at:at + HEAD]
    if len(data) < HEAD:
        return None
    if order == ">":
        data = struct.pack("<42I", *struct.unpack(">42I", data))
    if struct.unpack_from("<I", data)[0] != MAGIC and struct.unpack_from("<I", data, 4)[0] != SECOND:
        return None
    head = mend(data)
    if head is None or struct.unpack_from("<II", head) != (MAGIC, SECOND):
        return None
    region = Region()
    region.mended = head != data
    region.bytes = struct.unpack_from("<I", head, 8)[0]
    chunk = struct.pack("<II", 0x00D6B7ED, 0x474F4C54) + head[12:132]
    slots, emergency = struct.unpack_from("<II", chunk, 16)
    words = struct.unpack("<%dI" % (len(body) // 4), body) if (body := rest(dump, at, region.bytes, order)) else ()
    counts = [min(32, n - k) for n in (slots, emergency) for k in range(0, n, 32)]
    firsts = [f + k for f, n in ((1, slots), (slots + 2, emergency)) for k in range(0, n, 32)]
    room = bytearray(16 * (slots + 1 + emergency))
    room[16 * slots:16 * slots + 16] = struct.pack("<4I", 0, 0, 0, 0x300)
    region.lost = {s for f, n in zip(firsts, counts) for s in range(f, f + n)}
    place = 0
    while place < len(words):
        w, number = words[place] & 255, words[place] >> 16
        payload = words[place + 1:place + 1 + w]
        if number < len(counts) and w <= 4 * counts[number] and place + 1 + w < len(words):
            crc = zlib.crc32(struct.pack("<I", words[place]), zlib.crc32(struct.pack("<%dI" % w, *payload),
                                                                         zlib.crc32(head[12:164])))
            if crc == words[place + 1 + w]:
                try:
                    first, n = firsts[number], counts[number]
                    room[16 * (first - 1):16 * (first - 1 + n)] = group_slots(payload, n, words[place] >> 8 & 255)
                    region.lost -= set(range(first, first + n))
                except Bad:
                    pass
                place += w + 2
                continue
        place += 1
    region.data = chunk + bytes(room) + head[132:164] + bytes(48)
    return region


def rest(dump, at, size, order):
    """The bytes behind the region's head, whole words."""
    body = dump[at + HEAD:at + size]
    body = body[:len(body) // 4 * 4]
    if order == "<":
        return body
    return struct.pack("<%dI" % (len(body) // 4), *struct.unpack(">%dI" % (len(body) // 4), body))
