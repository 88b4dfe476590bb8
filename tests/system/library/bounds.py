"""bounds.py - gives the library less and less memory for each input (options.memory_most): either it reads the same
events, or it fails with an error that names a bound with which it reads them. From the least bound that does, to ahead
of a quarter of it, many are tried, so that each place that takes much memory is refused once.

usage: bounds.py LIBRARY INPUT..."""
import ctypes as c
import hashlib
import os
import re
import sys

STEPS = 40  # bounds that are tried between two


def struct(**members):
    return type("Struct", (c.Structure,), {"_fields_": list(members.items())})


Options = struct(format=c.c_char_p, elf=c.c_char_p, elf_folders=c.c_char_p, filter=c.c_char_p, map=c.c_int,
                 by_cpu=c.c_bool, read_once=c.c_bool, has_base=c.c_bool, base=c.c_uint64, run=c.c_int64,
                 clock_hz=c.c_uint64, memory_most=c.c_uint64)
Event = struct(time=c.c_uint64, data=c.c_void_p, task=c.c_uint32, type=c.c_uint16, size=c.c_uint16, rest=c.c_uint16,
               flags=c.c_uint8, group=c.c_uint16, context=c.c_uint16)
Events = struct(event=c.POINTER(Event), n=c.c_size_t, next=c.c_size_t, cpu=c.c_uint, types=c.c_void_p)
Error = struct(text=c.c_char_p)


class Reader:
    def __init__(self, path):
        self.library = c.CDLL(path)
        self.library.tlog_decoder_new.restype = c.c_void_p
        self.library.tlog_decoder_error.restype = c.POINTER(Error)
        self.tried = 0

    def read(self, path, most):
        """What the events are, as a hash, and the error; with that bound."""
        self.tried += 1
        options, events, seen = Options(memory_most=most), Events(), hashlib.sha256()
        decoder = c.c_void_p(self.library.tlog_decoder_new(c.byref(options), c.c_size_t(c.sizeof(options))))
        result = self.library.tlog_decoder_open(decoder, path.encode())
        while result == 0 and self.library.tlog_decoder_read(decoder, c.byref(events)) == 1:
            for event in events.event[:events.n]:
                seen.update(b"%d %d %d " % (event.time, events.cpu, event.type))
                seen.update(c.string_at(event.data, event.size))
        error = self.library.tlog_decoder_error(decoder).contents.text.decode()
        self.library.tlog_decoder_free(decoder)
        return seen.hexdigest(), error


def check(reader, path):
    whole, error = reader.read(path, 0)
    if error:
        sys.exit("%s: %s" % (path, error))

    def is_enough(most):
        seen, error = reader.read(path, most)
        told = re.fullmatch(r"%s: options.memory_most: %d bytes of memory are too few; (\d+) would do"
                            % (re.escape(path), most), error)
        if error and not told:
            sys.exit("%s: with %d bytes: %s" % (path, most, error))
        if not error and seen != whole:
            sys.exit("%s: with %d bytes there are other events" % (path, most))
        if told and not would_do.get(int(told[1])):
            would_do[int(told[1])] = reader.read(path, int(told[1])) == (whole, "")
            if not would_do[int(told[1])]:
                sys.exit("%s: with %d bytes: %s would not do" % (path, most, told[1]))
        return not error

    would_do, enough = {}, 1 << 30
    while enough > 1 and is_enough(enough // 2):
        enough //= 2
    few = enough // 2
    for most in list(range(few, enough, max(1, (enough - few) // STEPS))) + [1 << bit for bit in range(10, 20)]:
        if is_enough(most) and most < enough:
            enough = most
    if enough < 100000:
        sys.exit("%s: %d bytes are enough? Then memory is not counted" % (path, enough))
    print("%s: about %d KiB are enough, %s MiB are told" % (os.path.basename(path), enough >> 10,
                                                            max(would_do) >> 20))


reader = Reader(sys.argv[1])
for path in sys.argv[2:]:
    check(reader, path)
print("%d readings" % reader.tried)
