#!/usr/bin/env python3
"""pause.py - a pause is told: when it was, how long, what was not counted; and what runs is unknown from then on.

usage: pause.py BUILD CASE...

Firmware pauses in each way (app.c) while an interrupt logs, and keeps its own books. Its dump is compared with them:
the marks and their lengths, and the numbers of events; --stat and --check; and each output says that it is not known
what runs in a pause. CASE: plain, chunks, minimal, traceevents, runs, trigger.
"""
import json
import os
import re
import subprocess
import sys

BUILD, CASES = sys.argv[1], sys.argv[2:]
DIR = os.path.join(BUILD, "test", "pause")
sys.argv = [sys.argv[0], os.path.join(BUILD, "tlog-decode"), DIR, "0"]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import known  # noqa: E402

FLAGS = {"plain": ("mps2-an385", "-DTLOG_SLOTS=4096"),
         "chunks": ("mps2-an385", "-DTLOG_SLOTS=1024 -DTLOG_CHUNKS=4 -DTLOG_EMERGENCY_SLOTS=4"),
         "minimal": ("mps2-an385", "-DTLOG_SLOTS=4096 -DTLOG_MINIMAL=1"),
         "traceevents": ("mps2-an385", "-DTLOG_SLOTS=4096 -DTLOG_TRACEEVENTS=1"),
         "runs": ("mps2-an385", "-DTLOG_SLOTS=2048 -DTLOG_RUNS=2"),
         "trigger": ("mps2-an385", "-DTLOG_SLOTS=4096 -DTEST_TRIGGER")}
LOGGED, LOST, FAST_OFF, PAUSES, PAUSED, LAST_PAUSED = range(6)
NS = 40  # of a tick


class Dump:
    """A firmware's dump: where it is, as known.py wants it, and its events."""
    def __init__(self, name):
        self.name, self.path = name, os.path.join(DIR, name, "dump")
        board, flags = FLAGS[name]
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        script = """. tests/lib/firmware.sh
                    firmware "$1" "$2/app.elf" tests/system/pause/app.c $3
                    emulate "$1" "$2/app.elf\""""
        subprocess.run(["sh", "-euc", script, "sh", board, os.path.dirname(self.path), flags], check=True)
        os.replace(self.path + ".bin", self.path + ".txt")
        lines = known.decode(self, "--map=native", "--format=text-full").splitlines()
        self.events = [(int(m[1] + m[2]), m[3], m[4]) for m in
                       (re.match(r".*\[\d+\] +(\d+)\.(\d{9}): (?:\w+):(\w+): ?(.*)", line) for line in lines) if m]
        self.figures = [int(self.numbers(args)["par2"]) for _, name, args in self.events if name == "user_event_14"]
        self.kept_times = [[(self.events[0][0],)]]

    @staticmethod
    def numbers(args):
        return dict(pair.split("=") for pair in args.split() if "=" in pair)

    def named(self, name):
        return [(time, self.numbers(args)) for time, what, args in self.events if what == name]


def near(a, b, what):
    assert abs(a - b) < 50000, (what, a, b)


def check_events(dump):
    """The firmware's books and the dump agree to the event."""
    kept = dump.named("user_event_1") + dump.named("user_event_2") + dump.named("context_switch")
    kept += dump.named("filter_priority")
    lost = sum(int(n["count"]) for _, n in dump.named("blackout_end"))
    if dump.name == "minimal":
        lost = dump.figures[LOST]
    assert lost == dump.figures[LOST], (dump.name, lost, dump.figures)
    tried = dump.figures[LOGGED] + dump.figures[FAST_OFF]
    assert len(kept) + lost == tried, (dump.name, len(kept), lost, dump.figures)
    assert not any(n["par1"] == "2" for _, n in dump.named("user_event_1")), "an event passed the switch"


def check_marks(dump):
    """As many pauses as there were, each with its marks, and as long as it was."""
    stops, starts, pauses = (dump.named(name) for name in ("trace_stop", "trace_start", "pause"))
    assert len(pauses) == len(starts) == dump.figures[PAUSES] == len(stops) - 1, (dump.name, len(pauses), len(starts),
                                                                               len(stops), dump.figures)
    for (stop, _), (start, of_start), (pause, n) in zip(stops, starts, pauses):
        near((start - stop) // NS, int(n["ticks"]), "length of a pause")
        assert of_start["clk_per_msec"] == "25000" and stop < pause <= start
    near(int(pauses[-1][1]["ticks"]), dump.figures[LAST_PAUSED], "ticks of the last pause")
    near(sum(int(n["ticks"]) for _, n in pauses), dump.figures[PAUSED], "ticks of all pauses")
    assert [int(n["not_counted"], 16) >> 31 for _, n in pauses] == [1, 1, 0, 1, 1, 1, 0], pauses
    return list(zip([time for time, _ in stops], [time for time, _ in starts]))


def check_answers(dump):
    """--stat and --check tell the pauses, and call none of them a loss."""
    told = json.loads(known.decode(dump, "--stat", "--json"))[0]
    n, length = dump.figures[PAUSES], dump.figures[PAUSED] * NS
    assert told["pauses"] == n and told["dropped"] == dump.figures[LOST] and told["pauses_uncounted"], told
    near(told["paused"] // NS, length // NS, "paused")

    assert told["load"][0]["unknown"] > length * 9 // 10
    words = r"paused %d times, [0-9.]+ m?s; events in them were not counted" % n
    assert re.search(words, known.decode(dump, "--stat")), words
    check = known.decode(dump, "--check", exits=(0,))
    assert re.search(words, check) and "whole" in check and "lost %d" % dump.figures[LOST] in check, check


def check_outputs(dump, unknown):
    """Each output says that it is not known what runs in these stretches."""
    for what, read in known.OUTPUTS.items():
        said = [(time if time is not None else dump.events[0][0], task) for cpu, time, task in read(dump)
                if cpu == 0 and not known.FIRST_INTERRUPT <= task < 2 * known.FIRST_INTERRUPT]
        for low, high in unknown:
            for a, b in known.pieces(low + 1000, high, said):
                assert known.at(said, a) == known.UNKNOWN, (dump.name, what, low, high, a, b, known.at(said, a))


def with_pauses(dump):
    pauses = check_marks(dump)
    check_answers(dump)
    (off, _), (on, _) = dump.named("filter_priority")
    check_outputs(dump, [*pauses, (off, on)])
    print("%s: %d pauses, %.1f ms; %d events, %d of them lost: as the firmware's books tell" % (
        dump.name, len(pauses), dump.figures[PAUSED] * NS / 1e6, dump.figures[LOGGED], dump.figures[LOST]))


def with_trigger(dump):
    """What was lost until the trigger was set again is told ahead of its mark."""
    marks = [index for index, (_, what, _) in enumerate(dump.events) if what == "trigger"]
    assert len(marks) == 3, marks
    losses = [(index, dump.numbers(args)) for index, (_, what, args) in enumerate(dump.events)
              if what == "blackout_end"]
    assert len(losses) == 1 and losses[0][0] < marks[1], (losses, marks)
    last = max(time for time, what, _ in dump.events[:losses[0][0] - 1])
    switch = next(time for time, n in dump.named("context_switch") if n["context"] == "2")
    check_outputs(dump, [(last, switch)])
    print("trigger: set again behind a loss of %s events, which is told ahead of its mark" % losses[0][1]["count"])


for each in CASES:
    made = Dump(each)
    check_events(made)
    (with_trigger if each == "trigger" else with_pauses)(made)
