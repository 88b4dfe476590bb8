"""example.py - prints the example of a header's comment: what is indented there, from the first #include on.

usage: example.py HEADER"""
import sys

lines = open(sys.argv[1], encoding="utf-8").read().split("*/")[0].split("\n")
first = next(i for i, line in enumerate(lines) if line.startswith(" *   #include"))
for line in lines[first:]:
    print(line[5:])
