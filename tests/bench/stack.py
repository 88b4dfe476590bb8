#!/usr/bin/env python3
"""stack.py - computes the deepest stack of every public function from the compiler's call graph.

usage: stack.py BUILD_DIR [--check]

The runtime is compiled for each core with -fcallgraph-info=su. A function's figure is the size of its own frame plus
those of the deepest chain of calls below it, with each function once. Recursive functions are in RECURSION, with the
reason why the recursion ends. Any other cycle, a frame whose size is not constant, and a call through a pointer that is
not in INDIRECT are errors. --check compares with the lines stack.* of tests/bench/baseline."""
import os
import re
import subprocess
import sys

CORES = {"m0": "cortex-m0", "m3": "cortex-m3", "m4": "cortex-m4", "m7": "cortex-m7", "m33": "cortex-m33",
         "m55": "cortex-m55", "a7": "cortex-a7", "a15": "cortex-a15"}
BOARDS = {"m0": "microbit", "m33": "mps2-an505", "m55": "mps3-an547", "a7": "virt", "a15": "virt"}
VARIANTS = {"": [], "_trigger": [], "_all": ["-DTLOG_TRACEEVENTS=1", "-DTLOG_ARENA=1", "-DTLOG_CHUNKS=2"]}
# Cycles in the call graph that end, each by the names of its functions.
RECURSION = {
    # An event that found room, which an interrupt then took, asks again: once for each interrupt that logged.
    frozenset(["tlog_ring_slow", "switch_and_log", "form_and_log", "log_slowly", "pass_and_log"]),
    # tlog reports a loss by two records. If one of them finds no room it makes room without a report of its own. tlog
    # tells a wrap of the clock in a slot of its own. When that is logged, the wrap is already counted, so it does not
    # cause another one. A pause is told once: its records do not tell it again.
    frozenset(["put_record", "tlog_ring_make_room", "tlog_ring_report", "put_extra", "tlog_ring_put_time",
               "tlog_ring_tell_time", "tlog_ring_tick", "tell_pause", "put_pause_pair", "put_mark", "ticks_since",
               "tlog_ring_drop"]),
}
# Functions that call through a pointer: handlers, the sink of a dump and the sender of a chunk. The stack that these
# need is not counted, because they belong to the application. The others call functions of tlog_trigger.c through
# tlog_ring_hook: in firmware that sets a trigger, the variant _trigger.
INDIRECT = {"enter", "tlog_irq_any", "tlog_dump", "tlog_send_chunk", "tlog_chunk_send", "send", "dump"}
HOOKED = {"tlog_ring_is_triggered": "is_set", "tlog_ring_pass": "is_set", "log_slowly": "take_ticket",
          "tlog_fault_log": "put_extra"}
HOOKED["put_record"] = HOOKED["put_mark"] = "reserve_extra"
# Functions that call one of these through a pointer.
POINTED = {"tlog_ring_report": ["tell_pause"], "change_store": ["find_place_told", "release"]}
SHOWN = ["tlog_ring_slow", "tlog_record_any", "tlog_name", "trace_logs"]  # trace_logs() is in _all only


def compile_all(root, out, core, board, flags):
    os.makedirs(out, exist_ok=True)
    for name in os.listdir(out):
        if name.endswith(".ci"):
            os.remove(os.path.join(out, name))
    sources = [os.path.join(root, d, f) for d in ("target/src", "port")
               for f in sorted(os.listdir(os.path.join(root, d)))
               if f.endswith(".c") and (d == "target/src" or re.match("port_v|irq_", f))]
    subprocess.run([os.environ.get("CROSS", "arm-none-eabi-") + "gcc", "-std=c11", "-mthumb", "-mfloat-abi=soft", "-O2",
                    "-ffreestanding", "-mcpu=" + core, "-I" + root + "/target", "-I" + root + "/port",
                    "-I" + root + "/linker", "-include", root + "/linker/" + board + ".h", "-fcallgraph-info=su", "-c",
                    *flags, *sources], cwd=out, check=True)


def read_graph(out, with_trigger):
    """Returns frames (name -> bytes), calls (name -> names) and the functions whose frame is not constant. The names of
    static functions contain their file, so that two of the same name are kept apart."""
    frames, calls, dynamic = {}, {}, []
    for name in sorted(os.listdir(out)):
        if not name.endswith(".ci"):
            continue
        text = open(os.path.join(out, name)).read()
        for title, label in re.findall(r'node: \{ title: "([^"]*)" label: "([^"]*)"', text):
            size = re.search(r"\\n(\d+) bytes \(([^)]*)\)", label)
            if size:
                frames[title] = int(size.group(1))
                if size.group(2) != "static":
                    dynamic.append(title)
        for source, target in re.findall(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', text):
            calls.setdefault(source, set()).add(target)
    for name in calls:
        if "__indirect_call" in calls[name] and short(name) in HOOKED:
            hook = {f for f in frames if with_trigger and "tlog_trigger.c:" in f and short(f) == HOOKED[short(name)]}
            calls[name] = calls[name] - {"__indirect_call"} | hook
        elif "__indirect_call" in calls[name] and short(name) in POINTED:
            calls[name] = calls[name] - {"__indirect_call"} | {f for f in frames if short(f) in POINTED[short(name)]}
    return frames, calls, dynamic


def short(title):
    return re.sub(r"\.(constprop|isra|part|cold).*", "", title.rsplit(":", 1)[-1])


def find_cycles(calls):
    """The strongly connected components of more than one function, or of one that calls itself."""
    order, seen, back = [], set(), {}
    for source, targets in calls.items():
        for target in targets:
            back.setdefault(target, set()).add(source)

    def visit(node, edges, into):
        if node in seen:
            return
        seen.add(node)
        for target in edges.get(node, ()):
            visit(target, edges, into)
        into.append(node)

    for node in list(calls):
        visit(node, calls, order)
    seen.clear()
    for node in reversed(order):
        component = []
        visit(node, back, component)
        if len(component) > 1 or node in calls.get(node, ()):
            yield frozenset(component)


def deepest(name, frames, calls, on_path=()):
    if name in on_path:
        return 0
    below = [deepest(c, frames, calls, on_path + (name,)) for c in calls.get(name, ())]
    return frames.get(name, 0) + max(below, default=0)


def measure(root, out, key, suffix, flags):
    compile_all(root, out, CORES[key], BOARDS.get(key, "mps2-an385"), flags)
    frames, calls, dynamic = read_graph(out, suffix == "_trigger")
    problems = ["%s%s: the frame of %s is not constant" % (key, suffix, short(d)) for d in dynamic]
    for cycle in find_cycles(calls):
        names = {short(n) for n in cycle}
        if not any(names <= allowed for allowed in RECURSION):
            problems.append("%s%s: recursion: %s" % (key, suffix, ", ".join(sorted(names))))
    problems += ["%s%s: %s calls through a pointer" % (key, suffix, short(n)) for n in calls
                 if "__indirect_call" in calls[n] and short(n) not in INDIRECT]
    public = {n: deepest(n, frames, calls) for n in frames if ":" not in n}
    figures = {short(n): public[n] for n in public if short(n) in SHOWN}
    worst = max(public, key=lambda n: public[n])
    return figures, (short(worst), public[worst]), problems


def read_baseline(root):
    base = {}
    for line in open(os.path.join(root, "tests/bench/baseline")):
        part = line.split()
        if part and part[0].startswith("stack."):
            base[part[0]] = int(part[1])
    return base


def main():
    root = os.path.abspath(os.path.join(os.path.dirname(sys.argv[0]), "../.."))
    build, check = os.path.join(os.path.abspath(sys.argv[1]), "bench/stack"), "--check" in sys.argv[2:]
    results, problems = {}, []
    rows = []
    for suffix, flags in VARIANTS.items():
        for key in CORES:
            figures, worst, found = measure(root, os.path.join(build, key + suffix), key, suffix, flags)
            problems += found
            for name in figures:
                results["stack.%s%s_%s" % (key, suffix, name)] = figures[name]
            results["stack.%s%s_deepest" % (key, suffix)] = worst[1]
            rows.append((key + suffix, *[figures.get(n, "") for n in SHOWN], "%d (%s)" % (worst[1], worst[0])))
    if check:
        base = read_baseline(root)
        for key in sorted(set(base) | set(results)):
            have, want = results.get(key), base.get(key)
            if have is None or want is None or have > want:
                problems.append("%s is %s, baseline %s" % (key, have, want))
            elif have < want:
                print("stack.py: %s is %d, better than its baseline %d: lower it" % (key, have, want))
    else:
        print("Bytes of stack, deepest chain of calls, each function once; _all: traceevents, arena, two chunks\n")
        for row in [("core", *SHOWN, "deepest")] + rows:
            print("| %-9s | %14s | %15s | %9s | %10s | %-30s |" % row)
    for problem in problems:
        print("stack.py: " + problem, file=sys.stderr)
    if check and not problems:
        print("stack.py: %d figures as in the baseline" % len(results))
    sys.exit(1 if problems else 0)


main()
