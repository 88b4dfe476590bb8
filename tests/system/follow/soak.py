"""soak.py - see soak.sh. usage: soak.py BUILD SECONDS [ROTATE]"""
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from openocd import OpenOcd
from target import Target, symbols

import events

BUILD, SECONDS, ROTATE = sys.argv[1], float(sys.argv[2]), "".join(sys.argv[3:])
FOLDER = os.path.join(BUILD, "soak-follow")
ELF = os.path.join(FOLDER, "firmware.elf")
KEEP = 5  # files
GROWTH = 1.1  # of memory, at most
ROW = "%-8s %10s %8s %9s %10s %10s %5s %13s %13s %11s %12s"
NAMES = ("server", "events", "seconds", "events/s", "lost, told", "lost, true", "torn", "out of order", "KiB at begin",
         "KiB at end", "longest halt")


class Account(events.Follower):
    """Counts faults and goes on. `settled`: kept, told lost and missing when told and missing had to agree last;
    `before`: the same of the time before `warm`."""

    def __init__(self):
        super().__init__()
        self.torn = self.disorder = 0
        self.settled = self.before = (0, 0, 0)
        self.warm = float("inf")

    def take(self, line):
        try:
            super().take(line)
        except events.Torn:
            self.torn += 1
        except events.Disorder:
            self.disorder += 1
        except events.Miscounted:
            pass  # still so at the end
        if self.is_settled():
            self.settled = (self.kept, self.lost, self.missing)
            self.before = self.settled if self.time < self.warm else self.before


class Watch(threading.Thread):
    """Looks at the decoder while it runs: its memory in KiB at begin, once it has warmed up, and at end; and how many
    records the firmware had logged after half of the time."""

    def __init__(self, decoder, target, account, halts):
        super().__init__(daemon=True)
        self.decoder, self.target, self.account, self.halts = decoder, target, account, halts
        self.begin = self.end = self.half = 0
        self.start()

    def run(self):
        known, began = symbols(ELF), time.monotonic()
        time.sleep(1)
        self.warm_up()
        self.account.warm = self.target.word(known["ms"]) / 1000
        time.sleep(1)
        self.begin = self.resident()
        while self.decoder.poll() is None:
            self.end = self.resident() or self.end
            if not self.half and time.monotonic() - began > SECONDS / 2:
                self.half = self.target.word(known["sent"])
            time.sleep(0.25)

    def warm_up(self):
        """Let it find a ring that is full, and is not written while it is read: it never needs more memory later."""
        for _ in range(4):
            self.decoder.send_signal(signal.SIGSTOP)
            time.sleep(0.4)
            if not self.halts:
                self.target.ask("stop")
            self.decoder.send_signal(signal.SIGCONT)
            time.sleep(0.3)
            if not self.halts:
                self.target.ask("cont")

    def resident(self):
        with open("/proc/%d/status" % self.decoder.pid, encoding="utf-8") as f:
            found = re.search(r"^VmRSS:\s+(\d+) kB$", f.read(), re.M)
        return int(found.group(1)) if found else 0  # it has ended


def path_of(number):
    return os.path.join(FOLDER, "log-%04d.txt" % number)


def lines_of_files(decoder):
    """The lines of one file after the other; each is read once it is whole, before --keep removes it."""
    number = 1
    while True:
        ended = decoder.poll() is not None
        if not ended and not os.path.exists(path_of(number + 1)):
            time.sleep(0.1)
        elif os.path.exists(path_of(number)) or os.path.exists(path_of(number + 1)):
            with open(path_of(number), encoding="utf-8") as f:
                yield from f
            number += 1
        else:
            return


def follow(target, url):
    """What was followed, what was watched, and the decoder's messages."""
    account, messages = Account(), os.path.join(FOLDER, "messages")
    rotate = ["--rotate=" + ROTATE, "--keep=%d" % KEEP, "-o", os.path.join(FOLDER, "log.txt")] if ROTATE else []
    with open(messages, "w+", encoding="utf-8") as told, subprocess.Popen(
            [os.path.join(BUILD, "tlog-decode"), "--follow", url, "--elf=" + ELF, "--format=text-full", "--poll=50",
             "--duration=%g" % SECONDS, *rotate], stdout=subprocess.PIPE, stderr=told, text=True) as decoder:
        watch = Watch(decoder, target, account, url.startswith("gdb:"))
        for line in lines_of_files(decoder) if rotate else decoder.stdout:
            account.take(line)
        decoder.wait()
        watch.join()
        told.seek(0)
        return account, watch, "exit code %d: %s" % (decoder.returncode, told.read())


def faults(account, watch, told):
    """What must not be."""
    kept, lost, missing = account.settled
    logged = sum(number + 1 for number in account.last.values())
    seen = account.last.get("shark:user_event_0", -1) + 1
    return [text for fault, text in (
        (not told.startswith("exit code 0:"), told),
        (lost != missing, "%d are told lost, and %d are" % (lost, missing)),
        (account.is_settled() and kept + lost != logged, "%d kept and %d lost of %d" % (kept, lost, logged)),
        (account.torn > 0, "%d torn" % account.torn),
        (account.disorder > 0, "%d doubled or out of order" % account.disorder),
        (watch.begin == 0 or watch.end > watch.begin * GROWTH, "memory grows: %d, %d KiB" % (watch.begin, watch.end)),
        (watch.half == 0 or seen < watch.half, "it ends with record %d; %d were logged after half of the time"
         % (seen, watch.half))) if fault]


def soak(protocol):
    """A row of the table. Returns the faults."""
    for name in os.listdir(FOLDER):
        if name.startswith("log-"):
            os.unlink(os.path.join(FOLDER, name))
    began = time.monotonic()
    with Target(FOLDER, "mps2-an385", ELF) as target:
        port = target.port if protocol == "gdb" else OpenOcd(target.memory).port
        account, watch, told = follow(target, "%s:%d" % (protocol, port))
    seconds = time.monotonic() - began
    kept, lost, missing = account.settled
    _, lost_before, missing_before = account.before
    halt = re.search(r"halted \d+ times, for ([\d.]+ ms) at most", told)
    print(ROW % (protocol + ":", kept + lost, "%.0f" % seconds, "%.0f" % ((kept + lost) / seconds), lost - lost_before,
                 missing - missing_before, account.torn, account.disorder, watch.begin, watch.end,
                 halt.group(1) if halt else "none"), flush=True)
    return [protocol + ": " + fault for fault in faults(account, watch, told)]


print(ROW % NAMES, flush=True)
FOUND = [fault for one in ("gdb", "openocd") for fault in soak(one)]
sys.exit("\n".join(FOUND) if FOUND else 0)
