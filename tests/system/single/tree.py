"""tree.py - makes a checkout in which tlog is the two files of `make single`: the tests run there as they are.

usage: tree.py FOLDER VERSION [--without FILE...]     (from the root of the checkout)

In FOLDER target/tlog.h and target/src/tlog.c are the two files. The headers that tlog.h has a part of include tlog.h
alone, the sources that tlog.c has a part of are empty; the hooks of kernels, and what else `make single` writes, are
its files, too. All else is that of this checkout. --without: tlog.c has no part of these sources; tests include them,
to see their variables. The decoder's three headers stay, too: it compiles them without a runtime."""
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "port/package")
import single  # noqa: E402  from port/package

LINKED = ["CHANGELOG.md", "LICENSE", "Makefile", "README.md", ".clang-format", "linker", "tests"]
COPIED = ["host", "target", "port"]  # of host find looks for sources, which follows no link
DECODERS = ["target/tlog_wire.h", "target/tlog_traceevent.h", "target/src/tlog_cxx.h"]
EMPTY = "/* It is in target/src/tlog.c. */\nstruct tlog_nothing;\n"


def write(folder, path, text):
    with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
        file.write(text)


def main(folder, version, *without):
    without = without[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for path in LINKED:
        os.symlink(os.path.abspath(path), os.path.join(folder, path))
    for path in COPIED:
        shutil.copytree(path, os.path.join(folder, path))
    made, here = single.runtime(version, without)
    for path in here:
        if path not in DECODERS:
            up = os.path.relpath("target/tlog.h", os.path.dirname(path))
            write(folder, path, '#include "%s"\n' % up)
    for path in set(single.SOURCES) - set(without) - {single.TEST_PORT}:
        write(folder, path, EMPTY)
    write(folder, "target/tlog.h", made["tlog.h"])
    write(folder, "target/src/tlog.c", made["tlog.c"])
    for stem in single.BESIDE:
        for name, text in single.beside(stem, version, here).items():
            write(folder, os.path.join(os.path.dirname(stem), name), text)


main(*sys.argv[1:])
