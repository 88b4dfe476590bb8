#!/usr/bin/env python3
"""chunks.py - checks which events of tests/system/shark/chunks.c are in the decoder's text, and in which order. The
expected numbers were counted by hand from the program's calls.

usage: chunks.py TEXT"""
import re
import sys

text = open(sys.argv[1]).read()
numbers = [int(n) for n in re.findall(r"shark:user_event_[01]: .*par2=(\d+)", text)]
urgent = [int(n) for n in re.findall(r"par2=(\d+).*\(emergency slot\)", text)]
assert numbers == sorted(numbers), numbers
# Numbers by chunk, in the order of logging: the default chunk 0..9; a 10..39; b 40..59; a 60..319, of which its 100
# slots keep 220..319; d 320..383, which was deleted; b 384..403; c 404..453; lost 454..460; emergency slots 461 (the
# deadline miss) and 462; lost 463..465; a 466..490, which overwrite 220..244; those are kept in the compressed region.
kept = [*range(0, 10), *range(40, 60), *range(220, 320), *range(384, 454), 462, *range(466, 491)]
assert numbers == kept, sorted(set(kept) ^ set(numbers))
assert urgent == [462], urgent
assert re.search(r"task_deadline_miss: .*\(emergency slot\)", text)
assert re.search(r"DROPPED|lost 10 |count=10", text)
print(len(numbers), "events")
