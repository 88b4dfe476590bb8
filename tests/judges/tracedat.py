#!/usr/bin/env python3
"""tracedat.py - reads trace.dat 6 and 7. Written from the manual pages of the formats alone; it shares no code with the
decoder.

  judges/tracedat.py events FILE       print a line per event: CPU, time, system and name, pid, flags, fields
  judges/tracedat.py text FILE TEXT    compare its events with tlog-decode's text of the same input; print nothing if
                                       they are the same
  judges/tracedat.py sections FILE     print a line per section and option (version 7), as trace-cmd dump does
  judges/tracedat.py pages FILE DIR    write a file of pages per CPU, DIR/cpuN, as trace-cmd restore takes them

Payloads are shown field by field, as the formats in the file lay them out. So files of different byte order can be
compared. Whatever is wrong in a file is an AssertionError.
"""
import os
import re
import struct
import subprocess
import sys
import zlib


class File:
    """A whole file. at: where the next number or text is taken from, in the file or in a section's content."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        assert self.bytes[:10] == b"\x17\x08\x44tracing", "no magic"
        self.at = 10
        self.version = self.string(self.bytes)
        self.order = "<>"[self.bytes[self.at]]
        self.long = self.bytes[self.at + 1]
        self.at += 2
        self.page_size = self.take("I")
        self.options = []
        self.sections = {}
        self.compression = "none"
        (self.read7 if self.version == "7" else self.read6)()

    # ---- pieces ----

    def take(self, kind, data=None):
        data = self.bytes if data is None else data
        (value,) = struct.unpack_from(self.order + kind, data, self.at)
        self.at += struct.calcsize("=" + kind)
        return value

    def string(self, data):
        end = data.index(0, self.at)
        text = data[self.at:end].decode("latin-1")
        self.at = end + 1
        return text

    def get(self, data, size):
        assert self.at + size <= len(data), "cut short"
        self.at += size
        return data[self.at - size:self.at]

    def unpack(self, data, size):
        if self.compression == "zlib":
            data = zlib.decompress(data)
        else:
            data = subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
        assert len(data) == size, "uncompressed size"
        return data

    def sized(self, data, kind):
        """Bytes behind a number that says how many they are."""
        return self.get(data, self.take(kind, data))

    # ---- contents of sections 16 to 21, which both versions have ----

    def metadata(self, kind, data):
        if kind == 16:
            assert self.string(data) == "header_page"
            self.header_page = self.sized(data, "Q").decode()
            assert self.string(data) == "header_event"
            self.header_event = self.sized(data, "Q").decode()
            self.commit = int(re.search(r"commit;\toffset:8;\tsize:(\d+)", self.header_page).group(1))
        elif kind == 17:
            self.formats = [("ftrace", self.sized(data, "Q").decode()) for _ in range(self.take("I", data))]
        elif kind == 18:
            for _ in range(self.take("I", data)):
                system = self.string(data)
                self.formats += [(system, self.sized(data, "Q").decode()) for _ in range(self.take("I", data))]
        elif kind == 19:
            self.kallsyms = self.sized(data, "I").decode()
        elif kind == 20:
            self.printk = self.sized(data, "I").decode()
        elif kind == 21:
            self.cmdlines = self.sized(data, "Q").decode()

    # ---- version 7 ----

    def section(self, at, kind):
        """Flags and content of a section, decompressed unless it holds pages."""
        self.at = at
        assert self.take("H") == kind, "section %d is not at %d" % (kind, at)
        flags, _, size = self.take("H"), self.take("I"), self.take("Q")
        assert self.at + size <= len(self.bytes), "section %d is cut short" % kind
        data = self.bytes[self.at:self.at + size]
        if flags & 1 and kind != 3:
            packed, whole = struct.unpack_from(self.order + "II", data)
            assert packed == size - 8, "compressed size"
            data = self.unpack(data[8:], whole)
        return flags, data

    def read7(self):
        self.compression = self.string(self.bytes)
        self.string(self.bytes)
        at = self.take("Q")
        while at:
            at = self.read_options(self.section(at, 0)[1])
        for kind in range(16, 22):
            places = [data for option, data in self.options if option == kind]
            assert len(places) == 1, "section %d is there %d times" % (kind, len(places))
            _, data = self.section(struct.unpack(self.order + "Q", places[0])[0], kind)
            self.sections[kind] = data
            self.at = 0
            self.metadata(kind, data)
            assert self.at == len(data), "section %d is longer than its content" % kind
        (buffer,) = [data for option, data in self.options if option == 3]
        self.read_buffer(buffer)

    def read_options(self, data):
        """Take a section of options. Returns where the next one is, or 0."""
        self.at = 0
        while True:
            option = self.take("H", data)
            content = self.sized(data, "I")
            if option == 0:
                assert self.at == len(data), "options end before their section"
                return struct.unpack(self.order + "Q", content)[0]
            self.options.append((option, content))

    def read_buffer(self, data):
        self.at = 0
        place = self.take("Q", data)
        assert self.string(data) == ""
        self.string(data)
        assert self.take("I", data) == self.page_size
        cpus = [(self.take("I", data), self.take("Q", data), self.take("Q", data))
                for _ in range(self.take("I", data))]
        flags, _ = self.section(place, 3)
        self.pages = {cpu: self.cpu_pages(at, size, flags & 1) for cpu, at, size in cpus}

    def cpu_pages(self, at, size, compressed):
        """The pages of a CPU."""
        assert at % self.page_size == 0, "pages are not aligned"
        if not compressed or not size:
            return self.get_at(at, size)
        self.at = at
        parts = []
        for _ in range(self.take("I")):
            packed, whole = self.take("I"), self.take("I")
            assert whole % self.page_size == 0, "a chunk of parts of pages"
            parts.append(self.unpack(self.get(self.bytes, packed), whole))
        assert self.at == at + 4 + size, "the chunks' sizes do not add up"
        return b"".join(parts)

    def get_at(self, at, size):
        self.at = at
        return self.get(self.bytes, size)

    # ---- version 6 ----

    def read6(self):
        for kind in range(16, 22):
            self.metadata(kind, self.bytes)
        cpus = self.take("I")
        assert self.get(self.bytes, 10) == b"options  \0"
        while True:
            option = self.take("H")
            if option == 0:
                break
            self.options.append((option, self.sized(self.bytes, "I")))
        assert self.get(self.bytes, 10) == b"flyrecord\0"
        table = [(self.take("Q"), self.take("Q")) for _ in range(cpus)]
        self.pages = {cpu: self.cpu_pages(at, size, False) for cpu, (at, size) in enumerate(table)}

    # ---- events ----

    def events(self, cpu):
        """Yields ("event", time, record) and ("lost", number or "?")."""
        for start in range(0, len(self.pages[cpu]), self.page_size):
            yield from self.page(self.pages[cpu][start:start + self.page_size])

    def page(self, page):
        (time,) = struct.unpack_from(self.order + "Q", page)
        (commit,) = struct.unpack_from(self.order + "QI"[self.commit == 4], page, 8)
        at = 8 + self.commit
        end = at + (commit & 0x7FFFFFF)
        assert end <= self.page_size, "commit is longer than the page"
        if commit & 1 << 31 and commit & 1 << 30:
            yield ("lost", struct.unpack_from(self.order + "QI"[self.commit == 4], page, end)[0])
        elif commit & 1 << 31:
            yield ("lost", "?")
        while at < end:
            (word,) = struct.unpack_from(self.order + "I", page, at)
            kind, delta = (word & 31, word >> 5) if self.order == "<" else (word >> 27, word & 0x7FFFFFF)
            at += 4
            assert kind not in (29, 31), "padding, or a time stamp"
            time += delta
            if kind == 30:
                time += struct.unpack_from(self.order + "I", page, at)[0] << 27
                at += 4
                continue
            size = kind * 4
            if kind == 0:
                size = struct.unpack_from(self.order + "I", page, at)[0] - 4
                at += 4
            yield ("event", time, page[at:at + size])
            at += size
        assert at == end, "the last event is longer than the page says"
        rest = end + (self.commit if commit & 1 << 30 else 0)
        assert not any(page[rest:]), "the rest of the page is not zero"

    def fields(self, text):
        """Name, offset, size, signedness and kind (number, chars, data_loc) of the fields past the common ones."""
        found = []
        for what, offset, size, signed in re.findall(r"field:([^;]*);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);", text):
            name = re.sub(r"\[\d*\]$", "", what).split()[-1]
            kind = "data_loc" if "__data_loc" in what else "chars" if what.endswith("]") else "number"
            if not name.startswith("common_"):
                found.append((name, int(offset), int(size), int(signed), kind))
        return found

    def values(self, formats, data):
        """Yields name and value of each field of a record."""
        (ident,) = struct.unpack_from(self.order + "H", data)
        for field, offset, size, signed, kind in formats[ident][2]:
            raw = data[offset:offset + size]
            if kind == "chars":
                value = raw.split(b"\0")[0].decode("latin-1")
            else:
                value = int.from_bytes(raw, "little" if self.order == "<" else "big", signed=bool(signed))
            if kind == "data_loc":
                value = data[value & 0xFFFF:(value & 0xFFFF) + (value >> 16)].rstrip(b"\0").decode("latin-1")
            yield (field, value)

    def show(self, formats, data):
        (ident,) = struct.unpack_from(self.order + "H", data)
        (pid,) = struct.unpack_from(self.order + "i", data, 4)
        shown = ["%s:%s" % formats[ident][:2], "%d" % pid, "%d" % data[2]]
        return " ".join(shown + ["%s=%s" % pair for pair in self.values(formats, data)])

    def tables(self):
        """By the id of an event: its system, its name, its fields."""
        formats = {}
        for system, text in self.formats:
            name, ident = re.search(r"^name: (.*)\nID: (\d+)\n", text).groups()
            assert int(ident) not in formats, "an id is there twice"
            formats[int(ident)] = (system, name, self.fields(text))
        return formats


def show_events(file):
    formats = file.tables()
    for cpu in sorted(file.pages):
        for event in file.events(cpu):
            if event[0] == "lost":
                print(cpu, "lost", event[1])
            else:
                print(cpu, event[1], file.show(formats, event[2]))


def show_sections(file):
    """Print what trace-cmd dump --sections --options does, without its blanks, and without names and contents of
    options."""
    file.at = 18
    file.string(file.bytes), file.string(file.bytes), file.take("Q")
    found, strings = [], b""
    while file.at < len(file.bytes):
        at = file.at
        kind, flags, name, size = file.take("H"), file.take("H"), file.take("I"), file.take("Q")
        data = file.get(file.bytes, size)
        strings += data if kind == 15 else b""
        sizes = "%d bytes" % size
        if flags & 1:
            packed = struct.unpack_from(file.order + "II", data)
            sizes = "%d compressed, %d uncompressed" % packed if kind != 3 else "%d compressed bytes" % size
        found.append((kind, at, name, flags, sizes))
    for kind, at, name, flags, sizes in found:
        title = strings[name:strings.index(0, name)].decode()
        print('Section %d @ %d "%s", flags 0x%x, %s' % (kind, at, title, flags, sizes))
    for option, data in file.options:
        print("Option %d bytes" % len(data))
    print("Option 8 bytes")  # the one that says where there are more


def text_events(path):
    """Yields time, CPU, events lost before it, name, task and fields of each event in a text. A loss behind the last
    event of a CPU has no time and the name that such a loss has in the file."""
    with open(path, encoding="latin-1") as file:
        assert file.readline().startswith("cpus=")
        lost = {}
        for line in file:
            loss = re.match(r"CPU:(\d+) \[(?:DAMAGED INPUT: )?(\d+)? ?EVENTS", line)
            if loss:
                cpu = int(loss.group(1))
                old = lost.get(cpu, 0)
                lost[cpu] = "?" if old == "?" or not loss.group(2) else old + int(loss.group(2))
                continue
            task, cpu, seconds, ns, name, fields = re.match(
                r".*-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): (\w+:\w+):(.*)", line).groups()
            values = {field: value for field, value in re.findall(r" (\w+)=((?:(?! \w+=).)*)", fields)}
            yield (int(seconds + ns), int(cpu), lost.pop(int(cpu), 0), name, int(task), values)
        for cpu, count in lost.items():
            yield (None, cpu, count, "tlog:end_of_trace", None, {})


def file_events(file):
    """The same of all events of a file, as a list in order of time."""
    formats = file.tables()
    found = []
    for cpu in sorted(file.pages):
        lost = 0
        for event in file.events(cpu):
            if event[0] == "lost":
                lost = event[1]
                continue
            name, pid, *_ = file.show(formats, event[2]).split(" ")
            found.append((event[1], cpu, lost, name, int(pid), dict(file.values(formats, event[2]))))
            lost = 0
    return sorted(found, key=lambda event: event[:2])


def same_value(shown, value):
    if isinstance(value, str):
        return shown == value
    return int(shown, 0) == value


def compare_text(file, path):
    """A text leaves out optional fields that are 0, and has no event for a loss at the end."""
    theirs, n = file_events(file), 0
    ends = [event for event in theirs if event[3] == "tlog:end_of_trace"]
    theirs = [event for event in theirs if event[3] != "tlog:end_of_trace"]
    for shown in text_events(path):
        if shown[0] is None:
            assert [end[2] for end in ends if end[1] == shown[1]] == [shown[2]], "loss at the end of CPU %d" % shown[1]
            continue
        event = theirs[n]
        n += 1
        assert shown[:5] == event[:5], "text has %r, the file %r" % (shown, event)
        for field, value in event[5].items():
            alike = same_value(shown[5][field], value) if field in shown[5] else value == 0
            assert alike, "%s: text has %r, the file %r" % (field, shown, event)
    assert n == len(theirs), "the file has %d events, text %d" % (len(theirs), n)


def write_pages(file, directory):
    os.makedirs(directory, exist_ok=True)
    for cpu, pages in file.pages.items():
        with open("%s/cpu%d" % (directory, cpu), "wb") as output:
            output.write(pages)


def main(what, path, *more):
    file = File(path)
    if what == "events":
        show_events(file)
    elif what == "text":
        compare_text(file, more[0])
    elif what == "sections":
        show_sections(file)
    else:
        write_pages(file, more[0])


main(*sys.argv[1:])
