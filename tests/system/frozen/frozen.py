"""frozen.py - fails if what 1.0 freezes has changed without a line in CHANGELOG.md: calls, macros, options and types of
the headers (api), numbers of the dump (format), exit codes (exit), and keys of --json (json). A file for each of them,
beside this one, lists it; the file's first line is the line of CHANGELOG.md that tells its last change.

usage: frozen.py BUILD                     (compare)
       frozen.py BUILD PART "- the line"   (write PART's list anew; the line stands in CHANGELOG.md, and is a new one)
"""
import difflib
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIRMWARE = [path for path in sorted(glob.glob("target/*.h")) if not path.endswith(("_wire.h", "_names.h"))] + [
    "port/tlog_irq.h", *sorted(glob.glob("port/out_*.h")), "port/rtos/tlog_rtos.h"]
OPTIONS = ["target/tlog_config.h", "port/tlog_port.h", "port/out_udp.h", "port/net_udp.h", "target/tlog_level.h"]
# Macros that others are made of.
PRIVATE = (r"_$|_H$|_IS_READ$|_NUMBER$|^TLOG_(CHIP|CHECK|LOG|OWN|RATE|FORGET|WITHOUT|WHEN|PORT)_"
           r"|^TLOG_(IRQ_CALL|CALL|API)$|^TLOG_PRINTK_(JOIN|COUNT|BAD|NONE|[0-9])|^TLOG_LEVEL_(TEXT|OFF|IS_MUTED)$")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def code(path):
    """The text without comments, each directive in one line."""
    return re.sub(r"\\\n", " ", re.sub(r"/\*.*?\*/", "", read(path), flags=re.S))


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def macros(text, private):
    """Each macro as it is called, and what it stands for if that is a constant."""
    for name, arguments, value in re.findall(r"^ *# *define (\w+)(\([^)]*\))?(.*)$", text, re.M):
        if not re.search(private, name):
            yield plain("macro %s%s%s" % (name, arguments, "" if arguments else " = " + plain(value)))


def options(text):
    for name, value in re.findall(r"^#ifndef (\w+)\n# *define \1\b(.*)$", text, re.M):
        if not re.search("_H$|^TLOG_PORT_", name):
            yield plain("option %s, default %s" % (name, value))


def types(text):
    """Each member of a struct or an enum with what stands ahead of it."""
    for kind, name, body in re.findall(r"\b(struct|enum) (\w+) \{(.*?)\}", text, re.S):
        for at, member in enumerate(re.split(";" if kind == "struct" else ",", body)):
            if member.strip():
                yield "%s %s %d: %s" % (kind, name, at, plain(member))


def functions(text):
    """Each function as it is declared, without what compilers are told of it."""
    text = re.sub(r"^ *#.*$|\bTLOG_(BEGIN|END)_\w+|extern \"C\"", "", text, flags=re.M)
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", ";", text)
    for declaration in text.split(";"):
        found = re.match(r"([\w *]*?[ *])(\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", plain(declaration))
        if found and not found.group(2).isupper() and "typedef" not in found.group(1):
            result = re.sub(r"\b(TLOG_[A-Z_]+|static|inline|extern)\b", "", found.group(1))
            yield plain("%s %s(%s)" % (result, found.group(2), found.group(3)))


def api(_build):
    for path in FIRMWARE + ["host/tlog_decode.h"]:
        text = code(path)
        listed = [*functions(text), *types(text)]
        listed += [] if path.endswith("_config.h") else macros(text, PRIVATE)
        yield from (os.path.basename(path) + ": " + each for each in sorted(set(listed)))
    for path in OPTIONS:
        yield from sorted(set(options(code(path))))


def dump_format(_build):
    """What the compilers know of the dump, and what FORMAT.md says of its numbers."""
    text = code("target/tlog_wire.h")
    for name, arguments, value in re.findall(r"^#define (\w+)(\([^)]*\))?(.*)$", text, re.M):
        rows = re.findall(r"X\(([^)]*)\)", value)
        if rows:
            yield from ("%s: %s" % (name, plain(row)) for row in rows)
        elif not name.endswith("_H"):
            yield plain("%s%s = %s" % (name, arguments, value))
    yield from types(text)
    document = read("target/FORMAT.md")
    yield re.search(r"Format version \*\*\d+\*\*", document).group()
    yield from ("FORMAT.md: %s %s" % row for row in re.findall(r"^\| (0x[^|]*?) *\| ([^|]*?) *\|", document, re.M))


def exits(_build):
    section = read("host/cli/tlog-decode.1.scd").split("# EXIT STATUS\n")[1].split("\n# ")[0]
    return map(plain, section.strip().split("\n\n"))


def paths(value, path):
    """The path of each key, and what is there; members of an array have the same path."""
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], path + "." + key)
    elif isinstance(value, list):
        for each in value:
            yield from paths(each, path + "[]")
    else:
        kinds = {bool: "bool", int: "number", float: "number", str: "text", type(None): "null"}
        yield "%s: %s" % (path, kinds[type(value)])


def keys(build):
    """What the demo's answers have, and all keys that the decoder can write."""
    for answer in ("stat", "info", "check"):
        for wanted in (build + "/demo/dump.bin", build + "/demo/firmware.elf"):
            if answer == "check" or wanted.endswith(".bin"):
                told = subprocess.run([build + "/tlog-decode", "-q", "--" + answer, "--json", wanted],
                                      capture_output=True, check=False).stdout
                yield from sorted(set(paths(json.loads(told), "--%s %s" % (answer, os.path.basename(wanted)))))
    for path in sorted(glob.glob("host/answer/*.c")):
        written = re.findall(r'\b(?:json|put)_(\w+)\((?:json|answer\S*|\S*json), "(\w+)"', code(path))
        yield from sorted({"%s: %s %s" % (os.path.basename(path), key, kind) for kind, key in written})


TELL = """frozen: %s has changed, which 1.0 freezes. Add a line to CHANGELOG.md that tells it, then:
    python3 tests/system/frozen/frozen.py %s %s '- the line'"""
PARTS = {"api": api, "format": dump_format, "exit": exits, "json": keys}


def changelog():
    """Its lines, each with those that continue it."""
    return [plain(line) for line in re.split(r"\n(?! )", read("CHANGELOG.md"))]


def renew(build, part, line):
    path = "%s/%s.txt" % (HERE, part)
    line = plain(line)
    if line not in changelog() or os.path.exists(path) and read(path).startswith(line + "\n"):
        sys.exit("frozen: CHANGELOG.md has no such line, or it told the last change, too: " + line)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([line, *PARTS[part](build)]) + "\n")


def main(build, *renewed):
    if renewed:
        return renew(build, *renewed)
    lines, wrong = changelog(), False
    for part, listed in PARTS.items():
        told, *was = read("%s/%s.txt" % (HERE, part)).splitlines()
        now = list(listed(build))
        changes = list(difflib.unified_diff(was, now, part + ".txt", "now", lineterm="", n=0))
        if told not in lines:
            changes.append("CHANGELOG.md lost the line: " + told)
        if changes:
            wrong = True
            print(*changes, TELL % (part, build, part), sep="\n")
        print("%s: %d lines" % (part, len(now)))
    return wrong


sys.exit(main(*sys.argv[1:]))
