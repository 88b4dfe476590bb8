#!/usr/bin/env python3
"""bounded.py - run a command within bounds, and say what it took.

    bounded.py [cpu=SECONDS] [memory=MIB] [spool=MIB] COMMAND ...

The bounds are CPU time, the largest resident memory, and the space that files without a name take at a time: temporary
files that the command has open. Seconds are those of the machine that pace.py speaks of: on a slower one, or one under
load, there are more of them. The command is killed when it goes beyond one of them. The exit code is the command's;
99 when it went beyond a bound, and 98 when a signal ended it.
"""
import os
import signal
import sys
import time

from pace import pace

MIB = 1 << 20


def spooled(pid):
    """Bytes on the disk of the files that a process has open and that have no name."""
    total = 0
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            path = f"/proc/{pid}/fd/{fd}"
            if os.readlink(path).endswith(" (deleted)"):
                total += os.stat(path).st_blocks * 512
    except OSError:
        pass  # the process or the file is gone
    return total


def usage(pid):
    """CPU seconds and bytes of resident memory of a process that runs."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0, 0
    ticks = int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE")


def stretch(bounds, cpu):
    """CPU time is beyond its bound: see what that is here and now."""
    if cpu > bounds["cpu"]:
        bounds["cpu"] = max(bounds["cpu"], bounds["told"] * pace())


def watch(pid, bounds):
    """Wait for the process, and kill it if it goes beyond a bound. Its status, what it used, and its largest spool."""
    most = 0
    while True:
        most = max(most, spooled(pid))
        cpu, memory = usage(pid)
        stretch(bounds, cpu)
        if cpu > bounds["cpu"] or memory > bounds["memory"] * MIB or most > bounds["spool"] * MIB:
            os.kill(pid, signal.SIGKILL)
        done, status, used = os.wait4(pid, os.WNOHANG)
        if done:
            return status, used, most
        time.sleep(0.005)


def main():
    bounds = {"cpu": 1e9, "memory": 1e9, "spool": 1e9}
    at = 1
    while at < len(sys.argv) and sys.argv[at].partition("=")[0] in bounds:
        key, _, value = sys.argv[at].partition("=")
        bounds[key] = float(value)
        at += 1
    bounds["told"] = bounds["cpu"]
    pid = os.fork()
    if pid == 0:
        os.execv(sys.argv[at], sys.argv[at:])
    status, used, most = watch(pid, bounds)
    took = {"cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024 / MIB, "spool": most / MIB}
    print("bounded:", " ".join(f"{key}={took[key]:.1f}" for key in took), file=sys.stderr)
    stretch(bounds, took["cpu"])
    over = [key for key in took if took[key] > bounds[key]]
    if over:
        print("bounded: too much", " ".join(over), file=sys.stderr)
        return 99
    return 98 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


sys.exit(main())
