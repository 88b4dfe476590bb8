"""chosen.py - --task, --irq, --event, --time and --cpu leave the same as an independent selection from text-full.

usage: chosen.py DECODER ELF DUMP DIR
"""
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


def between(lines):
    return [line for line in lines if 0.5 <= float(line.split("]")[1].split(":")[0]) <= 0.6]


def tasks(lines):
    return [line for line in lines if of_task(line)]


CASES = [(["--task=contro?"], tasks), (["--task=2"], tasks), (["--irq=adc"], in_adc), (["--irq=25"], in_adc),
         (["--event=adc_*,sched:*"], choose(r"\]\s+[0-9.]+: (sched:|user:adc_)")), (["--time=0.5..0.6"], between),
         (["--cpu=0"], lambda lines: lines), (["--cpu=1"], lambda lines: []),
         (["--time=0.5..0.6", "--task=control"], lambda lines: tasks(between(lines)))]
decode(dump, "-o", folder + "/all.dat")
whole = decode("--format=text-full", dump).splitlines()[1:]
for options, selection in CASES:
    wanted = selection(whole)
    assert decode(*options, "--format=text-full", dump).splitlines()[1:] == wanted, options
    decode(*options, dump, "-o", folder + "/some.dat")
    for each in ([*options, folder + "/all.dat"], [folder + "/some.dat"]):
        assert len(decode("--format=text-full", *each).splitlines()) - 1 == len(wanted), each
    assert len(decode(*options, "--format=csv", dump).splitlines()) - 1 == len(wanted), options
    assert json.loads(decode(*options, "--stat", "--json", dump))["events"] == len(wanted), options
    print(*options, len(wanted), "of", len(whole))
