#!/usr/bin/env python3
"""left_out.py - events for which an output's format has no place: the summary tells how many events are in the file,
and how many are not; a message tells why; both agree with what is in the file.

usage: left_out.py DECODER SCRIPTS DIR DUMP    SCRIPTS: a decoder that reads event scripts
"""
import re
import subprocess
import sys

DECODER, SCRIPTS, HERE, DUMP = sys.argv[1:5]
SUMMARY = re.compile(r"^tlog-decode: \S+: (\d+) events?(?: \(\+\d+ derived\))?, .*?(?:; (\d+) events? left out)?$",
                     re.M)
MESSAGE = re.compile(r"^tlog-decode: ([\w-]+): (\d+) events? left out: \S", re.M)


def decode(decoder, source, out, *options):
    """What the summary tells, and whether all is told that should be: (events in the file, events that are not)."""
    done = subprocess.run([decoder, *options, source, "-o", out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (source, options, done)
    written, missing = (int(each or 0) for each in SUMMARY.findall(done.stderr)[-1])
    told = MESSAGE.findall(done.stderr)
    assert sum(int(n) for _, n in told) == missing, (source, options, done.stderr)
    assert not subprocess.run([decoder, "-q", *options, source, "-o", out], capture_output=True, check=True).stderr
    return written, missing


def lines_of(decoder, source, *options):
    """How many events the input has, or a file that was written."""
    text = subprocess.run([decoder, "-q", "--map=native", "--format=text-full", *options, source], capture_output=True,
                          check=False).stdout
    return sum(b"PROCTHREAD_NAME" not in line for line in re.findall(rb"^.*\[\d+\] .*$", text, re.M))


def check(decoder, source, name, *options):
    everything, out = lines_of(decoder, source), HERE + "/left-out." + name
    subprocess.run(["rm", "-rf", out], check=True)
    written, missing = decode(decoder, source, out, "--format=" + name, *options)
    assert written + missing == everything, (source, name, written, missing, everything)
    if name in ("shark", "kev", "lttng"):
        assert lines_of(DECODER, out) == written, (source, name, lines_of(DECODER, out), written)
    return missing


def write(name, lines):
    with open(HERE + "/" + name, "w", encoding="ascii") as file:
        file.write("#script\ncpus 1\nclock 1000000000\n" + "\n".join(lines) + "\n")
    return HERE + "/" + name


FORMATS = ("text", "text-full", "csv", "jsonl", "columns", "trace.dat", "perfetto", "ctf", "vcd", "kev", "lttng",
           "shark", "vcd-wires")
few = {name: check(DECODER, DUMP, name) for name in FORMATS}
assert all((few[name] > 0) == (name in ("shark", "vcd-wires")) for name in FORMATS), few

# Wires tell who runs and which interrupts; nothing of other events.
mixed = write("mixed.txt", ["event 0 %d 1 1" % at for at in range(7)] + ["switch 0 8 1", "entry 0 9 3", "exit 0 10 3",
                                                                        "allocate 0 11 5 5", "end 0 12 1"])
assert check(SCRIPTS, mixed, "vcd-wires") == 8 and check(SCRIPTS, mixed, "vcd") == 0

# More tasks than a VCD has room for, each woken once: those without a variable are left out.
TASKS = 131072 + 1000
many = write("many.txt", ["wake 0 %d %d" % (at, 200000 + at) for at in range(1, TASKS + 1)])
missing = check(SCRIPTS, many, "vcd", "--map=exact")
with open(HERE + "/left-out.vcd", encoding="ascii") as file:
    shown = sum(1 for line in file if re.match(r"\$var \S+ 1 \S+ task_\d+_ready \$end", line))
assert missing == TASKS - shown >= 1000, (missing, shown)

# Two boards, and CPUs that QNX's files do not have.
subprocess.run([sys.executable, "tests/gen/hostile.py", "many_cpus", "80", HERE + "/cpus"], check=True)
assert check(DECODER, HERE + "/cpus", "kev") > 0
subprocess.run(["cp", DUMP, HERE + "/left-out.bin"], check=True)
written, missing = decode(DECODER, DUMP, HERE + "/left-out.two", "--format=shark", "--merge", HERE + "/left-out.bin")
assert missing == 2 * few["shark"] and written + missing == 2 * lines_of(DECODER, DUMP), (written, missing)
print("left out: %s, %d of %d tasks, of two boards, CPUs: summary, message and file agree"
      % (few, TASKS - shown, TASKS))
