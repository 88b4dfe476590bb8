"""cpus.py - checks that a decoded run of tests/runtime/reset/cpus.c has each event that was logged once, in order, and
nothing else.

usage: cpus.py TEXT BOOT CPU...     (TEXT: the decoded run number BOOT; CPU: the CPUs of which it has events)"""
import re
import sys

EVENTS, FURTHER, BOOTS = 100, 300, 5
text, boot, cpus = open(sys.argv[1]).read().splitlines(), int(sys.argv[2]), [int(cpu) for cpu in sys.argv[3:]]
seen = {0: [], 1: []}
further, old, dropped = [], [], 0
for line in text:
    match = re.search(r"\[(\d+)\].* (\d+\.\d+): shark:user_event_([012]): par1=(\d+) par2=(\d+)$", line)
    if not match:
        lost = re.match(r"CPU:1 \[(\d+) EVENTS DROPPED\]$", line)  # logged while the other CPU made a dump
        dropped += int(lost[1]) if lost else 0
        assert "user_event" not in line and (lost or "DROPPED" not in line), line
        continue
    cpu, kind, par1, par2 = int(match[1]), match[3], int(match[4]), int(match[5])
    if kind == "2":
        old.append((cpu, par1, par2))
        continue
    assert par1 == cpu and par2 >> 16 == boot, line
    names = [f"{('first', 'second')[cpu]}-{10 * boot + cpu}"]
    if kind == "1":  # logged behind a dump, which is a pause: nobody is known to run
        names.append("<...>-69999")
    assert line.split()[0] in names, line
    (seen[cpu] if kind == "0" else further).append(par2 & 0xFFFF)
for cpu in (0, 1):
    assert seen[cpu] == (list(range(EVENTS)) if cpu in cpus else []), (cpu, seen[cpu])
assert further == sorted(set(further)) and len(further) <= FURTHER, further
assert not further or further[-1] + 1 - len(further) <= dropped, (dropped, further)
assert len(further) == 0 or (1 in cpus and boot < BOOTS)
# Run 3 took no bank of CPU 1, which therefore still holds the run that was there before: see cpus.c.
assert old == ([(0, {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}[boot], boot)] if 0 in cpus else []), old
print(f"run {boot}: {len(seen[0])} + {len(seen[1])} events, {len(further)} further ones")
