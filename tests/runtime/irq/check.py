"""check.py - checks a trace of interrupts against what the handlers log inside and count.

usage: check.py trace|isr TEXT REPORT CODE

TEXT: the events under their own names. REPORT: what trace-cmd shows of them with the firmware's ELF file. CODE: the
firmware's disassembly; the sweep's interrupts must have come at every instruction of what logs."""
import collections, re, sys

kind, text, report, code = sys.argv[1], *(open(name).read() for name in sys.argv[2:5])
NESTED, CHAINED, AGAIN, UNTRACED, THREADS, SET, FPU, SWEPT, COUNTS = range(1, 10)
LOW, MIDDLE, HIGH, KEPT, CHANGED, SYSTICK = 19, 20, 22, 23, 24, 15
NAMES = {15: "SysTick", 19: "irq_3", 20: "irq_4", 21: "irq_5", 22: "irq_6", 24: "irq_8"}
LINE = re.compile(r"\[(\d+)\].*?: +(?:shark:)?(interrupt_start|interrupt_end|user_event_\d): (.*)")

events = collections.defaultdict(list)
for m in map(LINE.search, text.splitlines()):
    if m:
        numbers = [int(n, 0) for n in re.findall(r"=(0x[0-9a-f]+|\d+)", m[3])] + [0]
        events[int(m[1])].append((m[2].replace("user_event_", "u"), numbers[0], numbers[1]))
assert events, text[:1000]


def handled(number):
    return ["+%d" % number, "u1 %d" % number, "u3 %d" % number, "-%d" % number]


def nested(number, *inner):
    around = handled(number)
    return around[:2] + list(inner) + around[2:]


def short(event):
    return {"interrupt_start": "+%d", "interrupt_end": "-%d"}.get(event[0], event[0] + " %d") % event[1]


EXACT = {
    NESTED: nested(LOW, *nested(HIGH, *handled(SYSTICK))),
    CHAINED: handled(MIDDLE) + handled(MIDDLE + 1) + handled(LOW),
    AGAIN: handled(LOW) * 2,
    UNTRACED: ["u1 23", "u3 23", "u4 11"],
    THREADS: (handled(HIGH) + handled(LOW)) * 5,
    SET: handled(CHANGED) * 2 + handled(LOW),
    FPU: nested(LOW, *handled(HIGH)),
}
logged, counted, stacks, hits = collections.Counter(), {}, set(), set()
for cpu, list_ in events.items():
    open_, part, parts = [], None, []
    for name, number, value in list_:
        if name == "u0":
            part = number
            parts.append((part, []))
        elif name == "interrupt_start":
            open_.append(number)
            logged[cpu, number] += 1
        elif name == "interrupt_end":
            assert open_.pop() == number, (number, open_)
        elif name in ("u1", "u3") and number != KEPT:
            assert open_[-1] == number, (name, number, open_)
        elif name in ("u1", "u3"):
            assert number not in open_
            logged[cpu, number] += name == "u1"
        if name == "u1" and kind == "trace" and number != KEPT:
            stacks.add(value)
        elif name == "u2":
            hits.add(value)
        elif name == "u4":
            assert value >= 0xFFFFFF80, hex(value)
        elif name == "u5":
            counted[number >> 8, number & 255] = value
        if parts and name != "u0":
            parts[-1][1].append(short((name, number, value)))
    assert not open_
    for part, seen in parts:
        assert part not in EXACT or seen == EXACT[part] or cpu == 0 and len(events) > 1 and part == FPU, (part, seen)
    if kind == "trace" and cpu == 0:
        assert {part for part, _ in parts} >= {NESTED, CHAINED, AGAIN, UNTRACED, THREADS, SET, SWEPT}, parts
for key, n in counted.items():
    assert logged[key] == n, (key, logged[key], n)
assert sum(logged.values()) == sum(counted.values()) > 0
summary = "%d interrupts" % sum(logged.values())

# trace-cmd's report has the same entries and exits, under the names of the handlers.
entries = collections.Counter(re.findall(r"irq_handler_entry: +irq=(\d+) name=(\S+)", report))
exits = collections.Counter(re.findall(r"irq_handler_exit: +irq=(\d+)", report))
want = collections.Counter()
for (cpu, number), n in logged.items():
    if n and (number != KEPT or kind == "isr"):
        want[str(number)] += n
assert exits == want, (exits, want)
assert {number: n for (number, name), n in entries.items()} == want, (entries, want)
if kind == "trace":
    assert max(stacks) <= 8, stacks
    # The slow path stands behind the return; a store that an interrupt has made fail is tried again by a branch. What
    # comes at the first instruction of all comes before it: the core takes the higher of the two interrupts first.
    found = 0
    for function in "enter", "log_start", "log_end":
        body = re.search(r"^[0-9a-f]+ <%s>:\n((?:.+\n)+)" % function, code, re.M)[1].replace("nop", "")
        lines = re.findall(r"^ *([0-9a-f]+):\t[0-9a-f ]+\t([a-z]\S*)(?:\t(.*))?$", body, re.M)
        ends = [i for i, (_, op, args) in enumerate(lines) if "pc}" in args or (op, args) == ("bx", "lr")]
        fast = lines[function == "enter":ends[0] + 1 if ends else None]
        again = [i for i, (_, op, _) in enumerate(fast) if op == "b.n" and fast[i - 1][1] == "cbz"]
        missed = [at for i, (at, _, _) in enumerate(fast) if int(at, 16) not in hits and i not in again]
        assert not missed, (function, missed)
        found += len(fast) - len(again)
    assert found > 50, found
    summary += ", %d bytes of stack, each of %d instructions interrupted" % (max(stacks), found)
    for number, name in entries:
        assert name == NAMES[int(number)] or int(number) == CHANGED, (number, name)
print(summary)
