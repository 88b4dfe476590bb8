"""overwrite.py - a dump of which a dozen parts, of 8 to 300 bytes each, are replaced by 64 bytes of noise, always
the same ones.

usage: overwrite.py FILE OUTPUT
"""
import random
import sys

random.seed(5)
data = bytearray(open(sys.argv[1], "rb").read())
for _ in range(12):
    at = random.randrange(len(data) - 300)
    data[at:at + random.randrange(8, 300)] = random.randbytes(64)
open(sys.argv[2], "wb").write(data)
