"""examples.py - does what the README of each folder of port/examples says, in a project of its own, and compares what
the firmware has logged with what it has printed on its UART meanwhile: its journal.

usage: examples.py BUILD [NAME...]     (from the root of a checkout; NAME: a word of CASES, all without)
       examples.py BUILD NAME KERNEL   (with that folder, a kernel's own sources, in the place of the stand-in)

A project has the example's files, the stand-ins for what a vendor or a kernel gives (the folders of this one that
CASES names), and tlog, which looks like the checkout and has a build folder of its own. README's blocks are done in
their order: sh and console are commands; ld are lines for the linker script, aliases behind MEMORY and others in front
of .bss; the lines of all other blocks must be in the example's files, but those of text, which stand for what a dialog
of an IDE gets (ide.py). gdb are commands for gdb, once the firmware is halted. A line of the journal is a word and
numbers: the name of an event, and its fields.
"""
import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../readme")]
import board  # noqa: E402 (the path is set above)
import ide  # noqa: E402
import kinds  # noqa: E402
import readme  # noqa: E402

# Flags that a compiler gets in QEMU, which has no CYCCNT.
TIM5 = "-UTLOG_CLOCK_HZ -DTLOG_CLOCK_HZ=100000000 -DTLOG_CLOCK_ADDRESS=0x40000C24u"
SYSTICK = ("-UTLOG_CLOCK_HZ -DTLOG_CLOCK_HZ=3000000 -DTLOG_CLOCK_ADDRESS=0xE000E018u -DTLOG_CLOCK_BITS=24 "
           "-DTLOG_CLOCK_DOWN=1")
TIMER0 = "-UTLOG_CLOCK_HZ -DTLOG_CLOCK_HZ=25000000 -DTLOG_CLOCK_ADDRESS=0x40000004u -DTLOG_CLOCK_DOWN=1"
MPS2 = ["stm32/startup.c", "stm32/flash.ld=chip.ld|128K:2048K|0x8000000:0x0|1024K:4096K", "mps2.c", "print.h"]
PLAIN = [*MPS2, "plain.c=board.c", "makefile/board.h"]
NRF51 = ("-UTLOG_CLOCK_HZ -DTLOG_CLOCK_HZ=16000000 -UTLOG_CLOCK_ADDRESS -DTLOG_CLOCK_ADDRESS=0xE000E018u "
         "-DTLOG_CLOCK_BITS=24 -DTLOG_CLOCK_DOWN=1 -UTLOG_ONLY_CPU_ADDRESS")
STM32 = ["stm32/startup.c=Core/Src/startup.c", "stm32cubeide/main.h=Core/Inc/main.h", "print.h=Core/Inc/print.h",
         "stm32cubeide/hal.c=Core/Src/hal.c", "../../../port/examples/stm32cubeide/main.c=Core/Src/main.c"]
FRAMEWORK = ["stm32/startup.c=framework/startup.c", "stm32/flash.ld=framework/flash.ld",
             "stm32cubeide/main.h=framework/board.h", "stm32cubeide/main.h=framework/main.h",
             "stm32cubeide/hal.c=framework/hal.c", "print.h=framework/print.h"]


class Case:
    """An example on a board in QEMU. given: stand-ins (Project.give); flags: what its compiler gets besides;
    elf: the firmware in the project, and script: its linker script; lines: how many the journal must have; shows: what
    a line of the trace as text must match; core: the core's flags, where an IDE gives them; kernel: the
    kernel's folder in the project, here and in the folder kernels; image: what is flashed, if not elf; runs: in the
    place of shows what each run of the firmware shows, by its number. The journal tells "run NUMBER 0" as it begins."""

    def __init__(self, name, machine, given, flags, elf, script, lines=60, shows=(), core="",
                 kernel=None, image=None, runs=None):
        self.name, self.machine, self.given, self.flags = name, machine, given, flags
        self.elf, self.script, self.lines, self.core = elf, script, lines, core
        self.kernel, self.image, self.runs = kernel, image or elf, runs or {"": shows}
        self.folder = name.partition(":")[0]


CASES = [
    Case("makefile", "netduinoplus2", ["stm32/startup.c", "stm32/flash.ld=chip.ld", "makefile", "print.h"], TIM5,
         "build/firmware.elf", "chip.ld", shows=["loop-1 .* sample:", "loop:1 .* ==> idle:0"]),
    Case("stm32cubeide:f4", "netduinoplus2", [*STM32, "stm32/flash.ld=flash.ld"], TIM5 + " -DSTM32F405xx",
         "Debug/firmware.elf", "flash.ld", shows=["irq_handler_entry: .*name=SysTick", "main-1 .* sample:"],
         core="-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard"),
    Case("stm32cubeide:f1", "stm32vldiscovery", [*STM32, "stm32/flash.ld=flash.ld|128K:8K|1024K:128K"],
         SYSTICK + " -UTLOG_SLOTS -DTLOG_SLOTS=160 -DTLOG_NAME_SLOTS=16 -DTLOG_IRQ_VECTORS=96",
         "Debug/firmware.elf", "flash.ld", shows=["main-1 .* sample:", "main:1 .* ==> idle:0"], core="-mcpu=cortex-m3"),
    Case("freertos-cmake", "mps2-an385", PLAIN, TIMER0, "build/firmware.elf", "chip.ld",
         shows=["sensor:[0-9]* .* ==> printer:", "queue_send: .*queue=samples", "queue_receive: .*queue=samples"],
         kernel="FreeRTOS-Kernel"),
    Case("threadx", "mps2-an385", [*PLAIN, "threadx"], TIMER0, "build/firmware.elf", "chip.ld",
         shows=["sensor:[0-9]* .* ==> printer:", "queue_send: .*queue=samples", "queue_receive: .*queue=samples",
                "irq_handler_entry: .*name=SysTick"], kernel="threadx"),
    Case("pico-sdk", "microbit", ["stm32/startup.c", "stm32/flash.ld=memmap.ld|128K:16K|0x8000000:0x0|1024K:256K",
                                  "pico-sdk", "print.h"], NRF51, "build/firmware.elf", "memmap.ld",
         shows=["loop-1 .* sample:", "loop:1 .* ==> idle:0"]),
    Case("platformio", "netduinoplus2", FRAMEWORK, TIM5 + " -DSTM32F405xx", ".pio/build/disco_f407vg/firmware.elf",
         "framework/flash.ld", shows=["irq_handler_entry: .*name=SysTick", "main-1 .* sample:"]),
    Case("blackbox", "mps2-an385", [*MPS2, "blackbox"], TIMER0, "build/firmware.elf", "chip.ld", lines=85,
         image="build/firmware.bin", runs={"1": ["loop-1 .* fault: .*exception=3 pc=read_lost_sensor+"],
                                           "2": ["loop-1 .* fault: .*exception=2 pc=hang+"]}),
]


class Project(readme.Place):
    """A folder with an example and all that it needs."""

    def __init__(self, build, folder, case):
        super().__init__(build, folder)
        self.case, self.settings = case, {}

    def furnish(self, root, kernel=None):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(os.path.join(root, "port/examples", self.case.folder), self.folder)
        os.mkdir(self.folder + "/tlog")
        for name in os.listdir(root):
            if not name.startswith(".") and name != "build":
                os.symlink(os.path.join(root, name), os.path.join(self.folder, "tlog", name))
        for given in self.case.given:
            self.give(*given.split("|"))
        if self.case.kernel:
            os.symlink(kernel or os.path.join(HERE, "kernels", self.case.kernel),
                       os.path.join(self.folder, self.case.kernel))
        self.program("arm-none-eabi-gcc", '%s "$@" %s' % (shutil.which("arm-none-eabi-gcc"), self.case.flags))
        emulated = "/usr/bin/python3 %s/board.py %s %s %d" % (HERE, self.case.machine, self.case.image, self.case.lines)
        self.program("openocd", emulated + ' openocd "$@"')
        self.program("cat", 'sh -c \'[ "$1" != /dev/ttyUSB0 ] || exec %s cat; exec /bin/cat "$@"\' cat "$@"' % emulated)
        self.program("pio", "/usr/bin/python3 %s/pio.py \"$@\"" % HERE)
        self.program("stty", "test /dev/ttyUSB0 = $2")

    def give(self, file, *changes):
        """Put a stand-in into the project: all of a folder, or SOURCE or SOURCE=NAME with changes OLD:NEW."""
        source, _, name = file.partition("=")
        path = os.path.join(HERE, source)
        if os.path.isdir(path):
            shutil.copytree(path, self.folder, dirs_exist_ok=True)
            return
        text = open(path, encoding="utf-8").read()
        for change in changes:
            text = text.replace(*change.split(":"))
        kinds.write(self, name or os.path.basename(source), text)

    def program(self, name, command):
        """Put a program into the path."""
        kinds.write(self, "stubs/" + name, "#!/bin/sh\nexec %s\n" % command, 0o755)

    def text(self):
        """All files of the example but its README."""
        folder = os.path.join("port/examples", self.case.folder)
        return "".join(open(os.path.join(path, name), encoding="utf-8").read() for path, _, names in os.walk(folder)
                       for name in names if name != "README.md")


def put_into_script(place, lines):
    """Write the lines into the linker script. Returns what is wrong, or None."""
    path = os.path.join(place.folder, place.case.script)
    script = open(path, encoding="utf-8").read()
    aliases = "".join(line + "\n" for line in lines if line.startswith("REGION_ALIAS"))
    others = "".join("    %s\n" % line for line in lines if not line.startswith("REGION_ALIAS"))
    script = re.sub(r"(^MEMORY\s*\{.*?^\}\n)", lambda memory: memory[1] + aliases, script, 1, re.M | re.S)
    script, count = re.subn(r"^( *\.bss\b)", lambda bss: others + bss[1], script, 1, re.M)
    kinds.write(place, place.case.script, script)
    return None if count else "the linker script has no .bss"


def shown_lines(place, lines):
    """The lines of a block must be in the example's files. Returns what is wrong, or None."""
    text = place.text()
    missing = [line for line in lines if line.strip() != "..." and line.strip() not in text]
    return "not in the example's files: %s" % missing[0] if missing else None


def ask_gdb(place, lines):
    """Run the firmware, halt it, and give gdb the commands. Returns what is wrong, or None."""
    asked = " ".join("-ex '%s'" % line.removeprefix("(gdb) ") for line in lines)
    with board.Board(place.case.machine, place.case.image, place.case.lines, place.folder):
        return kinds.run(place, "gdb-multiarch -nx -batch %s -ex 'target remote gdb' %s -ex disconnect"
                         % (place.case.elf, asked))


def fill_dialog(place, lines):
    """Write what a dialog gets. Returns what is wrong, or None."""
    return ide.read_dialog(place.settings, lines)


DOES = {"ld": put_into_script, "gdb": ask_gdb, "text": fill_dialog}


def run_step(place, command, shown):
    """Run a command; the first one behind the dialogs has the IDE build. Returns what is wrong, or None."""
    if place.settings and not os.path.exists(os.path.join(place.folder, place.case.elf)):
        wrong = kinds.run(place, ide.build(place.folder, place.settings, place.case.core, place.case.script))
        if wrong:
            return wrong
    return readme.run_step(place, command, shown)


def follow(place, document):
    """Do what the README says. Yields what was done, and what is wrong or None."""
    for block in readme.blocks_of(document):
        where = "%s:%d" % (document, block.line)
        for command, shown in block.steps():
            yield "%s: %s" % (where, command), run_step(place, command, shown)
        if block.kind in DOES:
            yield "%s: %s" % (where, block.kind), DOES[block.kind](place, block.lines)
        elif block.kind not in ("sh", "console"):
            yield "%s: %s" % (where, block.kind), shown_lines(place, block.lines)


def journal(path, run):
    """The numbers of each word of the UART's lines, in their order; of one run, if its number is given. The last line
    may be half."""
    told, now = {}, ""
    for line in open(path, encoding="utf-8").read().split("\n")[:-1]:
        word, *numbers = line.split()
        if word == "run":
            now = numbers[0]
        elif run == now:
            told.setdefault(word, []).append([int(number) for number in numbers])
    return told


def decoding(place, run):
    """The command that decodes the dump, or one run of it."""
    return "tlog-decode -q --elf=%s dump.bin %s " % (place.case.elf, run and "--run=" + run)


def logged(place, words, run):
    """The fields of the trace's events of these names, in their order, and how many events were overwritten."""
    decode = decoding(place, run)
    code, printed = place.run(decode + "--format=jsonl")
    if code:
        raise ValueError("\n".join(printed))
    events = {word: [] for word in words}
    for event in map(json.loads, printed):
        if event["event"] in events:
            events[event["event"]].append([value for value in event["fields"].values() if isinstance(value, int)])
    _, printed = place.run(decode + "--info --json")
    return events, json.loads("\n".join(printed))[0]["overwritten"]


def differs(word, noted, events, overwritten):
    """What is wrong with the events of a name, or None. What was logged is printed behind it: the last event may have
    no line yet. Only older ones than those that are there may be overwritten."""
    first = noted.index(events[0]) if events and events[0] in noted else None
    if first is None:
        return "%s: no event agrees with the journal, which begins %s" % (word, noted[:3])
    if first and not overwritten:
        return "%s: the first %d of the journal are not in the trace, which lost nothing" % (word, first)
    rest = noted[first:]
    if events[:len(rest)] != rest or len(events) > len(rest) + 1:
        place = next((n for n, pair in enumerate(zip(rest, events)) if pair[0] != pair[1]), min(len(rest), len(events)))
        return "%s: entry %d: journal %s, trace %s" % (word, place, rest[place:][:2], events[place:][:2])
    return None


def compare(place, run):
    """Compare the trace of a run with the journal. Yields what was compared, and what is wrong or None."""
    noted = journal(place.folder + "/uart.txt", run)
    events, overwritten = logged(place, noted, run)
    for word, numbers in noted.items():
        yield "%s: %d in the journal, %d in the trace" % (word, len(numbers), len(events[word])), \
            differs(word, numbers, events[word], overwritten)
    for pattern in place.case.runs[run]:
        code, _ = place.run("%s | grep -q '%s'" % (decoding(place, run), pattern))
        yield "shows " + pattern, "no such line" if code else None


def main():
    build, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    kernel = os.path.abspath(wanted.pop()) if wanted and os.path.isdir(wanted[-1]) else None
    for case in [case for case in CASES if not wanted or case.name in wanted]:
        place = Project(build, "%s/test/examples/%s" % (build, case.name.replace(":", "-")), case)
        place.furnish(os.getcwd(), kernel)
        document = "port/examples/%s/README.md" % case.folder
        for steps in [follow(place, document)] + [compare(place, run) for run in case.runs]:
            for what, wrong in steps:
                print("%s: %s" % (case.name, what.replace("\n", " ")))
                if wrong:
                    sys.exit("%s: %s\n  %s" % (case.name, what, wrong))


main()
