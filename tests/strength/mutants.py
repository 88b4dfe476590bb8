#!/usr/bin/env python3
"""mutants.py - changes one instruction at a time in the record path's machine code; a test must notice each mutant.

usage: mutants.py DIR [OPTION]...     (mutants.sh builds the images in DIR)

    --quick            only the record path inlined into a call, one test, and no mutant that is listed
    --applies          run nothing: only check that every listed mutant can still be made
    --config NAME      only functions whose first configuration is NAME: lean (default), ring, event
    --function REGEX   only functions whose name matches
    --only FILE        only the mutants in FILE, in lines like those of tests/strength/mutants.txt
    --rest             only mutants that are not listed
    -j N               run N at a time (1)
    --new              print the survivors in the format of tests/strength/mutants.txt, with the reasons that are known
    --all              print every mutant, with the test that noticed it and how

Each instruction becomes a no-op; conditions are inverted and made always true; numbers, offsets and shifts are changed
by one up and down; operations are exchanged; a store takes another register; exclusive accesses become plain ones
(mutants_thumb.py). Each mutant is disassembled: it must be valid and different. The tests run in QEMU with counted
instructions, so every run is the same. A test notices a mutant by its exit code, by a fault, by the watchdog, or by
taking too long.

tests/strength/mutants.txt lists the mutants that no test can notice, each with the reason. The script fails if a mutant
survives that is not listed, or if a listed one does not survive."""
import concurrent.futures
import os
import queue
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time

import mutants_thumb

BOARD = "mps2-an385"
# The tests in the order in which they run for a mutant: configuration, image, argument (tests/runtime/sweep/ring.c). A
# function whose code is the same in several configurations is mutated only once, in the first of them.
TESTS = [(name, "sweep-O2-%s.elf" % name, "61") for name in ("lean", "ring", "event")]
# The record path: all functions of FILES, and FUNCTIONS. Not OTHERS, which only dumps and calls for chunks use; the
# tests make no such calls.
FILES = ("tlog_ring.c", "tlog_event.c")
OTHERS = ("tlog_ring_is_finished",)
QUICK = "log_inline"
FUNCTIONS = (QUICK, "log_fast", "tlog_record_any", "tlog_record_checked", "tlog_record_emergency", "event", "event_any",
             "words_inline", "print", "print_two", "print_six", "own_two", "own_four")
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants.txt")
CROSS = os.environ.get("CROSS", "arm-none-eabi-")


# ---- images ----------------------------------------------------------------------------------------------------------

def output(tool, *arguments):
    return subprocess.run([CROSS + tool, *arguments], capture_output=True, text=True, check=True).stdout


def plain_name(symbol):
    return re.sub(r"\.(constprop|isra|part|cold|lto_priv)\b.*", "", symbol)


class Instruction:
    def __init__(self, address, code, text, guard):
        self.address, self.code, self.text = address, code, text
        self.guard = guard  # address of the IT instruction that makes it conditional, or else its own address


class Image:
    """An ELF file: its bytes, and for each function's name the list of its instructions."""

    def __init__(self, path):
        self.path = path
        self.data = open(path, "rb").read()
        self.functions, self.files = {}, {}
        self.read_symbols()
        self.read_code()

    def read_symbols(self):
        self.at = {}
        out = output("nm", "-l", self.path)
        for line in out.splitlines():
            match = re.match(r"([0-9a-f]+) [tT] (\S+)(?:\t(.*):\d+)?$", line)
            if match:
                self.at[int(match.group(1), 16)] = match.group(2)
                self.files[match.group(2)] = os.path.basename(match.group(3) or "")

    def read_code(self):
        out = output("objdump", "-d", self.path)
        name, guard, guarded = None, 0, 0
        for line in out.splitlines():
            head = re.match(r"([0-9a-f]+) <(\S+)>:$", line)
            if head:
                name, guarded = head.group(2), 0
                self.functions[name] = []
            code = re.match(r" *([0-9a-f]+):\t([0-9a-f ]+?) *\t(.*)$", line)
            if not code or code.group(3).startswith("."):
                continue
            address, halves = int(code.group(1), 16), [int(h, 16) for h in code.group(2).split()]
            text = code.group(3)
            self.functions[name].append(Instruction(address, halves, text, guard if guarded > 0 else address))
            guarded -= 1
            if re.match(r"it[te]*\t", text):
                guard, guarded = address, len(text.split("\t")[0]) - 1

    def offset(self, address):
        """The offset in the file of the byte at this address of the memory."""
        phoff, = struct.unpack_from("<I", self.data, 28)
        size, count = struct.unpack_from("<HH", self.data, 42)
        for i in range(count):
            kind, offset, virtual, _, length = struct.unpack_from("<5I", self.data, phoff + i * size)
            if kind == 1 and virtual <= address < virtual + length:
                return offset + address - virtual
        sys.exit("mutants.py: %s has nothing at 0x%x" % (self.path, address))

    def patched(self, address, halves):
        at, data = self.offset(address), bytearray(self.data)
        data[at:at + 2 * len(halves)] = struct.pack("<%dH" % len(halves), *halves)
        return bytes(data)


# ---- texts -----------------------------------------------------------------------------------------------------------
# The texts in mutants.txt must still be right after the code has moved. So a text has no addresses: a target outside of
# the function is shown by its symbol, one inside as ".", and a literal as "[pc]".

def normal(text, image, name, moved=0):
    text = re.sub(r"\s*[@;] .*| *<.*>$", "", text.replace("\t", " ")).strip()
    target = re.match(r"((?:b\w*(?:\.[nw])?|cbn?z \w+,) ?)(?:0x)?([0-9a-f]+)$", text)
    if not target:
        return text
    address = int(target.group(2), 16) + moved
    code = image.functions[name]
    if code[0].address <= address <= code[-1].address:
        return target.group(1).strip() + " ."
    return target.group(1).strip() + " " + plain_name(image.at.get(address, "?"))


def texts_of(image, name):
    """The texts of a function's instructions, without addresses."""
    return [re.sub(r"\[pc, #-?\d+\]", "[pc]", normal(i.text, image, name)) for i in image.functions[name]]


def difference(old, new):
    """The new text; the place of another literal is written as its distance from the right one."""
    was, now = (re.search(r"\[pc, #(-?\d+)\]", t) for t in (old, new))
    if was and now:
        new = new.replace(now.group(0), "[pc%+d]" % (int(now.group(1)) - int(was.group(1))))
    return new


# ---- mutants ---------------------------------------------------------------------------------------------------------

class Mutant:
    def __init__(self, config, function, index, halves):
        self.config, self.function, self.index, self.halves = config, function, index, halves
        self.key = self.place = None


def disassemble(chunks):
    """Disassembles all chunks of code in one run. Returns the texts by offset, and the offset of each chunk. No-ops are
    put between the chunks, so that an IT block of one does not reach into the next."""
    blob, starts = b"", []
    for chunk in chunks:
        starts.append(len(blob))
        blob += struct.pack("<%dH" % len(chunk), *chunk) + b"\x00\xbf" * 5
        blob += b"\x00\xbf" * (len(blob) // 2 % 2)
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(blob)
        file.flush()
        out = output("objdump", "-D", "-z", "-b", "binary", "-m", "arm", "-M", "force-thumb", file.name)
    lines = {}
    for line in out.splitlines():
        match = re.match(r" *([0-9a-f]+):\t[0-9a-f ]+?\t(.*)$", line)
        if match:
            lines[int(match.group(1), 16)] = match.group(2)
    return lines, starts


def check_texts(image, name, mutants):
    """Those of the mutants that are valid and different instructions; sets their key and place."""
    code, texts, chunks = image.functions[name], texts_of(image, name), []
    for mutant in mutants:
        its = code[mutant.index]
        before = [h for i in code if its.guard <= i.address < its.address for h in i.code]
        chunks.append(before + mutant.halves)
        mutant.before = len(before) * 2
    lines, starts = disassemble(chunks)
    good, seen = [], set()
    for mutant, start in zip(mutants, starts):
        its, at = code[mutant.index], start + mutant.before
        new = [normal(lines.get(a, "?"), image, name, its.address - at) for a in
               range(at, at + 2 * len(mutant.halves), 2) if a in lines]
        new = difference(normal(its.text, image, name), "; ".join(new))
        if re.search(r"undefined|unpredictable|illegal|<|\?|\.short|\.word", new, re.I) or new == texts[mutant.index]:
            continue
        if (mutant.index, new) in seen:
            continue
        seen.add((mutant.index, new))
        number = texts[:mutant.index + 1].count(texts[mutant.index])
        mutant.key = "%s %s: %s #%d -> %s" % (mutant.config, plain_name(name), texts[mutant.index], number, new)
        mutant.place = "%s+0x%x" % (plain_name(name), its.address - code[0].address)
        good.append(mutant)
    return good


def mutants_of(config, image, name):
    code = image.functions[name]
    made = []
    for index, its in enumerate(code):
        following = code[index + 1].code if index + 1 < len(code) else []
        for halves in mutants_thumb.mutations(its.code, following):
            if len(halves) >= len(its.code) and halves != its.code:
                made.append(Mutant(config, name, index, halves))
    return check_texts(image, name, made)


def wanted(image, options):
    for name in image.functions:
        plain = plain_name(name)
        if options["quick"] and plain != QUICK or not re.search(options["function"], plain):
            continue
        if image.functions[name] and plain not in OTHERS and (plain in FUNCTIONS or image.files.get(name) in FILES):
            yield name


# ---- runs ------------------------------------------------------------------------------------------------------------

def children_time():
    return os.times().children_user + os.times().children_system


# The free CPUs. Both threads of a QEMU run on one CPU, because they wake each other with every interrupt.
CPUS = queue.SimpleQueue()
for each in os.sched_getaffinity(0):
    CPUS.put(each)


class Test:
    def __init__(self, directory, config, elf, argument):
        self.config, self.name = config, elf
        self.image = Image(os.path.join(directory, BOARD, elf))
        self.argument, self.limit = argument, 60

    def run(self, data):
        """Runs the test; returns None if it passed, else how it ended."""
        cpu = CPUS.get()

        def limit():
            os.sched_setaffinity(0, {cpu})
            resource.setrlimit(resource.RLIMIT_CPU, (self.limit, self.limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        with tempfile.TemporaryDirectory() as place:
            with open(os.path.join(place, "elf"), "wb") as file:
                file.write(data)
            command = ["qemu-system-arm", "-M", BOARD, "-display", "none", "-monitor", "none", "-serial", "none",
                       "-icount", "shift=6", "-semihosting-config", "enable=on,target=native,arg=" + self.argument,
                       "-kernel", "elf"]
            try:
                done = subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, timeout=600 + 40 * self.limit, preexec_fn=limit,
                                      check=False)
            except subprocess.TimeoutExpired:
                return "hangs"
            finally:
                CPUS.put(cpu)
        if done.returncode == 0:
            return None
        failure = re.search(rb"failed: (.*)", done.stderr)
        return failure.group(1).decode("latin1") if failure else "code %d" % done.returncode

    def prepare(self):
        """Checks that the test passes without a mutant, and sets the time limit: three times as long, plus 3 s."""
        begin = children_time()
        result = self.run(self.image.data)
        if result:
            sys.exit("mutants.py: %s fails without a mutant: %s" % (self.name, result))
        self.limit = int(3 * (children_time() - begin)) + 3

    def find(self, image, name):
        """The name in this test's image of the function that has the same code in another image, or None."""
        texts = texts_of(image, name)
        for mine in self.image.functions:
            if plain_name(mine) == plain_name(name) and texts_of(self.image, mine) == texts:
                return mine
        return None


def try_mutant(mutant, tests):
    """Returns None if the mutant survived, else which test noticed it and how."""
    for test, name in tests:
        address = test.image.functions[name][mutant.index].address
        result = test.run(test.image.patched(address, mutant.halves))
        if result:
            return test.name + ": " + result
    return None


def make_mutants(tests, options):
    """Yields each mutant with a list of the tests that contain its function and the function's name in each."""
    done = set()
    for test in tests:
        for name in wanted(test.image, options):
            places = [(t, t.find(test.image, name)) for t in tests]
            places = [(t, n) for t, n in places if n]
            if not done & set(places) and options["config"] == test.config:
                yield from ((m, places) for m in mutants_of(test.config, test.image, name))
            done |= set(places)


def campaign(directory, options, listed):
    """Yields each mutant with what try_mutant() returned for it."""
    only = {line.strip() for line in open(options["only"])} if options["only"] else set()
    tests = [Test(directory, *t) for t in (TESTS[:1] if options["quick"] else TESTS)]
    for test in tests:
        test.prepare()
    work = [(m, places) for m, places in make_mutants(tests, options)
            if not (only and m.key not in only or m.key in listed and (options["quick"] or options["rest"]))]
    with concurrent.futures.ThreadPoolExecutor(options["jobs"]) as pool:
        ends = pool.map(lambda w: try_mutant(*w), work)
        for (mutant, _), end in zip(work, ends):
            if options["all"]:
                print("%-34s %s: %s" % (mutant.place, mutant.key, end or "SURVIVED"), flush=True)
            yield mutant, end


# ---- the list --------------------------------------------------------------------------------------------------------

def read_list():
    """Reads mutants.txt: key -> reason. A reason begins at the beginning of a line; the mutants to which it applies
    follow, indented."""
    listed, reason, is_open = {}, "", False
    if not os.path.exists(LIST):
        return listed
    for line in open(LIST):
        if line.startswith("#") or not line.strip():
            continue
        if line[0] == " ":
            if line.strip() in listed:
                sys.exit("mutants.py: listed twice: " + line.strip())
            listed[line.strip()], is_open = reason, False
        else:
            reason, is_open = (reason + "\n" if is_open else "") + line.strip(), True
    return listed


def print_list(survivors, listed):
    by_reason = {}
    for mutant in survivors:
        by_reason.setdefault(listed.get(mutant.key, "?"), []).append(mutant)
    for reason, mutants in by_reason.items():
        print("\n" + reason)
        for mutant in mutants:
            print("    " + mutant.key)


def judge(results, listed, is_all):
    """Yields a line for each result that is not as listed."""
    made = {m.key: end for m, end in results}
    touched = {key.split(":")[0] for key in made}
    for mutant, end in results:
        if not end and mutant.key not in listed:
            yield "not noticed: %s (%s)" % (mutant.key, mutant.place)
    for key in listed:
        if key.split(":")[0] in touched and key not in made and is_all:
            yield "listed, but there is no such mutant: " + key
        elif made.get(key):
            yield "listed, but noticed: %s (%s)" % (key, made[key])


def print_table(results):
    rows = {}
    for mutant, end in results:
        row = rows.setdefault((mutant.config, plain_name(mutant.function)), [0, 0])
        row[0] += 1
        row[1] += end is not None
    print("| %-5s | %-24s | mutants | noticed | survive |" % ("", "function"))
    for (config, name), (made, noticed) in rows.items():
        print("| %-5s | %-24s | %7d | %7d | %7d |" % (config, name, made, noticed, made - noticed))


def still_apply(directory, options, listed):
    """Prints the listed mutants that cannot be made from the present code; returns the exit code."""
    tests = [Test(directory, *t) for t in TESTS]
    made = {mutant.key for config, _, _ in TESTS for mutant, _ in make_mutants(tests, dict(options, config=config))}
    lost = [key for key in listed if key not in made]
    for key in lost:
        print("mutants.py: listed, but there is no such mutant: " + key)
    print("%d listed mutants, %d of them can be made" % (len(listed), len(listed) - len(lost)))
    return 1 if lost or not listed else 0


def read_options(arguments):
    options = {name: False for name in ("applies", "quick", "rest", "new", "all")}
    options.update({"config": "lean", "only": None, "function": "", "jobs": 1})
    rest = iter(arguments)
    for argument in rest:
        name = {"-j": "jobs"}.get(argument, argument.lstrip("-"))
        if name not in options:
            sys.exit(__doc__)
        options[name] = True if options[name] is False else next(rest)
    options["jobs"] = int(options["jobs"])
    return options


def main():
    directory, options = os.path.abspath(sys.argv[1]), read_options(sys.argv[2:])
    begin, listed = time.time(), read_list()
    if options["applies"]:
        return still_apply(directory, options, listed)
    results = list(campaign(directory, options, listed))
    if options["new"]:
        print_list([m for m, end in results if not end], listed)
        return 0
    print_table(results)
    problems = list(judge(results, listed, not (options["quick"] or options["rest"] or options["only"])))
    for problem in problems:
        print("mutants.py: " + problem)
    noticed = sum(end is not None for _, end in results)
    equivalent = sum(end is None and m.key in listed for m, end in results)
    print("%d mutants, %d noticed, %d equivalent by tests/strength/mutants.txt, %d not noticed; %d s"
          % (len(results), noticed, equivalent, len(results) - noticed - equivalent, time.time() - begin))
    return 1 if problems or not results else 0


sys.exit(main())
