"""replace.py - replaces texts in a file; fails if one of them is not there exactly once.

usage: replace.py [-o OUTPUT] FILE NAME OLD NEW [OLD NEW]...     (NAME is for the error message)

Without OUTPUT the file itself is changed."""
import sys

output = sys.argv[2] if sys.argv[1] == "-o" else None
path, name, *pairs = sys.argv[3 if output else 1:]
text = open(path).read()
for old, new in zip(pairs[::2], pairs[1::2]):
    if text.count(old) != 1:
        sys.exit("%s: found %d times in %s: %s" % (name, text.count(old), path, old))
    text = text.replace(old, new)
open(output or path, "w").write(text)
