#!/usr/bin/env python3
"""hostile_dumps.py - makes dumps of tlog, .kev files and S.Ha.R.K. files that ask for far more memory or time than they
are large: see decoder/hostile.py.

  gen/hostile_dumps.py KIND SIZE OUT    SIZE: how often the part is there that costs

It knows target/FORMAT.md and the formats' documents, and nothing of the decoder.
"""

import random
import struct
import sys
import zlib

MAGIC, TAG, SEAL, REGION, MARK = 0x00D6B7ED, 0x474F4C54, 0x4C414553, 0x4B504C54, bytes(12) + b"\0\3\0\0"
MOST = 65534  # slots of a chunk


def pack(layout, *values):
    return struct.pack("<" + layout, *values)


# ---- dumps of tlog --------------------------------------------------------------------------------------------------

def groups_of(slots, emergency):
    return (slots + 31) // 32 + (emergency + 31) // 32


def bytes_of(slots, emergency=0):
    return 128 + 16 * (slots + 1 + emergency) + 32 + 48 + (4 * groups_of(slots, emergency) + 15) // 16 * 16


def check_of(words):
    return sum((w ^ w >> 16) * pow(0x9E3779B1, i + 1, 1 << 32) for i, w in enumerate(words)) & 0xFFFFFFFF


def header(slots, place=1 << 24, lap=1, used=None, emergency=0, used_emergency=0, at=0x20000000, boot=7, step=0):
    """A chunk's header: it is in a lap in which so many slots are used. step: to the chunk that follows."""
    used = slots if used is None else used
    tag = 1 if lap % 2 else 2
    words = [MAGIC, TAG, 0x04800002, place, slots, emergency, bytes_of(slots, emergency), 1000000, 0, 0, at, 0, boot, 0,
             0]
    return pack("32I", *words, check_of(words), step & 0xFFFFFFFF, 0, used_emergency, 0, 0, 0, 0, 0, lap >> 16, 0, 0, 0,
                used + 1 << 16 | tag << 8, (lap & 0xFFFF) << 16 | tag << 8, 0, 0)


def record(time, tag=1):
    low, high = time & 0xFFFFFFFF, time >> 32
    return pack("4I", time & 0xFFFF, low & 0x80000000 | high, low, 0x00010009 | tag << 8)


def records(n, first=1000, tag=1):
    return b"".join(record(first + i, tag) for i in range(n))


def seal_of(head, slots, claims=bytes(32), emergency=b""):
    """The seal of an image with these bytes."""
    words = struct.unpack("<32I", head)
    front = pack("11I", SEAL, *(words[i] for i in (28, 29, 30, 26, 18, 23, 24, 25, 31, 22)))
    table = b"".join(pack("I", zlib.crc32(part[i:i + 512])) for part in (slots, emergency)
                     for i in range(0, len(part), 512))
    crc = zlib.crc32(table, zlib.crc32(claims, zlib.crc32(front)))
    return front + pack("I", crc) + table + bytes(-len(table) % 16)


def image(slots, sealed=True, first=1000, **words):
    """A whole image of a chunk, full of records."""
    head, body = header(slots, **words), records(slots, first, 1 if words.get("lap", 1) % 2 else 2)
    end = seal_of(head, body) if sealed else bytes(bytes_of(slots) - 128 - 16 * slots - 48)
    return head + body + MARK + bytes(32) + end


def wiped(whole):
    return bytes(128) + whole[128:]


def intact(sealed=True):
    """An image that makes any file a dump."""
    return image(4, sealed, place=1, at=0x10000000)


def false_heads():
    """Magic and tag, and behind them nothing that fits."""
    r = random.Random(1)
    return intact() + b"".join(pack("II", MAGIC, TAG) + r.randbytes(8) for _ in range(SIZE)) + intact()


def false_seals():
    """Seals of nothing."""
    return intact() + (b"SEAL" + bytes(60)) * SIZE + intact()


def right_seals():
    """Right seals with many groups and many end marks ahead, and no chunk that has them."""
    groups, r = 40, random.Random(1)
    front, table = pack("11I", SEAL, *[0] * 10), r.randbytes(4 * groups)
    seal = front + pack("I", zlib.crc32(table, zlib.crc32(bytes(32), zlib.crc32(front)))) + table
    return intact() + (MARK * 40 + bytes(32) + seal) * SIZE + intact()


def only_slots():
    """A MiB of slots that are events, and nothing else."""
    return records(1 << 16) * SIZE


def slots_and_marks():
    """Slots behind an image, an end mark behind each few of them, each at another place in 16 bytes."""
    few = records(3)
    return intact(False) + b"".join(few + MARK + b"x" for _ in range(SIZE)) + intact(False)


def slots_by_image():
    """Slots behind a large image without a seal, whose number of slots they are tried with."""
    large = image(MOST, False)
    return large + records(1 << 16, 1 << 20) * SIZE


def wiped_heads():
    """A stream of laps, of which all but the first two have no header."""
    laps = [image(4, True, 1000 + 4 * i, place=1 << 24, lap=i + 1) for i in range(SIZE)]
    return laps[0] + laps[1] + b"".join(wiped(lap) for lap in laps[2:])


def wiped_unsealed():
    """Chunks whose headers are wiped, without seals, behind one that has all."""
    one = wiped(image(4, False, place=0x02000001))
    return image(4, False, place=0x02000001) + one * SIZE + intact(False)


def lost_and_seals():
    """The same in front of seals that are right and belong to nothing."""
    one = image(4, False)
    seals = right_seals()
    return one + wiped(one) * SIZE + seals


def holes():
    """Holes next to each other: each second chunk has no header."""
    one = image(4, False, place=0x02000000, at=0x20000000)
    other = wiped(image(4, False, place=0x02000100, at=0x20000000 + len(one)))
    return (one + other) * SIZE


def sealed_holes():
    """The same with seals. Those without a header are not copies of the others: they have events of their own."""
    one = image(4, place=0x02000000, at=0x20000000)
    other = wiped(image(4, first=2000, place=0x02000100, at=0x20000000 + len(one)))
    return (one + other) * SIZE


def holes_of_noise():
    """Holes that hold nothing, between images."""
    one, r = image(4), random.Random(1)
    return b"".join(one + r.randbytes(64) for _ in range(SIZE))


def overlapping():
    """Headers of the largest chunks, each inside all before it."""
    one = header(MOST, emergency=MOST, used_emergency=MOST, lap=9) + records(2)
    return one * SIZE


def overlapping_stale():
    """The same in lap 1, of runs that differ, so that each header could be left over from an earlier run."""
    return b"".join(header(MOST, used=2, boot=1 + i % 5, lap=1) + records(2) for i in range(SIZE))


def lanes():
    """The largest chunks, cut after two events; as many streams of events that have to be merged."""
    return b"".join(header(MOST, place=2 << 16 | i % 256 << 8 | i // 256 % 256, emergency=MOST, used_emergency=MOST,
                           at=i << 12) + records(2, 1000 + i) for i in range(SIZE))


def many():
    """Images of as few bytes as may be, of all CPUs and numbers, each with three laps."""
    return b"".join(header(4, place=2 << 16 | i % 65536, emergency=4, used_emergency=4, used=2, at=i << 12, lap=9)
                    + records(1, 1000 + i) for i in range(SIZE))


def laps():
    """As many images of one chunk, each of a later lap."""
    return b"".join(image(4, True, 1000 + 4 * i, lap=i + 1) for i in range(SIZE))


def images_of_lap():
    """As many images of one lap, of which each lacks what the others lack."""
    return b"".join(header(64, used=60) + bytes(64 * 16) + MARK + bytes(32 + 48 + 16) for _ in range(SIZE))


def torn():
    """Images without an end, and magics of seals in all places where their ends are looked for."""
    return b"".join(header(4, lap=9) + b"SEAL" * 32 for _ in range(SIZE))


def runs():
    """As many runs, each with one image."""
    return b"".join(image(2, boot=i + 1) for i in range(SIZE))


def back_and_forth():
    """A chunk without a seal whose times step back everywhere."""
    times = list(range(1000, 1000 + MOST))
    random.Random(1).shuffle(times)
    body = b"".join(record(time) for time in times)
    return (header(MOST) + body + MARK + bytes(bytes_of(MOST) - 128 - 16 * (MOST + 1))) * SIZE


def combined():
    """A chunk without a seal, all slots of which are one event that has no end."""
    body = (pack("4I", 1, 1, 1000, 1 << 30 | 6 << 10 | 1 << 8)
            + pack("4I", 1, 1, 1000, 2 << 30 | 6 << 10 | 1 << 8) * (MOST - 1))
    return (header(MOST) + body + MARK + bytes(bytes_of(MOST) - 128 - 16 * (MOST + 1))) * SIZE


# ---- compressed regions ---------------------------------------------------------------------------------------------

def region_head(slots, size, claims=bytes(32), **words):
    head = pack("III", REGION, 0x00A80002, size) + header(slots, **words)[8:] + claims
    return head + pack("I", zlib.crc32(head))


def group(head, number, payload, bits=1):
    first = pack("I", number << 16 | bits << 8 | len(payload) // 4)
    return first + payload + pack("I", zlib.crc32(first, zlib.crc32(payload, zlib.crc32(head[12:164]))))


def alike():
    """The payload of 32 equal slots, in few words: it is found by its document, section 7.3."""
    bits = []

    def put(value, n):
        bits.extend(value >> i & 1 for i in range(n))
    put(1, 1), put(0, 1), put(4, 4), put(0, 1), put(0, 1), put(0, 4), put(1, 4)  # code 09, par1 0, par2 0, low 1
    put(0, 1), put(0, 1), put(0, 1), put(0, 4), put(0, 4)                        # like slot 0: 0 bits for r
    for _ in range(30):
        put(0, 1), put(0, 1), put(0, 4)                                           # as the slot behind the one like it
    bits += [0] * (-len(bits) % 32)
    words = [bits[at:at + 32] for at in range(0, len(bits), 32)]
    return b"".join(pack("I", sum(bit << i for i, bit in enumerate(word))) for word in words)


def cut_regions():
    """Heads of regions of the largest chunks, without a group; each is cut by the next. As many streams."""
    return b"".join(region_head(MOST, 300000, place=2 << 16 | i % 256 << 8 | i // 256 % 256, at=i << 12) + bytes(8)
                    for i in range(SIZE))


def small_regions():
    """Regions that become fifty times as large, and have to be merged."""
    out, payload = [], alike()
    for i in range(SIZE):
        slots = MOST // 32 * 32
        size = 168 + groups_of(slots, 0) * (8 + len(payload))
        head = region_head(slots, size, place=2 << 16 | i % 256 << 8 | i // 256 % 256, at=i << 12)
        out.append(head + b"".join(group(head, k, payload) for k in range(slots // 32)))
    return b"".join(out)


def damaged_regions():
    """Regions with noise for groups, in which the next group is searched for at every word."""
    r, out = random.Random(1), []
    for i in range(SIZE):
        head = region_head(MOST, 168 + 256 * 1024, at=i << 12)
        words = b"".join(pack("I", r.randrange(2048) << 16 | 127) for _ in range(64 * 1024))
        out.append(head + words)
    return b"".join(out)


# ---- .kev files -----------------------------------------------------------------------------------------------------

def kev(slots, cpus=1):
    text = (("HEADER_BEGIN", ""), ("LITTLE_ENDIAN", "TRUE"), ("ENCODING", "16 byte events"),
            ("CYCLES_PER_SEC", "1000000"), ("CPU_NUM", str(cpus)), ("SYS_RELEASE", "6.4.1"), ("SYSPAGE_LEN", "0"),
            ("HEADER_END", ""))
    return "".join("TRACE_%s::%s" % each for each in text).encode() + slots


def slot(part, kind, event, stamp, a=0, b=0, cpu=0):
    return pack("4I", part << 30 | cpu << 24 | kind << 10 | event, stamp, a, b)


def kev_cpus():
    """An event of each of 64 CPUs, whose slots are all looked at once for each CPU."""
    return kev(b"".join(slot(0, 6, 1, i, cpu=i % 64) for i in range(SIZE)), 64)


def kev_open():
    """Events that begin and never end: as many as may be open at a time are looked through for each slot."""
    return kev(b"".join(slot(1, 6, i % 1000, i) for i in range(SIZE)))


def kev_orphans():
    """Open events, and slots that belong to none of them."""
    opened = b"".join(slot(1, 6, i, 1) for i in range(60))
    return kev(opened + b"".join(slot(2, 6, 900, 1) for i in range(SIZE)))


def kev_long():
    """One event of so many slots."""
    return kev(slot(1, 6, 1, 1) + slot(2, 6, 1, 1, 65, 65) * SIZE + slot(3, 6, 1, 1))


def kev_threads():
    """Threads, and no two of the same."""
    return kev(b"".join(slot(0, 4, 1, i, i // 8 + 2, i % 8 + 1) for i in range(SIZE)))


def kev_names():
    """A process with as many threads as are kept, which gets a new name all the time."""
    threads = b"".join(slot(0, 4, 1, i, 2, i + 1) for i in range(16000))
    name = [slot(1, 4, 192, 20000, 1, 2), slot(2, 4, 192, 20000, 0x61616161, 0x61616161), slot(3, 4, 192, 20000, 0, 0)]
    return kev(threads + b"".join(b"".join(name).replace(pack("I", 20000), pack("I", 20000 + i)) for i in range(SIZE)))


def kev_buffers():
    """Kernel buffers, none of which follows the one before."""
    return kev(b"".join(slot(0, 1, 2, i, i * 3 % 2048, 1) for i in range(SIZE)))


# ---- S.Ha.R.K. ------------------------------------------------------------------------------------------------------

def shark(time, code=0x09, par1=0, par2=0):
    return pack("HHIII", code, par1, time >> 32, time & 0xFFFFFFFF, par2)


def shark_stretches():
    """As many stretches as there may be, which take turns event by event."""
    n = max(2, SIZE // 512)
    return b"".join(shark(1000 + i * 512 + stretch) for stretch in range(512) for i in range(n))


def shark_back():
    """Each second record goes back in time."""
    return b"".join(shark(1000 + SIZE - i if i % 2 else 1000 + i) for i in range(SIZE))


def shark_empty():
    """Nothing but empty slots, and a record at each end."""
    return shark(1) + shark(2) + bytes(16 * SIZE) + shark(3) + shark(4)


def shark_codes():
    """Codes that nobody knows, one in nine."""
    return b"".join(shark(1000 + i, 0x09 if i % 9 else 0x0100 + i * 7919 % 0x7000) for i in range(SIZE))


def shark_marks():
    """Records each of which tells of a loss."""
    return b"".join(shark(1000 + i, 0x50, 0, 1) for i in range(SIZE))


KIND, SIZE, OUT = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if __name__ == "__main__":
    with open(OUT, "wb") as to:
        to.write(globals()[KIND]())
