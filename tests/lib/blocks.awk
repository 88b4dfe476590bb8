# blocks.awk - prints the lines of the fenced blocks of a document's section, without the fences.
# usage: awk -v section=WORDS -f tests/lib/blocks.awk FILE.md     (WORDS: how the section's heading begins)
/^```/ { fenced = !fenced; next }
!fenced && /^#+ / { heading = $0; sub(/^#+ /, "", heading); inside = index(heading, section) == 1 }
fenced && inside
