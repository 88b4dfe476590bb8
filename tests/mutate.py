#!/usr/bin/env python3
"""Mutants of target/tlog_ring.c: each has one comparison, constant or connective changed, or one statement in a loop
deleted, and is built and run against the runtime's tests on the host. usage: mutate.py BUILD [SECONDS]"""
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path("target/tlog_ring.c")
TESTS = {"chunk": ("chunk", ["-DTLOG_ARENA=1"]), "ring-3": ("ring", ["-DTLOG_CHUNKS=3"]),
         "event": ("event", ["-DTLOG_TRACEEVENTS=1", "-DTLOG_SLOTS=16"]), "ring-1": ("ring", ["-DTLOG_CHUNKS=1"])}
OPERATORS = {"==": "!=", "!=": "==", ">=": ">", "<=": "<", " > ": " >= ", " < ": " <= ", "&&": "||", "||": "&&"}
TOKEN = re.compile(r"==|!=|>=|<=| > | < |&&|\|\||\b\d+u?\b")


def mutations(lines):
    """(line number, new line, what) for each mutant"""
    comment, depth = False, 0
    for number, line in enumerate(lines, 1):
        comment = comment or line.lstrip().startswith("/*")
        if not comment and not line.startswith(("#", "/", " *")):
            for match in TOKEN.finditer(line):
                old = match.group()
                if old in OPERATORS:
                    news = [OPERATORS[old]]
                else:
                    value = int(old.rstrip("u"))
                    news = [str(value + change) + old[len(str(value)):] for change in (1, -1) if value + change >= 0]
                for new in news:
                    yield number, line[:match.start()] + new + line[match.end():], old.strip() + " -> " + new.strip()
            if depth > 0 and line.rstrip().endswith(";") and "=" not in line.split("(")[0].split(" ")[0] \
                    and not line.lstrip().startswith(("}", "return", "uint32_t", "bool")) and line.count("(") == line.count(")"):
                yield number, re.match(r"\s*", line).group() + ";", "deleted: " + line.strip()
            if re.match(r"    do \{", line):
                depth = 1
            elif re.match(r"    \} while", line):
                depth = 0
        if "*/" in line:
            comment = False


def run(command, limit):
    """exit status; None when it did not end"""
    try:
        return subprocess.run(["prlimit", "--cpu=%d" % limit, "--core=0"] + command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=20 * limit, check=False).returncode
    except subprocess.TimeoutExpired:
        return None


def compile_one(source, obj, flags):
    return run(["gcc", "-std=c11", "-O1", "-w", "-Itests", "-Itarget", "-Iport"] + flags + ["-c", str(source), "-o", str(obj)], 60)


def main():
    place = Path(sys.argv[1]) / "test" / "mutants"
    end = time.time() + (float(sys.argv[2]) if len(sys.argv) > 2 else 1e9)
    shutil.rmtree(place, ignore_errors=True)
    objects = {}
    for test, (name, flags) in TESTS.items():
        (place / test).mkdir(parents=True)
        sources = [path for path in Path("target").glob("*.c") if path != SOURCE]
        sources += [Path(path) for path in ("port/port_posix.c", "tests/test.c", "tests/test_host.c", "tests/test_%s.c" % name)]
        objects[test] = [str(place / test / (path.stem + ".o")) for path in sources]
        for path, obj in zip(sources, objects[test]):
            compile_one(path, obj, flags)
    lines = SOURCE.read_text().split("\n")
    killed = survived = 0
    for number, line, what in mutations(lines):
        if time.time() > end:
            print("stopped before line %d" % number)
            break
        mutant = place / SOURCE.name
        mutant.write_text("\n".join(lines[:number - 1] + [line] + lines[number:]))
        by = None
        for test, (_, flags) in TESTS.items():
            program, obj = str(place / "program"), str(place / "mutant.o")
            if compile_one(mutant, obj, flags) != 0:
                by = "the compiler"
                break
            run(["gcc", obj] + objects[test] + ["-o", program], 60)
            if run([program], 10) != 0:
                by = test
                break
        killed, survived = killed + (by is not None), survived + (by is None)
        print("%s:%d: %s: %s" % (SOURCE, number, what, "killed by " + by if by else "SURVIVED"), flush=True)
    print("%d killed, %d survived" % (killed, survived))


main()
