#!/usr/bin/env python3
"""check.py - checks that the decoder and trace-cmd print the texts that tests/system/printk/app.c logged as Python's
own formatting prints them.

usage: check.py TEXT REPORT RAW FUNCTION...

TEXT: text output made with the ELF file. REPORT: trace-cmd's report of a trace.dat made with the ELF file. RAW: text
output made without it. FUNCTION: names of the functions in the ELF file."""
import re
import sys

U32, MASK = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
LL = -1234567890123456789
LONGEST = "0123456789" * 6 + "012"  # 63 characters

# Format as in app.c, and the arguments as C converts them to the types of the conversions.
LIST = [
    ("nothing", ()),
    ("nothing, with a newline", ()),
    ("per cent 100%%, one %d", (-5,)),
    ("two %u %x", (U32, U32)),
    ("three %hd %hhu %ld", (-2, 200, -70000)),
    ("four %lld %d %llx %c", (LL, 7, 0xFEDCBA9876543210, "x")),
    ("five %5d|%-5d|%05d|%+d|%*d", (1, 2, 3, 4, 6, 5)),
    ("six %o %X %#x %i %lu %zu", (U32, U32, U32, 9, U32, 4)),
    ("seven %d %d %d %d %d %d %d", tuple(range(1, 8))),
    ("eight %d %d %d %d %d %d %d %d", tuple(range(1, 9))),
    ("eight %lld %lld %lld %lld %lld %lld %lld %lld", (LL, LL + 1, LL + 2, LL + 3, LL + 4, LL + 5, LL + 6, LL)),
    ("pointer 0x20001234", ()),
    ("truth %d, lone wide %llu", (1, MASK)),
    ("text %s", ("abcdefg",)),
    ("texts %s|%s|%s|%d|%s", ("four", "", "built", 3, "literal")),
    ("field |%10s|%-10s|%.2s|", ("abcdefg",) * 3),
    ("cut %s, then %d", (LONGEST, 4)),
    ("null %s", ("(null)",)),
    ("eight %s %s %s %s %s %s %s %s", ("abcdefg", "four", "", "built", "abcdefg", "four", "", LONGEST)),
    ("float %f %.15g %e %d", (0.3333333432674408, 2.718281828459045, -2.718281828459045, 6)),
    ("infinite %f, long %.3Lf", (float("inf"), 2.718281828459045)),
    ("last %d", (0,)),
    ("last %d", (1,)),
    ("last %d", (2,)),
]


def expected():
    for text, arguments in LIST:
        yield re.sub(r"(%[-+# 0]*[\d*]*(?:\.\d+)?)(?:hh|h|ll|l|z|L)", r"\1", text) % arguments


def is_kernels(text):
    """Whether trace-cmd can format the text itself, so that the decoder leaves it to trace-cmd. It can if the
    conversions are only d i u x X o, with or without a width, leading zeros, precision and length; and s, with or
    without a width and precision, but not left-aligned."""
    return all(re.fullmatch(r"%%|%0?\d*(\.\d+)?(l|ll)?[diuxXo]|%\d*(\.\d+)?s", one)
               for one in re.findall(r"%[-+# 0]*[\d*]*(?:\.\d+)?(?:hh|h|ll|l|z|L)?[a-zA-Z%]", text))


def places(functions):
    """What the report has before each text: for texts that trace-cmd formats, the function that logged it or, if that
    function was inlined, the function that contains it; for other texts nothing."""
    for number, (text, _) in enumerate(LIST):
        function = "numbers" if number < 13 else "texts" if number < 19 else "floats" if number < 21 else "main"
        function = function if function in functions else "main"
        # app.c formats this text with %p, which trace-cmd does not format; LIST has it already formatted.
        yield f"{function}: " if is_kernels(text) and "pointer" not in text else ""


def found(name, pattern):
    with open(name, encoding="utf-8") as lines:
        return [match.group(1) for match in (re.search(pattern, line.rstrip("\n")) for line in lines) if match]


def compare(what, have, want):
    for number, (a, b) in enumerate(zip(have, want)):
        if a != b:
            sys.exit(f"{what}, {number}: {a!r} instead of {b!r}")
    if len(have) != len(want):
        sys.exit(f"{what}: {len(have)} texts instead of {len(want)}")


def main():
    text, report, raw = sys.argv[1:4]
    functions = sys.argv[4:]
    want = list(expected())
    compare("text", found(text, r" ftrace:print: buf=(.*)$"), want)
    compare("trace-cmd", [line.rstrip() for line in found(report, r" b?print: +(.*)$")],
            [(where + text).rstrip() for where, text in zip(places(functions), want)])
    lines = found(raw, r" ftrace:print: buf=(.*)$")
    if len(lines) != len(want):
        sys.exit(f"without ELF file: {len(lines)} texts instead of {len(want)}")
    if not re.fullmatch(r"printk format 0x[0-9a-f]+ args 0xffffffff 0xffffffff 0x0", lines[3]):
        sys.exit(f"without ELF file: {lines[3]!r}")
    print(f"{len(want)} texts as printf prints them")


main()
