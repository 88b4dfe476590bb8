"""faults.py - puts one fault at a time into the manifests of unpacked packages; check.py must refuse each: a line or a
field that is missing, and a value that the rules do not allow.

usage: faults.py DIRECTORY VERSION URL MAINTAINER     (dist.sh has unpacked the packages there)"""
import contextlib
import io
import os
import runpy
import sys

PACKS = {"pdsc": ("cmsis", "tlog.tlog.pdsc"), "platformio": ("platformio", "library.json"),
         "arduino": ("arduino/tlog", "library.properties")}
FAULTS = {
    "pdsc": [('category="other" name="linker/tlog.ld"', 'category="linkerScript" name="linker/tlog.ld"'),
             ('attr="config" version', 'attr="copy" version'), (' attr="config"', ""),
             ('"tlog_options.h"', '"other.h"'),
             ("<name>tlog", "<name>t log"), ("<url>http", "<url>"), ("<license>LICENSE", "<license>MIT"),
             ('Dcore="Cortex-M52"', 'Dcore="Cortex-M51"'), ('Toptions="AC6"', 'Toptions="AC7"'),
             ('Tcompiler="CLANG"', 'Tcompiler="clang"'), ('Cclass="Utility"', 'Cclass="-"'),
             ('require condition="port"', 'require condition="ports"'), ('condition="glue"', 'condition="blue"'),
             ("<keywords>", "<words>"), ("</keywords>", "</words>"), ("target/src/tlog.c", "target/src/tlog_none.c"),
             ("supportContact>", "contact>"), ('<release version="', '<release version="1')],
    "platformio": [('"name": "tlog"', '"name": "tlog/1"'), ("http", "htt"), ('"git"', '"cvs"'),
                   ("kernelshark", "KernelShark"), ('"MIT"', '"MIT?"'), ('"target"', '"targets"'),
                   ('"tlog.h"', '"t.h"'), ("false", "true"),
                   ('"email": "', '"email": "<'), ('"-I port"', '"-I ports"'), ("extra_script.py", "script.py")],
    "arduino": [("name=tlog", "name=tlog library"), ("name=tlog", "name=Arduino"), ("category=Other", "category=Tools"),
                ("architectures=stm32", "architectures=STM32"), ("url=https", "url=ftp"),
                ("includes=tlog.h", "includes=t.h"), ("dot_a_linkage=true", "dot_a_linkage=yes"),
                ("paragraph=", "precompile=")],
}


def refused(kind, folder, arguments):
    """Whether check.py refuses the package."""
    sys.argv = ["check.py", kind, folder] + arguments
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "check.py"))
        except (SystemExit, KeyError, ValueError, SyntaxError, OSError):
            return True
    return False


def texts(kind, text):
    """The manifest with one fault each: those above, and each value of library.properties empty or missing."""
    for old, new in FAULTS[kind]:
        assert old in text, old
        changed = text.replace(old, new)
        yield old + " -> " + new, changed
    if kind == "arduino":
        lines = text.splitlines(keepends=True)
        for at, line in enumerate(lines):
            if line.split("=")[0] not in ("license",):
                yield "without " + line, "".join(lines[:at] + lines[at + 1:])
                yield "empty " + line, "".join(lines[:at] + [line.split("=")[0] + "=\n"] + lines[at + 1:])


def main(directory, *arguments):
    count = 0
    for kind, (folder, name) in PACKS.items():
        folder = os.path.join(directory, folder)
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            sound = file.read()
        for what, text in texts(kind, sound):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            if not refused(kind, folder, list(arguments)):
                sys.exit("%s: not refused: %s" % (name, what))
            count += 1
        with open(path, "w", encoding="utf-8") as file:
            file.write(sound)
        assert not refused(kind, folder, list(arguments)), name
    print("manifests: %d faults, each is refused" % count)


main(*sys.argv[1:])
