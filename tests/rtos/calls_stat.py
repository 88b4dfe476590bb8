"""calls_stat.py TEXT JSON INPUT - whether --stat of calls.c, made from INPUT, counts the mutex that tasks share, by its
name as it is, and not the one that is made a sleep: neither among mutexes, nor as a wait for a lock, nor as an
inversion; as text and as JSON."""
import json
import os
import re
import sys

text, stat = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))[0]
# A trace.dat has it in print formats, which take neither sign.
held = "he_l_d" if os.path.basename(sys.argv[3]) == "trace.dat" else 'he"l\\d'
mutexes = {it["mutex"]: (it["held"]["count"], it["waited"]["count"]) for it in stat["mutexes"]}
ROW = r"^(\S+) +(\d+) +\S+ \S+ +\S+ +(\d+) +\S+ \S+ +\S+ +\d+$"
shown = {row[0]: (int(row[1]), int(row[2])) for row in re.findall(ROW, text.split("Mutexes ")[1], re.M)}
waits = [(it["object"], it["lock"], it["count"]) for task in stat["tasks"] for it in task["blocked"]
         if it["object"] in ("sleep", held)]
if mutexes.get(held) != (3, 1) or "sleep" in mutexes or shown != mutexes:
    sys.exit("mutexes: %s, as text %s" % (mutexes, shown))
if sorted(waits) != [(held, True, 1), ("sleep", False, 2)] or "inversions: " in text or stat["inversions"]:
    sys.exit("waits: %s" % waits)
