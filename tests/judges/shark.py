"""shark.py FILE - write a S.Ha.R.K. trace file with a record of each row of the manual's tables, from the layout alone.

Where the manual gives par1 and par2 a meaning, they are 100 + row and 0x10000 + row, else 0. The clock has 1000 ticks
per us, and records are 1 ms apart."""
import struct
import sys

# Which of par1 and par2 have a meaning.
PLAIN, CTX, BOTH, NUM = (0, 0), (1, 0), (1, 1), (0, 1)
rows = [(0x20, PLAIN), (0x10, NUM), (0x30, PLAIN), (0x40, PLAIN), (0x50, PLAIN), (0x60, BOTH), (0x70, PLAIN),
        (0x01, CTX), (0x02, BOTH), (0x12, CTX), (0x22, PLAIN), (0x32, PLAIN), (0x42, BOTH), (0x52, PLAIN),
        (0x62, BOTH), (0x72, PLAIN), (0x82, BOTH), (0x92, BOTH), (0xA2, PLAIN), (0xB2, CTX), (0xC2, CTX), (0x03, CTX),
        (0x13, CTX), (0x23, CTX), (0x33, NUM), (0x04, PLAIN), (0x14, PLAIN), (0x24, PLAIN), (0x34, PLAIN),
        (0x05, PLAIN), (0x15, CTX), (0x25, BOTH), (0x06, PLAIN), (0x16, BOTH), (0x26, PLAIN), (0x36, BOTH),
        (0x43, BOTH), (0x46, BOTH), (0x56, BOTH), (0x07, PLAIN)]
rows += [(code, NUM) for code in range(0x08, 0x68, 0x10)] + [(0x68, BOTH)]
rows += [(code, BOTH) for code in range(0x09, 0xF9, 0x10)] + [(0x1A, BOTH), (0x0B, PLAIN), (0x1B, PLAIN), (0x2B, PLAIN)]
rows += [(0x3B, CTX)] + [(code, CTX) for code in range(0xF0, 0xFC)]
with open(sys.argv[1], "wb") as out:
    for i, (code, (one, two)) in enumerate(rows):
        tsc = 0x1_0000_0000 + i * 1000000
        par2 = 1000000 if code in (0x20, 0x10) else two * (0x10000 + i)
        out.write(struct.pack("<HHIII", code, one * (100 + i), tsc >> 32, tsc & 0xFFFFFFFF, par2))
