"""same_inputs.py - makes inputs of every kind for same.py: dumps, whole and damaged, files of all other formats, and
firmware with its dumps. The base's makers (tests/gen/ ...) and its decoder make them, once; both decoders get the same
bytes.

An input is a line "LEVEL NAME OPTION..." of the list: rich inputs are decoded in every way, small ones in a few. Names
of scripts, for the decoder that reads them, end in .script. Options belong to the input, such as a dump's ELF file."""
import concurrent.futures
import hashlib
import os
import random
import shutil
import subprocess
import sys

LTTNG_VERSIONS = "0.3 0.4 0.5 0.6 0.7 0.8 seed 1.0 2.0 2.1 2.2 2.3 2.4 2.5 2.6".split()
LTTNG_OPTIONS = "", "packed order=big", "word=4 heartbeat", "word=4 order=big packed heartbeat"

# gen_dump's options. Those of RICH are decoded in every way.
RICH = ["", "--cpus=3 --names=5 --drops=20 --events=400", "--traceevents=50 --longest=4 --names=5 --user --texts",
        "--sealed --cpus=2 --traceevents=30 --longest=8 --tasks=6 --names=6 --garbage=40"]
DUMPS = ["--unknown --events=200", "--jumps --events=600", "--stream --drops=50", "--uncounted --drops=50", "--texts",
         "--traceevents=100 --class=3 --events=300", "--traceevents=100 --class=7 --longest=8", "--hz=0 --events=100",
         "--class=2 --tasks=5", "--class=4 --traceevents=60 --tasks=5", "--start=4294963200 --sealed --chunks=1",
         "--boot=4294967295 --chunks=5 --slots=33 --cpus=2"]
DAMAGED = ["--events=60 --slots=40 --chunks=2", "--sealed --events=150 --slots=64 --cpus=2 --chunks=2 --drops=50",
           "--sealed --traceevents=40 --longest=4 --slots=33 --events=150", "--traceevents=40 --longest=4 --chunks=3",
           "--events=400 --slots=64 --chunks=3 --names=3 --start=4294963200"]

# trace.dat: the options of gen/tracedat.py.
TRACEDAT = ["version=%d big=%d %s" % (version, big, more) for version in (6, 7) for big in (0, 1)
            for more in ("loss=1", "long=4 commit=4 loss=2", "long=4 commit=8 page=8192", "instances=2", "old=1")]
TRACEDAT += ["page=65536 events=2000", "page=512 fields=few", "page=1024 fields=few big=1 loss=2", "order=1", "chain=1",
             "order=1 chain=1 big=1 instances=1", "compression=zlib chunk=1 loss=2 instances=1", "holes=1", "many=300",
             "compression=zstd loss=1", "compression=zstd big=1 chunk=10", "clock=counter", "broken=1 version=6",
             "broken=1 instances=1", "fields=plain long=4"]
TRACEDAT += ["options=" + options for options in ("shift1", "shift3", "shifti", "offset", "date,offset", "tsc,offset")]

# Kinds of the hostile makers and their sizes, far below those of decoder/hostile.py.
HOSTILE = {
    "hostile.py":
    "chunks=2 shared_chunk=8 lost_pages=1 kallsyms=4000 printk=4000 cmdlines=2000 symbols=2000 systems=300"
    " bad_formats=300 long_lines=1 no_offset=100 long_print=200 format_in_instances=10 claims=400 instances=20"
    " chain=300 many_cpus=16 time_shift=2000 gzip_bomb=1",
    "hostile_dumps.py":
    "false_heads=1000 false_seals=1000 right_seals=40 only_slots=2 slots_and_marks=300 slots_by_image=1"
    " wiped_heads=60 wiped_unsealed=60 lost_and_seals=40 holes=60 sealed_holes=60 holes_of_noise=60"
    " overlapping=60 overlapping_stale=60 lanes=30 many=600 laps=80 images_of_lap=60 torn=60 runs=80"
    " back_and_forth=1 combined=1 cut_regions=20 small_regions=2 damaged_regions=1 kev_cpus=900 kev_open=900"
    " kev_orphans=900 kev_long=900 kev_threads=900 kev_names=200 kev_buffers=900 shark_stretches=2048"
    " shark_back=900 shark_empty=900 shark_codes=900 shark_marks=900",
    "hostile_writers.py":
    "cpus=20 tasks=500 task_switches=500 task_spans=500 deep_spans=2000 task_locks=500 span_losses=300"
    " mutexes=300 held_mutexes=300 mutex_losses=300 task_mutexes=900 objects=300 types=60 symbols_of_mutex=300",
    "hostile_lttng.py":
    "hole=1 pages=1 map=1 zeros=1 other=1 names=1 clockless=0 holes=1 block=1 channels=60 ids=40 alike=60"
    " named=60 broken=200 files=20 blocks=100 last_cpu=60",
}

# Firmware: name, board, sources and flags. Its ELF file is given to the decoder.
FIRMWARE = [
    ("printk", "mps2-an385", "tests/system/printk/app.c -DTLOG_TRACEEVENTS=1"),
    ("func", "mps2-an385", "tests/system/printk/func.c -DTLOG_TRACEEVENTS=1 -finstrument-functions"
     " -finstrument-functions-exclude-file-list=target/,port/,linker/,board.h"),
    ("event", "mps2-an385", "tests/system/event/app.c -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=1000"),
    ("chunks", "mps2-an385", "tests/system/merge/chunks.c -DTLOG_ARENA=1 -Wl,--defsym=TLOG_ARENA_SIZE=65536"),
    ("a", "mps2-an385", "tests/system/merge/board.c -DREAL_HZ=25000000 -DBEGIN=10 -DN=240 -DPARITY=0"
     " -DTLOG_SLOTS=2000"),
    ("b", "microbit", "tests/system/merge/board.c -DREAL_HZ=16000000 -DTLOG_CLOCK_HZ=16000800 -DBEGIN=2500 -DN=240"
     " -DPARITY=1 -DTLOG_SLOTS=520"),
    ("trigger", "mps2-an385", "tests/system/trigger/app.c -DTLOG_SLOTS=80 -DTLOG_TRACEEVENTS=1"),
    ("calls", "mps2-an385", "tests/rtos/calls.c -DTLOG_SLOTS=4096 -DTLOG_NAME_SLOTS=64"),
    ("minimal", "microbit", "tests/system/merge/board.c -DREAL_HZ=16000000 -DBEGIN=10 -DN=90 -DPARITY=0"
     " -DTLOG_SLOTS=200 -DTLOG_MINIMAL=1"),
]

# Event scripts, for the decoder that reads them (tests/gen/script_reader.c).
SCRIPTS = {
    "whole": "cpus 2;name 1 sensor;event 1 999999999 1 2;switch 0 1000000000 1;event 0 1000000001 4660 3735928559;"
    "switch 1 1000000002 0;event 1 1000000003 2 2;loss 0 1000000003 17;event 0 1000000003 3 2;switch 0 1000000004 9;"
    "event 0 3000000004 4 2",
    "damaged": "event 0 5 1 1;damage 0 6 8000 188 3 slot of no known kind;event 0 7 2 2",
    "lapped": "cpus 2;name 1 sensor;loss 0 1000000100 17;event 0 1000000101 1 1;event 1 1000000102 1 1;"
    "switch 0 1000000103 1;event 0 1000000104 1 1;loss 1 1000000105 3;event 1 1000000106 1 1",
    "tasks": "cpus 2;clock 1000000000;name 1 ab;name 2 a_task_whose_name_is_very_long;switch 0 100 1;lock 0 200 1;"
    "switch 0 250 2;entry 0 300 7;wake 0 320 1;exit 0 350 7;block 0 400 2;switch 0 450 1;priority 0 460 1 9;"
    "delay 0 470 8;unblock 1 480 2;switch 1 490 2;block 1 495 2;switch 1 500 0",
    "two": "cpus 2;event 1 100 1 1;many 0 10 150 100;wake 1 350 7;event 1 1100 1 1;wake 1 1110 7",
    "still": "clock 1000000000;many 0 16 7 0", "slow": "clock 1000000000;many 0 15 7 0",
    "long": "many 0 20000 1 1", "none": "cpus 1", "noise": "damage 0 6 16 48 3 nothing but noise",
    "ticks": "clock 0;cpus 2;event 0 12 1 1;event 0 15 1 1;event 1 9 1 1", "broken": "bad;event 0 1 1 1",
    "unsure": "unsure;event 0 1 1 1", "fails": "event 0 5 1 1;fail 0 the flash is worn",
    "one": "cpus 1;clock 1000000000;event 0 1000000000 1 1;event 0 6001000000 1 2;event 0 7002000000 1 3",
    "other": "cpus 1;clock 1000000000;event 0 1000000000 2 2;event 0 1500000000 2 9;event 0 2000000000 2 3",
    "bent": "cpus 1;clock 1000000000;event 0 1000000000 2 1;event 0 2000000000 2 2;event 0 3500000000 2 3",
    "twice": "cpus 1;clock 1000000000;event 0 1000000000 2 2;event 0 2000000000 2 3;event 0 2500000000 2 2",
}


class Maker:
    """Makes inputs in a directory, some at a time, and keeps their list. root: the checkout whose makers are used."""

    def __init__(self, root, directory, jobs):
        self.root, self.build, self.directory, self.lines = root, root + "/build", directory, []
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.running = []

    def at(self, name):
        return os.path.join(self.directory, name)

    def add(self, level, name, options=""):
        self.lines.append(" ".join([level, name] + options.split()))

    def run(self, command, any_code=False):
        """Run a command in the root of the checkout. It must exit with 0, or else no input is made."""
        done = subprocess.run(command, cwd=self.root, capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0 and not any_code:
            raise SystemExit("same: cannot make an input: %s\n%s" % (" ".join(command), done.stderr.decode()[:2000]))

    def start(self, function, *arguments, **more):
        self.running.append(self.pool.submit(function, *arguments, **more))

    def wait(self):
        for each in self.running:
            each.result()
        self.running = []

    def python(self, script, *arguments):
        self.start(self.run, [sys.executable, script, *arguments])

    def write(self, name, data):
        with open(self.at(name), "wb") as file:
            file.write(data)

    def read(self, name):
        with open(self.at(name), "rb") as file:
            return file.read()

    def decode(self, name, *arguments):
        """An input that the decoder writes."""
        self.start(self.run, [self.build + "/tlog-decode", "-q", *arguments, "-o", self.at(name)], any_code=True)


def random_options(r):
    """gen_dump's options, by chance."""
    pick = {"seed": [r.randrange(1 << 31)], "events": [5, 40, 200, 900], "slots": [16, 17, 31, 32, 33, 64, 257],
            "chunks": [1, 1, 2, 3, 5], "cpus": [1, 1, 2, 3], "hz": [0, 1000000, 168000000], "names": [0, 0, 1, 10],
            "boot": [1, 7, 0xFFFFFFFF], "drops": [0, 0, 1, 50, 300], "garbage": [0, 0, 3, 100],
            "start": [0, 1000, 0xFFFFF000, 0x7FFFFF00, 0x123456789AB], "traceevents": [0, 0, 5, 50, 100],
            "longest": [1, 2, 4, 8]}
    chances = ("sealed", .5), ("stream", .3), ("uncounted", .15), ("jumps", .3)
    flags = [" --" + flag for flag, chance in chances if r.random() < chance]
    return " ".join("--%s=%d" % (name, r.choice(values)) for name, values in pick.items()) + "".join(flags)


def dumps(maker):
    r = random.Random(1)
    by_chance = [random_options(r) for _ in range(40)]
    lists = ("dump", "rich", RICH), ("more", "small", DUMPS), ("random", "small", by_chance)
    for kind, level, options in lists:
        for i, each in enumerate(options):
            name = "%s-%d" % (kind, i)
            maker.start(maker.run, [maker.build + "/gen_dump", *each.split(), "-o", maker.at(name)])
            maker.add(level, name)
    for i, each in enumerate(DAMAGED):
        maker.start(maker.run, [maker.build + "/gen_dump", *each.split(), "-o", maker.at("hurt-%d" % i)])
    maker.wait()
    packed = ["dump-1", "dump-2", "more-4", "more-9", "hurt-0", "hurt-3"]
    for name in packed:
        maker.start(maker.run, [maker.build + "/pack_dump", maker.at(name), maker.at(name + ".packed")])
        maker.add("rich" if name == "dump-1" else "small", name + ".packed")
    maker.wait()
    maker.write("runs", maker.read("dump-0") + maker.read("more-11"))
    maker.add("rich", "runs")
    for name in ["hurt-%d" % i for i in range(len(DAMAGED))] + ["hurt-0.packed", "hurt-3.packed"]:
        damage(maker, name)


def damage(maker, name):
    """Copies of a dump, each damaged at one place, and some at several."""
    whole = maker.read(name)
    r = random.Random(name)
    for i in range(20):
        data, at = bytearray(whole), r.randrange(len(whole))
        kind = i % 5
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data[at:at + r.randint(1, 64)] = bytes(r.randint(1, 64))
        elif kind == 2:
            data[at:at + 200] = b""
        else:
            for at in r.sample(range(len(data)), 1 if kind == 3 else 30):
                data[at] ^= 1 << r.randrange(8)
        maker.write("%s.%d" % (name, i), data)
        maker.add("rich" if name == "hurt-2" and i == 19 else "small", "%s.%d" % (name, i))


def own_events(maker):
    for kind in ("", "--plain", "--records", "--portable", "--foreign", "--texts"):
        name = "own" + kind
        os.makedirs(maker.at(name), exist_ok=True)
        maker.start(make_own, maker, name, kind)
        typed = " --typed-text" if "texts" in kind else ""
        maker.add("rich", name + "/dump.bin", "--elf=in/%s/fw.elf" % name + typed)
        maker.add("small", name + "/dump.bin", "--elf-dir=in/" + name)


def make_own(maker, name, kind):
    maker.run([sys.executable, "tests/gen/own.py", maker.at(name), *kind.split(), "--events=60"])
    maker.run("arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x8000"
              " -Wl,--section-start=.note.gnu.build-id=0x1000"
              " -Wl,--build-id=0x4142434445464748494a4b4c4d4e4f5051525354".split()
              + [maker.at(name) + "/firmware.s", "-o", maker.at(name) + "/fw.elf"])


def firmware(maker):
    for name in ("firmware.elf", "dump.bin"):
        os.makedirs(maker.at("demo"), exist_ok=True)
        shutil.copy(maker.build + "/demo/" + name, maker.at("demo/" + name))
    maker.add("rich", "demo/dump.bin", "--elf=in/demo/firmware.elf")
    maker.add("small", "demo/dump.bin")
    maker.add("small", "demo/dump.bin", "--elf=in/own/fw.elf")
    for name, board, arguments in FIRMWARE:
        os.makedirs(maker.at(name), exist_ok=True)
        image = maker.at(name) + "/firmware.elf"
        script = '. tests/lib/firmware.sh; board=$1; image=$2; shift 2; firmware "$board" "$image" "$@" && ' \
                 'emulate "$board" "$image"'
        maker.start(maker.run, ["sh", "-c", script, "sh", board, image, *arguments.split()])
        maker.add("rich" if name in ("func", "calls", "chunks") else "small", name + "/dump.bin",
                  "--elf=in/%s/firmware.elf" % name)


def files(maker):
    """Files of the other formats, from makers that share no code with the decoder."""
    for i, options in enumerate(TRACEDAT):
        name = "tracedat-%d.dat" % i
        maker.python("tests/gen/tracedat.py", maker.at(name), maker.at(name + ".expect"), *options.split())
        maker.add("rich" if i % 13 == 0 else "small", name)
    for i, version in enumerate(LTTNG_VERSIONS):
        for j, options in enumerate(LTTNG_OPTIONS):
            name = "lttng-%s-%d" % (version, j)
            maker.python("tests/gen/lttng.py", maker.at(name), version, *options.split())
            maker.add("rich" if (i, j) in ((5, 0), (7, 1), (14, 3)) else "small", name)
        if version[0] in "12":
            maker.python("tests/gen/lttng.py", maker.at("lttng-fields-" + version), version, "fields=33")
            maker.add("small", "lttng-fields-" + version)
    os.makedirs(maker.at("kev"), exist_ok=True)
    maker.python("tests/judges/kev.py", maker.build + "/tlog-decode", maker.at("kev"))
    for kind in ("six", "eight", "simple", "many"):
        for order in "01":
            maker.add("rich" if kind + order in ("many0", "eight1") else "small", "kev/%s-%s.kev" % (kind, order))
    for script, kinds in HOSTILE.items():
        for kind, size in (each.split("=") for each in kinds.split()):
            name = "%s-%s" % (script[:-3], kind)
            arguments = (kind, maker.at(name), size) if script == "hostile_lttng.py" else (kind, size, maker.at(name))
            maker.python("tests/gen/" + script, *arguments)
            maker.add("small", name)
    for size in (10, 100):
        for kind in ("names", "texts", "notes"):
            maker.python("tests/gen/hostile.py", "elf_" + kind, str(size), maker.at("elf_%s-%d" % (kind, size)))
            maker.add("small", "more-0", "--elf=in/elf_%s-%d" % (kind, size))


def written(maker):
    """What the decoder writes, which it reads again; archives; bytes that are no trace."""
    demo = ["--elf=" + maker.at("demo/firmware.elf"), maker.at("demo/dump.bin")]
    other = "word=4,order=big,packed,heartbeat,flight,block=4096"
    for name, options in (("w7.dat", "--compress=zstd"), ("w6.dat", "--format=trace.dat-v6"), ("w.shark", ""),
                          ("w.kev", ""), ("wtext.dat", "--format=trace.dat-text"), ("wlttng", "--format=lttng"),
                          ("wlttng2", "--format=lttng --lttng=seed," + other),
                          ("wnative.dat", "--map=native --compress=zlib --endian=big"), ("wraw.dat", "--raw-tsc"),
                          ("wcompact", "--format=lttng --lttng=compact,word=4")):
        maker.decode(name, *options.split(), *demo)
        maker.add("rich" if name in ("w7.dat", "w.shark") else "small", name)
    maker.decode("winst.dat", "--instances", maker.at("chunks/dump.bin"))
    maker.add("small", "winst.dat")
    maker.start(maker.run, [maker.build + "/tlog-decode", "--save-events=" + maker.at("own/fw.elf"), "-o",
                            maker.at("fw.events")])
    maker.add("small", "own/dump.bin", "--elf=in/fw.events")
    maker.add("small", "own/dump.bin", "--elf-dir=in --filter=mv<0")
    maker.wait()
    for name, flags, what in (("t.tar.gz", "-czf", "wlttng"), ("t.tar", "-cf", "lttng-2.6-0"),
                              ("t.tar.xz", "-cJf", "lttng-1.0-0")):
        maker.start(maker.run, ["tar", "--sort=name", "--mtime=@0", "-C", maker.directory, flags, maker.at(name), what])
        maker.add("small", name)
    maker.start(maker.run, ["gzip", "-nkf", maker.at("dump-1")])
    maker.add("rich", "dump-1.gz")
    maker.wait()
    maker.write("cut.tar.gz", maker.read("t.tar.gz")[:-3000])
    maker.write("misprint", b"C\0\1\0\0\0\0\0\x10\0\0\0\2\0\0\0")
    maker.write("empty", b"")
    maker.write("hello", b"hello, world\n")
    shutil.copy(maker.at("dump-0"), maker.at("victim"))  # which a decoder is told to overwrite
    maker.add("small", "cut.tar.gz")
    maker.add("small", "misprint", "--from=shark")
    for name in ("empty", "hello"):
        maker.add("small", name)
    for name in ("w7.dat", "w6.dat", "w.shark", "w.kev", "kev/many-1.kev", "tracedat-3.dat"):
        damage(maker, name)


def scripts(maker):
    for name, text in SCRIPTS.items():
        maker.write(name + ".script", ("#script;" + text).replace(";", "\n").encode() + b"\n")
        maker.add("rich" if name in ("whole", "damaged", "tasks") else "small", name + ".script")
    shutil.copy(maker.root + "/tests/gen/heap.txt", maker.at("heap.script"))
    maker.add("rich", "heap.script")


def make(root, note, directory, jobs):
    """Make all inputs, unless they are there with this note. Returns the list: (level, path, options)."""
    with open(__file__, "rb") as file:
        wanted = note + " " + hashlib.sha256(file.read()).hexdigest()
    told = os.path.join(directory, ".list")
    if not os.path.exists(told) or open(told, encoding="utf-8").readline().strip() != wanted:
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        maker = Maker(root, os.path.abspath(directory), jobs)
        for part in (firmware, dumps, own_events, files, scripts):
            part(maker)
        maker.wait()
        written(maker)
        maker.wait()
        with open(told, "w", encoding="utf-8") as file:
            file.write("\n".join([wanted] + maker.lines) + "\n")
    with open(told, encoding="utf-8") as file:
        lines = [line.split() for line in file.read().splitlines()[1:]]
    return [(line[0], line[1], line[2:]) for line in lines]
