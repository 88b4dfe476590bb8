# SPDX-License-Identifier: MIT
"""tlog-gdb.py - commands for gdb that take tlog's events out of the firmware that is being debugged.

    (gdb) source tlog-gdb.py
    (gdb) tlog show 20             the last 20 events
    (gdb) tlog stat                load, tasks, interrupts, mutexes
    (gdb) tlog dump dump.bin       tlog's memory, for tlog-decode
    (gdb) tlog open trace.pftrace  the trace in its viewer

The firmware must be halted, and its ELF file known to gdb, as it is in a debugging session. Any gdb with Python will
do, also the one behind an IDE: type the commands into its gdb console. tlog-decode is taken from where this file was
installed or built with it, else from PATH.
"""
import os
import subprocess
import tempfile

import gdb

HERE = os.path.dirname(os.path.abspath(os.path.expanduser(__file__)))
DECODERS = (os.path.join(HERE, "..", "..", "bin", "tlog-decode"), os.path.join(HERE, "..", "build", "tlog-decode"))
PIECE = 65536  # bytes that are read at a time
SHOWN = 20     # events of `tlog show`


def decoder():
    """The program."""
    for path in DECODERS:
        if os.access(path, os.X_OK):
            return os.path.normpath(path)
    return "tlog-decode"


def firmware():
    """The firmware's ELF file."""
    path = gdb.current_progspace().filename
    if path is None:
        raise gdb.GdbError("tlog: gdb has no ELF file: file firmware.elf")
    return path


def value_of(expression):
    """The value, or None if there is no such symbol."""
    try:
        return int(gdb.parse_and_eval(expression))
    except gdb.error:
        return None


def places():
    """Where tlog's memory is: addresses and sizes."""
    begin, end = value_of("(unsigned long)&__start_tlog_chunks"), value_of("(unsigned long)&__stop_tlog_chunks")
    if begin is not None and end is not None and end > begin:
        return [(begin, end - begin)]
    found = []
    for name in ("tlog_event_chunks", "tlog_name_chunks"):
        address = value_of("(unsigned long)&" + name)
        if address is None:
            continue
        size = value_of("sizeof(%s)" % name)
        if size is None:
            raise gdb.GdbError("tlog: the size of %s is not known: compile tlog's files with -g" % name)
        found.append((address, size))
    if not found:
        raise gdb.GdbError("tlog: %s has no symbols of tlog's memory" % firmware())
    return found


def save(path):
    """Write tlog's memory to a file. How many bytes that is."""
    total = 0
    if gdb.selected_inferior().pid == 0:  # gdb would read the memory that the ELF file describes
        raise gdb.GdbError("tlog: gdb has no target: target remote HOST:PORT")
    try:
        with open(path, "wb") as file:
            for address, size in places():
                for at in range(0, size, PIECE):
                    file.write(gdb.selected_inferior().read_memory(address + at, min(PIECE, size - at)))
                total += size
    except OSError as error:
        raise gdb.GdbError("tlog: %s: %s" % (path, error.strerror))
    except gdb.error as error:
        raise gdb.GdbError("tlog: the memory cannot be read, is the firmware halted? %s" % error)
    return total


def decode(*options):
    """Save the memory, and decode it. What tlog-decode prints, and what it tells; an error that it tells is gdb's."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "memory")
        save(path)
        try:
            run = subprocess.run([decoder(), path, "--elf=" + firmware(), *options], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise gdb.GdbError("tlog: %s: %s" % (decoder(), error.strerror))
    printed, told = (out.decode(errors="replace").replace(path, "memory") for out in (run.stdout, run.stderr))
    if run.returncode == 1:
        raise gdb.GdbError(told.strip())
    return printed, told


def words_of(text, most, usage):
    """The words of a command, at most so many."""
    words = gdb.string_to_argv(text)
    if len(words) > most:
        raise gdb.GdbError("usage: " + usage)
    return words


class Tlog(gdb.Command):
    """Events of tlog: tlog dump, tlog show, tlog stat, tlog open."""

    def __init__(self):
        super().__init__("tlog", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class TlogDump(gdb.Command):
    """Save tlog's memory: tlog dump FILE. Then: tlog-decode FILE --elf=firmware.elf -o trace.pftrace"""

    def __init__(self):
        super().__init__("tlog dump", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, text, _):
        words = words_of(text, 1, "tlog dump FILE")
        if not words:
            raise gdb.GdbError("usage: tlog dump FILE")
        path = os.path.expanduser(words[0])
        gdb.write("%s: %d bytes\n" % (path, save(path)))


class TlogShow(gdb.Command):
    """Print the last events: tlog show [N]. Without N they are 20."""

    def __init__(self):
        super().__init__("tlog show", gdb.COMMAND_DATA)

    def invoke(self, text, _):
        words = words_of(text, 1, "tlog show [N]")
        if words and not words[0].isdigit():
            raise gdb.GdbError("usage: tlog show [N]")
        most = int(words[0]) if words else SHOWN
        lines, told = decode("--format=text")
        lines = [line for line in lines.splitlines() if not line.startswith("cpus=")]
        gdb.write("".join(line + "\n" for line in lines[max(0, len(lines) - most):]) + told)


class TlogStat(gdb.Command):
    """Print figures of tasks, interrupts, mutexes and the CPUs' load: tlog stat."""

    def __init__(self):
        super().__init__("tlog stat", gdb.COMMAND_DATA)

    def invoke(self, text, _):
        words_of(text, 0, "tlog stat")
        printed, told = decode("--stat")
        gdb.write(printed + told)


class TlogOpen(gdb.Command):
    """Write a trace, and show it in its viewer: tlog open [FILE]. FILE's suffix tells which: .pftrace (the default),
.dat, .vcd or .html."""

    def __init__(self):
        super().__init__("tlog open", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, text, _):
        words = words_of(text, 1, "tlog open [FILE]")
        path = os.path.expanduser(words[0]) if words else "trace.pftrace"
        gdb.write(decode("--open", "-o", path)[1])


Tlog()
TlogDump()
TlogShow()
TlogStat()
TlogOpen()
