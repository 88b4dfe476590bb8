"""expect.py REPORT EXPECTED [--sleeps] - whether trace-cmd's report of the stand-in's trace has exactly the lines
that its application expects, in their order; events that are derived, and the beginning and end of an interrupt's row
left out. A line "+ more" goes on with the one ahead of it. --sleeps: the clock can be set, so a sleep is as long as
the kernel says."""
import re
import sys

LINE = re.compile(r"^ *(.{15,}?-\d+) +\[\d+\] +[\d.]+: (\S+?): *(.*?) *$")
DERIVED = re.compile(r"sched_wakeup:|sched_switch:.*ISR:")


def of_report(path):
    found = [LINE.match(line) for line in open(path)]
    lines = ["%s: %s" % line.group(2, 3) for line in found if line]
    return [re.sub(r" name=.*| ret=.*", "", line) for line in lines if not DERIVED.match(line)]


def slept(path):
    """How much time passed in each sleep, in parts of what the kernel's ticks of 1 ms say."""
    found = [re.search(r" (\d+\.\d+): sleep_(?:begin|end): *value=(\d+)", line) for line in open(path)]
    marks = [(float(mark.group(1)), int(mark.group(2))) for mark in found if mark]
    return [(end[0] - begin[0]) * 1000 / (end[1] - begin[1]) for begin, end in zip(marks[::2], marks[1::2])]


def lives(lines):
    """The lines as the trace must show them where a context is created again: a number of its own from then on. Each
    life keeps its name; where several have one name, fields tell them apart."""
    created = [re.match(r"task_create: task=(.*) pid=(\d+)$", line) for line in lines]
    number = 80000
    for pid, name in sorted({(int(line.group(2)), line.group(1)) for line in created if line}):
        at = [i for i, line in enumerate(created) if line and line.group(2) == str(pid)]
        for life, (first, end) in enumerate(zip([0] + at[1:], at[1:] + [len(lines)]) if len(at) > 1 else []):
            for i in range(first, end):
                lines[i] = re.sub(r"task=%s(?!\w)" % re.escape(name), "task=%s:%d" % (name, number if life else pid),
                                  lines[i])
                if life > 0:
                    lines[i] = re.sub(r"(:|^sched_waking:.* pid=)%d\b" % pid, r"\g<1>%d" % number, lines[i])
            number += life > 0
    return lines


def main():
    if "--sleeps" in sys.argv:
        parts = slept(sys.argv[1])
        print("parts of the kernel's time that sleeps have:", *["%.4f" % part for part in parts])
        if [part for part in parts if not 0.999 < part < 1.01] or len(parts) != 2:
            sys.exit("a sleep is not as long as the kernel says")
    theirs, ours = of_report(sys.argv[1]), lives(open(sys.argv[2]).read().replace("\n+", "").split("\n")[:-1])
    if not theirs.pop().startswith("trace_stop"):
        sys.exit("the last line is not that of the dump")
    for place, (one, other) in enumerate(zip(theirs, ours)):
        if one != other:
            sys.exit("line %d is\n    %s\n  not\n    %s" % (place, one, other))
    if len(theirs) != len(ours):
        sys.exit("%d lines, not %d: %s" % (len(theirs), len(ours), (theirs[len(ours):] or ours[len(theirs):])[:3]))
    states = [sum(" %s ==> " % state in line for line in ours) for state in "RSD"]
    print("%d lines as expected; switches out of states R, S, D: %d, %d, %d" % (len(ours), *states))


main()
