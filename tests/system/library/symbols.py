"""symbols.py - checks what the libraries define and want of others.

usage: symbols.py HEADER SHARED STATIC"""
import re
import subprocess
import sys

# What prints, ends the program or changes it as a whole, or keeps data between calls that threads would share.
FORBIDDEN = set("""
    printf fprintf vprintf vfprintf dprintf puts fputs putchar putc fputc fwrite perror stdout stderr stdin psignal
    exit _exit _Exit quick_exit abort atexit on_exit __assert_fail raise kill longjmp
    signal sigaction sigprocmask pthread_sigmask umask chdir fchdir setlocale setenv unsetenv putenv dup2 fork system
    popen execve alarm setitimer getopt_long optarg optind opterr
    strtok rand srand random localtime gmtime asctime ctime getpwnam gethostbyname tmpnam basename dirname""".split())
WRITABLE = r"\.(data|bss|tdata|tbss|ldata|lbss|data\.rel\.local|data\.rel)"
# gcc's start and end files of a shared library, and libgcc's answer to what the CPU can do.
OF_COMPILER = {"completed.0", "__TMC_END__", "__dso_handle", "__cpu_model", "__cpu_features2", "_edata", "_end",
               "__bss_start", "__data_start", "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_"}
# What each thread has for itself, with the section: in whose account it takes memory now (host/base/heap.h).
OF_THREAD = {".tbss": "current"}


def output(*command):
    return subprocess.check_output(command, text=True, stderr=subprocess.STDOUT).splitlines()


def names(*command):
    return {line.split()[-1].split("@")[0] for line in output("nm", *command) if len(line.split()) > 1}


def writable(path):
    """The objects in sections that can be written; what relocations fill in before the program begins is constant."""
    found = set()
    for line in output("objdump", "-t", path):
        match = re.match(r"[0-9a-f]+ .{7} (\S+)\s+[0-9a-f]+\s+(?:\.hidden )?(\S+)$", line)
        if match and re.fullmatch(WRITABLE + r"(\..*)?|\*COM\*", match.group(1)) and match.group(1) != match.group(2) \
                and not match.group(1).startswith(".data.rel.ro") \
                and match.group(2) != OF_THREAD.get(match.group(1).replace("." + match.group(2), "")):
            found.add(match.group(2))
    return found - OF_COMPILER


def sizes(path):
    """The sections of a static library that can be written, and have bytes."""
    listed = "\n".join(output("objdump", "-h", path))
    return {name for name, size in re.findall(r"^\s*\d+ (\S+)\s+([0-9a-f]{8})", listed, re.M)
            if int(size, 16) > 0 and re.fullmatch(WRITABLE + r"(\..*)?", name) and not name.startswith(".data.rel.ro")
            and name not in {section + "." + item for section, item in OF_THREAD.items()}}


def main(header, shared, static):
    text = re.sub(r"/\*.*?\*/", "", open(header, encoding="utf-8").read(), flags=re.S)
    declared = set(re.findall(r"\b(tlog_\w+)\(", re.sub(r"static inline.*?^}", "", text, flags=re.S | re.M)))
    wrong = []
    for path, dynamic in ((shared, ["-D"]), (static, ["-g"])):
        defined, wanted = names(*dynamic, "--defined-only", path), names(*dynamic, "-u", path)
        wrong += ["%s: does not define %s" % (path, name) for name in sorted(declared - defined)]
        wrong += ["%s: defines %s" % (path, name) for name in sorted(defined - declared)]
        wrong += ["%s: wants %s" % (path, name) for name in sorted(wanted)
                  if re.sub(r"^__(isoc99_)?(\w+?)(_chk)?$", r"\2", name) in FORBIDDEN or name in FORBIDDEN]
        wrong += ["%s: %s can be written" % (path, name) for name in sorted(writable(path))]
        if len(wanted) < 30:
            wrong.append("%s: wants only %d names" % (path, len(wanted)))
    wrong += ["%s: section %s can be written" % (static, name) for name in sorted(sizes(static))]
    if wrong or len(declared) < 10:
        sys.exit("\n".join(wrong) or "%s: only %d functions" % (header, len(declared)))
    print("symbols: %d functions and no other name; no data that threads share" % len(declared))


main(*sys.argv[1:])
