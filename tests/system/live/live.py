"""live.py - see live.sh. usage: live.py BUILD BOARD"""
import os
import re
import subprocess
import sys
import time

from hostile import hostile
from openocd import OpenOcd
from target import Target, chunks, decode, symbols

BUILD, BOARD = sys.argv[1:]
FOLDER = os.path.join(BUILD, "test", "live")


def elf_of(name):
    return os.path.join(FOLDER, name, "firmware.elf")


def check(holds, what):
    if not holds:
        sys.exit("live: " + what)


def take(url, elf, *arguments):
    """The events that are taken from a server, and the messages."""
    code, text, told, _ = decode(BUILD, url, "--elf=" + elf, "--format=text-full", *arguments)
    check(code == 0, "%s: exit code %d: %s" % (url, code, told))
    return text, told


def numbers(text):
    return [int(n) for n in re.findall(r"user_event_0: .*par2=(\d+)", text)]


def reference(target, elf):
    """The same of QEMU's own copy of the memory."""
    address, size = chunks(elf)
    path = os.path.join(FOLDER, "reference.bin")
    with open(path, "wb") as f:
        f.write(target.memory(address, size))
    return take(path, elf)[0]


def wait_for_end(target, elf):
    """Wait until the memory does not change any more."""
    address, size = chunks(elf)
    before = None
    for _ in range(200):
        now = target.memory(address, size)
        if now == before:
            return
        before = now
        time.sleep(0.3)
    sys.exit("live: the firmware does not end")


def same_as_pmemsave():
    """A firmware that logs no more: each way gives the same events."""
    elf = elf_of("ends")
    with Target(FOLDER, BOARD, elf) as target:
        wait_for_end(target, elf)
        wanted = reference(target, elf)
        check(numbers(wanted)[-1] == 19999 and len(numbers(wanted)) > 900, "the reference lacks events")
        text, told = take("gdb:127.0.0.1:%d" % target.port, elf)
        check(text == wanted, "gdb: differs from pmemsave")
        check(re.search(r" %d bytes taken from 1 place, the target was halted for [\d.]+ ms" % chunks(elf)[1], told),
              "gdb: tells " + told)
        code, verdict, told, _ = decode(BUILD, "--check", "gdb:%d" % target.port, "--elf=" + elf)
        check(code == 0 and verdict.startswith("gdb:%d: whole" % target.port), "--check: " + verdict + told)
        for old in (False, True):
            server = OpenOcd(target.memory, old)
            text, told = take("openocd:localhost:%d" % server.port, elf)
            check(text == wanted, "openocd: differs from pmemsave, old=%s" % old)
            check("while the target ran" in told, "openocd: tells " + told)
    print("gdb: and openocd: give what pmemsave gives: %d events" % len(numbers(wanted)))


def goes_on():
    """A firmware that logs for ever: it runs on after each time, its numbers are in sequence, nothing is torn."""
    elf, last = elf_of("runs"), -1
    with Target(FOLDER, BOARD, elf) as target:
        time.sleep(1)
        for _ in range(5):
            got = numbers(take("gdb:%d" % target.port, elf)[0])
            check(len(got) > 4000 and got == list(range(got[0], got[0] + len(got))), "gdb: events are missing")
            check(got[-1] > last, "the firmware stood still")
            check(target.is_running(), "the target does not run on")
            last = got[-1]
            time.sleep(0.2)
        code, _, told, _ = decode(BUILD, "gdb:%d" % target.port)
        check(code == 1 and "--elf=firmware.elf tells" in told and target.is_running(), "without an ELF file: " + told)
    print("gdb: five times, and the firmware runs on")


def told_where():
    """What --where prints: gdb's line run by gdb, QEMU's line by QEMU's monitor, gdb:'s with this QEMU's port."""
    elf = os.path.abspath(elf_of("ends"))
    address, size = chunks(elf)
    code, text, told, _ = decode(BUILD, "--where=" + elf)
    check(code == 0 and told == "", "--where: " + told)
    lines = text.split("\n")
    check(text.count("0x%x" % address) == 9 and "savebin dump.bin, 0x%x, 0x%x" % (address, size) in lines,
          "--where tells other places")
    with Target(FOLDER, BOARD, elf) as target:
        wait_for_end(target, elf)
        wanted = reference(target, elf)
        dump = os.path.join(FOLDER, "dump.bin")
        target.ask("human-monitor-command", **{"command-line": next(
            line for line in lines if line.startswith("pmemsave")).replace("dump.bin", '"%s"' % os.path.abspath(dump))})
        check(take(dump, elf)[0] == wanted, "QEMU's line")
        os.unlink(dump)
        line = next(line for line in lines if line.startswith("dump binary"))
        subprocess.run(["gdb-multiarch", "-nx", "-batch", "-ex", "target remote 127.0.0.1:%d" % target.port,
                        "-ex", line, "-ex", "detach"], cwd=FOLDER, check=True, capture_output=True)
        check(take(dump, elf)[0] == wanted, "gdb's line")
        line = next(line for line in lines if line.startswith("tlog-decode gdb:")).split()
        code, _, told, _ = decode(BUILD, line[1].replace("3333", str(target.port)), *line[2:-1],
                                  os.path.join(FOLDER, "trace.pftrace"))
        check(code == 0, "gdb:'s line: " + told)
    print("--where: the lines of gdb, QEMU and gdb: give the events")


def parts_apart():
    """Memory in two places: each way takes both, and names are there."""
    elf = elf_of("apart")
    with Target(FOLDER, "mps2-an385", elf) as target:
        wait_for_end(target, elf)
        known = symbols(elf)
        check(known["tlog_name_chunks"] - known["__stop_tlog_chunks"] > 1 << 20, "the parts are not apart")
        server = OpenOcd(target.memory)
        for url in ("gdb:%d" % target.port, "openocd:127.0.0.1:%d" % server.port):
            text, told = take(url, elf)
            check(" bytes taken from 2 places, " in told, told)
            check(numbers(text)[-1] == 2999, "events of two places")
            code, names, told, _ = decode(BUILD, "--info", url, "--elf=" + elf)
            check(code == 0 and re.search(r"names of task +2\n", names), "names of two places: " + names + told)
        where = decode(BUILD, "--where=" + elf)[1].split("\n")
        for line in where:
            if line.startswith("pmemsave"):
                words = line.split()
                target.ask("pmemsave", val=int(words[1], 0), size=int(words[2]),
                           filename=os.path.abspath(os.path.join(FOLDER, words[3])))
        line = next(line for line in where if line.startswith("cat ")).replace("| tlog-decode", "| $DECODER")
        line = line.replace("-o trace.pftrace", "--format=text-full").replace(elf, os.path.abspath(elf))
        run = subprocess.run(line, shell=True, cwd=FOLDER, capture_output=True, text=True,
                             env=dict(os.environ, DECODER=os.path.abspath(os.path.join(BUILD, "tlog-decode"))))
        check(run.returncode == 0 and run.stdout == text, "--where of two places: " + run.stderr)
    print("memory in two places")


def gdb(*commands, elf=None, path=""):
    """What gdb prints of these commands, behind those that load tlog-gdb.py; errors of commands are in it."""
    script = os.path.abspath("port/tlog-gdb.py")
    options = [word for command in ("set confirm off", "source " + script) + commands for word in ("-ex", command)]
    run = subprocess.run(["gdb-multiarch", "-nx", "-batch", *([elf] if elf else []), *options], cwd=FOLDER, timeout=60,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                         env=dict(os.environ, PATH=path + os.environ["PATH"]))
    return run.stdout


def in_gdb():
    """The commands of tlog-gdb.py: each gives what pmemsave and tlog-decode give, or says why not."""
    elf = os.path.abspath(elf_of("ends"))
    viewer = os.path.join(FOLDER, "bin", "gtkwave")
    os.makedirs(os.path.dirname(viewer), exist_ok=True)
    with open(viewer, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\necho \"$1\" >%s\n" % os.path.abspath(os.path.join(FOLDER, "opened")))
    os.chmod(viewer, 0o755)
    with Target(FOLDER, BOARD, elf) as target:
        wait_for_end(target, elf)
        image = target.memory(*chunks(elf))
        path = os.path.join(FOLDER, "reference.bin")
        with open(path, "wb") as f:
            f.write(image)
        text = decode(BUILD, path, "--elf=" + elf, "--format=text")[1].splitlines()
        stat = decode(BUILD, path, "--elf=" + elf, "--stat")[1].split("\n", 1)[1]
        printed = gdb("target remote 127.0.0.1:%d" % target.port, "tlog dump 'from gdb.bin'", "tlog show 3",
                      "tlog show", "tlog stat", "tlog open t.vcd", "tlog dump",
                      "tlog dump a b", "tlog show x", "tlog stat 1",
                      "tlog dump /none/a", "tlog open t.nothing", "detach", elf=elf,
                      path=os.path.abspath(os.path.join(FOLDER, "bin")) + ":")
        check("tlog: gdb has no ELF file: file firmware.elf" in
              gdb("target remote 127.0.0.1:%d" % target.port, "tlog show", "detach"), "gdb without an ELF file")
        other = os.path.abspath(os.path.join(FOLDER, "other.elf"))
        none = "other.elf has no symbols of tlog's memory"
        check(none in gdb("target remote 127.0.0.1:%d" % target.port, "tlog dump a", "detach", elf=other),
              "gdb with another program")
        for arguments in (["gdb:%d" % target.port, "--elf=" + other], ["--where=" + other]):
            code, events, told, _ = decode(BUILD, *arguments)
            check(code == 1 and events == "" and re.search("other.elf:? has no symbols of tlog's memory", told), told)
    for wanted in ("from gdb.bin: %d bytes\n" % len(image) + "\n".join(text[-3:]) + "\ntlog-decode: ",
                   "\n" + "\n".join(text[-20:]) + "\ntlog-decode: ", stat, "t.vcd: opened by gtkwave\n",
                   "usage: tlog dump FILE\nusage: tlog dump FILE\nusage: tlog show [N]\nusage: tlog stat\n"
                   "tlog: /none/a: No such file or directory\n",
                   "t.nothing: the suffix does not tell the format"):
        check(wanted in printed, "tlog-gdb.py does not print %r: %s" % (wanted, printed))
    with open(os.path.join(FOLDER, "from gdb.bin"), "rb") as f:
        check(f.read() == image, "tlog dump differs from pmemsave")
    check("tlog: gdb has no target: target remote" in gdb("tlog show", elf=elf), "gdb without a target")
    print("tlog-gdb.py: dump, show, stat and open give what pmemsave and tlog-decode give")


os.makedirs(FOLDER, exist_ok=True)
same_as_pmemsave()
goes_on()
told_where()
parts_apart()
in_gdb()
with Target(FOLDER, BOARD, elf_of("small")) as small:
    wait_for_end(small, elf_of("small"))
    IMAGE = small.memory(*chunks(elf_of("small")))
    WANTED = reference(small, elf_of("small"))
hostile(BUILD, elf_of("small"), chunks(elf_of("small"))[0], IMAGE, WANTED)
