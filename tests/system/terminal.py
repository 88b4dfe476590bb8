"""terminal.py - what is shown on terminals only: the line of progress, and colours.

usage: terminal.py DECODER          (in a directory to write to; DECODER reads event scripts)
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

decoder = sys.argv[1]
CLEAR = b"\r\x1b[K"
PROGRESS = re.compile(rb"\r\x1b\[Ktlog-decode: (\d+) %(?:, (\d+) events, \d+ events/s)?(?:, \d+ s left)?")


def run(*options, out="pipe", err="tty", columns=0, **more):
    """What reaches standard output and standard error, each of them a tty of so many columns, a pipe or a file."""
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    ends, given, told = {}, {}, {}
    for name, kind in (("stdout", out), ("stderr", err)):
        if kind == "file":
            given[name] = open(name, "wb")
        else:
            ends[name], given[name] = pty.openpty() if kind == "tty" else os.pipe()
            if kind == "tty":
                fcntl.ioctl(given[name], termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    process = subprocess.Popen([decoder, *options], env={**environment, "TERM": "xterm", **more}, **given)
    for name, end in given.items():
        end.close() if name not in ends else os.close(end)
    while ends:
        for end in select.select(ends.values(), [], [])[0]:
            name = next(key for key in ends if ends[key] == end)
            try:
                piece = os.read(end, 65536)
            except OSError:  # a terminal that nobody writes to any more
                piece = b""
            told[name] = told.get(name, b"") + piece
            if not piece:
                os.close(ends.pop(name))
    process.wait()
    for name, kind in (("stdout", out), ("stderr", err)):
        if kind == "file":
            with open(name, "rb") as file:
                told[name] = file.read()
    return told["stdout"], told["stderr"].replace(b"\r\n", b"\n")


def screen(text):
    """The lines that are left when what was erased is gone."""
    return [line.split(CLEAR)[-1].decode() for line in text.split(b"\n")]


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write("#script\n" + text)
    return name


events = ["event 0 %d 1 1\n" % i for i in range(6030)]
slow = write("slow.bin", "".join([*events[:3000], "wait 0 1\n", *events[3000:6000], "wait 0 1\n",
                                  "damage 0 6000 16 4 0 a hole\n", *events[6000:]]))
out, err = run(slow, "-o", "slow.txt")
lines = PROGRESS.findall(err)
assert len(lines) >= 2 and any(events for _, events in lines), err
shares = [int(share) for share, _ in lines]
assert 30 < shares[0] < 70 and all(share <= 99 for share in shares), err
assert re.search(rb" events/s, \d+ s left", err), err
assert screen(err) == ["\x1b[33mtlog-decode:\x1b[0m slow.bin: offset 0x10: a hole: skipped 4 bytes",
                       "tlog-decode: slow.txt: 6030 events (+1 derived), 1 CPU, 0.000 s, lost 0, damaged 0 in 1 part",
                       ""], err
for options, how in (((slow, "-q", "-o", "slow.txt"), {}), ((slow, "-o", "slow.txt"), {"err": "pipe"}),
                     ((slow,), {"out": "tty"}), ((slow, "-o", "slow.txt"), {"TERM": "dumb"})):
    assert CLEAR not in run(*options, **how)[1], (options, how)
assert PROGRESS.search(run("--stat", slow)[1])
assert CLEAR not in run(write("fast.txt", "many 0 9 1 1\n"))[1]

# ---- colours ----

tasks = write("tasks.txt", "switch 0 1 1\nswitch 0 5 2\nswitch 0 9 1\n")
RED = b"\x1b[31mtlog-decode:\x1b[0m nothing.bin: "
for options, how, wanted in (((), {}, True), ((), {"err": "pipe"}, False), ((), {"NO_COLOR": "1"}, False),
                             ((), {"NO_COLOR": ""}, True), ((), {"TERM": "dumb"}, False),
                             (("--color=never",), {}, False), (("--color=auto",), {"NO_COLOR": "1"}, False),
                             (("--color=always",), {"err": "pipe", "NO_COLOR": "1"}, True),
                             (("--color=always",), {"err": "file"}, False)):
    err = run(*options, "nothing.bin", **how)[1]
    assert err.startswith(RED if wanted else b"tlog-decode: nothing.bin: "), (options, how, err)
    assert (b"\x1b" in err) == wanted, (options, how, err)
for options, how, wanted in (((), {"out": "tty"}, True), ((), {}, False), ((), {"out": "tty", "NO_COLOR": "1"}, False),
                             (("--color=always",), {}, True), (("--color=always",), {"out": "file"}, False),
                             (("--color=never",), {"out": "tty"}, False)):
    out = run(*options, "-q", "--stat", tasks, **how)[0]
    assert (b"\n\x1b[1mTasks" in out) == (b"\x1b" in out) == wanted and b"Tasks" in out, (options, how, out)
run("--color=always", "-q", "--stat", tasks, "-o", "stat.txt", out="tty")
with open("stat.txt", "rb") as file:
    assert b"\x1b" not in file.read()
assert b"\x1b" not in run("--color=always", "-q", "--stat", "--json", tasks, out="tty")[0]

# ---- figures are the same on terminals of any width ----

want = run("-q", "--stat", tasks)[0]
for width in (0, 40, 80, 200):
    out = run("-q", "--stat", "--color=never", tasks, out="tty", columns=width)[0].replace(b"\r\n", b"\n")
    assert out == want, (width, out)
print("terminal: %d lines of progress, erased; colours where they are wanted" % len(lines))
