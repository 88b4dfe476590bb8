"""Replace texts in a file, each of which must be there exactly once: replace.py FILE NAME OLD NEW [OLD NEW]..."""
import sys

path, name = sys.argv[1:3]
text = open(path).read()
for old, new in zip(sys.argv[3::2], sys.argv[4::2]):
    if text.count(old) != 1:
        sys.exit("%s: found %d times in %s: %s" % (name, text.count(old), path, old))
    text = text.replace(old, new)
open(path, "w").write(text)
