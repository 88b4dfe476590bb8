"""counts.py - compares what count.py counted with what `tlog-decode --info --json`, on standard input, tells.

usage: counts.py COUNTED"""
import json
import sys

counted, told = json.load(open(sys.argv[1])), json.load(sys.stdin)[0]
types = {"%s:%s" % (row["system"], row["event"]): row["count"] for row in told["types"]}
wrong = ["%s is %s, --info has %s" % (name, value, told[name]) for name, value in counted.items()
         if name not in ("error", "types") and value != told[name]]
wrong += ["%s: %s events, --info has %s" % (name, counted["types"].get(name), types.get(name))
          for name in sorted(set(types) | set(counted["types"])) if counted["types"].get(name) != types.get(name)]
if counted["error"] or wrong or counted["events"] < 5000:
    sys.exit("\n".join([counted["error"]] + wrong))
print("ctypes: %d events of %d types as --info counts them" % (counted["events"], len(types)))
