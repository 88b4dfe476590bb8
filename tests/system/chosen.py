"""chosen.py - --task, --irq, --event, --time, --around and --cpu leave the same as an independent selection from
text-full; no figure of --stat is of the time between two windows.

usage: chosen.py DECODER ELF DUMP DIR
"""
import collections
import json
import re
import subprocess
import sys

decoder, elf, dump, folder = sys.argv[1:]


def decode(*options):
    return subprocess.run([decoder, "-q", "--elf=" + elf, "--map=exact", *options], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def of_task(line):
    return "control-2 " in line[:24] or re.search(r" sched:.*pid=2 ", line) is not None


def in_adc(lines):
    inside, left = False, []
    for line in lines:
        inside |= "irq_handler_entry: irq=25 " in line
        if inside:
            left.append(line)
        inside &= "irq_handler_exit: irq=25 " not in line
    return left


def choose(pattern):
    return lambda lines: [line for line in lines if re.search(pattern, line)]


def ns(line):
    return int(line.split("]")[1].split(":")[0].replace(".", ""))


def seconds(time):
    return "%d.%09d" % (time // 10**9, time % 10**9)


def within(*windows):
    return lambda lines: [line for line in lines if any(a <= ns(line) <= b for a, b in windows)]


between = within((500000000, 600000000))


def times_of(lines, name):
    return [ns(line) for line in lines if re.search(r"\]\s+[0-9.]+: \w+:" + name + ": ", line)]


def logged(lines):
    """The lines, without those that tell what runs where a window begins, and that this is not known behind it."""
    entries = set(times_of(whole, "irq_handler_entry"))
    return [line for line in lines if not re.search(r"<\.\.\.>|,derived,| ret=4$", line)
            and not ("irq_handler_entry: " in line and ns(line) not in entries)]


def tasks(lines):
    return [line for line in lines if of_task(line)]


CASES = [(["--task=contro?"], tasks), (["--task=2"], tasks), (["--irq=adc"], in_adc), (["--irq=25"], in_adc),
         (["--event=adc_*,sched:*"], choose(r"\]\s+[0-9.]+: (sched:|user:adc_)")), (["--time=0.5..0.6"], between),
         (["--cpu=0"], lambda lines: lines), (["--cpu=1"], lambda lines: []),
         (["--time=0.5..0.6", "--task=control"], lambda lines: tasks(between(lines)))]
decode(dump, "-o", folder + "/all.dat")
whole = decode("--format=text-full", dump).splitlines()[1:]
# Both ends of a window are in it, to the ns: those of times, and those of events.
first, last = ns(whole[len(whole) // 3]), ns(whole[len(whole) // 2])
misses, steps = times_of(whole, "task_deadline_miss"), times_of(whole, "control_step_begin")
motor = times_of(whole, "motor_state")
after = next(time for time in steps if time > misses[0])
assert len(misses) == 4 and min(b - a for a, b in zip(misses, misses[1:])) > 20000000
near = [time - misses[1] for time in map(ns, whole)]
sample = next(a for a, b in zip(whole, whole[1:]) if "user:adc_sample: " in a and "irq_handler_exit" not in b)
ahead, behind = (min(t for t in near if t > 1000000), -max(t for t in near if t < -1000000))
CASES += [
    (["--time=%s..%s" % (seconds(first), seconds(last))], within((first, last))),
    (["--time=%s..%s" % (seconds(first + 1), seconds(last - 1))], within((first + 1, last - 1))),
    (["--time=task_deadline_miss..task_deadline_miss"], within((misses[0], misses[1]))),
    (["--time=shark:task_deadline_m*..control_step_begin"], within((misses[0], after))),
    (["--time=..task_deadline_miss"], within((0, misses[0]))),
    (["--time=task_deadline_miss.."], within((misses[0], 10**12))),
    (["--time=0.5..motor_state"], within((500000000, min(t for t in motor if t >= 500000000)))),
    (["--time=task_deadline_miss..0.6", "--task=control"],
     lambda lines: tasks(within((misses[0], 600000000))(lines))),
    (["--time=%s.." % seconds(ns(sample) + 1), "--irq=adc"],  # begins inside of an interrupt
     lambda lines: within((ns(sample) + 1, 10**12))(in_adc(lines))),
    (["--around=task_deadline_miss:50us"], within(*((t - 50000, t + 50000) for t in misses))),
    (["--around=shark:task_deadline_miss:0.3s"], within(*((t - 300000000, t + 300000000) for t in misses))),
    (["--around=task_deadline_miss:%dns,%dns" % (behind, ahead)],
     within(*((t - behind, t + ahead) for t in misses))),
    (["--around=task_deadline_miss:%dns,%dns" % (behind - 1, ahead - 1)],
     within(*((t - behind + 1, t + ahead - 1) for t in misses))),
    (["--around=task_deadline_miss:1ms,0s", "--around=motor_*:20us"],
     within(*((t - 1000000, t) for t in misses), *((t - 20000, t + 20000) for t in motor))),
    (["--around=motor_state:1.5ms", "--time=0.5..0.6", "--irq=adc"],
     lambda lines: [line for line in between(within(*((t - 1500000, t + 1500000) for t in motor))(lines))
                    if line in in_adc(whole)])]
assert not any(ns(line) == 0 for line in whole)
for options, selection in CASES:
    wanted = selection(whole)
    assert decode(*options, "--format=text-full", dump).splitlines()[1:] == wanted, options
    decode(*options, dump, "-o", folder + "/some.dat")
    for each in ([*options, folder + "/all.dat"], [folder + "/some.dat"]):
        assert len(logged(decode("--format=text-full", *each).splitlines())) - 1 == len(wanted), each
    assert len(logged(decode(*options, "--format=csv", dump).splitlines())) - 1 == len(wanted), options
    with open(dump, "rb") as pipe:
        piped = subprocess.run(["sh", "-c", 'cat | "$@"', "sh", decoder, "-q", "--elf=" + elf, "--map=exact", *options,
                                "--format=text-full", "-"], stdin=pipe, stdout=subprocess.PIPE, text=True, check=True)
    assert piped.stdout.splitlines()[1:] == wanted, options
    assert json.loads(decode(*options, "--stat", "--json", dump))[0]["events"] == len(wanted), options
    print(*options, len(wanted), "of", len(whole))


# What is told of windows is what ran in them, up to their ends; and nothing of what was left out.
def runs(lines):
    """From a time on: the task that runs, and whether an interrupt runs above it."""
    task, inside = 65536, 0
    for line in lines:
        found = re.search(r"sched:sched_switch: .* next_pid=(\d+) |irq:irq_handler_(entry|exit): ", line)
        if found:
            task = int(found[1]) if found[1] else task
            inside += {"entry": 1, "exit": -1}.get(found[2], 0)
        yield ns(line), task, inside > 0


told = json.loads(decode("--around=task_deadline_miss:2ms", "--stat", "--json", dump))[0]
windows = [(t - 2000000, t + 2000000) for t in misses]
wanted, moments = collections.Counter(), list(runs(whole))
for (begin, task, inside), (end, *_) in zip(moments, moments[1:]):
    for low, high in windows:
        length = max(0, min(end, high) - max(begin, low))
        wanted[task, inside] += length
        wanted["idle" if task == 0 and not inside else "busy"] += length
(cpu,) = told["load"]
assert told["chosen"] == 16000000 and told["stretches"] == 4, told
assert (cpu["busy"], cpu["idle"], cpu["unknown"]) == (wanted["busy"], wanted["idle"], 0), (cpu, wanted)
assert abs(cpu["load"] - wanted["busy"] / 16000000) < 1e-6, cpu
for task in told["tasks"]:
    have = task["running"], task["interrupted"]
    assert have == (wanted[task["pid"], False], wanted[task["pid"], True]), (task, wanted)
assert all(each["cycle"]["max"] <= 4000000 for each in told["tasks"] if each["cycle"]["count"]), told["tasks"]
print("--around and --stat:", wanted["busy"], "ns of", told["chosen"])
