"""replace.py - replaces texts in a file; fails if one of them is not there exactly once.

usage: replace.py FILE NAME OLD NEW [OLD NEW]...     (NAME is for the error message)"""
import sys

path, name = sys.argv[1:3]
text = open(path).read()
for old, new in zip(sys.argv[3::2], sys.argv[4::2]):
    if text.count(old) != 1:
        sys.exit("%s: found %d times in %s: %s" % (name, text.count(old), path, old))
    text = text.replace(old, new)
open(path, "w").write(text)
