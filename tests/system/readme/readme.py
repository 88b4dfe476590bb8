"""readme.py - does what the documents say: runs the commands of each *.md and of the manual's examples and compares
what they print, compiles and links the other blocks, and follows each link.

usage: readme.py BUILD quick|full [--here] [--checks=N] [DOCUMENT...]     (from the root of a checkout)

quick runs only what needs no more than the decoder and the demo. Blocks are written so:

  ```console   lines `$ command` (`\\` at its end continues it); below each what it prints, all of it and exactly.
               `...` alone on a line stands for any lines. The command succeeds, or its last line is shown
  ```sh        commands that succeed; what they print is not shown
  ```c ...     files or parts of files: kinds.py tells what is done with each kind. A first line /* NAME */ says under
               which name the commands find it

Whatever is not run stands in NOT_RUN with the reason. A block that is neither fails, and so does an entry of NOT_RUN
that nothing needs. Each document has a folder of its own, which looks like a checkout that is built, and in it
the files of GIVEN. Without DOCUMENT all are done. --here: the commands run in this checkout, as it is. --checks: so
many checks `make test` has; README's number of them may be up to a tenth less, or more: checks are added all the time.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys

import kinds
import links

MANUAL = "host/cli/tlog-decode.1.scd"
# What is not run, and why. The patterns are searched in a line "DOCUMENT KIND" and, below it, the command or the block.
NOT_RUN = [
    (r"^make .*\btest$", "these are the tests"),
    (r"^.github/CONTRIBUTING.md sh$", "the tests, analyses and tools; links.py looks whether make has them"),
    (r"^make deps-page page$|-o trace\.html$", "test-full makes it; tests/system/page/shell.mjs looks at both"),
    (r"^openocd ", "needs a board; tests/system/pack/readme.sh has a stand-in"),
    (r"^kernelshark ", "needs a display; tests/system/pack/readme.sh looks at the file that it opens"),
    (r"^gtkwave ", "needs a display; tests/decoder/vcd/vcd.sh looks at the file that it opens"),
    (r"--run=-1 ", "needs a board that was reset; tests/runtime/reset/reset.sh has one"),
    (r"^nc ", "waits for a board"),
    (r"udp:.*:20000", "waits for a board; tests/system/udp/udp.sh is one"),
    (r"tlog-gdb\.py", "where it is installed; tests/system/live/live.sh runs it where it is"),
    (r"\b(gdb|openocd):\w+:", "needs a server; tests/system/live/live.sh has them"),
    (r"^cmake (-B|--build) build|tlog_freertos\.h\"|tlog::freertos",
     "needs the kernel; tests/system/pack/readme.sh does it"),
    (r"tlog_threadx\.h\"|tlog::threadx", "needs the kernel; tests/system/pack/threadx.sh does it"),
    (r"^make deps install dist$|tlog-zephyr-|ZEPHYR_EXTRA_MODULES|^CONFIG_TRACING=y$|^dump binary memory dump.bin 0x",
     "needs Zephyr and a board; tests/system/pack/zephyr.sh has a stand-in"),
    (r"tlog_chibios\.[ch]\b", "needs the kernel; tests/rtos/chibios/chibios.sh has a stand-in"),
    (r"^EXTERNAL_MODULE_DIRS", "needs the kernel; tests/rtos/riot/riot.sh has a stand-in"),
    (r"on_board\.c target/src", "needs a chip's start-up code; tests/bench/on_board.sh has a board's in QEMU"),
    (r"spin_lock_blocking", "needs the Pico SDK"),
    (r"SystemClock_Config", "needs the vendor's code; tests/runtime/time/rates.c calls it"),
    (r"\bshow(\.c)?\b.*(tlogdecode|dump\.bin)", "tests/system/library/library.sh does it with the header's example"),
    (r"read_csv", "tests/decoder/rows/duckdb.sh does it"),
    (r"^npx tlog-decode ", "needs npm; tests/system/pack/decoder.sh does it"),
    (r"^lib_deps = ", "needs PlatformIO; tests/system/pack/dist.sh compiles what the package names"),
    (r"^port/rtos/README.md text", "lines from an application with the kernel"),
    (r"^host/README.md text", "a picture"),
    (r"^target/FORMAT.md indented", "layouts of bytes, and sums"),
    (r"^host/page/README.md indented", "a picture, and what modules share"),
    (r"^make dist$", "tests/system/pack/decoder.sh does it"),
    (r"^port/examples/[\w-]+/README.md ", "needs what a vendor gives; tests/system/examples/examples.py does it"),
]
# What a reader's own board and build have brought by then: its file there, and where the test takes it from.
GIVEN = {
    "dump.bin": "build/demo/dump.bin", "firmware.elf": "build/demo/firmware.elf",
    "build/firmware.elf": "build/demo/firmware.elf", "build/zephyr/zephyr.elf": "build/demo/firmware.elf",
}
# What the text before a command tells to do.
BEFORE = {r"^pkg-config ": "make -s install"}
# The manual's are two boards with losses and with an event that both log.
BOARDS = ("build/gen_dump --drops=20 --user --names=3 -o dump.bin && "
          "build/gen_dump --drops=20 --user --start=90000 -o b.bin")
NO_ROOT = "a test installs nothing"
QUICK = r"^(?!.*build/run/)((build/)?tlog-decode |trace-cmd |make (deps )?demo$)"
# What a test's environment has and a reader's has not.
FOREIGN = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "ARM_OPT", "FIRMWARE_OPT", "BUILD", "BOARD")

used = set()  # the patterns of NOT_RUN that were needed


class Block:
    """A fenced block of a document."""

    def __init__(self, document, line, kind):
        self.document, self.line, self.kind, self.lines = document, line, kind, []

    def steps(self):
        """Its commands, each with the lines shown below, or None where none are shown."""
        found = []
        for line in self.lines:
            if found and found[-1][0].endswith("\\"):
                found[-1][0] += "\n" + line.removeprefix("> ")
            elif self.kind == "sh" and line.strip() and not line.startswith("#"):
                found.append([line, None])
            elif self.kind == "console" and line.startswith("$ "):
                found.append([line[2:], []])
            elif self.kind == "console" and found:
                found[-1][1].append(line)
        return found


def manual_examples():
    """The examples of the manual, as a block of commands."""
    lines = open(MANUAL, encoding="utf-8").read().splitlines()
    first, last = lines.index("# EXAMPLES"), lines.index("# DIAGNOSTICS")
    block = Block(MANUAL, first + 1, "sh")
    block.lines = [line[1:].replace("\\*", "*") for line in lines[first:last] if line.startswith("\t")]
    return [block]


def blocks_of(document):
    """The document's blocks. A block that is indented instead of fenced has the kind "indented"."""
    if document == MANUAL:
        return manual_examples()
    found, fenced, before = [], False, ""
    for number, line in enumerate(open(document, encoding="utf-8").read().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
            if fenced:
                found.append(Block(document, number, line[3:].strip()))
        elif fenced:
            found[-1].lines.append(line)
        elif line.startswith("    ") and not before.strip():
            found.append(Block(document, number, "indented"))
            found[-1].lines.append(line)
        before = line
    return found


def alike(part, printed, at):
    """How many lines of a part are printed from there on."""
    pairs = list(zip(part, printed[at:]))
    return next((n for n, (line, other) in enumerate(pairs) if line.rstrip() != other.rstrip()), len(pairs))


def difference(shown, printed):
    """The first line that is not printed in its place, or None. Parts between `...` stand where they fit first."""
    parts, at = [[]], 0
    for line in shown:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    for number, part in enumerate(parts):
        places = range(at, len(printed) - len(part) + 1) if number else [0]
        if number and number == len(parts) - 1:
            places = places[-1:]
        best = max(places, key=lambda place, part=part: alike(part, printed, place), default=at)
        kept = alike(part, printed, best)
        if kept < len(part):
            like = difflib.get_close_matches(part[kept], printed, 3, 0.5) or printed[:10]
            return "shown: %s%s" % (part[kept], "".join("\n printed: " + line for line in like))
        at = best + len(part)
    return None if at == len(printed) else "not shown: %s" % printed[at]


def left_out(block, text):
    """Why this is not run, or None."""
    for pattern, reason in NOT_RUN:
        if re.search(pattern, "%s %s\n%s" % (block.document, block.kind, text), re.MULTILINE):
            used.add(pattern)
            return reason
    return None


class Place:
    """A folder in which a document's commands run."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.env = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        self.env["DESTDIR"] = os.path.join(folder, "installed")
        self.env["PKG_CONFIG_PATH"] = self.env["DESTDIR"] + "/usr/local/share/pkgconfig"
        self.env["NO_ROOT"] = NO_ROOT
        self.env["PATH"] = "%s/stubs:%s/usr/local/bin:%s:%s" % (folder, self.env["DESTDIR"], build, os.environ["PATH"])

    def refuse_root(self):
        """Put programs into the path that install nothing."""
        for program in ("sudo", "apt-get"):
            kinds.write(self, "stubs/" + program, "#!/bin/sh\necho $NO_ROOT\nexit 1\n", 0o755)

    def furnish(self, root):
        """Make it look like the checkout, built, with the files of GIVEN. What is written stays in it: a user's own
        files are not linked to, because a command could write them."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder + "/build/zephyr")
        for source, into in ((root, ""), (self.build, "build/")):
            for name in os.listdir(source):
                mine = os.path.isfile(os.path.join(root, name)) and not re.fullmatch(r"Makefile|LICENSE|.*\.md", name)
                if not name.startswith(".") and not mine and name not in ("build", "run", "test", "demo", "dist"):
                    os.symlink(os.path.join(source, name), os.path.join(self.folder, into + name))
        shutil.copytree(self.build + "/demo", self.folder + "/build/demo",
                        ignore=shutil.ignore_patterns("trace.dat"))
        for name, source in GIVEN.items():
            shutil.copy(os.path.join(self.folder, source), os.path.join(self.folder, name))

    def run(self, command):
        """Its exit code, and the lines that it prints. What would install packages prints NO_ROOT instead."""
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=3600, check=False)
        if NO_ROOT in done.stdout.decode(errors="replace"):
            raise kinds.Missing("Debian's packages are not all installed")
        return done.returncode, done.stdout.decode(errors="replace").splitlines()


def run_step(place, command, shown):
    """Run a command of a document. Returns what is wrong, or None."""
    for pattern, before in BEFORE.items():
        if re.search(pattern, command):
            place.run(before)
    code, printed = place.run(command)
    wrong = difference(shown, printed) if shown is not None else None
    if wrong:
        return wrong
    if code != 0 and (not shown or shown[-1].strip() == "..."):
        return "exit code %d\n%s" % (code, "\n".join("    | " + line for line in printed[-20:]))
    return None


def attempt(what, does, *arguments):
    """Do something; yields it with what is wrong or None."""
    try:
        yield what, does(*arguments)
    except kinds.Missing as missing:
        yield "not run: %s: %s" % (what, missing), None


def do_block(place, block, quick):
    """Run a block, or see that it is left out for a reason. Yields what was done, and what is wrong or None."""
    for command, shown in block.steps():
        reason = left_out(block, command)
        if reason or (quick and not re.search(QUICK, command)):
            yield "not run: " + (reason or "in make test-full"), None
        else:
            yield from attempt(command, run_step, place, command, shown)
    if block.kind in ("console", "sh"):
        return
    text = "\n".join(block.lines) + "\n"
    reason = left_out(block, text)
    name = re.match(r"/\* (\S+) \*/\n", text)
    if name:
        kinds.write(place, name[1], text)
    if reason or quick:
        yield "not run: " + (reason or "in make test-full"), None
    elif block.kind not in kinds.DOES:
        yield block.kind, "nothing is done with blocks of kind '%s', and NOT_RUN has no reason" % block.kind
    else:
        yield from attempt(block.kind, kinds.DOES[block.kind], place, block.lines)


def wrong_count(checks):
    """Whether README tells quite another number of checks than there are, if that is known."""
    readme = open("README.md", encoding="utf-8").read()
    shown = re.search(r"^(\d+) passed, 0 failed, (\d+) skipped$", readme, re.MULTILINE)
    if checks and (not shown or abs(int(shown[1]) + int(shown[2]) - int(checks[0])) > int(checks[0]) // 10):
        yield "README.md: make test has %s checks, other than it shows: %s" % (checks[0], shown and shown[0])


def main():
    root = os.getcwd()
    build, tier = os.path.abspath(sys.argv[1]), sys.argv[2]
    here = "--here" in sys.argv
    documents = [each for each in sys.argv[3:] if not each.startswith("--")]
    everything = not documents
    documents = documents or links.documents() + [MANUAL]
    failed, done = links.wrong(documents), 0
    for number, document in enumerate(documents):
        place = Place(build, root if here else "%s/test/readme/%s/%d" % (build, tier, number))
        found = blocks_of(document)
        if found and not here:
            place.furnish(root)
        place.refuse_root()
        if document == MANUAL:
            place.run(BOARDS)
        for block in found:
            for what, wrong in do_block(place, block, tier == "quick"):
                done += not what.startswith("not run")
                print("%s:%d: %s" % (document, block.line, what.replace("\n", " ")))
                if wrong:
                    failed.append("%s:%d: %s\n  %s" % (document, block.line, what, wrong))
    failed += wrong_count([each[9:] for each in sys.argv if each.startswith("--checks=")])
    if everything and tier == "full":
        names = [pattern for pattern, _ in NOT_RUN]
        failed += ["readme.py: %s is not there" % test for _, reason in NOT_RUN
                   for test in re.findall(r"tests/[\w/.]+", reason) if not os.path.exists(test)]
        failed += ["readme.py: nothing needs its entry %s" % name for name in names if name not in used]
    print("\n".join(failed) if failed else "%d commands and blocks do what %d documents say" % (done, len(documents)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
