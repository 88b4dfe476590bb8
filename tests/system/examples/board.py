"""board.py - a board in QEMU that runs firmware until it has printed so many lines on its UART, and stands still then.
As a program it stands for OpenOCD, with the commands of which the examples save the memory.

usage: board.py MACHINE IMAGE LINES openocd -f CONFIG -c 'init; halt; dump_image FILE ADDRESS SIZE; shutdown'
       board.py MACHINE IMAGE LINES cat     (writes to standard output what comes by the second UART)
The lines of the first UART are in the file uart.txt of the current folder.
"""
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "memory"))
from emulator import PATIENCE, Machine  # noqa: E402 (the path is set above)

UART, SENT, PIECE = "uart.txt", "sent.bin", "piece.bin"


class Board(Machine):
    """QEMU, until the end of a with block; the firmware has printed `lines` lines, and is halted."""

    def __init__(self, machine, elf, lines, folder="."):
        self.uart = os.path.join(folder, UART)
        for name in (UART, SENT):
            if os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
        super().__init__(["qemu-system-arm", "-M", machine, "-display", "none", "-monitor", "none", "-serial",
                          "file:" + UART, "-serial", "file:" + SENT, "-icount", "shift=6", "-kernel", elf], folder)
        end = time.monotonic() + PATIENCE
        while self.printed() < lines:
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("%s: %d lines on the UART, not %d" % (elf, self.printed(), lines))
            time.sleep(0.01)
        self.monitor.ask("stop")

    def printed(self):
        with open(self.uart, "rb") as file:
            return file.read().count(b"\n")

    def save(self, path, address, size):
        """Save the memory as the CPU sees it. Where QEMU's chip has less than the real one, there is nothing."""
        with open(path, "wb") as file:
            for at in range(address, address + size, 4096):
                try:
                    self.monitor.ask("memsave", val=at, size=4096, filename=os.path.abspath(PIECE))
                except RuntimeError:
                    return
                with open(PIECE, "rb") as piece:
                    file.write(piece.read())


def cat(machine, image, lines):
    """Write what the board sends."""
    with Board(machine, image, int(lines)), open(SENT, "rb") as file:
        sys.stdout.buffer.write(file.read())


def openocd(machine, image, lines, *arguments):
    """Do what OpenOCD's command line says."""
    commands = re.fullmatch(r"init; *halt; *dump_image (\S+) (\S+) (\S+); *shutdown", arguments[-1])
    if len(arguments) != 4 or arguments[0] != "-f" or arguments[2] != "-c" or not commands:
        sys.exit("openocd: not known here: %s" % " ".join(arguments))
    with Board(machine, image, int(lines)) as board:
        board.save(commands[1], int(commands[2], 0), int(commands[3], 0))


if __name__ == "__main__":
    {"openocd": openocd, "cat": cat}[sys.argv[4]](*sys.argv[1:4], *sys.argv[5:])
