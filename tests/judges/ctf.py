#!/usr/bin/env python3
"""ctf.py DECODER DIR ARGUMENT... - a CTF trace as babeltrace2 shows it, against the rows of JSON lines: the same events
of each CPU in the same order, with the same times, tasks, contexts, numbers, texts and names; losses between the same
events. The packets' headers are read by this script itself.

DIR: where the trace is written; ARGUMENT: input files and options for the decoder. Prints what agrees.
"""
import functools
import json
import math
import os
import re
import struct
import subprocess
import sys

LINE = re.compile(r"^\[([\d.]+)\] (?:.* )?([\w:]+): \{ cpu_id = (\d+) \}, (\{.*?\}), (\{.*\})$")
LOST = re.compile(r"discarded (\d+) events? between \[([\d.]+)\] and \[([\d.]+)\] in trace .*, stream ID: (\d+)\)")
TOKEN = re.compile(r'\s*("(?:\\.|[^"\\])*"|<unknown>|[][{}(),=:]|[^][{}(),=:\s]+)')
ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|.)", re.S)
LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


class Named(int):
    """A number of an enumeration, with its names."""
    names = ()


def number(text):
    if re.match(r"-?\d+$", text):
        return int(text)
    return int(text, 16) if text[:2] == "0x" else float(text)


def nanoseconds(text):
    seconds, _, ns = text.partition(".")
    return int(seconds) * 10**9 + int(ns)


def string(text):
    return ESCAPE.sub(lambda m: chr(int(m.group(1)[1:], 16)) if m.group(1)[0] in "xu" and len(m.group(1)) > 1
                      else LETTERS.get(m.group(1), m.group(1)), text[1:-1])


def value(tokens):
    """The value that begins with the next token, which is the last one of the list."""
    token = tokens.pop()
    if token == "{":
        fields = {}
        while tokens[-1] != "}":
            name = tokens.pop()
            assert tokens.pop() == "=" and name not in fields, name
            fields[name] = value(tokens)
            tokens[-1] == "," and tokens.pop()
        tokens.pop()
        return fields
    if token == "[":
        items = []
        while tokens[-1] != "]":
            assert [tokens.pop() for _ in range(4)][3] == "="  # [0] =
            items.append(value(tokens))
            tokens[-1] == "," and tokens.pop()
        tokens.pop()
        return items
    if token == "(":
        names = []
        while tokens[-1] != "container":
            if tokens[-1][0] == '"':
                names.append(string(tokens[-1]))
            tokens.pop()
        tokens.pop(), tokens.pop()
        result = Named(number(tokens.pop()))
        result.names = names
        assert tokens.pop() == ")"
        return result
    return string(token) if token[0] == '"' else number(token)


@functools.lru_cache(maxsize=4096)
def parse(text):
    return value(TOKEN.findall(text)[::-1])


def packets(directory):
    """Read the packets' headers of all CPUs: [begin, end, discarded] of each packet, by CPU."""
    metadata = open(directory + "/metadata").read()
    assert metadata.startswith("/* CTF 1.8 */\n")
    uuid = bytes.fromhex(re.search(r'uuid = "([-0-9a-f]{36})"', metadata).group(1).replace("-", ""))
    found = {}
    for name in sorted(os.listdir(directory)):
        if name == "metadata":
            continue
        data, at, seen = open(os.path.join(directory, name), "rb").read(), 0, []
        while at < len(data):
            magic, its, stream, instance = struct.unpack_from("<I16sIQ", data, at)
            begin, end, content, size, sequence, lost, cpu = struct.unpack_from("<QQQQQQI", data, at + 32)
            assert (magic, its, stream) == (0xC1FC1FC1, uuid, 0), name
            assert 84 * 8 <= content <= size and size % 8 == 0 and at + size // 8 <= len(data), name
            assert sequence == len(seen) and begin <= end and name.endswith("_%d" % cpu), name
            assert not seen or (seen[-1][1] <= begin and seen[-1][2] <= lost) or name == "statedump_0", name
            assert seen or lost == 0, "%s begins with %d lost" % (name, lost)
            assert instance == (1 << 32 if name == "statedump_0" else cpu), name
            seen.append((begin, end, lost))
            at += size // 8
        if name != "statedump_0":
            found[int(name[len("channel0_"):])] = seen
    return found


def same_text(ours, theirs):
    """JSON shows a byte that is no UTF-8 by its number, CTF as a question mark. babeltrace2 2.0.4 shows an empty text
    as what another event had in that field before; the tests of the writer look at the bytes of empty texts."""
    if len(ours) != len(theirs):
        return theirs == ""
    return all(a == b or a == "?" for a, b in zip(ours, theirs)) or theirs == ""


def check_field(name, found, fields):
    expected, names = fields[name], fields.get(name + "_name")
    if isinstance(found, float):
        text = fields.get(name + "_text")
        expected = expected if text is None and expected is not None else float(text or "nan")
        assert math.isclose(found, expected, rel_tol=1e-5) or str(found) == str(expected), name
    elif expected is None:
        assert not found, name
    elif isinstance(found, str):
        assert same_text(found, expected), name
    elif isinstance(found, list):
        assert (bytes(found).hex() if isinstance(expected, str) else found) == expected, name
    else:
        assert found == expected, name
        if isinstance(found, Named) and names and "+" not in names and "0x" not in names:
            assert names in found.names or same_text("".join(found.names), names), name
        elif isinstance(found, Named) and names and "+" in names:
            assert names.rpartition("+")[0][:100] in [each[:100] for each in found.names], name


@functools.lru_cache(maxsize=1024)
def ctf_name(linux, name):
    """The name of a field, by that of the row."""
    return re.sub(r"^(|.*_)pid$", r"\1tid", name) if linux else re.sub(r"\W", "_", name)


def check(line, row):
    """The line is the event of the row."""
    time, event, _, common, fields = LINE.match(line).groups()
    common, fields = parse(common), parse(fields)
    linux = row["system"] in ("sched", "irq")
    assert event == (row["event"] if linux else row["system"] + ":" + row["event"]), "name"
    assert nanoseconds(time) == row.get("time_ns", row.get("time_ticks")), "time"
    assert common["tid"] == row["pid"] and common["procname"] == (row["task"] or "<...>"), "task"
    assert common["context"].names == [row["context"] or "task"], "context"
    assert bool(common["flags"] & 2) == (row["kind"] == "derived"), "flags"
    assert row["group"] == "" or common["group"].names == [row["group"]], "group"
    expected = {ctf_name(row["system"] == "sched", name): name for name in row["fields"]}
    for name in fields:
        if name[0] == "_" and name.endswith("_length"):
            assert fields[name] == len(fields[name[1:-len("_length")]]), name
        else:
            check_field(expected[name], fields[name], row["fields"])
    for name, its in expected.items():
        derived = its[-5:] in ("_name", "_text") and its[:-5] in row["fields"]
        assert name in fields or derived, "no " + name


def decode(form, *more):
    run = subprocess.run([sys.argv[1], "-q", "--format=" + form] + sys.argv[3:] + list(more), stdout=subprocess.PIPE)
    if run.returncode not in (0, 2):
        sys.exit("%s: exit code %d" % (form, run.returncode))
    return run.stdout.decode("utf-8")


def shown(directory):
    """Lines and losses that babeltrace2 shows, by CPU."""
    run = subprocess.run(["babeltrace2", "--no-delta", "--clock-seconds", directory], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    errors = run.stderr.decode("utf-8", "replace")
    wrong = [line for line in errors.splitlines() if line and not LOST.search(line)]
    if run.returncode or wrong:
        sys.exit("babeltrace2: exit code %d\n%s" % (run.returncode, "\n".join(wrong[:20])))
    lines, losses = {}, {}
    for line in run.stdout.decode("utf-8").splitlines():
        match = LINE.match(line)
        if match is None:
            sys.exit("babeltrace2: " + line)
        if not match.group(2).startswith("lttng_statedump_"):
            lines.setdefault(int(match.group(3)), []).append(line)
    for n, begin, end, stream in LOST.findall(errors):
        losses.setdefault(int(stream), []).append((int(n), nanoseconds(begin), nanoseconds(end)))
    return lines, losses


def tells_known(fields):
    """Whether a derived switch tells that it is known, or not known any more, what runs."""
    comms = fields["prev_comm"], fields["next_comm"]
    return "<...>" in comms and "ISR:" not in "".join(comms)


def main():
    directory = sys.argv[2]
    rows = [json.loads(line) for line in decode("jsonl").splitlines()]
    decode("ctf", "-o", directory)
    headers = packets(directory)
    lines, losses = shown(directory)
    events, lost = {}, {}
    last = {}
    for row in rows:
        cpu, time = row["cpu"], row.get("time_ns", row.get("time_ticks"))
        if row["kind"] == "derived" and row["event"] == "sched_switch" and not tells_known(row["fields"]):
            continue
        if row["kind"] in ("loss", "damage") and (row["kind"] == "loss" or row["fields"]["count"]):
            lost.setdefault(cpu, []).append((row["fields"]["count"] or 1, last.get(cpu, time), time))
        if row["kind"] != "loss" or not row["fields"]["count"]:
            events.setdefault(cpu, []).append(row)
        last[cpu] = time
    if set(lines) != set(events) or losses != lost:
        differ = [(cpu, losses.get(cpu), lost.get(cpu)) for cpu in lost if losses.get(cpu) != lost[cpu]]
        sys.exit("CPUs %s, expected %s; losses %s" % (sorted(lines), sorted(events), str(differ)[:900]))
    for cpu, expected in events.items():
        if len(lines[cpu]) != len(expected):
            sys.exit("CPU %d: %d events, expected %d" % (cpu, len(lines[cpu]), len(expected)))
        for line, row in zip(lines[cpu], expected):
            try:
                check(line, row)
            except (AssertionError, AttributeError, KeyError, IndexError, ValueError) as error:
                sys.exit("%r: %s\nrow %s" % (error, line, row))
    total = {cpu: sum(n for n, _, _ in each) for cpu, each in lost.items()}
    if any(seen[-1][2] != total.get(cpu, 0) for cpu, seen in headers.items()):
        sys.exit("discarded events of the packets: %s, expected %s" % (headers, total))
    print("%d events in %d packets agree, %d lost in %d places" % (
        sum(map(len, lines.values())), sum(map(len, headers.values())), sum(total.values()),
        sum(map(len, losses.values()))))


main()
