#!/usr/bin/env python3
"""chunks.py TEXT: the decoder's order of what tests/system/shark/chunks.c logged, counted by hand from its calls."""
import re
import sys

text = open(sys.argv[1]).read()
numbers = [int(n) for n in re.findall(r"shark:user_event_[01]: .*par2=(\d+)", text)]
urgent = [int(n) for n in re.findall(r"par2=(\d+).*\(emergency slot\)", text)]
assert numbers == sorted(numbers), numbers
# default 0..9; a 10..39, b 40..59, a 60..319 of which 100 slots are left: 220..319, d 320..383 was deleted; b 384..403,
# c 404..453, lost 454..460, deadline miss 461, urgent 462, lost 463..465, a again 466..490, in the places of 220..244,
# which the compressed region has kept.
kept = [*range(0, 10), *range(40, 60), *range(220, 320), *range(384, 454), 462, *range(466, 491)]
assert numbers == kept, sorted(set(kept) ^ set(numbers))
assert urgent == [462], urgent
assert re.search(r"task_deadline_miss: .*\(emergency slot\)", text)
assert re.search(r"DROPPED|lost 10 |count=10", text)
print(len(numbers), "events")
