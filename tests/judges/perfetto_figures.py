"""perfetto_figures.py - answers the six questions of host/formats/perfetto/QUERIES.md from lines of text-full.

usage: perfetto_figures.py QUERIES.md QUERY-NUMBER   prints that query
       perfetto_figures.py LINES   of one CPU; prints the answers as the queries' rows, sorted, with -- between
"""
import re
import sys

LINE = re.compile(r"^ *(.*)-(\d+) +\[\d+\] +([\d.]+): (\w+:\w+):(.*)$")


def query(path, number):
    block = re.search(r"```sql\n(-- 1 .*?)```", open(path, encoding="utf-8").read(), re.S).group(1)
    part = re.split(r"^-- \d .*\n", block, flags=re.M)[number]
    return "\n".join(line for line in part.split("\n") if not line.startswith("--")).strip().rstrip(";")


class Figures:
    def __init__(self, path):
        self.ran, self.isr, self.waits, self.misses = {}, {}, {}, []
        self.latency, self.response = {}, {}
        self.names, self.mutex = {0: "swapper"}, {}
        self.running = self.since = self.end = None
        self.depth, self.entered = [], 0  # interrupts that run; time of all in the present stretch of a task
        self.woken, self.release, self.blocked, self.why = {}, {}, {}, {}
        self.inside, self.cyclic = set(), set()  # tasks in a cycle; tasks that log cycles
        for line in open(path, encoding="utf-8"):
            found = LINE.match(line)
            if found:
                self.event(int(found[3].replace(".", "")), found[4], dict(re.findall(r"(\w+)=(\S*)", found[5])))
        self.stop(self.end)

    def stop(self, time):
        """The task that runs does so no more."""
        self.ran[self.running] = self.ran.get(self.running, 0) + time - self.since - self.entered
        self.since, self.entered = time, 0

    def event(self, time, name, values):
        self.end = time
        if self.since is None:
            self.since = time
        if name == "sched:sched_switch":
            self.switch(time, int(values["prev_pid"]), int(values["next_pid"]), int(values["prev_state"]), values)
        elif name == "sched:sched_waking":
            self.wake(time, int(values["pid"]), values)
        elif name == "irq:irq_handler_entry":
            self.depth.append((values["name"], time))
        elif name == "irq:irq_handler_exit":
            irq, since = self.depth.pop()
            self.isr.setdefault(irq, []).append(time - since)
            self.entered += time - since if not self.depth else 0
        elif name == "shark:set_mutex_wait":
            self.why[int(values["context"])] = values["mutex"]
        elif name == "shark:task_begin_cycle":
            self.begin(int(values["context"]))
        elif name == "shark:task_end_cycle":
            self.respond(time, int(values["context"]))
            self.inside.discard(int(values["context"]))
        elif name == "shark:task_deadline_miss":
            self.misses.append((time, int(values["context"]), self.running))

    def begin(self, task):
        if task not in self.cyclic:
            self.response.pop(task, None)
        self.cyclic.add(task)
        self.inside.add(task)

    def respond(self, time, task):
        if task in self.release:
            self.response.setdefault(task, []).append(time - self.release.pop(task))

    def switch(self, time, old, new, state, values):
        self.names.setdefault(old, values["prev_comm"])
        self.names.setdefault(new, values["next_comm"])
        self.running = old
        self.stop(time)
        self.running = new
        if state == 2:
            self.blocked[old] = time
        elif state in (1, 32) and old not in self.cyclic:  # 32: it has ended
            self.respond(time, old)
        if new in self.woken:
            since, by_isr = self.woken.pop(new)
            self.latency.setdefault(new, []).append((time - since, by_isr))

    def wake(self, time, pid, values):
        self.names[pid] = values["comm"]
        self.woken[pid] = time, bool(self.depth)
        if pid in self.blocked:
            wait = self.waits.setdefault((self.why[pid], pid), ([], set()))
            wait[0].append(time - self.blocked.pop(pid))
            wait[1].add(self.running)
        elif pid not in self.inside:
            self.release[pid] = time

    def rows(self):
        total = sum(self.ran.values()) + sum(sum(times) for times in self.isr.values())
        yield [(self.names[p], ns, f"{100 * ns / self.total():.2f}") for p, ns in self.ran.items() if total]
        yield [(self.names[p], len(r), min(r), sum(r) // len(r), max(r)) for p, r in self.response.items()]
        yield [(f"IRQ ({n})", len(t), sum(t), max(t)) for n, t in self.isr.items()]
        yield [self.latencies(p, sorted(l)) for p, l in self.latency.items()]
        yield [(f"mutex {self.called(m)}", self.names[p], len(t), sum(t), max(t), 0,
                ",".join(sorted(self.names[w] for w in who))) for (m, p), (t, who) in self.waits.items()]
        yield [(t, self.names[p], self.names[r]) for t, p, r in self.misses]

    def total(self):
        """All time, with that of interrupts on top of tasks."""
        return self.end - self.first_time

    first_time = 0

    def called(self, mutex):
        return {"1": "store", "2": "bus"}.get(mutex, mutex)

    def latencies(self, pid, sorted_pairs):
        times = [t for t, _ in sorted_pairs]
        n = len(times)
        part = [next(t for k, t in enumerate(times, 1) if k >= p * n) for p in (0.5, 0.9, 0.99)]
        return self.names[pid], n, sum(i for _, i in sorted_pairs), *part, times[-1]


def main():
    if sys.argv[1].endswith(".md"):
        print(query(sys.argv[1], int(sys.argv[2])))
        return
    figures = Figures(sys.argv[1])
    first = next(m for m in map(LINE.match, open(sys.argv[1], encoding="utf-8")) if m)
    figures.first_time = int(first[3].replace(".", ""))
    for rows in figures.rows():
        print("\n".join(sorted("\t".join(map(str, row)) for row in rows)))
        print("--")


main()
