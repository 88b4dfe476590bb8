"""count.py - counts a dump's events of each type by the shared library: as a program in another language would.

usage: count.py LIBRARY DUMP open|bytes|pieces"""
import collections
import ctypes as c
import json
import sys


def struct(**members):
    return type("Struct", (c.Structure,), {"_fields_": list(members.items())})


Read = c.CFUNCTYPE(c.c_size_t, c.c_void_p, c.c_uint64, c.c_void_p, c.c_size_t)
Options = struct(format=c.c_char_p, elf=c.c_char_p, elf_folders=c.c_char_p, filter=c.c_char_p, map=c.c_int)
Bytes = struct(name=c.c_char_p, size=c.c_uint64, read=Read, ctx=c.c_void_p)
Type = struct(system=c.c_char_p, name=c.c_char_p)
Event = struct(time=c.c_uint64, data=c.c_void_p, task=c.c_uint32, type=c.c_uint16, size=c.c_uint16, rest=c.c_uint16,
               flags=c.c_uint8, group=c.c_uint16, context=c.c_uint16)
Events = struct(event=c.POINTER(Event), n=c.c_size_t, next=c.c_size_t, cpu=c.c_uint, types=c.POINTER(c.POINTER(Type)))
Error = struct(text=c.c_char_p)
Info = struct(format=c.c_char_p, target=c.c_char_p, cpus=c.c_uint, other_firmware=c.c_bool, clock_hz=c.c_uint64,
              start_ns=c.c_uint64, events=c.c_uint64, derived=c.c_uint64, dropped=c.c_uint64, overwritten=c.c_uint64,
              unfinished=c.c_uint64, left_out=c.c_uint64, damaged=c.c_uint64, gaps=c.c_uint64, first=c.c_uint64,
              last=c.c_uint64)
NATIVE = 2

library, dump, how = c.CDLL(sys.argv[1]), sys.argv[2].encode(), sys.argv[3]
library.tlog_decoder_new.restype = c.c_void_p
library.tlog_decoder_error.restype = c.POINTER(Error)
data = open(dump, "rb").read()


@Read
def read(_, offset, to, n):
    c.memmove(to, data[offset:offset + n], n)
    return n


options, events, info, counts = Options(map=NATIVE), Events(), Info(), collections.Counter()
decoder = c.c_void_p(library.tlog_decoder_new(c.byref(options), c.c_size_t(c.sizeof(options))))
if how == "open":
    result = library.tlog_decoder_open(decoder, dump)
elif how == "bytes":
    result = library.tlog_decoder_open_bytes(decoder, c.byref(Bytes(dump, len(data), read, None)))
else:
    for at in range(0, len(data), 1000):
        library.tlog_decoder_push(decoder, data[at:at + 1000], c.c_size_t(len(data[at:at + 1000])))
    result = library.tlog_decoder_finish(decoder)
while result == 0 and library.tlog_decoder_read(decoder, c.byref(events)) == 1:
    for event in events.event[:events.n]:
        kind = events.types[event.type].contents
        counts[kind.system.decode() + ":" + kind.name.decode()] += 1
library.tlog_decoder_info(decoder, c.byref(info), c.c_size_t(c.sizeof(info)))
error = library.tlog_decoder_error(decoder).contents.text.decode()
library.tlog_decoder_free(decoder)
print(json.dumps({"error": error, "types": counts, **{name: getattr(info, name) for name in (
    "cpus", "clock_hz", "events", "dropped", "overwritten", "unfinished", "left_out", "damaged", "first", "last")}}))
