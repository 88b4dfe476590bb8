"""perfetto_stat.py - trace_processor answers QUERIES.md (host/formats/perfetto) with the figures of --stat.

usage: perfetto_stat.py ANSWERS STAT_JSON

ANSWERS has the rows of the queries, with -- behind each; the last six queries are those of QUERIES.md.
"""
import json
import sys


def figures(stat):
    """The rows that --stat's figures make, query by query."""
    tasks = [dict(task, task="swapper" if task["pid"] == 0 else task["task"]) for task in stat["tasks"]]
    yield {(task["task"], task["running"], "%.2f" % (100 * task["share"])) for task in tasks}
    yield {(task["task"], *(task["response"][key] for key in ("count", "min", "avg", "max")))
           for task in tasks if task["response"]["count"] > 0}
    yield {("IRQ (%s)" % irq["interrupt"], irq["count"], irq["time"], irq["max"]) for irq in stat["interrupts"]}
    yield {(task["task"], *(task["latency"][key] for key in ("count", "p50", "p99", "max")))
           for task in tasks if task["latency"]["count"] > 0}
    yield {("mutex " + each["object"], task["task"], each["count"], each["time"], each["max"])
           for task in tasks for each in task["blocked"] if each["lock"]}
    yield {(task["task"], task["deadlines_missed"]) for task in tasks if task["deadlines_missed"] > 0}


def shown(number, rows):
    """The columns of a query's rows that --stat has, too."""
    if number == 4:
        return {(name, n, p50, p99, most) for name, n, _, p50, _, p99, most in rows}
    if number == 5:
        return {row[:5] for row in rows}
    if number == 6:
        names = [row[1] for row in rows]
        return {(name, str(names.count(name))) for name in names}
    return set(rows)


def main():
    answers = open(sys.argv[1], encoding="utf-8").read().split("--\n")[:-1]
    stat = json.load(open(sys.argv[2], encoding="utf-8"))[0]
    compared = 0
    for number, (text, told) in enumerate(zip(answers[-6:], figures(stat)), 1):
        rows = shown(number, [tuple(line.split("\t")) for line in text.splitlines()])
        told = {tuple(map(str, row)) for row in told}
        assert rows == told and rows, "query %d: only there %s, only in --stat %s" % (number, rows - told, told - rows)
        compared += len(rows)
    print("six queries: %d rows are the figures of --stat" % compared)


main()
