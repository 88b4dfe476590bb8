"""smp.py REPORT - whether each core's switches and delays are those that app.c computes from the round."""
import re
import sys

TASKS, ROUNDS = 3, 300
LINE = re.compile(r"^ *.{15,}?-\d+ +\[(\d+)\] +[\d.]+: (sched_switch|delay|context_switch): *(.*?) *$")


def behind(n):
    return (2 * n // 3 + 2) % TASKS


def shown(core, task):
    number = core * TASKS + task + 1
    return "idle:0 [0]" if task == TASKS - 1 else "task%d%s:%d [%d]" % (core, "ab"[task], number, task + 1)


def expected(core):
    yield "sched_switch: boot:65536 [0] X ==> " + shown(core, behind(0))
    for n in range(ROUNDS):
        here, there = behind(n), behind(n + 1)
        waits = here != TASKS - 1 and n % 2 == 0 and here != there
        if waits:
            yield "delay: ticks=%d" % n
        if here == there:
            yield "context_switch: task=" + shown(core, here).split(":")[0]
        else:
            yield "sched_switch: %s %s ==> %s" % (shown(core, here), "S" if waits else "R", shown(core, there))


def main():
    found = [LINE.match(line) for line in open(sys.argv[1])]
    for core in 0, 1:
        theirs = ["%s: %s" % line.group(2, 3) for line in found if line and int(line.group(1)) == core]
        ours = list(expected(core))
        for place, (one, other) in enumerate(zip(theirs, ours)):
            if one != other:
                sys.exit("core %d, line %d is\n    %s\n  not\n    %s" % (core, place, one, other))
        if len(theirs) != len(ours):
            sys.exit("core %d: %d lines, not %d" % (core, len(theirs), len(ours)))
    print("2 cores, %d lines each as expected" % len(ours))


main()
