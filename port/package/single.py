"""single.py - writes tlog as two files, tlog.h and tlog.c, for every core, and what belongs to them, each as one file.

usage: single.py FOLDER VERSION [--without FILE...]     (from the root of the checkout, by `make single`)

Each #include of a file of the checkout is replaced by the file, comments and all. It comes once; or again, where the
first time is in another case of an #if. In tlog.h and tlog.c a header's guard is its #define alone: other files ask for
it, and a file of the checkout that is compiled beside these two then finds that it has the header already.
--without leaves sources out of tlog.c, for tests that compile these themselves. The same files give the same bytes."""
import glob
import os
import re
import sys

HEADERS = ["target/tlog.h", "target/tlog_fault.h", "target/tlog_pack.h", "port/tlog_irq.h"]
SOURCES = sorted(glob.glob("target/src/*.c")) + sorted(glob.glob("port/port_*.c")) + ["port/irq_v7m.c"]
TEST_PORT = "port/port_threads.c"  # threads as CPUs, for a checker of data races: no firmware has it
SPEED = "target/src/tlog_speed.h"  # comes first in each source, and once in tlog.c
KERNELS = ["port/rtos/%s/tlog_%s" % (kernel, kernel) for kernel in ("freertos", "threadx", "rtx5", "chibios")]
BESIDE = ["port/out_semihost", "port/irq_flash", "port/rtos/tlog_rtos", "target/tlog_type_names"] + KERNELS
FOLDERS = ["target", "port", "port/rtos"]  # where an #include looks, behind the folder of the file that has it
DIRECTIVE = re.compile(r"#(ifdef|ifndef|if|elif|else|endif|include)\b(?: +(?:\"(.+)\"|<(.+)>))?")
LICENCE_LINE = "/* SPDX-License-Identifier: MIT */\n"
ABOUT = "%s %s - %s\n\nMade by `make single` of tlog from the files whose names stand ahead of their parts.\n\n%s"
HEADER = """what firmware includes: the calls, the options, and the ports to all cores.

Where a comment says to include tlog_fault.h, tlog_pack.h, tlog_irq.h or another header that is part of this one,
include this one. Options, such as TLOG_CLOCK_HZ and TLOG_SLOTS, are the same for all files of a firmware: give them
to the compiler (-DTLOG_SLOTS=4096), or #define them at the top of this file. tlog_config.h below tells what each is."""
SOURCE = "the runtime, for every core: compile it with the firmware, as C11 or later."
# clang wants each inline function of a source to be used, but not those of a header.
INLINE = ("#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wunused-function\" /* of headers that are in here */\n"
          "#endif\n\n")


def read(path):
    """A file's text, without the line that names its licence."""
    with open(path, encoding="utf-8") as file:
        return file.read().replace(LICENCE_LINE, "", 1)


def found(name, includer):
    """The file of the checkout that an #include names, or None: it is a kernel's, or the firmware's."""
    for folder in [os.path.dirname(includer)] + FOLDERS:
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(path):
            return path
    return None


def rule(text):
    return "\n/* ==== %s %s */\n" % (text, "=" * (108 - len(text)))


def directive(line):
    """The kind of a directive, and the names of an #include, "FILE" or <FILE>."""
    match = DIRECTIVE.match(line)
    return match.groups() if match else (None, None, None)


def unguarded(text):
    """A header whose guard is its #define alone; what stands behind an #elif of the guard goes, too."""
    guard = re.search(r"^#ifndef (\w+)\n(?=#define \1\n)", text, re.MULTILINE)
    if not guard:
        return text
    kept, depth, dropped = [], 1, False
    for line in text[guard.end():].splitlines(True):
        kind = directive(line)[0] or ""
        depth += kind.startswith("if") - (kind == "endif")
        dropped = depth > 0 and (dropped or depth == 1 and kind in ("elif", "else"))
        if not dropped and (depth > 0 or kind != "endif"):
            kept.append(line)
    return text[:guard.start()] + "".join(kept)


class Part:
    """The lines of a file that is made. elsewhere: {path: the file that has it, which is included instead}."""

    def __init__(self, guards, elsewhere):
        self.guards, self.elsewhere = guards, elsewhere
        self.lines = []
        self.seen = {}  # {what was included: the cases of #if in which it stands}
        self.ifs = 0

    def is_there(self, what, cases):
        """Whether it was included in this case of all #ifs around it, or further out; from now on it was."""
        there = self.seen.setdefault(what, [])
        if any(cases[:len(other)] == other for other in there):
            return True
        there.append(cases)
        return False

    def include(self, line, path, includer, cases):
        """The lines of an #include. path: the file of the checkout that it names, or None."""
        if path in self.elsewhere:
            path, line = None, '#include "%s"\n' % self.elsewhere[path]
        if self.is_there(path or line.split("/*")[0].strip(), cases):
            return
        if path is None:
            self.lines.append(line)
            return
        again = ", again: in another case of the #if around it" if len(self.seen[path]) > 1 else ""
        self.lines.append(rule(path + again))
        self.expand(path, cases)
        self.lines.append(rule(includer + ", continued"))

    def expand(self, path, cases=()):
        """Add the lines of a file. cases: of each #if around them its number, and the number of the case."""
        stack = []
        for line in (read(path) if self.guards else unguarded(read(path))).splitlines(True):
            kind, own, system = directive(line)
            if own or system:
                self.include(line, found(own, path) if own else None, path, cases + tuple(stack))
                continue
            self.lines.append(line)
            if kind in ("if", "ifdef", "ifndef"):
                self.ifs += 1
                stack.append((self.ifs, 0))
            elif kind in ("elif", "else"):
                stack[-1] = (stack[-1][0], stack[-1][1] + 1)
            elif kind == "endif":
                stack.pop()

    def text(self):
        """All lines, without what nested headers leave: tests of the order, empty lines, and parts of nothing."""
        text = "".join(self.lines)
        if not self.guards:
            text = re.sub(r'^#ifndef \w+_H\n#error "tlog: include tlog.h"\n#endif\n', "", text, flags=re.MULTILINE)
        text = re.sub(r"\n{3,}", "\n\n", text)
        return re.sub(r"/\* ==== [^\n]*, continued =+ \*/\n\s*(?=/\* ====|\Z)", "", text).strip("\n") + "\n"


def head(name, version, what):
    """What a file is, and the licence of all."""
    lines = (ABOUT % (name, version, what, read("LICENSE"))).rstrip("\n").split("\n")
    return LICENCE_LINE + "/* " + "\n".join(" * " + line if line else " *" for line in lines)[3:] + " */\n\n"


def linker_fragment(path="linker/tlog.ld", indent=""):
    """linker/tlog.ld with what it includes. In one file another memory for the chunks takes another line."""
    text = read(path)
    if path == "linker/tlog.ld":
        text, changed = re.subn(r"(If\n \* the chunks are to be in another memory).*?(?= \* If the linker)",
                                r"\1, write its name for RAM below, in both places.\n *\n", text, flags=re.DOTALL)
        assert changed == 1, path + " tells of other memories in other words now"
    return "".join(linker_fragment("linker/" + line.split()[1], line[:-len(line.lstrip())])
                   if line.strip().startswith("INCLUDE ") else (indent + line).rstrip(" ")
                   for line in text.splitlines(True))


def runtime(version, without):
    """tlog.h and tlog.c, and {path: "tlog.h"} of the files that tlog.h has."""
    header = Part(False, {})
    for path in HEADERS:
        header.include("", path, path, ())
    here = {path: "tlog.h" for path in header.seen if os.path.isfile(path)}
    source = Part(False, here)
    source.seen = {what: cases for what, cases in header.seen.items() if what not in here and cases[0] == ()}
    source.is_there(SPEED, ())
    source.expand(SPEED)
    for path in SOURCES:
        if path != TEST_PORT and path not in without:
            source.lines.append(rule(path))
            source.expand(path)
    text = re.sub(r"\n#define TLOG_H\n", "\n", header.text())
    return {"tlog.h": head("tlog.h", version, HEADER) + "#ifndef TLOG_H\n#define TLOG_H\n\n" + text + "\n#endif\n",
            "tlog.c": head("tlog.c", version, SOURCE) + INLINE + source.text()}, here


def beside(stem, version, here):
    """{name: text} of a header and a source that stand beside the two; one of them need not be there."""
    made, elsewhere = {}, dict(here)
    for path in [stem + ".h", stem + ".c"]:
        name = os.path.basename(path)
        if os.path.isfile(path):
            part = Part(path.endswith(".h"), elsewhere)
            part.is_there(path, ())
            part.expand(path)
            made[name] = head(name, version, "for tlog.h and tlog.c.") + INLINE * (not part.guards) + part.text()
            elsewhere = {**elsewhere, **{other: name for other in part.seen if os.path.isfile(other)}}
    return made


def files(version, without=()):
    """{name: text} of all files."""
    made, here = runtime(version, without)
    for stem in BESIDE:
        made.update(beside(stem, version, here))
    made["tlog.ld"] = head("tlog.ld", version, "for the linker script.") + linker_fragment()
    return made


def main(folder, version, *without):
    os.makedirs(folder, exist_ok=True)
    for name, text in files(version, without[1:]).items():
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
