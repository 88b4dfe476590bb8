"""blocked.py - how long tasks waited, and for which objects, by the events of JSON lines; compared with --stat.

usage: blocked.py ROWS ANSWER    ANSWER: of --stat --json; ROWS: of jsonl and --map=exact, where interrupts are no tasks

Written from what the events mean: a task that leaves its CPU in another state than 0 waits for what its last event
named, until it is woken or runs; one that is suspended by another waits from then on. An event of a kernel's
object is called by what is waited for: queue_receive_block."""
import json
import re
import sys

WHY = re.compile(r"rtos:(delay|\w+_block)|shark:(set_mutex_wait|task_sleep|task_disable|task_end_cycle)")


def shown(kind, fields):
    """The object by its name, or its handle; a notification has a number."""
    return str(fields.get(kind + "_name", fields[kind] if kind == "notification" else hex(fields[kind])))


def reason_of(name, fields):
    """(event, kind, object), of an event that tells why a task will wait."""
    kind = "mutex" if name == "set_mutex_wait" else next(iter(fields)) if name.endswith("_block") else None
    return name, kind, shown(kind, fields) if kind else None


class Tasks:
    """What each task waits for, and since when; and how long it did."""

    def __init__(self):
        self.why, self.since, self.waits, self.running = {}, {}, {}, 0

    def event(self, time, event, fields):
        if event == "sched:sched_switch":
            old, state, new = (fields[name] for name in ("prev_pid", "prev_state", "next_pid"))
            if state & 0xFF and not state & 48:  # 16 and 32: it has ended
                self.since[old] = time
            self.end(new, time)
            self.why[new] = None
            self.running = new
        elif event == "sched:sched_waking":
            self.end(fields["pid"], time)
        elif event == "shark:task_end":
            self.end(fields["context"], time)
        elif WHY.fullmatch(event):
            name = event.partition(":")[2]
            task = fields.get("context", 0) or self.running
            self.why[task] = reason_of(name, fields)
            if task != self.running:  # another one, which was ready, is suspended
                self.since.setdefault(task, time)

    def end(self, task, time):
        begin = self.since.pop(task, None)
        if begin is not None and self.why.get(task):
            self.waits.setdefault((task, self.why[task]), []).append(time - begin)

    def rows(self, last):
        """By task and reason: how often, in all, the longest; and what has no end."""
        rows = {key: [len(times), sum(times), max(times), 0] for key, times in self.waits.items()}
        for task, begin in self.since.items():
            if self.why.get(task):
                rows.setdefault((task, self.why[task]), [0, 0, 0, 0])[3] += last - begin
        return rows


def main():
    tasks, last = Tasks(), 0
    for row in map(json.loads, open(sys.argv[1], encoding="utf-8")):
        last = row["time_ns"]
        tasks.event(last, row["system"] + ":" + row["event"], row["fields"])
    want = tasks.rows(last)
    have = {}
    for task in json.load(open(sys.argv[2], encoding="utf-8"))[0]["tasks"]:
        for row in task["blocked"]:
            have[task["pid"], (row["reason"], row["kind"], row["object"])] = [
                row["count"], row["time"], row["max"], row["until_end"]]
    for key in sorted(set(want) | set(have), key=str):
        if want.get(key) != have.get(key):
            sys.exit("blocked.py: %s: the rows have %s, the answer %s" % (key, want.get(key), have.get(key)))
    print("%d reasons to wait, %d of them objects, as the rows have them" % (
        len(want), sum(key[1][1] is not None for key in want)))


main()
