#!/usr/bin/env python3
"""hostile_lttng.py - write LTTng traces and archives that cost their reader far more than their size.

    gen/hostile_lttng.py KIND PATH [N]

Archives, at PATH, for which N is MiB:
    hole        a file of N MiB in which only the last page is no hole
    pages       N files of 64 MiB of which each page holds a byte, and all else is holes
    map         a file with a map of N MiB of holes
    zeros       a file of N MiB of zeros, in xz
    other       the same with a name that no trace has
    names       names of files with control characters
Directories:
    clockless   metadata whose first block is broken
    holes       cpu_0 of N MiB, a hole but for its ends
    block       a block of N MiB of events, of which all but the first page is a hole
    channels    N descriptions, each of another channel
    ids         N channels with the highest id
    alike       N markers of one name
    named       N names of processes
    broken      N events that can only be told from rubbish by searching behind them
    files       N files of one CPU with an event each, and one with 2000 times as many
    blocks      N blocks of the shortest size, at no page
    last_cpu    an event of CPU N, and of no other
"""
import io
import lzma
import os
import struct
import sys
import tarfile
import zlib

MIB = 1 << 20
MAGIC = 0x00D6B7ED


# ---- blocks and events ----------------------------------------------------------------------------------------------

def block_2(body, size=None, used=None, minor=6):
    """A block of version 2: little-endian, nothing aligned. size: of the block, used: of its data."""
    length = 60 + 8
    used = length + len(body) if used is None else used
    size = used if size is None else size
    header = struct.pack("<QQIBBBBQQQIIIII", 1, (1 << 27) - 1, MAGIC, 2, minor, 8, 0, 1, 0, 10**9, 1, used, size, 0, 0)
    return header + body


def block_1(body, size=None):
    """A block of version 1.0, likewise."""
    size = 109 + len(body) if size is None else size
    header = struct.pack("<QQQQIIIIII9BIQQQQQ", 1, 10**6, 1 << 30, 10**6, size - 109 - len(body), size, MAGIC, 8, 0, 0,
                         8, 1, 0, 0, 0, 0, 0, 32, 0, 1000, 10**6, 1, 0, 1, 0)
    return header + body


def event_2(ident, payload, tsc=1):
    return struct.pack("<I", ident << 27 | tsc) + payload


def event_1(ident, payload, tsc=1):
    return struct.pack("<QHH", tsc, ident, len(payload)) + payload


def described_2(channel, name, ident, form=None):
    """Descriptions of a marker in version 2."""
    names = channel + b"\0" + name + b"\0"
    what = event_2(0, names + struct.pack("<H5B", ident, 4, 8, 8, 8, 0))
    return what + (event_2(1, names + form + b"\0") if form is not None else b"")


def described_1(name, ident):
    """The same in version 1.0, without a format."""
    return event_1(0, name + b"\0" + struct.pack("<H5B", ident, 4, 8, 8, 8, 0))


def padded(data):
    return data + bytes(-len(data) % 4096)


def save(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def trace_2(path, metadata, files=(("kernel_0", block_2(event_2(0, bytes(4)))),)):
    """A directory of version 2: files are pairs of a name and blocks; without them there is an event of ONE."""
    save(path + "/metadata_0", block_2(metadata))
    for name, data in files:
        save(path + "/" + name, data)


ONE = described_2(b"kernel", b"one", 0, b"value %u")


# ---- archives -------------------------------------------------------------------------------------------------------

def small_trace():
    return [("t/metadata_0", block_2(ONE)), ("t/kernel_0", block_2(event_2(0, bytes(4))))]


def add(tar, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def head_of(name, size):
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)


def sparse(name, size, parts):
    """A member with holes, in the form 1.0 of GNU: parts are pairs of an offset and data."""
    numbers = [len(parts)] + [n for at, data in parts for n in (at, len(data))]
    the_map, data = b"".join(b"%d\n" % n for n in numbers), b"".join(data for _, data in parts)
    body = the_map + bytes(-len(the_map) % 512) + data
    info = tarfile.TarInfo("GNUSparseFile.0/" + os.path.basename(name))
    info.size = len(body)
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": name,
                        "GNU.sparse.realsize": str(size)}
    return info.tobuf(tarfile.PAX_FORMAT) + body + bytes(-len(body) % 512)


def members():
    """A small trace as members of an archive, without the archive's end."""
    return b"".join(head_of(name, len(data)) + data + bytes(-len(data) % 512) for name, data in small_trace())


def gzip_to(path, data):
    compress = zlib.compressobj(9, zlib.DEFLATED, 31)
    with open(path, "wb") as file:
        file.write(compress.compress(data) + compress.flush())


def hole(path, mib):
    last = block_2(event_2(0, bytes(4)))
    gzip_to(path, members() + sparse("t/kernel_1", mib * MIB, [(mib * MIB - 4096, last + bytes(4096 - len(last)))])
            + bytes(1024))


def pages(path, n):
    parts = [(at, b"x") for at in range(0, 64 * MIB, 4096)]
    gzip_to(path, members() + sparse("t/kernel_1", 64 * MIB, parts) * n + bytes(1024))


def holes_map(path, mib):
    one = lzma.compress(b"1\n0\n" * (MIB // 4))
    info = tarfile.TarInfo("GNUSparseFile.0/kernel_1")
    info.size = mib * MIB + 512
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "t/kernel_1",
                        "GNU.sparse.realsize": "4096"}
    head = info.tobuf(tarfile.PAX_FORMAT) + b"%07d\n" % (mib * MIB // 4)
    with open(path, "wb") as file:
        file.write(lzma.compress(members() + head) + one * mib)


def zeros(path, mib, name="t/kernel_1"):
    most = min(mib, 64)
    some = lzma.compress(bytes(most * MIB), preset=1)
    with open(path, "wb") as file:
        file.write(lzma.compress(members() + head_of(name, mib * MIB)) + some * (mib // most)
                   + lzma.compress(bytes(1024)))


def other(path, mib):
    zeros(path, mib, "t/a file of another kind")


def names(path, _):
    evil = ["e\x1b[31mvil/kernel_1", "new\nline/kernel_1", "c1\x9b31m/kernel_1", "utf8\u009b/kernel_1"]
    with tarfile.open(path, "w:gz", encoding="utf-8", errors="surrogateescape") as tar:
        for name, data in small_trace():
            add(tar, name, data)
        for name in evil:
            add(tar, name, b"x" * 100)
        add(tar, b"raw\x9b1m/kernel_1".decode("utf-8", "surrogateescape"), b"x" * 100)


# ---- directories ----------------------------------------------------------------------------------------------------

def clockless(path, _):
    block = bytearray(padded(block_1(described_1(b"one", 200), 4096)))
    broken = bytearray(block)
    broken[56] ^= 0xFF
    save(path + "/control/facilities_0", broken + block)
    save(path + "/cpu_0", b"no block, but not empty")


def holes(path, mib):
    trace_2(path, ONE, [("kernel_0", padded(block_2(event_2(0, bytes(4)), 4096)))])
    with open(path + "/kernel_0", "r+b") as file:
        file.seek(mib * MIB - 4096)
        file.write(padded(block_2(event_2(0, bytes(4)), 4096)))


def block(path, mib):
    size = min(mib * MIB, 0xFFFFF000)
    trace_2(path, ONE, [("kernel_0", block_2(event_2(0, bytes(4)), size, size))])
    os.truncate(path + "/kernel_0", size)


def channels(path, n):
    """The formats have no end, so the descriptions make no marker."""
    def described(i):
        payload = b"%x\0a\0+" % i
        return event_2(30, struct.pack("<HH", 1, len(payload)) + payload)
    trace_2(path, ONE + b"".join(described(i) for i in range(n)))


def ids(path, n):
    trace_2(path, ONE + b"".join(described_2(b"%x" % i, b"a", 65535) for i in range(n)))


def alike(path, n):
    trace_2(path, ONE + b"".join(described_2(b"kernel", b"a", i + 1) for i in range(n)))


def named(path, n):
    what = described_2(b"task_state", b"process_state", 0, b"pid %u name %s")
    body = b"".join(event_2(0, struct.pack("<I", i + 1) + b"a\0") for i in range(n))
    trace_2(path, ONE + what, [("task_state_0", block_2(body))])


def broken(path, n):
    good, bad = event_1(200, b"abcd"), event_1(9999, b"ab")
    save(path + "/control/facilities_0", block_1(described_1(b"one", 200)))
    save(path + "/cpu_0", block_1((good + bad) * n))


def files(path, n):
    one = block_2(event_2(0, bytes(4), (1 << 27) - 2))
    many = block_2(event_2(0, bytes(4)) * 2000 * n)
    what = described_2(b"kernel", b"one", 0, b"value %u")
    what += b"".join(described_2(b"c%x" % i, b"one", 0, b"value %u") for i in range(n))
    trace_2(path, what, [("c%x_0" % i, one) for i in range(n)] + [("kernel_0", many)])


def blocks(path, n):
    one = block_2(event_2(0, bytes(4)))
    first = block_2(event_2(0, bytes(4)), len(one) + 1, len(one)) + b"\0"
    trace_2(path, ONE, [("kernel_0", first + one * n)])


def last_cpu(path, n):
    trace_2(path, ONE, [("kernel_%d" % n, block_2(event_2(0, bytes(4)))), ("kernel_0", b"")])


KINDS = {"hole": hole, "pages": pages, "map": holes_map, "zeros": zeros, "other": other, "names": names,
         "clockless": clockless, "holes": holes, "block": block, "channels": channels, "ids": ids, "alike": alike,
         "named": named, "broken": broken, "files": files, "blocks": blocks, "last_cpu": last_cpu}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)
