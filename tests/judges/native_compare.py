"""native_compare.py - what tlog-decode and native.py say of one dump, in one form, and where they differ.

Three outputs of tlog-decode carry an event whole: text its CPU, name, time and place among losses; .kev the words of a
traceevent; the S.Ha.R.K. file the bits of a record. All have the same order. Stamps of .kev are raised until no two
are equal."""
import re
import struct
import subprocess
from collections import Counter

import native
import native_rtos

LINE = re.compile(r"^.{15,}?-(\d+) +\[(\d+)\] +(\d+)(?:\.(\d{9}))?: (\S+):(?: (.*))?$")
MARK = re.compile(r"^CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]$|^CPU:(\d+) \[DAMAGED INPUT(?:: (\d+) EVENTS)?\]$")
SUMMARY = re.compile(r": (\d+) events.*?, lost (\d+)(?: \((.*?)\))?(.*?), damaged (\d+)(?: in (\d+) part)?")
FILTERS = {code for code in range(0xF0, 0xFC)}


def run(decoder, *args):
    done = subprocess.run([decoder, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def kev_events(data):
    """(cpu, ticks, class, event, words) of a .kev file, losses and what only carries time left out."""
    at, high, parts, found = data.index(b"HEADER_END::") + 12, {}, [], []
    for head, clock, a, b in struct.iter_unpack("<4I", data[at:at + (len(data) - at) // 16 * 16]):
        part, cpu, kind, event = head >> 30, head >> 24 & 63, head >> 10 & 31, head & 1023
        if kind == 1 and event == 1:
            high[cpu] = a
        if kind == 1 and event in (1, 2, 8):
            continue
        parts = parts + [a, b] if part > 1 else [a, b]
        if part in (0, 3):
            found.append((cpu, high.get(cpu, 0) << 32 | clock, kind, event, tuple(parts)))
    return found


def ticks_of(second, fraction, rate):
    """The ticks whose time, cut to ns, is that; the number itself if it has no fraction: then the rate is not known."""
    return int(second) if fraction is None else -(-int(second + fraction) * rate // 1000000000)


def of_decoder(decoder, path, *options):
    """{"events": [...], "losses": ..., "code": exit code, "summary": ...} as tlog-decode has them."""
    code, text, messages = run(decoder, *options, "--map=native", "--function-trace=flat", path, "--format=text-full",
                               "-o", "-")
    result = {"code": code, "events": [], "losses": Counter(), "damaged": 0, "messages": messages}
    found = SUMMARY.search(messages)
    if found:
        dropped, over = (re.search(r"(\d+) %s" % w, found.group(3) or "") for w in ("dropped", "overwritten"))
        result["summary"] = (int(found.group(1)), int(dropped.group(1)) if dropped else 0,
                             int(over.group(1)) if over else 0)
        result["damaged"] = int(found.group(5))
        for word, form in ("unfinished", r"unfinished (\d+)"), ("passed", r"(\d+) slots? of events that were never"):
            told = re.search(form, messages[found.start():])
            result[word] = int(told.group(1)) if told else 0
    if code == 1:
        return result
    kev = run(decoder, "-q", *options, path, "--format=kev", "-f", "-o", "-")[1]
    rate = int(re.search(rb"TRACE_CYCLES_PER_SEC::(\d+)", kev).group(1))
    kev = kev_events(kev)
    shark = list(struct.iter_unpack("<4I", run(decoder, "-q", *options, path, "--format=shark", "-f", "-o", "-")[1]))
    lines = text.decode(errors="surrogateescape").split("\n")[1:-1]
    wanted = sum(1 for line in lines if LINE.match(line))
    fill(result, lines, rate, iter(kev[len(kev) - wanted:]), iter(shark))
    return result


def fill(result, lines, rate, kev, shark):
    """Put the lines of text together with the events of the other files."""
    n = Counter()
    for line in lines:
        mark, event = MARK.match(line), LINE.match(line)
        if mark:
            if mark.group(1):
                result["losses"][int(mark.group(1)), n[int(mark.group(1))]] += int(mark.group(2) or 0)
            continue
        if not event:
            raise ValueError("line of text not understood: " + line)
        cpu, name, fields = int(event.group(2)), event.group(5), event.group(6) or ""
        if name == "tlog:unseen_wrap":
            next(kev)
            result["losses"][cpu, n[cpu], "wrap"] += 1
            continue
        n[cpu] += 1
        _, stamp, kind, number, words = next(kev)
        ticks = ticks_of(event.group(3), event.group(4), rate)
        if name.startswith(("shark:", "rtos:")):
            head, high, low, par2 = next(shark)
            found = native_rtos.words(head & 255, head >> 16, par2)
            if ("rtos:" + found[0] if found else None) != (name if name.startswith("rtos:") else None):
                raise ValueError("record %08x is no %s" % (head, name))
            if high << 32 | low != ticks or stamp < ticks:
                raise ValueError("the outputs contradict each other: " + line)
            item = ("record", cpu, ticks, head & 255, head >> 16, par2, head >> 15 & 1)
        elif name.startswith("qnx:"):
            item = ("traceevent", cpu, ticks, kind, number, *words)
        else:
            item = ("control", cpu, ticks, name)
        result["events"].append(item + (("emergency",) if fields.endswith("(emergency slot)") else ()))


CONTROLS = {0x101: ("ftrace:bprint", "ftrace:print", "tlog:printk"), 0x110: ("ftrace:function", "tlog:func_enter"),
            0x104: ("tlog:trigger",), 0x111: ("tlog:func_exit",), 0x120: ("tlog:fault", "tlog:fault_a")}


def new_priority(trace, code, par1, par2):
    """par2 of a record, of set_priority without the priority before, if there is a fact of it: section 2.7."""
    if code != 5 or par1 not in trace.priorities or par2 >> 16 in (0, 0xFFFF):
        return par2
    return par2 & 0xFFFF | (0xFFFF0000 if par2 & 0x8000 else 0)


def of_python(data, run_id=None):
    """The same of native.py."""
    trace = native.decode(data, run_id)
    result = {"events": [], "losses": Counter(), "trace": trace, "damaged": len(trace.damages)}
    for cpu, items in trace.items.items():
        n = 0
        for time, kind, *rest in items:
            if kind == "loss":
                result["losses"][cpu, n] += rest[0]
                continue
            if kind == "wrap":
                result["losses"][cpu, n, "wrap"] += 1
                continue
            end = ("emergency",) if rest[-1] == "emergency" else ()
            rest = rest[:-1] if end else rest
            if kind in ("record", "blackout"):
                item = ("record", cpu, time, *rest[:2], new_priority(trace, *rest[:3]), rest[3])
            elif kind == "pause":
                item = ("control", cpu, time, "tlog:pause")
            elif rest[0] == 1 and rest[1] in CONTROLS:
                item = ("control", cpu, time, CONTROLS[rest[1]][0])
            else:
                item = ("traceevent", cpu, time, *rest)
            result["events"].append(item + end)
            n += 1
    result["events"].sort(key=lambda e: e[1])
    total = [sum(column) for column in zip(*trace.counts.values())] or [0, 0, 0, 0]
    counted = sum(1 for e in result["events"] if e[0] != "control" or e[3] not in ("tlog:trigger", "tlog:pause"))
    result["summary"] = (counted, total[1], total[3])
    result["unfinished"] = sum(trace.unfinished.values()) - sum(trace.further.values())
    result["passed"] = sum(trace.claimed.values())
    return result


def same_control(item):
    """An item with one name for all names of a control event."""
    if item[0] != "control":
        return item
    for names in CONTROLS.values():
        if item[3] in names:
            return item[:3] + (names[0],) + item[4:]
    return item


def differences(theirs, ours):
    """What differs, as lines; [] if the two agree. Events of each CPU are compared in order."""
    found = []
    theirs_events = [same_control(e) for e in sorted(theirs["events"], key=lambda e: e[1])]
    if theirs_events != ours["events"]:
        a, b = Counter(theirs_events), Counter(ours["events"])
        found += ["only tlog-decode: %s" % (e,) for e in list((a - b).elements())[:4]]
        found += ["only native.py:   %s" % (e,) for e in list((b - a).elements())[:4]]
        if a == b:
            found.append("order of events differs")
    losses = +theirs["losses"], +ours["losses"]
    if losses[0] != losses[1]:
        found.append("losses: tlog-decode %s, native.py %s" % tuple(dict(x - y) for x, y in (losses, losses[::-1])))
    for key in "summary", "unfinished", "passed":
        if "summary" in theirs and theirs.get(key) != ours[key]:
            found.append("%s: tlog-decode %s, native.py %s" % (key, theirs.get(key), ours[key]))
    return found
