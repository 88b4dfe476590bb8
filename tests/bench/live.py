"""live.py - how long gdb: halts a target for a snapshot of 64 KiB from QEMU, against QEMU's own pmemsave of the same
bytes by one call of QMP over a socket. Both take turns; what is compared is the fastest of each, since other programs
run, too. The goal is a factor of 3.

usage: live.py BUILD BOARD     (after tests/system/live/live.sh, which builds the firmware)
"""
import os
import re
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "system", "live"))
from target import Target, chunks, decode  # noqa: E402

TURNS = 60


def main():
    build, board = sys.argv[1:]
    folder = os.path.join(build, "test", "live")
    elf = os.path.join(folder, "runs", "firmware.elf")
    address, size = chunks(elf)
    halted, saved = [], []
    with Target(folder, board, elf) as target:
        time.sleep(1)
        for _ in range(TURNS):
            told = decode(build, "gdb:%d" % target.port, "--elf=" + elf, "--format=text", "-o", "/dev/null")[2]
            halted.append(float(re.search(r"halted for ([\d.]+) ms", told).group(1)))
            begin = time.perf_counter()
            target.ask("pmemsave", val=address, size=size, filename=os.path.abspath(os.path.join(folder, "bench.bin")))
            saved.append(1000 * (time.perf_counter() - begin))
    print("gdb: snapshot of %d bytes from QEMU: halted for %.1f ms (median %.1f), pmemsave %.1f ms (median %.1f): "
          "factor %.1f (goal 3)" % (size, min(halted), statistics.median(halted), min(saved), statistics.median(saved),
                                    min(halted) / min(saved)))


main()
