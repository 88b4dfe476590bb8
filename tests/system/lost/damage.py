#!/usr/bin/env python3
"""damage.py - overwrites header and seal of one chunk, wherever an image of it stands in a file.

usage: damage.py FILE OUTPUT NUMBER
NUMBER: of a chunk of CPU 0's ring. Where the parts of an image are follows from target/FORMAT.md, section 2."""
import struct
import sys


def is_header(words):
    """Whether the check of a header is right: the firmware has the words ahead of it as constants, too."""
    total, factor = 0, 1
    for word in words[:15]:
        factor = factor * 0x9E3779B1 & 0xFFFFFFFF
        total += (word ^ word >> 16) * factor
    return total & 0xFFFFFFFF == words[15]


def main():
    path, output, number = sys.argv[1:]
    data = bytearray(open(path, "rb").read())
    wanted = int(number) << 8
    at = found = 0
    while (at := data.find(b"\xed\xb7\xd6\x00TLOG\x02\x00\x80\x04", at)) >= 0:
        words = struct.unpack_from("<16I", data, at)
        place, slots, emergency, size = words[3:7]
        seal = at + 128 + 16 * (slots + 1 + emergency) + 32
        if place & 0x3FFFFF == wanted and is_header(words):
            data[at:at + 128] = b"\xa5" * 128
            data[seal:at + size] = b"\x5a" * (at + size - seal)
            found += 1
        at += 4
    if found == 0:
        sys.exit("damage.py: no such chunk in " + path)
    open(output, "wb").write(data)


main()
