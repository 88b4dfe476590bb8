"""compare.py - checks that the example of tlog_decode.h prints the events that tlog-decode writes as JSON lines: all of
them, each with its time, CPU, type, fields, and the names of tasks, interrupts and mutexes.

usage: compare.py ROWS.jsonl PRINTED

What a print format names, the values of an enumeration, the example shows as numbers: ENUMERATIONS are those of the
demo."""
import json
import sys

ENUMERATIONS = {("irq_handler_exit", "ret"), ("motor_state", "state")}


def shown(row):
    fields, text = row["fields"], "%d ns, CPU %d: %s" % (row["time_ns"], row["cpu"], row["event"])
    for name, value in fields.items():
        if name.endswith("_name") and name[:-5] in fields:
            continue
        named = (row["event"], name) not in ENUMERATIONS
        text += " %s=%s" % (name, fields.get(name + "_name", value) if named else value)
    return text


def main(rows, printed):
    expected = [shown(json.loads(line)) for line in open(rows, encoding="utf-8")]
    lines = open(printed, encoding="utf-8").read().splitlines()
    for number, (want, got) in enumerate(zip(expected, lines), 1):
        if want != got:
            sys.exit("%s:%d: %s\n  the tool has: %s" % (printed, number, got, want))
    if len(expected) != len(lines) or len(lines) < 5000:
        sys.exit("%s: %d events, the tool has %d" % (printed, len(lines), len(expected)))
    print("%s: %d events as the tool has them" % (printed.rsplit("/", 1)[-1], len(lines)))


main(*sys.argv[1:])
