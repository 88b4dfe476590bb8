"""one_unit.py - whether the names of target/ and port/ leave room for those of an application.

usage: one_unit.py names              each macro and enumerator must bear a prefix of tlog's; prints how many there are
       one_unit.py hostile [HEADER]   writes a header that makes macros of the other upper-case words of these files,
                                      and of the parts of tlog's names: MANY, BUSY, SLOTS ...

A file in which one of these words is a name of tlog's, or a name that it takes from an application, does not compile
with that header. So the list is made from the sources, comments included, and needs no upkeep."""
import glob
import re
import sys

# NET_: the calls and options of port/net*.h. The others are names that S.Ha.R.K. and QNX have given.
OURS = re.compile(r"TLOG_|tlog_|NET_|FTrace_|FTRACE_|(?:FAST_)?TRACER_LOGEVENT$|_NTO_TRACE_|_TRACE_")
# What a kernel or a library takes from a file that includes it: hooks, options. ARDUINO and what follows: what
# Arduino's build defines.
THEIRS = re.compile(r"TX_\w+$|config[A-Z]\w*$|trace[A-Z]\w*$|sys_(?:port_)?trace_|CH_CFG_\w+$|__trace_ready$|"
                    r"_POSIX_C_SOURCE$|ARDUINO\w*$|F_CPU$|KINETISL$|TARGET_RP2040$")
FILES = [path for pattern in ("target/*.h", "target/src/*.[ch]", "port/*.[ch]", "port/rtos/*.h", "port/rtos/*/*.[ch]")
         for path in sorted(glob.glob(pattern))]


def code(text):
    """The text without comments, strings and character constants."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', " ", text, flags=re.S)


def names(path):
    """The macros and enumerators that a file defines."""
    text = code(open(path, encoding="utf-8").read())
    yield from re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*", "", text, flags=re.M)
    for body in re.findall(r"\benum\b(?:\s+\w+)?\s*\{([^}]*)\}", text):
        yield from re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", re.sub(r"\([^()]*\)", "", body))


def parts(name):
    """The parts of TLOG_A_B_C that an application might have: A, B, C, A_B, B_C, A_B_C."""
    words = name.split("_")[1:]
    for begin in range(len(words)):
        for end in range(begin + 1, len(words) + 1):
            yield "_".join(words[begin:end])


def check_names():
    found = {(name, path) for path in FILES for name in names(path)}
    wrong = sorted("%s: %s" % (path, name) for name, path in found if not OURS.match(name) and not THEIRS.match(name))
    if wrong:
        sys.exit("\n".join(wrong + ["these macros and enumerators have no prefix of tlog's"]))
    print("%d macros and enumerators, each with a prefix of tlog's" % len({name for name, _ in found}))


def write_hostile():
    words = set()
    for path in FILES:
        words.update(re.findall(r"\b[A-Z][A-Z0-9_]*\b", open(path, encoding="utf-8").read()))
        for name in names(path):
            if name.startswith("TLOG_"):
                words.update(parts(name))
    for word in sorted(words):
        if re.fullmatch(r"[A-Z]\w+", word) and not OURS.match(word) and not THEIRS.match(word):
            print("#ifndef %s\n#define %s )a word of the application(\n#endif" % (word, word))


if sys.argv[1] == "names":
    check_names()
else:
    write_hostile()
