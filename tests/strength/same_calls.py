"""same_calls.py - the calls of the decoder that same.py compares: every format, answer and option, and wrong usages.

A call is (which decoder, arguments): "main", or "script" for the one that reads event scripts. Inputs are in the folder
in. An argument that begins with < is what standard input is read from, or what is sent to udp:PORT."""
import itertools

FORMATS = """
--format=trace.dat -o out.dat
--format=trace.dat-v6 -o out.dat
--format=trace.dat-text -o out.dat
--format=perfetto -o out.pftrace
--format=text -o -
--format=text-full -o -
--format=shark -o out.shark
--format=kev -o out.kev
--format=lttng -o out
--format=csv -o -
--format=jsonl -o -
--format=ctf -o out
--format=columns -o -
--format=vcd -o -
--format=vcd-wires -o -
""".strip("\n").split("\n")
ANSWERS = [answer + more for answer in ("--stat", "--info", "--check") for more in ("", " --json")]
# What small inputs are decoded to.
FEW = """
--format=text-full --map=native
-v -o out.dat
--format=jsonl
--stat --json
--info
--check --json
""".strip("\n").split("\n")
# Rich inputs are also decoded with these options.
MORE = """
--map=exact
--map=native
--function-trace=flat
--function-trace=none
--run=1
--run=-1
--run=7
--filter=par1>2
--filter=sched:*&&cpu==0
--filter=nothing==1
--filter=task_*||!(par2&1)
--typed-text
--time=0.001..0.002
--time=..0.01
--time=task_activate..task_end
--time=1..x
--around=user_event_0:1us
--around=*:1us,2us
--around=nothing:1s
--task=1,net*
--task=0
--cpu=0
--cpu=1-2
--cpu=9
--event=user_*
--event=sched:*,qnx:*
--irq=5-9
--irq=timer*
--clock-hz=1000000
--unpack=1
--stat --cpu=0
--check --map=native
--info --task=1
--stat --time=..0.01
--color=always --stat
--color=always -v -o out.txt
-q -o out.csv
-q -o out.jsonl
-q -o out.vcd
-o out.txt --force
-o out.pftrace.gz
-o out.pftrace --compress=zlib
-o out.dat --compress=zstd
-o out.dat --compress=zlib
-o out.dat --start-time=2026-01-31T12:00:00.5Z
-o out.dat --raw-tsc
-o out.dat --instances
-o out.dat --session=rows.json
-o out.dat --endian=big
-o out.dat --long-size=4
-o out.dat --page-size=8192
-o out.dat --map=native --compress=zlib --endian=big --long-size=4 --page-size=65536
-o out.vcd --timescale=1us
--format=trace.dat-v6 -o out.dat --endian=big --long-size=4 --page-size=16384 --raw-tsc
--format=lttng -o out --lttng=seed
--format=lttng -o out --lttng=compact,word=4 --start-time=@1769860800.1
--format=lttng -o out --lttng=word=4,order=big,packed,heartbeat,flight,block=4096
--format=ctf -o out --map=native --start-time=@1769860800.1
--format=kev -o out.kev --map=native
--format=text --map=native
--format=text -o /dev/full
-o nowhere/out.dat
--format=trace.dat -o -
""".strip("\n").split("\n")
# Several inputs, standard input, receiving, ELF files, and what ends the command line. a, b and chunks are dumps of
# firmware of tests/system/merge.
OTHERS = """
--merge in/a/dump.bin in/b/dump.bin --sync=user_event_0 -o out.dat
--merge in/a/dump.bin in/b/dump.bin -o out.txt
--merge in/b/dump.bin in/a/dump.bin --sync=+0.5,20 --stat
in/a/dump.bin --guest=b:in/b/dump.bin --sync=user_event_0:par2 -o out.dat
in/b/dump.bin --guest=x:in/a/dump.bin --sync=-0.1 --compress=zstd -o out.dat
--merge in/a/dump.bin in/b/dump.bin in/chunks/dump.bin --format=perfetto -o out.pftrace
--merge in/a/dump.bin in/b/dump.bin --format=csv
--merge in/a/dump.bin in/b/dump.bin --check
in/a/dump.bin --guest=b:in/b/dump.bin --guest=c:in/chunks/dump.bin -o out.dat
--merge in/a/dump.bin in/a/dump.bin -o out.dat
--info in/a/dump.bin in/b/dump.bin in/chunks/dump.bin
--check in/a/dump.bin in/hello
--merge --elf=in/demo/firmware.elf in/demo/dump.bin --elf=in/own/fw.elf in/own/dump.bin --format=jsonl
--info --json in/a/dump.bin in/b/dump.bin
--check --json in/a/dump.bin in/chunks/dump.bin in/empty
--stat in/a/dump.bin in/empty
--merge in/a/dump.bin in/w7.dat -o out.dat
--merge in/a/dump.bin in/hurt-0.3 -o out.txt
--merge in/dump-1 in/dump-3 -o out.dat
--merge in/dump-1 in/dump-3 --format=ctf -o out
--merge in/dump-1 in/hello
- <in/dump-1
--check - <in/dump-1
--info - <in/lttng-2.6-0/metadata_0
- -o out.dat <in/t.tar.gz
--stat - <in/w7.dat
- <in/hello
--merge - in/a/dump.bin <in/dump-1
--save-events=in/own/fw.elf -o out.events
--save-events=in/demo/firmware.elf -o out.events
--save-events=in/hello -o out.events
--save-events=in/own/fw.elf
udp:47011 --wait=0.01
udp:nowhere --wait=0.01 -v
udp:127.0.0.1:47012 --wait=0.01 -q
udp:*:47013 --wait=0.002 --count=3 --idle=1 -o out.txt
--merge in/a/dump.bin udp:47014
udp:47015 --idle=2 -o out.shark <in/w.shark
udp:127.0.0.1:47016 --idle=2 --check --json <in/w.shark
udp:*:47017 --count=4 -v <in/w.shark
--elf-dir=in/demo:in/own in/demo/dump.bin --stat
--elf-dir=in/own in/demo/dump.bin
--elf-dir=nowhere in/demo/dump.bin
--elf=in/demo/firmware.elf --elf-dir=in/own in/own/dump.bin
--from=shark in/dump-0
--from=kev in/dump-0
--from=lttng in/dump-0
--from=trace.dat in/dump-0
--from=native in/w.shark
--from=native in/hello
in/demo
nothing
/dev/null
in/victim -o in/victim
in/dump-0 -o -
-f --format=trace.dat in/dump-0
--list-formats
--help
-h
--version
-V
-v

--help --nonsense
--version in/dump-0
--help -o /dev/full
""".strip("\n").split("\n")
# Of event scripts.
SCRIPTED = """
--merge in/one.script in/other.script --sync=user_event_0 -o out.dat
in/one.script --guest=b:in/other.script --sync=-10 -o o.dat
--merge in/one.script in/other.script --sync=+5,1000
in/one.script --guest=b:in/none.script -o out.dat
in/one.script in/other.script
--merge in/bent.script in/other.script --sync=user_event_0
in/one.script --guest=b:in/twice.script --sync=user_event_0 -o o.dat
--merge in/still.script in/slow.script
--merge in/one.script in/ticks.script
--merge in/one.script in/fails.script
in/one.script --guest=b:in/bent.script --sync=user_event_0 -o out.dat
--merge in/one.script in/damaged.script --check
--merge in/one.script in/other.script --sync=nothing
--from=script in/hello
--from=script in/broken.script
--list-formats
--around=user_event_0:1s in/ticks.script
--time=task_activate..nothing in/two.script
--event=event_0 in/two.script
--around=task_activate:0ns,200ns --format=csv in/two.script
--start-time=@17 in/ticks.script -o out.dat
in/hello
""".strip("\n").split("\n")
# Options that only some formats take, each of which is tried with every format.
OF_FORMATS = """
--compress=zstd
--compress=none
--start-time=@0
--raw-tsc
--long-size=4
--endian=big
--page-size=8192
--instances
--session=rows.json
--timescale=1us
--lttng=word=4
--guest=b:in/dump-1
""".split()
# Pairs of these are given together.
PAIRS = """
--stat
--info
--check
--json
--merge
-q
-v
--force
--save-events=in/own/fw.elf
--instances
--guest=b:in/dump-1
--sync=+1
--idle=1
--format=csv
--session=x.json
--from=native
--elf-dir=in/own
""".split()
# Options, and values that are refused; "" is no value.
REFUSED = {
    "output": ['out.xyz', '.txt', ''],
    "format": ['', 'none'],
    "lttng": ['word=3', 'nothing', 'block=1', ''],
    "timescale": ['1ms', ''],
    "from": ['none', ''],
    "map": ['some', ''],
    "function-trace": ['tree', ''],
    "elf": ['', 'in/hello'],
    "elf-dir": [''],
    "filter": ['', 'mv <', '(a', 'a=="b', 'a b', '1..2', 'a & & b'],
    "run": ['x', '', '99999999999'],
    "time": ['', '2..1', '..', 'a', '1..2..3'],
    "around": ['', 'x', 'x:', ':1s', 'x:1', 'x:1h', 'x:1s,'],
    "task": ['', ',', 'a,'],
    "cpu": ['', 'a', '3-1', '1-', '9999999999'],
    "event": ['', ',', 'a:b:c'],
    "irq": ['', '1,,2', '-'],
    "sync": ['', '+x', '+1,x'],
    "clock-hz": ['', '0', '-1', 'x', '99999999999999999999'],
    "unpack": ['', '0', 'x', '1073741825'],
    "count": ['', '0', 'x'],
    "guest": ['', 'a', 'a:', ':a', 'a b:c', 'a:in/dump-0'],
    "idle": ['', '0', 'x', '86401'],
    "wait": ['', '0.0001', '1e3', '-1'],
    "compress": ['lzma', ''],
    "start-time": ['noon', '@', '1969-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '@99999999999'],
    "endian": ['middle', ''],
    "long-size": ['16', '', 'x'],
    "page-size": ['', '2048', '4097', '131072', '4k'],
    "session": ['', 'out.dat', 'nowhere/x'],
    "color": ['', 'some'],
    "save-events": ['', 'nothing'],
    "stat": ['x'],
    "quiet": ['x'],
    "nonsense": [''],
    "s": [''],
    "co": [''],
}


def of_inputs(inputs):
    """The calls for (level, path, options) of each input."""
    for level, path, options in inputs:
        for each in FEW if level == "small" else FORMATS + ANSWERS + MORE + FEW:
            yield "script" if path.endswith(".script") else "main", each.split() + options + ["in/" + path]


def of_usage():
    """All other calls."""
    yield from (("main", text.split()) for text in OTHERS)
    yield from (("script", text.split()) for text in SCRIPTED)
    for form, option in itertools.product(FORMATS, OF_FORMATS):
        yield "main", [*form.split(), option, "in/dump-0"]
    for name, values in REFUSED.items():
        yield "main", ["in/dump-0", "--" + name]
        for value in values:
            yield "main", ["--%s=%s" % (name, value), "in/dump-0", "-o", "out.dat"]
    for one, other in itertools.permutations(PAIRS, 2):
        yield "main", [one, other, "in/dump-0"]
    for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        yield "main", ["-" + letter, "in/dump-0"]
        yield "main", ["--" + letter, "in/dump-0", "nothing"]
