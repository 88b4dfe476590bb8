"""check.py - checks that each event carries the context that its handler stored in par1, in the dump and in the
decoder's text. The dump is read as target/FORMAT.md says, without code of tlog.

usage: check.py DUMP TEXT LEAST     (LEAST: how many events there must be at least)"""
import re, struct, sys

dump, text, least = open(sys.argv[1], "rb").read(), open(sys.argv[2]).read(), int(sys.argv[3])
EXCEPTIONS = {2: "nmi", 3: "hardfault", 11: "svc", 14: "pendsv", 15: "systick"}
MODES = {0x11: "fiq", 0x12: "irq", 0x13: "supervisor", 0x17: "abort", 0x1B: "undefined"}
found, urgent, kinds, times = set(), 0, set(), {}
for at in range(0, len(dump) - 128, 4):
    if dump[at:at + 8] != b"\xed\xb7\xd6\x00TLOG":
        continue
    place, slots, emergency = struct.unpack_from("<I", dump, at + 12)[0], *struct.unpack_from("<II", dump, at + 16)
    kind = place >> 22 & 3
    if place >> 16 & 63 == 1:
        assert kind == 0, "names have no context"
        continue
    kinds.add(kind)
    for i in range(slots + 1 + emergency):
        par2, high, low, head = struct.unpack_from("<4I", dump, at + 128 + 16 * i)
        if head >> 10 & 31 or head & 0xFF not in (0x09, 0x19):
            continue
        context, wraps = high & 511, high >> 9 & 0x3FFFFF
        assert context == head >> 16, "slot %d: context %d, logged in %d" % (i, context, head >> 16)
        assert high >> 31 == low >> 31
        found.add(par2)
        urgent += head & 0xFF == 0x19
        times[par2] = wraps << 32 | low
assert len(kinds) == 1 and kinds <= {1, 2}, kinds
assert found == set(range(len(found))) and len(found) >= least, sorted(found)
assert [times[n] for n in sorted(times)] == sorted(times.values())
is_mode = kinds == {2}
shown = 0
for line in text.splitlines():
    m = re.search(r"user_event_[01]: par1=(\d+) par2=(\d+)(.*)$", line)
    if not m:
        continue
    number = int(m[1])
    name = MODES.get(number) if is_mode else EXCEPTIONS.get(number) or ("irq %d" % (number - 16) if number else None)
    tail = (" (%s)" % name if name else "") + (" (emergency slot)" if "user_event_1" in line else "")
    assert m[3] == tail, line
    shown += 1
assert shown == len(found), (shown, len(found))
contexts = set(re.findall(r"par1=(\d+) par2", text))
print("%d events in %d contexts, %d in an emergency slot" % (shown, len(contexts), urgent))
