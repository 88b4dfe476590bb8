"""reset.py - runs the firmware of the reset test in QEMU.

usage: reset.py ELF MODE [KINDS]

KINDS: how many of the three kinds of reset to use (3). The third kind is the reset button: whenever the firmware prints
an R, this script resets the machine from outside by QMP. In mode `cover` the script runs no reset, but compares the
instructions at which the test has interrupted runs by a reset (hits.bin) with those that the same runs execute without
a reset, according to QEMU's log; each must have been hit."""
import json
import os
import re
import socket
import struct
import subprocess
import sys

STATE = 0x20200000
MODES = {"sweep": 0, "dry": 1, "pairs": 2, "noise": 3}
KINDS = ("AIRCR.SYSRESETREQ", "watchdog", "QMP system_reset")
CODE_BYTES = 0x8000
# Functions of the runtime are recognised by their source files.
SOURCES = re.compile(r"/(target/src|target|port)/(tlog|port)_?\w*\.[ch]:")


def qemu(elf, mode, kinds, *more):
    return ["qemu-system-arm", "-M", "mps2-an385", "-display", "none", "-monitor", "none", "-serial", "none",
            "-semihosting-config", "enable=on,target=native", "-icount", "shift=6",
            "-device", f"loader,addr={STATE},data={MODES[mode]},data-len=4",
            "-device", f"loader,addr={STATE + 4},data={kinds},data-len=4", "-kernel", elf, *more]


def run(elf, mode, kinds):
    path = "qmp"
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(1)
    child = subprocess.Popen(qemu(elf, mode, kinds, "-chardev", f"socket,id=q,path={path}", "-mon",
                                  "chardev=q,mode=control"), stderr=subprocess.PIPE)
    connection, _ = listener.accept()
    control = connection.makefile("rw")

    def command(name):
        control.write(json.dumps({"execute": name}) + "\n")
        control.flush()
        try:
            while (line := control.readline()) and "return" not in json.loads(line):
                pass
        except ConnectionResetError:  # the firmware has ended QEMU meanwhile; the caller looks at its exit code
            pass

    control.readline()
    command("qmp_capabilities")
    presses = 0
    text = b""
    while byte := os.read(child.stderr.fileno(), 1):
        if byte == b"R":
            presses += 1
            command("system_reset")
        else:
            text += byte
    print(text.decode(), end="")
    if presses:
        print(f"{presses} of them from outside")
    return child.wait()


def functions(elf):
    """(first address, end, name) of each function whose instructions must be covered."""
    out = subprocess.run(["arm-none-eabi-nm", "-S", "-l", "--defined-only", elf], capture_output=True, text=True,
                         check=True).stdout
    found = []
    for line in out.splitlines():
        fields = line.split("\t")
        words = fields[0].split()
        if len(words) == 4 and words[2] in "tTW" and (SOURCES.search(fields[-1] + ":") or words[3] == "log_one"):
            begin = int(words[0], 16) & ~1
            found.append((begin, begin + int(words[1], 16), words[3]))
    return found


def reachable(elf, ranges):
    """The addresses in the ranges that are executed in a run without resets."""
    begin, end = min(r[0] for r in ranges), max(r[1] for r in ranges)
    subprocess.run(qemu(elf, "dry", 1, "-singlestep", "-d", "exec,nochain", "-dfilter", f"{begin:#x}..{end:#x}", "-D",
                        "exec.log"), check=True, stderr=subprocess.DEVNULL)
    pcs = set()
    with open("exec.log") as log:
        for line in log:
            trace = re.match(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/", line)
            if trace:
                pcs.add(int(trace.group(1), 16))
    os.unlink("exec.log")
    return {pc for pc in pcs if any(r[0] <= pc < r[1] for r in ranges)}


def cover(elf, kinds):
    data = open("hits.bin", "rb").read()  # before reachable(), whose run replaces the file
    ranges = functions(elf)
    want = reachable(elf, ranges)
    size = CODE_BYTES // 16
    bad = not want
    for kind in range(kinds):
        words = struct.unpack_from(f"<{size // 4}I", data, kind * size)
        hit = {pc for pc in range(0, CODE_BYTES, 2) if words[pc // 64] >> pc // 2 % 32 & 1}
        missing = sorted(want - hit)
        print(f"{KINDS[kind]}: covered {len(want) - len(missing)} of {len(want)} reachable instructions")
        for pc in missing[:20]:
            name = next(r for r in ranges if r[0] <= pc < r[1])
            print(f"  not cut off at {pc:#x}, {name[2]}+{pc - name[0]:#x}")
        bad |= bool(missing)
    return int(bad)


def main():
    elf, mode = sys.argv[1:3]
    kinds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    return cover(elf, kinds) if mode == "cover" else run(elf, mode, kinds)


sys.exit(main())
