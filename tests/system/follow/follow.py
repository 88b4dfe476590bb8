"""follow.py - see follow.sh. usage: follow.py BUILD"""
import concurrent.futures
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import hostile
from openocd import OpenOcd
from target import Target, chunks, symbols

import events
from proxy import Proxy

BUILD = sys.argv[1]
FOLDER = os.path.join(BUILD, "test", "follow")
BOARD = "mps2-an385"
LAST_MS = 2000  # of "large"
DECODER = os.path.join(BUILD, "tlog-decode")
CLEAR = "\r\x1b[K"
STATUS = re.compile(r"\r\x1b\[Ktlog-decode: (\d+) events/s, (\d+) bytes/s read, (\d+) lost, lag (\d+) ms")


def elf_of(name):
    return os.path.join(FOLDER, name, "firmware.elf")


def check(holds, what):
    if not holds:
        sys.exit("follow: " + what)


def run(*arguments):
    """tlog-decode: its output and messages."""
    done = subprocess.run([DECODER, *arguments], capture_output=True, text=True, timeout=120, check=False)
    check(done.returncode == 0, "%s: exit code %d: %s" % (arguments, done.returncode, done.stderr))
    return done.stdout, done.stderr


def url_of(target, protocol):
    return "gdb:%d" % target.port if protocol == "gdb" else "openocd:%d" % OpenOcd(target.memory).port


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def wait_until(holds, what):
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.1)
    check(False, "never: " + what)


class Follow:
    """tlog-decode --follow, through a proxy, until the end of a with block."""

    def __init__(self, target, protocol, elf, *arguments, stdout=None):
        header = b"read_memory 0x%x 32 32}" % chunks(elf)[0]  # twice at each poll
        self.proxy = (Proxy(target.port, b"$c#63") if protocol == "gdb" else
                      Proxy(OpenOcd(target.memory).port, header))
        self.run = subprocess.Popen([DECODER, "--follow", "%s:%d" % (protocol, self.proxy.port), "--elf=" + elf,
                                     "--format=text-full", *arguments],
                                    stdout=stdout, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run.kill()
        self.run.wait()

    def wait_for_polls(self):
        """Wait until it has polled a few times from now on."""
        asked = self.proxy.asked
        wait_until(lambda: self.proxy.asked > asked + 6 or self.run.poll() is not None, "further polls")

    def end(self, number=signal.SIGINT):
        """Its messages, after a signal has ended it."""
        self.run.send_signal(number)
        told = self.run.communicate(timeout=120)[1]
        check(self.run.returncode == 0, "%s: exit code %d: %s" % (number.name, self.run.returncode, told))
        return told


def same_as_large_ring(protocol):
    """A ring that holds all: what is followed is what QEMU's own copy of the memory has at the end."""
    elf, out = elf_of("large"), os.path.join(FOLDER, "large.txt")
    with Target(FOLDER, BOARD, elf) as target, Follow(target, protocol, elf, "-o", out) as follow:
        wait_until(lambda: target.word(symbols(elf)["ms"]) == LAST_MS, "the firmware's end")
        follow.wait_for_polls()
        told = follow.end()
        path = os.path.join(FOLDER, "reference.bin")
        with open(path, "wb") as f:
            f.write(target.memory(*chunks(elf)))
    wanted, _ = run(path, "--elf=" + elf, "--format=text-full")
    followed = events.check(wanted.splitlines())
    check(followed.lost == 0 and followed.last["shark:user_event_0"] == 15 * LAST_MS - 1,
          "the reference has %d events" % followed.kept)
    check(read(out) == wanted, "%s: differs from the dump of a ring that holds all: %s" % (protocol, told))
    print("%s: %d events, as in the dump of a ring that holds all" % (protocol, followed.kept))


def told_lost(told):
    """What the messages say was lost because polls came too late."""
    found = re.search(r": (\d+) events? lost in \d+ polls? that came too late: a ring of (\d+) slots in place of "
                      r"(\d+), or --poll=\d+, would", told)
    if found is None:
        return 0
    check(int(found.group(2)) > int(found.group(3)), "a ring that is no larger would do: " + told)
    return int(found.group(1))


def in_order(protocol, name, *arguments, to_file=True):
    """A ring that goes round many times: events are whole and in order, and losses are told exactly."""
    elf, out = elf_of(name), os.path.join(FOLDER, name + ".txt")
    with Target(FOLDER, BOARD, elf) as target:
        time.sleep(0.3)
        text, told = run("--follow", url_of(target, protocol), "--elf=" + elf, "--format=text-full", *arguments,
                         *(["-o", out] if to_file else []))
        check(target.is_running(), "the target does not run on")
    lines = (read(out) if to_file else text).splitlines()
    followed = events.check(lines)
    check(followed.kept > 0, "%s: no events: %s" % (name, told))
    check(not to_file or followed.lost >= told_lost(told), "%d are lost, and it says %s" % (followed.lost, told))
    print("%s, %s: %d events, %d lost" % (protocol, " ".join((name,) + arguments), followed.kept, followed.lost))
    return told_lost(told)


def started_again():
    """The board is reset: each run is a whole file, or a text of its own."""
    elf, out = elf_of("ring"), os.path.join(FOLDER, "again.txt")
    with Target(FOLDER, BOARD, elf) as target, Follow(target, "gdb", elf, "-o", out) as follow:
        follow.wait_for_polls()
        target.ask("system_reset")
        follow.wait_for_polls()
        told = follow.end()
    boot = re.search(r"the board was started again: run (\d+) is over", told)
    check(boot is not None, "the reset was not seen: " + told)
    for path in (out, out.replace(".txt", "-run%s.txt" % boot.group(1))):
        check(events.check(read(path).splitlines()).kept > 100, "%s: few events: %s" % (path, told))
    with open(out, "w", encoding="utf-8") as text:
        with Target(FOLDER, BOARD, elf) as target, Follow(target, "gdb", elf, stdout=text) as follow:
            follow.wait_for_polls()
            target.ask("system_reset")
            follow.wait_for_polls()
            told = follow.end()
    runs = read(out).split("cpus=1\n")[1:]
    check(len(runs) == 2 and all(events.check(run.splitlines()).kept > 100 for run in runs), "two texts: " + told)
    print("a reset: each run for itself")


def server_gone(protocol):
    """The connection is cut, twice: it is said, and gone on with, and nothing is told but what is missing."""
    elf, out = elf_of("ring"), os.path.join(FOLDER, "gone.txt")
    with Target(FOLDER, BOARD, elf) as target, Follow(target, protocol, elf, "-o", out) as follow:
        for _ in range(2):
            follow.wait_for_polls()
            follow.proxy.cut()
        follow.wait_for_polls()
        told = follow.end()
        check(target.is_running(), "the target stands")
    check(len(re.findall("; it is waited for\n", told)) == 2 and told.count("the server answers again") == 2, told)
    check(events.check(read(out).splitlines()).kept > 100, "few events: " + told)
    print("%s: a server that goes away is waited for" % protocol)


def every():
    """The file is there meanwhile, whole, and grows."""
    elf, out, kept = elf_of("ring"), os.path.join(FOLDER, "every.txt"), 0
    with Target(FOLDER, BOARD, elf) as target, Follow(target, "gdb", elf, "-o", out, "--every=0.3") as follow:
        for _ in range(3):
            before, now = kept, os.path.exists(out) and os.stat(out).st_ino
            wait_until(lambda now=now: os.path.exists(out) and os.stat(out).st_ino != now, "another file")
            kept = events.check(read(out).splitlines()).kept
            check(kept > before, "%d events, and then %d" % (before, kept))
        told = follow.end()
    check(events.check(read(out).splitlines()).kept > kept, "the last file has no more: " + told)
    print("--every: whole files, each with more events")


def on_terminal(out, *arguments):
    """What a terminal gets as standard error, of a ring that is too small for 3 s of its events; text goes to a pipe if
    there is no `out`."""
    elf = elf_of("small")
    end, given = pty.openpty()
    told = b""
    with Target(FOLDER, BOARD, elf) as target, subprocess.Popen(["cat"], stdin=subprocess.PIPE,
                                                                stdout=subprocess.DEVNULL) as pipe:
        time.sleep(0.3)
        follow = subprocess.Popen([DECODER, "--follow", "gdb:%d" % target.port, "--elf=" + elf, "--duration=3",
                                   "--poll=300", "--format=text-full", *(["-o", out] if out else []), *arguments],
                                  stdout=pipe.stdin, stderr=given, env={**os.environ, "TERM": "xterm"})
        os.close(given)
        try:
            while piece := os.read(end, 65536):
                told += piece
        except OSError:  # nobody writes to the terminal any more
            os.close(end)
        check(follow.wait() == 0, "exit code %d: %r" % (follow.returncode, told))
    return told.decode().replace("\r\n", "\n")


def status():
    """The line on a terminal tells rates, losses and lag, twice a second at most, and nothing of it is left."""
    out = os.path.join(FOLDER, "status.txt")
    told = on_terminal(out)
    shown = [[int(n) for n in found] for found in STATUS.findall(told)]
    check(3 <= len(shown) <= 6, "%d lines in 3 s: %r" % (len(shown), told))
    followed = events.check(read(out).splitlines())
    rates, _, lost, lags = zip(*shown)
    logged = 3 * sum(rates) / len(rates)
    check(abs(logged / (followed.kept + followed.lost) - 1) < 0.3,
          "%d events by the rates, %d and %d lost in the file" % (logged, followed.kept, followed.lost))
    check(list(lost) == sorted(lost) and 0 < lost[-1] <= told_lost(told), "lost: %s; %s" % (lost, told))
    check(300 <= min(lags) and max(lags) < 3000, "lags: %s" % (lags,))
    screen = [line.split(CLEAR)[-1] for line in told.split("\n")]
    check(len(screen) > 2 and not any("lag" in line for line in screen), "what is left: %s" % screen)
    check(on_terminal(out, "--quiet", "--duration=1.5") == "", "--quiet shows something")
    check(STATUS.search(on_terminal(None, "--duration=1.5")) is None, "a line among text that goes to a pipe")
    print("the line on a terminal: %s events/s, %s bytes/s, %s lost, lag %s ms" % tuple(shown[-1]))


def until(protocol, to_file, after, *arguments):
    """--until stops behind a rare event, and --after so many seconds later; what led there is in the output. The rare
    event, or the next one if that is lost, is 0.8 s ahead when it is chosen. `arguments` leave it out of the output, if
    any."""
    elf, out = elf_of("ring"), os.path.join(FOLDER, "until.txt")
    with Target(FOLDER, BOARD, elf) as target:
        rare = target.word(symbols(elf)["ms"]) + 800
        text, told = run("--follow", url_of(target, protocol), "--elf=" + elf, "--format=text-full",
                         "--until=user_words6.d0 >= %d" % rare, *(["--after=%g" % after] if after else []),
                         *(["-o", out] if to_file else []), *arguments)
        check(target.is_running(), "the target does not run on")
    lines = (read(out) if to_file else text).splitlines()
    found = re.search(r"--until: qnx:user_words6 at (\d+\.\d+) s\n", told)
    check(found is not None, "nothing is told: " + told)
    times = [float(line.group(1)) for line in map(events.LINE.match, lines) if line]
    behind = times[-1] - float(found.group(1))
    check(-0.002 < behind - after / 2 < after + 1.5, "it stops after %.3f s, not %g: %s" % (behind, after, told))
    check(float(found.group(1)) - times[0] > 0.2, "nothing of what led there")
    followed = events.check(lines if not arguments else [])
    words = [match for match in map(events.LINE.match, lines) if match and match.group(2) == "qnx:user_words6"]
    numbers = [events.words(match.group(3)) for match in words]
    here = [n for n, match in zip(numbers, words) if match.group(1) == found.group(1)]
    check(here == [n for n in numbers if n >= rare][:1] and (followed.lost > 0 or here == [rare][:not arguments]),
          "the event %d at %s is %s" % (rare, found.group(1), here))
    print("%s: --until stops %.3f s behind a rare event, %d events, %d lost"
          % (protocol, behind, followed.kept, followed.lost))


def until_never():
    """That it never came is told; wrong calls are refused."""
    elf = elf_of("ring")
    with Target(FOLDER, BOARD, elf) as target:
        _, told = run("--follow", url_of(target, "gdb"), "--elf=" + elf, "--until=user_words6.d0 == -1",
                      "--duration=0.3")
    check("no event came for which --until=user_words6.d0 == -1 holds" in told, "not told: " + told)
    for wrong, why in ((["gdb:1", "--follow", "--after=1"], "--after is for --until"),
                       (["gdb:1", "--follow", "--keep=2"], "--keep is for --rotate"),
                       (["gdb:1", "--follow", "--rotate=5"], "--rotate is for files"),
                       (["gdb:1", "--follow", "--rotate=5M", "-o", "a.dat"], "text, CSV and JSON lines, and not for"),
                       (["gdb:1", "--follow", "--rotate=2000M"], "--rotate=2000M: neither a number of seconds"),
                       (["gdb:1", "--until=a"], "are for --follow"), (["gdb:1", "--after=1"], "are for --follow"),
                       (["gdb:1", "--follow", "--until=a =="], "--until=a ==: column 5: "),
                       (["gdb:1", "--follow", "--until=a", "--after=x"], "--after=x: not a number of seconds")):
        done = subprocess.run([DECODER, *wrong], capture_output=True, text=True, timeout=60, check=False)
        check(done.returncode == 1 and why in done.stderr, "%s: %s" % (wrong, done.stderr))
    print("--until: what never comes is told, wrong calls are refused")


def rotate(name, suffix, *arguments):
    """Files one after the other, and their numbers: none is missing between them."""
    elf, folder = elf_of(name), os.path.join(FOLDER, "rotate")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    with Target(FOLDER, BOARD, elf) as target:
        run("--follow", url_of(target, "gdb"), "--elf=" + elf, "-o", os.path.join(folder, "part" + suffix), *arguments)
    names = sorted(os.listdir(folder))
    numbers = [int(re.fullmatch(r"part-(\d{4})" + re.escape(suffix), one).group(1)) for one in names]
    check(numbers == list(range(numbers[-1] - len(numbers) + 1, numbers[-1] + 1)), "gaps between files: %s" % names)
    files = [read(os.path.join(folder, one)) for one in names]
    check(len({text.split("\n")[0] for text in files}) == 1, "files begin differently")
    return files, numbers


def rotate_all():
    """By time and by size, with losses and without; and --keep."""
    for name, least, *arguments in (("ring", 0, "--rotate=0.4", "--duration=2"),
                                    ("small", 256 << 10, "--rotate=256K", "--poll=300", "--duration=3")):
        files, numbers = rotate(name, ".txt", "--format=text-full", *arguments)
        check(len(files) >= 3 and numbers[0] == 1, "%s: files %s" % (arguments, numbers))
        check(all(least <= len(text) < least + (2 << 20) for text in files[:-1]), "sizes %s" % [len(f) for f in files])
        followed = events.check("".join(files).splitlines())
        check(followed.is_settled() and followed.kept + followed.lost == sum(n + 1 for n in followed.last.values()),
              "%d events and %d lost, of %s" % (followed.kept, followed.lost, followed.last))
        check(name == "ring" or followed.lost > 0, "nothing was lost")
        print("%s: %d files, %d events, %d lost, none twice" % (arguments[0], len(files), followed.kept, followed.lost))
    files, numbers = rotate("ring", ".csv", "--rotate=64K", "--keep=2", "--duration=1")
    check(len(files) == 2 and numbers[0] > 1, "--keep=2: %s" % numbers)
    lines = [text.splitlines() for text in files]
    check(lines[0][0] == lines[1][0] and not set(lines[0][1:]) & set(lines[1][1:]), "the same events in both files")


def hostile_server(kind, url, first):
    """A server that lies: it is said, or waited for, and the end comes in time."""
    begin, out = time.time(), os.path.join(FOLDER, "hostile-%d.txt" % first)
    done = subprocess.run([DECODER, "--follow", url, "--elf=" + elf_of("ring"), "--duration=0.4", "--wait=0.4",
                           "--format=text-full", "-o", out], capture_output=True, text=True, timeout=120, check=False)
    check(done.returncode in (0, 1, 2), "%s: exit code %d: %s" % (kind, done.returncode, done.stderr))
    check(done.returncode == 0 or done.stderr != "", "%s: nothing is said" % kind)
    check(time.time() - begin < 60, "%s: it takes %.1f s" % (kind, time.time() - begin))


def hostile_servers():
    base, size = chunks(elf_of("ring"))
    image = b"".join(n.to_bytes(4, "little") for n in range(size // 4))
    kinds = [(kind.__name__, "gdb:%d" % kind(base, image).port) for kind in hostile.GOOD + hostile.BAD]
    kinds += [(answer[:20], "openocd:%d" % hostile.Tcl(answer).port) for _, answer in hostile.TCL]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for waiting in [pool.submit(hostile_server, kind, url, i) for i, (kind, url) in enumerate(kinds)]:
            waiting.result()
    print("%d servers that lie, break off or never end" % len(kinds))


def stopped(number):
    """A signal ends it: the file is whole, and the target runs on."""
    elf, out = elf_of("ring"), os.path.join(FOLDER, "stopped.txt")
    with Target(FOLDER, BOARD, elf) as target, Follow(target, "gdb", elf, "-o", out) as follow:
        follow.wait_for_polls()
        told = follow.end(number)
        check(target.is_running(), number.name + ": the target stands")
    check(events.check(read(out).splitlines()).kept > 100, "few events: " + told)
    print("%s: the file is whole" % number.name)


os.makedirs(FOLDER, exist_ok=True)
for PROTOCOL in ("gdb", "openocd"):
    same_as_large_ring(PROTOCOL)
    in_order(PROTOCOL, "ring", "--duration=1.5", to_file=False)
    check(in_order(PROTOCOL, "small", "--duration=3", "--poll=800") > 0, "nothing was lost")
    in_order(PROTOCOL, "small", "--duration=3", "--poll=800", to_file=False)
    server_gone(PROTOCOL)
started_again()
every()
status()
until("gdb", False, 0)
until("gdb", True, 0.5)
until("openocd", True, 0)
until("openocd", False, 0.5, "--filter=user_event_0")
until_never()
rotate_all()
hostile_servers()
stopped(signal.SIGINT)
stopped(signal.SIGTERM)
