"""replace.py - replaces texts in a file; fails if one of them is not there exactly once.

usage: replace.py FILE NAME OLD NEW [OLD NEW]...     (NAME is for the error message)
       replace.py --all BUGS
BUGS: a file with such arguments, then "end", each with a zero byte behind it. They are only checked, all of them."""
import sys


def replaced(path, name, *pairs):
    text = open(path).read()
    for old, new in zip(pairs[::2], pairs[1::2]):
        if text.count(old) != 1:
            raise ValueError("%s: found %d times in %s: %s" % (name, text.count(old), path, old))
        text = text.replace(old, new)
    return text


def check_all(bugs):
    wrong = 0
    for bug in bugs:
        try:
            replaced(*bug.split("\0"))
        except ValueError as why:
            print(why)
            wrong += 1
    print("%d of %d bugs can be made" % (len(bugs) - wrong, len(bugs)))
    return wrong != 0


if sys.argv[1] == "--all":
    sys.exit(check_all(open(sys.argv[2]).read().split("\0end\0")[:-1]))
try:
    changed = replaced(*sys.argv[1:])
except ValueError as error:
    sys.exit(str(error))
open(sys.argv[1], "w").write(changed)
