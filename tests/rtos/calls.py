"""calls.py DUMP REPORT TEXT - whether trace-cmd's report of a dump and the decoder's text have the records of an
operating system's objects as FORMAT.md says, and in the same order."""
import re
import sys

sys.path.insert(0, "tests/judges")
import native  # noqa: E402
import native_rtos  # noqa: E402

LINE = re.compile(r"^.{15,}?-(\d+) +\[\d+\] +[\d.]+: (\S+?): *(.*?) *$")


def expected(trace):
    """(name, fields) of each such record; (None, code) where it is unknown."""
    named = {ident: value for (kind, ident), value in trace.facts.items() if kind == 4}
    for _, kind, *rest in trace.items[0]:
        if kind != "record" or rest[0] & 15 != 15 or rest[0] in (0x0F, 0xFF):
            continue
        code, par1, par2 = rest[:3]
        found = None if code in named else native_rtos.text(code, par1, par2, trace.facts)
        if code in named:
            yield named[code].decode().split("(")[0], "code=0x%x one=%d two=%d" % (code, par1, par2)
        else:
            yield found or ("unknown", "code=0x%x par1=%d par2=%d" % (code, par1, par2))


def main():
    dump, report, text = sys.argv[1:]
    trace = native.decode(open(dump, "rb").read())
    wanted = [(name, fields.replace('"', "_")) for name, fields in expected(trace)]
    names = {name for name, _ in wanted}
    for path in report, text:
        lines = [LINE.match(line) for line in open(path)]
        found = [line.groups()[1:] for line in lines
                 if line and line.group(2).split(":")[-1] in names and " pid=" not in line.group(3)]
        found = [(name.split(":")[-1], fields) for name, fields in found]
        for place, (ours, theirs) in enumerate(zip(wanted, found)):
            if ours != theirs:
                sys.exit("%s: event %d is %s, not %s" % (path, place, theirs, ours))
        if len(found) != len(wanted):
            sys.exit("%s: %d events, not %d" % (path, len(found), len(wanted)))
    unknown = sum(name == "unknown" for name, _ in wanted)
    print("%d records of %d kinds, %d of them unknown" % (len(wanted), len(names), unknown))


main()
