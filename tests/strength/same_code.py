"""same_code.py - compares the machine code of the runtime in two checkouts, symbol by symbol, for same.py.

All sources of target/ (or target/src/) and port/ are compiled for several cores, optimisations and configurations. Then
the symbols of a core are compared: section, alignment, bytes, and what they refer to. A file may have moved. A symbol
whose name is gone is looked for by its content: one that is local to the runtime may have another name. Programs that
use the public headers are compiled, too, always from the base's sources: their code must be the same, and refer to the
same names."""
import concurrent.futures
import glob
import hashlib
import os
import re
import shlex
import struct
import subprocess

COMPILER = shlex.split(os.environ.get("ARM_CC", "arm-none-eabi-gcc"))
FLAGS = ("-std=c11 -mthumb -mfloat-abi=soft -ffreestanding -ffunction-sections -fdata-sections "
         "-Itarget -Iport -Ilinker -DNET_CLOCK_HZ=1000000u").split()
CORES = {"m0": "-mcpu=cortex-m0 -include microbit.h", "m3": "-mcpu=cortex-m3 -include mps2-an385.h",
         "m33": "-mcpu=cortex-m33 -include mps2-an505.h", "a15": "-mcpu=cortex-a15 -include virt.h"}
CONFIGURATIONS = [  # options; cores for -O2; cores for -Os
    ("", "m0 m3 m33 a15", "m0 m3 m33 a15"), ("-DTLOG_MINIMAL=1", "m0 m3 m33 a15", "m0"),
    ("-DTLOG_TRACEEVENTS=1", "m0 m3 m33 a15", "m3"), ("-DTLOG_ARENA=1", "m0 m3 m33 a15", "m33"),
    ("-DTLOG_CPUS=2 -DTLOG_TRACEEVENTS=1", "a15", "a15"), ("-DTLOG_ENABLE=0", "m3", ""),
    ("-DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1 -DTLOG_EMERGENCY_SLOTS=2", "m3", ""),
    ("-DTLOG_CHUNKS=2 -DTLOG_RUNS=3 -DTLOG_CONTEXT=1 -DTLOG_STOP_WHEN_FULL=1", "m0 m3", "")]
# Programs of users, from the base: configurations that they need, and folders of their headers.
USERS = {"tests/system/every_call.c": "", "tests/rtos/calls.c": "", "tests/runtime/smp/app.c": "CPUS",
         "tests/system/printk/app.c": "TRACEEVENTS", "tests/system/define/app.c": "TRACEEVENTS"}
KEPT = "/base/build/objects/"
SECTION_STRINGS = 0x20
RELOCATIONS_WITH_ADDEND = {2: "word", 3: "word", 38: "word", 43: "arm", 44: "arm", 47: "thumb", 48: "thumb"}


class Symbol:
    """A function or object: what is compared, and where it is from."""

    def __init__(self, name, section, align, data, source, path):
        self.name, self.section, self.align, self.data = name, section, align, data
        self.source, self.path = source, path
        self.uses = []  # (offset, type of relocation, Symbol or text, distance)
        self.at, self.pair, self.is_global, self.full_section = 0, None, False, section

    def own(self):
        return self.section, self.align, self.data, tuple((at, kind) for at, kind, _, _ in self.uses)


# ---- object files ----------------------------------------------------------------------------------------------------

def plain_section(name):
    """.text.f is .text: each function and object has a section of its own."""
    return re.sub(r"^(\.(?:text|data|bss|rodata))\..*", r"\1", name)


def plain_name(name):
    return re.sub(r"\.\d+$", "", name)


def text_at(table, offset):
    return table[offset:table.index(b"\0", offset)].decode()


class Object:
    """The symbols of an object file, for ARM, little-endian."""

    def __init__(self, path, source):
        with open(path, "rb") as file:
            self.file = file.read()
        self.path, self.source, self.symbols, self.globals, self.names = path, source, [], {}, {}
        at, = struct.unpack_from("<I", self.file, 32)
        size, count, names = struct.unpack_from("<HHH", self.file, 46)
        self.sections = [struct.unpack_from("<10I", self.file, at + i * size) for i in range(count)]
        self.section_names = [text_at(self.bytes_of(names), section[0]) for section in self.sections]
        table = next(i for i, section in enumerate(self.sections) if section[1] == 2)
        texts = self.bytes_of(self.sections[table][6])
        self.table = [(text_at(texts, entry[0]), *entry[1:]) for entry in
                      struct.iter_unpack("<IIIBBH", self.bytes_of(table))]
        self.read_symbols()
        self.read_relocations()

    def bytes_of(self, index):
        section = self.sections[index]
        return bytes(section[5]) if section[1] == 8 else self.file[section[4]:section[4] + section[5]]

    def is_kept(self, index):
        section, name = self.sections[index], self.section_names[index]
        loaded = section[2] & 2 or name.startswith("tlog")
        return (loaded and section[1] in (1, 7, 8, 14, 15) and section[5] > 0 and not section[2] & SECTION_STRINGS
                and not name.startswith((".ARM", ".comment")))

    def read_symbols(self):
        self.inside = {}  # by section: its symbols
        for index, (name, value, size, info, _, section) in enumerate(self.table):
            if section >= len(self.sections) or section == 0 or not self.is_kept(section):
                continue
            if info & 15 in (1, 2) and size > 0:
                symbol = self.make(plain_name(name), section, value & ~(info & 15 == 2), size)
                symbol.is_global = info >> 4 > 0
                self.names[index] = symbol
                if symbol.is_global:
                    self.globals[name] = symbol
        for section in range(len(self.sections)):
            if self.is_kept(section) and section not in self.inside:
                name = "section " + plain_section(self.section_names[section])
                self.make(name, section, 0, self.sections[section][5])

    def make(self, name, section, value, size):
        data = self.bytes_of(section)[value:value + size]
        if self.sections[section][1] == 8:
            data = b"%d bytes of zeros" % size
        symbol = Symbol(name, plain_section(self.section_names[section]), self.sections[section][8], data, self.source,
                        self.path)
        symbol.at, symbol.full_section = value, self.section_names[section]
        self.inside.setdefault(section, []).append(symbol)
        self.symbols.append(symbol)
        return symbol

    def find(self, section, at):
        for symbol in self.inside.get(section, ()):
            if symbol.at <= at < symbol.at + max(1, len(symbol.data)):
                return symbol
        return None

    def read_relocations(self):
        for section in self.sections:
            if section[1] != 9:  # relocations whose addend is in the place itself
                continue
            for at, info in struct.iter_unpack("<II", self.file[section[4]:section[4] + section[5]]):
                symbol = self.find(section[7], at)
                if symbol is not None:
                    self.use(symbol, at - symbol.at, info & 255, info >> 8)

    def use(self, symbol, at, kind, index):
        name, value, _, info, _, section = self.table[index]
        target, distance = self.names.get(index, name), 0
        if index not in self.names and 0 < section < len(self.sections):  # a place in a section: what is there?
            distance = value
            if kind in RELOCATIONS_WITH_ADDEND:
                addend, symbol.data = take_addend(symbol.data, at, RELOCATIONS_WITH_ADDEND[kind])
                distance += addend
            target = self.place(section, distance)
            distance -= target.at if isinstance(target, Symbol) else distance
        symbol.uses.append((at, kind, target, distance))

    def place(self, section, at):
        """What is at a place: a symbol, or the text or bytes there."""
        symbol = self.find(section, at & ~1) or self.find(section, at)
        if symbol is not None:
            return symbol
        data = self.bytes_of(section)
        rest = data[at:]
        return repr(rest.split(b"\0")[0] if self.sections[section][2] & SECTION_STRINGS else data)


def take_addend(data, at, form):
    """The addend at a place, and the data with zeros in its place."""
    word, = struct.unpack_from("<I", data, at)
    if form == "word":
        addend, left = word, 0
    elif form == "arm":
        addend, left = word >> 4 & 0xF000 | word & 0xFFF, word & 0xFFF0F000
    else:
        low, high = word & 0xFFFF, word >> 16
        addend = (low & 15) << 12 | (low >> 10 & 1) << 11 | (high >> 12 & 7) << 8 | high & 255
        left = (high & 0x8F00) << 16 | low & 0xFBF0
    return addend, data[:at] + struct.pack("<I", left) + data[at + 4:]


# ---- compiling -------------------------------------------------------------------------------------------------------

def sources_of(root):
    found = []
    for pattern in ("target/*.c", "target/src/*.c", "port/*.c"):
        found += glob.glob(pattern, root_dir=root)
    return sorted(path for path in found if os.path.basename(path) not in ("port_posix.c", "port_threads.c"))


def compile_one(root, source, flags, output):
    """Returns the messages of a compilation that failed. The base's objects stay, with its checkout."""
    if KEPT in output and os.path.exists(output):
        return None
    command = [*COMPILER, *FLAGS, *flags, "-c", source, "-o", output]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else None


def objects_of(pool, root, base, flags, directory, users):
    """[(source, object file, whether it is a user's, messages of a failure)]"""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "board.h"), "w") as file:
        file.write("/* The board's header is included by an option. */\n")
    work = []
    for source in sources_of(root):
        path = os.path.join(directory, os.path.basename(source)[:-2] + ".o")
        work.append((source, path, False, pool.submit(compile_one, root, source, flags, path)))
    for source in users:
        path = os.path.join(directory, "user-" + source.replace("/", "-")[:-2] + ".o")
        where = os.path.join(base, source)
        more = ["-I" + os.path.dirname(where), "-I" + base + "/tests", "-Iport/rtos", "-I" + directory]
        work.append((source, path, True, pool.submit(compile_one, root, where, flags + more, path)))
    return work


# ---- comparing -------------------------------------------------------------------------------------------------------

class Core:
    """All symbols of the runtime, or of users' programs, for one core and configuration."""

    def __init__(self, work):
        self.symbols, self.failed, defined = [], {}, {}
        for source, path, is_user, done in work:
            if done.result() is not None:
                self.failed[source if is_user else os.path.basename(source)] = done.result()
                continue
            read = Object(path, source)
            for symbol in read.symbols:
                symbol.name = ("user's " if is_user else "") + symbol.name
            self.symbols += read.symbols
            if not is_user:
                defined.update(read.globals)
        for symbol in self.symbols:  # users refer to names, the runtime's files to each other
            if not symbol.name.startswith("user's "):
                symbol.uses = [(at, kind, defined.get(to, to) if isinstance(to, str) else to, distance)
                               for at, kind, to, distance in symbol.uses]
        self.content = self.contents()

    def contents(self):
        """A number for each symbol that tells its content, whatever names there are."""
        found = {symbol: hash_of(symbol.own()) for symbol in self.symbols}
        for _ in range(4):
            uses = {symbol: [(found.get(to, to) if isinstance(to, Symbol) else to, distance)
                             for _, _, to, distance in symbol.uses] for symbol in self.symbols}
            found = {symbol: hash_of((symbol.own(), uses[symbol])) for symbol in self.symbols}
        return found

    def by(self, key):
        groups = {}
        for symbol in self.symbols:
            if symbol.pair is None:
                groups.setdefault(key(symbol), []).append(symbol)
        return groups


def hash_of(value):
    return hashlib.sha1(repr(value).encode()).hexdigest()


def pair_by(old, new, key_old, key_new):
    """Pair symbols that have the same key: in order, if there are as many of them in both."""
    mine, theirs = old.by(key_old), new.by(key_new)
    for key, symbols in mine.items():
        others = theirs.get(key, [])
        if len(symbols) == len(others):
            for one, other in zip(symbols, others):
                one.pair, other.pair = other, one


def pair(old, new):
    """Find for each symbol the one that it has become: by name, by content and file, and by bytes alone."""
    for part in (lambda core: lambda s: (s.name, s.section, core.content[s]),
                 lambda core: lambda s: (s.name, s.section, os.path.basename(s.source)),
                 lambda core: lambda s: (s.name, s.section), lambda core: lambda s: s.name,
                 lambda core: lambda s: (core.content[s], os.path.basename(s.source)),
                 lambda core: lambda s: core.content[s], lambda core: lambda s: (s.own(), os.path.basename(s.source)),
                 lambda core: lambda s: (s.section, os.path.basename(s.source), len(s.data))):
        pair_by(old, new, part(old), part(new))


def what_differs(old, new):
    """None, or what is different in a pair of symbols."""
    for name in ("section", "align"):
        if getattr(old, name) != getattr(new, name):
            return "%s %s and %s" % (name, getattr(old, name), getattr(new, name))
    if len(old.data) != len(new.data):
        return "%d bytes and %d" % (len(old.data), len(new.data))
    if old.data != new.data:
        at = next(i for i, (a, b) in enumerate(zip(old.data, new.data)) if a != b)
        return "byte 0x%x: %s and %s" % (at, old.data[at:at + 4].hex(), new.data[at:at + 4].hex())
    for one, other in itertools_longest(old.uses, new.uses):
        same = one and other and one[:2] == other[:2] and one[3] == other[3] and same_target(one[2], other[2])
        if not same:
            return "refers to %s and %s" % (told_use(one), told_use(other))
    return None


def itertools_longest(one, other):
    for i in range(max(len(one), len(other))):
        yield one[i] if i < len(one) else None, other[i] if i < len(other) else None


def same_target(one, other):
    if isinstance(one, Symbol) and isinstance(other, Symbol):
        return one.pair is other
    return not isinstance(one, Symbol) and not isinstance(other, Symbol) and one == other


def told_use(use):
    if use is None:
        return "nothing"
    return "%s+%d at 0x%x" % (use[2].name if isinstance(use[2], Symbol) else use[2], use[3], use[0])


def instructions(symbol):
    """The disassembly of a symbol, without addresses."""
    out = subprocess.run(["arm-none-eabi-objdump", "-drz", "-j", symbol.full_section, symbol.path], capture_output=True,
                         text=True).stdout
    lines, inside = [], False
    for line in out.splitlines():
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        inside = plain_name(head.group(1)) == symbol.name.replace("user's ", "") if head else inside
        if inside and not head and line:
            lines.append(re.sub(r"^\s*[0-9a-f]+:\s*(?:[0-9a-f]{4,8} )*\s*", "", line))
    return lines


def first_instruction(old, new):
    for i, (one, other) in enumerate(itertools_longest(instructions(old), instructions(new))):
        if one != other:
            return "\n    instruction %d, base: %s\n    instruction %d, here: %s" % (i, one, i, other)
    return ""


def compare_cores(old, new):
    """Yields (symbol, where it is, what differs) of each difference, and ("", old name, new name) of other names."""
    pair(old, new)
    for name in sorted(set(old.failed) | set(new.failed)):
        error = re.search(r"^.*error.*$|\Z", new.failed.get(name) or old.failed.get(name), re.M).group()
        where = [told for told, core in (("base", old), ("here", new)) if name in core.failed]
        yield name, "does not compile", "%s: %s" % (" and ".join(where), error)
    for symbol in old.symbols:
        if symbol.pair is None:
            yield symbol.name, symbol.source, "only in the base"
            continue
        told = what_differs(symbol, symbol.pair)
        if told is not None:
            where = symbol.source + (" -> " + symbol.pair.source if symbol.source != symbol.pair.source else "")
            code = symbol.section == ".text"
            yield symbol.name, where, told + (first_instruction(symbol, symbol.pair) if code else "")
        elif symbol.name != symbol.pair.name:
            yield "", symbol.name, symbol.pair.name
    for symbol in new.symbols:
        if symbol.pair is None:
            yield symbol.name, symbol.source, "only here"


def compare(base, here, directory, jobs):
    """Compare all. Returns the number of symbols, lines about other names, and a text for each difference."""
    count, renamed, found = 0, {}, {}
    base, here, directory = (os.path.abspath(path) for path in (base, here, directory))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = []
        for options, *cores in CONFIGURATIONS:
            users = [user for user, word in USERS.items() if word in options]
            for level, core in [(level, core) for level, names in zip(("-O2", "-Os"), cores) for core in names.split()]:
                label = " ".join([core, level] + options.replace("-D", "").split())
                flags = CORES[core].split() + [level] + options.split()
                work = [objects_of(pool, root, base, flags, os.path.join(objects, label.replace(" ", "_")), users)
                        for root, objects in ((base, base + KEPT[5:]), (here, directory))]
                waiting.append((label, work))
        for label, work in waiting:
            old, new = Core(work[0]), Core(work[1])
            count += len(old.symbols)
            for symbol, where, what in compare_cores(old, new):
                if symbol == "":
                    renamed[where, what] = renamed.get((where, what), 0) + 1
                else:
                    found.setdefault((symbol, where), []).append((label, what))
    lines = ["same code, other name: %s is %s now" % names for names in sorted(renamed)]
    texts = []
    for (symbol, where), labels in sorted(found.items()):
        more = " (and in %d more configurations)" % (len(labels) - 1) if len(labels) > 1 else ""
        texts.append("%s, %s: %s%s: %s" % (symbol, where, labels[0][0], more, labels[0][1]))
    return count, lines, texts
