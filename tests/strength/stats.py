"""stats.py - compares measures of the code with their limits: lengths and branches of functions, lengths of files and
lines, shares of comments, the decoder's modules and the dependencies between them. Also prints how many options there
are, and how much longer the tests take than building.

usage: stats.py BUILD [--check | --single]

BUILD/host has the decoder's objects. --check prints only what exceeds a limit; --single also prints the headers of
host/ that only one other module includes.

A module is a .c file with or without its header, or a header alone. A function's length is the number of its lines,
from its head to its closing brace. Its branch points are 1 plus one for each if, for, while, case, &&, || and ?. The
share of comments is the part that comment lines have in all non-empty lines. The exit code is 1 if a limit is
exceeded."""
import os
import re
import subprocess
import sys

AREAS = {  # name: folders, limits for the lines of a function (median, 95 % of all functions, longest)
    "target, port": (("target", "port"), (6, 20, 41)),
    "host": (("host",), (11, 24, 42)),
    "tests": (("tests",), (10, 27, 60)),
}
BRANCHES = (10, 18)  # limits for branch points: 95 % of all functions, every function
FILE_LINES = 600
LINE_BYTES = 120
HOST_COMMENTS = 12  # percent, at least, in all of host/ together
HEADER_COMMENTS = (44, 63)  # percent, least and most in each public header
PUBLIC_HEADERS = ["target/tlog.h", "target/tlog_config.h", "target/tlog_chunk.h", "target/tlog_event.h",
                  "target/tlog_fault.h", "target/tlog_pack.h", "target/tlog_printk.h", "target/tlog_shark.h",
                  "port/tlog_port.h", "port/tlog_irq.h", "port/out_semihost.h", "port/out_udp.h", "port/net_udp.h",
                  "port/rtos/tlog_rtos.h"]
# The decoder's layers, the highest first. A folder may include and call only folders of lower layers, so folders of one
# layer must not use each other. Each folder of formats/ is one of its layer. Below all is the header of the library.
LAYERS = [["cli"], ["tool"], ["library"], ["decode", "formats"], ["answer"], ["text", "events"], ["io"], ["model"],
          ["os"], ["base"], ["tlog_decode"]]
# The same of the folders in formats/native/; reader.c, which stands beside them, is above them all.
WINGS = [["events", "repair"], ["time"], ["chunks"], ["packed"], ["bytes"]]
MODULES = 279  # of host/, at most
SINGLE_USERS = 43  # headers of host/ that only one other module includes, at most
# Why such a header stays. The others belong to modules that would be too long for a file together with their user.
REASONS = {
    "host/tool/serve.h": "HTTP is another concept than which viewer shows what",
    "host/events/own_types.h": "the one face of three files about a firmware's own events",
    "host/events/qnx_threads.h": "threads and their names are another concept than types of events",
    "host/formats/native/repair/displaced_rear.h": "rescue of damaged images stands beside the way of sound ones",
    "host/formats/native/chunks/image_search.h": "what can be read as it stands: no part of the reader, which merges",
    "host/formats/native/chunks/runs.h": "which run is decoded is another question than what stands where",
    "host/formats/native/bytes/word_scan.h": "reading in pieces is another concept than what the words mean",
    "host/decode/map_event.h": "what one event becomes is another file than the batches that it comes in",
    "host/formats/native/time/rates.h": "rates of the clock are another concept than the state of the reader",
    "host/formats/native/events/names.h": "names of a dump are another concept than the merging of its streams",
    "host/formats/native/chunks/smear_runs.h": "runs in the order of time are a step of their own",
    "host/tool/follow_board.h": "the server and what was recorded are another concept than when to poll",
    "host/tool/follow_files.h": "where files go is another concern than when to poll",
    "host/tool/follow_status.h": "the line on the terminal is another concern than when to poll",
    "host/tool/follow_watch.h": "what --until looks for is another concern than when to poll",
    "host/io/live/packet.h": "packets are another layer than the session that they carry",
    "host/formats/native/packed/unpack.h": "the bits of a group are another layer than the region around them",
}
HOST_LINES = 81800  # of .c and .h of host/ together, at most
LINES = {"host": ("host",), "target": ("target",), "port": ("port",), "linker": ("linker",), "tests": ("tests",)}
LINE_ENDS = (".c", ".h", ".cc", ".sh", ".py", ".mk", ".ld", ".mjs", ".awk")
TOKEN = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
failures = []


def fail(text):
    failures.append(text)


def tracked(*folders, ends=(".c", ".h")):
    """The files below the folders whose names end so."""
    found = []
    for folder in folders:
        for path, _, names in os.walk(folder):
            found += [os.path.join(path, name) for name in names if name.endswith(ends)]
    return sorted(found)


def without_comments(text):
    """The text with comments removed and strings and character constants emptied; line numbers stay the same."""
    def empty(match):
        return "\n" * match.group(0).count("\n") if match.group(0)[0] == "/" else '""'
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', empty, text, flags=re.S)


def functions(path):
    """Yields name, first line, number of lines and branch points of each function."""
    lines = without_comments(open(path, encoding="utf-8").read()).split("\n")
    begin = None
    for number, line in enumerate(lines):
        if line == "{":
            begin = number
        elif line == "}" and begin is not None:
            head = begin - 1
            while head > 0 and re.match(r"[\s)]", lines[head]):
                head -= 1
            text = re.sub(r"__attribute__\(\(.*?\)\)", "", " ".join(lines[head:begin]))
            name = re.search(r"(\w+)\(", text)
            body = "\n".join(lines[begin + 1:number])
            yield (name.group(1) if name else "?"), head + 1, number - head + 1, 1 + len(TOKEN.findall(body))
            begin = None


def at(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0


def look_at_functions():
    print("%-14s %6s   %-22s %-14s" % ("functions", "number", "lines: median/95 %/most", "branches: 95 %/most"))
    for area, (folders, limits) in AREAS.items():
        every = [(path,) + f for path in tracked(*folders) for f in functions(path)]
        lengths, branches = [f[3] for f in every], [f[4] for f in every]
        seen = (at(lengths, 0.5), at(lengths, 0.95), max(lengths))
        print("%-14s %6d   %-22s  %d/%d" % (area, len(every), "%d/%d/%d" % seen, at(branches, 0.95), max(branches)))
        for path, name, line, length, points in every:
            if length > limits[2]:
                fail("%s:%d: %s() has %d lines, %d are allowed" % (path, line, name, length, limits[2]))
            if points > BRANCHES[1]:
                fail("%s:%d: %s() has %d branch points, %d are allowed" % (path, line, name, points, BRANCHES[1]))
        for what, value, limit in zip(("median", "95 %"), seen, limits):
            if value > limit:
                fail("%s: %s of the functions' lines is %d, the limit %d" % (area, what, value, limit))
        if at(branches, 0.95) > BRANCHES[0]:
            fail("%s: 95 %% of the functions have up to %d branch points, the limit is %d"
                 % (area, at(branches, 0.95), BRANCHES[0]))


def look_at_lines():
    paths = tracked(".", ends=(".c", ".h", ".sh", ".py", ".js", ".mjs", ".mk", "Makefile"))
    for path in paths:
        path = os.path.normpath(path)
        if path.startswith(("build", ".git")):
            continue
        lines = open(path, encoding="utf-8").read().split("\n")
        if path.endswith((".c", ".h")) and len(lines) - 1 > FILE_LINES:
            fail("%s has %d lines, %d are allowed" % (path, len(lines) - 1, FILE_LINES))
        for number, line in enumerate(lines, 1):
            if len(line) > LINE_BYTES:
                fail("%s:%d: %d columns, %d are allowed" % (path, number, len(line), LINE_BYTES))


def comment_share(paths):
    comments = code = 0
    for path in paths:
        text = open(path, encoding="utf-8").read()
        bare = without_comments(text).split("\n")
        for line, rest in zip(text.split("\n"), bare):
            if rest.strip():
                code += 1
            elif line.strip() and "SPDX-License-Identifier" not in line:
                comments += 1
    return 100.0 * comments / max(1, comments + code)


def look_at_comments():
    share = comment_share(tracked("host"))
    print("comments: host %.1f %%" % share)
    if share < HOST_COMMENTS:
        fail("host: %.1f %% of the lines are comments, %d %% are wanted" % (share, HOST_COMMENTS))
    for path in filter(os.path.exists, PUBLIC_HEADERS):
        share = comment_share([path])
        print("          %s %.1f %%" % (path, share))
        if not HEADER_COMMENTS[0] <= share <= HEADER_COMMENTS[1]:
            fail("%s: %.1f %% of the lines are comments, %d to %d %% are wanted" % ((path, share) + HEADER_COMMENTS))


def module(path):
    return os.path.splitext(path)[0]


def edges_of_includes():
    for path in tracked("host"):
        for line in open(path, encoding="utf-8"):
            match = re.match(r'\s*#\s*include "([^"]+)"', line)
            if match and os.path.exists("host/" + match.group(1)):
                yield module(path), module("host/" + match.group(1)), "includes " + match.group(1)


def edges_of_calls(build):
    defined, wanted = {}, []
    objects = [os.path.join(build, module(path) + ".o") for path in tracked("host", ends=(".c",))]
    objects = [path for path in objects if os.path.exists(path)]  # some files stand in for others (host/module.mk)
    for line in subprocess.check_output(["nm", "-g", "-A", *objects], text=True).split("\n"):
        where, _, symbol = line.rpartition(":")
        name, part = os.path.relpath(module(where), build) if where else "", symbol.split()
        if len(part) == 2 and part[0] == "U":
            wanted.append((name, part[1]))
        elif len(part) == 3:
            defined[part[2]] = name
    for user, name in wanted:
        if name in defined:
            yield user, defined[name], "uses " + name


def layer_of(name):
    """(number of the layer, number of the wing), the lower the higher, and the folder."""
    folder, inner, wing = (name.split("/") + ["", ""])[1:4]
    for number, folders in enumerate(LAYERS):
        if folder in folders and inner == "native":
            wings = [at for at, names in enumerate(WINGS) if wing in names]
            return (number, wings[0] if wings else -1), "native/" + wing if wings else "native"
        if folder in folders:
            return (number, 0), inner if folder == "formats" else folder
    fail("%s is in no layer" % name)
    return (-1, 0), folder


def circles(graph):
    """The sets of nodes that depend on each other: Tarjan's algorithm for strongly connected components, without
    recursion."""
    index, low, stack, found, counter = {}, {}, [], [], [0]
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = counter[0]
        counter[0] += 1
        stack.append(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = counter[0]
                    counter[0] += 1
                    stack.append(target)
                    work.append((target, iter(graph.get(target, {}))))
                    break
                if target in stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    if len(stack) - cut > 1:
                        found.append(stack[cut:])
                    del stack[cut:]
    return found


def look_at_arrows(build):
    graph, upward = {}, 0
    for user, used, why in list(edges_of_includes()) + list(edges_of_calls(build)):
        if user == used:
            continue
        graph.setdefault(user, {}).setdefault(used, []).append(why)
        (high, folder), (low, other) = layer_of(user), layer_of(used)
        beside = low[0] == high[0] and folder.split("/")[0] != other.split("/")[0]
        if low < high or (low == high and folder != other) or beside:
            upward += 1
            fail("%s %s of %s: an arrow from %s to %s" % (user, why, used, folder, other))
    groups = circles(graph)
    for group in groups:
        inside = ["%s %s" % (user, why) for user in group for used, whys in graph.get(user, {}).items()
                  if used in group for why in whys]
        fail("circle of %s: %s" % (", ".join(sorted(group)), "; ".join(sorted(set(inside)))))
    print("arrows: %d modules of the decoder, %d circles, %d upward" % (len(graph), len(groups), upward))


def lines_of(path):
    return open(path, encoding="utf-8").read().count("\n") if os.path.exists(path) else 0


def look_at_modules():
    modules, users = {module(path) for path in tracked("host")}, {}
    for user, used, _ in edges_of_includes():
        if user != used:
            users.setdefault(used, set()).add(user)
    single = [path for path in tracked("host", ends=(".h",)) if len(users.get(module(path), ())) == 1]
    print("modules of host: %d, headers with a single user: %d" % (len(modules), len(single)))
    if "--single" in sys.argv:
        print("\n".join("    %s: %s" % (path, *users[module(path)]) for path in single))
    if len(modules) > MODULES:
        fail("host: %d modules, %d are allowed" % (len(modules), MODULES))
    for path in single:
        user, = users[module(path)]
        both = sum(lines_of(name + end) for name in (module(path), user) for end in (".c", ".h"))
        if both <= FILE_LINES and path not in REASONS:
            fail("%s: only %s includes it, and together they have %d lines: one module?" % (path, user, both))
    for path in set(REASONS) - set(single):
        fail("stats.py: %s is in REASONS, and has not a single user" % path)
    if len(single) > SINGLE_USERS:
        fail("host: %d headers with a single user, %d are allowed" % (len(single), SINGLE_USERS))


def look_at_areas():
    told = []
    for area, folders in LINES.items():
        count = {ends: sum(lines_of(path) for path in tracked(*folders, ends=ends))
                 for ends in ((".c", ".h"), LINE_ENDS)}
        told.append("%s %d" % (area, count[".c", ".h"]))
        if count[LINE_ENDS] != count[".c", ".h"]:
            told[-1] += " (with scripts %d)" % count[LINE_ENDS]
        if area == "host" and count[".c", ".h"] > HOST_LINES:
            fail("host: %d lines, %d are allowed" % (count[".c", ".h"], HOST_LINES))
    print("lines of .c and .h: " + ", ".join(told))


def look_at_options():
    """The tool's are the rows of its table; the runtime's are the macros that a header defines unless the user did."""
    tool = re.findall(r'^    \{"[a-z-]+", ', open("host/cli/options.c", encoding="utf-8").read(), re.M)
    given = [name for path in tracked("target", "port", "linker") for name in
             re.findall(r"^#\s*ifndef (TLOG_\w+)$", open(path, encoding="utf-8").read(), re.M)]
    given = [name for name in given if not name.endswith("_H")]
    print("options: the tool %d, the runtime %d (%d times #ifndef TLOG_...)" % (len(tool), len(set(given)), len(given)))


def look_at_cost(build):
    """The seconds of CPU that the last "make test" and "make test-full" took, and building the decoder and a runtime:
    lines "test N", "test-full N" and "build N" in BUILD/test/cost."""
    path = os.path.join(build, "test", "cost")
    if not os.path.exists(path):
        return
    cost = {what: float(seconds) for what, seconds in (line.split() for line in open(path, encoding="utf-8"))}
    for tier in [tier for tier in ("test", "test-full") if tier in cost and cost.get("build", 0) > 0]:
        print("make %s: %.0f s of CPU, %.1f times what building takes (%.0f s)"
              % (tier, cost[tier], cost[tier] / cost["build"], cost["build"]))


def main():
    build = sys.argv[1]
    if "--check" in sys.argv:
        sys.stdout = open(os.devnull, "w")
    look_at_functions()
    look_at_lines()
    look_at_comments()
    look_at_arrows(build)
    look_at_modules()
    look_at_areas()
    look_at_options()
    look_at_cost(build)
    sys.stdout = sys.__stdout__
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
