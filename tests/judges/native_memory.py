"""native_memory.py BUILD TIER - compare native.py with what memory.py makes of the rule, for images of memory. Both are
independent of tlog-decode and of each other: memory.py knows what was placed where, native.py only the bytes.
"""
import sys
from collections import Counter

import memory
import memory_cases
import native

CASES, FIRST = {"quick": 12, "full": 120}, 100000     # others than those that memory.py tries
TASK, NOTHING, DAMAGED, WHOLE = 1, 1, 2, 0
TRACEEVENT = 0x102


def items_of(trace):
    """The events of all CPUs, as memory.py has them."""
    found = Counter()
    for cpu, items in trace.items.items():
        for time, kind, *rest in items:
            ns = time * 1000000000 // trace.freq if trace.freq else time
            rest = [word for word in rest if word != "emergency"]
            if kind in ("record", "blackout"):
                found[(ns, 0, cpu, *rest[:3])] += 1
            elif kind == "traceevent":
                number, data = rest[0] << 16 | rest[1], rest[2:]
                found[ns, data[0] | data[1] << 32, cpu, TRACEEVENT, number, len(data)] += 1
    return found


def differences(case):
    """What native.py has other than the rule gives, as lines."""
    expected, trace = memory.expect(case.placed), native.decode(case.data)
    ours, theirs = items_of(trace), Counter(expected.items)
    found = ["invents %s" % (item,) for item in (ours - theirs).elements()]
    found += ["lacks %s" % (item,) for item in (theirs - ours).elements()]
    code = NOTHING if not trace.runs else DAMAGED if trace.damages else WHOLE
    if code != expected.code:
        found.append("exit code %d, must be %d: %s" % (code, expected.code, trace.damages[:2]))
    lost = sum(count[3] for count in trace.counts.values()), sum(count[1] for count in trace.counts.values())
    for told, right, what in zip(lost, (expected.overwritten, expected.dropped), ("overwritten", "dropped")):
        if right not in (memory.UNKNOWN, told):
            found.append("%s %d, must be %d" % (what, told, right))
    names = {ident: text.decode() for (kind, ident), text in trace.facts.items() if kind == TASK}
    return found + ["name of task %d" % ident for ident, text in expected.names.items() if names.get(ident) != text]


def main():
    build, tier = sys.argv[1:3]
    code, wrong, n = memory.code_of(build), 0, CASES.get(tier, 1000)
    for seed in range(FIRST, FIRST + n):
        found = differences(memory_cases.make_case(seed, code))
        if found:
            wrong += 1
            print("case %d" % seed, *found[:4], sep="\n    ")
    print("memory: %d images, native.py has what the rule gives in %d" % (n, n - wrong))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
