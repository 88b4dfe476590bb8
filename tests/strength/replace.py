"""replace.py - replaces texts in a file; fails if one of them is not there exactly once.

usage: replace.py FILE NAME OLD NEW [OLD NEW]...     (NAME is for the error message)
       replace.py --all BUGS
BUGS: a file with such arguments, then "end", each with a zero byte behind it. They are only checked."""
import sys


def replaced(path, name, *pairs):
    text = open(path).read()
    for old, new in zip(pairs[::2], pairs[1::2]):
        if text.count(old) != 1:
            sys.exit("%s: found %d times in %s: %s" % (name, text.count(old), path, old))
        text = text.replace(old, new)
    return text


if sys.argv[1] == "--all":
    for bug in open(sys.argv[2]).read().split("\0end\0")[:-1]:
        replaced(*bug.split("\0"))
else:
    changed = replaced(*sys.argv[1:])
    open(sys.argv[1], "w").write(changed)
