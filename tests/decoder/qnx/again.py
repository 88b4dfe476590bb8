"""again.py DECODER DIRECTORY - threads of QNX whose numbers are given again. This script makes .kev files of random
lives: threads and processes are created, named in the middle of the trace, run on two CPUs and end; their numbers come
again. It knows of each turn whose it is. Each life must be a task of its own, with the name that was given to it, else
to its process, be it later. In files of QNX 8 each CPU has its own buffers, so that what one did last may stand behind
what the other one did later; processes stay there."""
import json
import os
import random
import struct
import subprocess
import sys

TH_DEAD, RUNNING, READY, CREATE, DESTROY = 0, 1, 2, 24, 25
PROC_CREATE, PROC_DESTROY, PROC_NAME, THREAD_NAME, CONTROL, PR_TH = 64, 128, 192, 320, 1, 4
decoder, directory = sys.argv[1:]


def slots(cpu, kind, event, stamp, words, text=b""):
    data = struct.pack("<%dI" % len(words), *words) + text
    data += b"\0" * (-len(data) % 8)
    parts = [data[i:i + 8] for i in range(0, len(data), 8)]
    marks = [0] if len(parts) == 1 else [1] + [2] * (len(parts) - 2) + [3]
    return [struct.pack("<II", mark << 30 | cpu << 24 | kind << 10 | event, stamp) + part
            for mark, part in zip(marks, parts)]


class Run:
    def __init__(self, seed, release):
        self.dice, self.release, self.time = random.Random(seed), release, 1000
        self.out, self.sequence, self.pending = [], [0, 0], [[], []]
        self.process, self.thread = {}, {}  # pid: [name]; (pid, tid): the life
        self.lives, self.turns = [], []     # [number, own name, its process]; (time, CPU, life)

    def log(self, event, *words, text=None, cpu=None):
        cpu = self.dice.randrange(2) if cpu is None else cpu
        self.time += self.dice.randrange(1, 9)
        text = text.encode() + b"\0" if text else b""
        buffer = self.pending[cpu if self.release == 8 else 0]
        buffer += slots(cpu, PR_TH, event, self.time, words, text)
        if len(buffer) > 40:
            self.flush(buffer, cpu)
        return cpu

    def flush(self, buffer, cpu):
        number = cpu if self.release == 8 else 0
        self.sequence[number] += 1
        begin = slots(cpu, CONTROL, 2, self.time, (self.sequence[number], len(buffer) + 3))
        for each in (0, 1):
            begin += slots(each, CONTROL, 1, self.time, (0, self.time))
        self.out += begin + buffer
        del buffer[:]

    def step(self):
        pid, tid = self.dice.choice((7, 8, 9)), self.dice.choice((1, 2, 3))
        life, what = self.thread.get((pid, tid)), self.dice.random()
        if pid not in self.process:
            self.process[pid] = [None]
            self.log(PROC_CREATE, 1, pid)
        elif what < 0.02 and self.release == 6:
            for each in [each for each in self.thread if each[0] == pid]:
                self.end(*each)
            self.log(PROC_DESTROY, 1, pid)
            del self.process[pid]
        elif what < 0.06 and self.process[pid][0] is None:
            self.process[pid][0] = "p%d" % self.dice.randrange(1000)
            self.log(PROC_NAME, 1, pid, text="/bin/" + self.process[pid][0])
        elif life is None:
            self.thread[pid, tid] = [(pid, tid), None, self.process[pid]]
            self.lives.append(self.thread[pid, tid])
            if self.dice.random() < 0.8:
                self.log(CREATE, pid, tid)
            self.log(READY, pid, tid)
        elif what < 0.12:
            self.end(pid, tid)
        elif what < 0.2 and life[1] is None:
            life[1] = "t%d" % self.dice.randrange(1000)
            self.log(THREAD_NAME, pid, tid, text=life[1])
        else:
            cpu = self.log(RUNNING, pid, tid)
            self.turns.append((self.time, cpu, life))

    def end(self, pid, tid):
        del self.thread[pid, tid]
        cpu = self.log(TH_DEAD, pid, tid) if self.dice.random() < 0.7 else None
        self.log(DESTROY, pid, tid)

    def write(self, path):
        for cpu in (0, 1):
            self.flush(self.pending[cpu], cpu)
        head = "".join("TRACE_%s::%s" % pair for pair in (
            ("HEADER_BEGIN", ""), ("LITTLE_ENDIAN", "TRUE"), ("ENCODING", "16 byte events"), ("CPU_NUM", 2),
            ("CYCLES_PER_SEC", 1000000000), ("SYSNAME", "QNX"), ("SYS_RELEASE", "%d.0.0" % self.release),
            ("SYSPAGE_LEN", 0), ("HEADER_END", "")))
        with open(path, "wb") as to:
            to.write(head.encode() + b"".join(self.out))


def shown(life):
    (pid, tid), own, process = life
    return "%s:%d" % (own or process[0] or pid, tid)


def judge(run, rows, where):
    """Each turn is of the task of its life: other lives have other tasks, and names are those of the lives."""
    number, life_of = {}, {}
    turns = {(row["time_ns"], row["cpu"]): row["fields"] for row in rows if row["event"] == "sched_switch"}
    before = {}
    for time, cpu, life in run.turns:
        fields = turns.get((time, cpu))
        if fields is None:  # no switch: the same task runs on
            assert before.get(cpu) is life, "%s: no switch at %d" % (where, time)
            continue
        before[cpu] = life
        pid = fields["next_pid"]
        assert number.setdefault(id(life), pid) == pid, "%s: %d: two tasks for one life" % (where, time)
        assert life_of.setdefault(pid, life) is life, "%s: %d: one task for two lives %s" % (where, time, life)
        assert fields["next_comm"] == shown(life), "%s: %d: %s is called %s" % (where, time, life, fields["next_comm"])
    return len(number)


lives = again = 0
for seed in range(10 if os.environ.get("TIER") == "quick" else 60):
    run = Run(seed, 6 if seed % 2 else 8)
    for _ in range(400):
        run.step()
    path = os.path.join(directory, "again.kev")
    run.write(path)
    said = subprocess.run([decoder, "-q", path, "--format=jsonl"], stdout=subprocess.PIPE, check=True).stdout
    rows = [json.loads(line) for line in said.decode().splitlines()]
    lives += judge(run, rows, "QNX %d, seed %d" % (run.release, seed))
    again += len(run.lives) - len({tuple(life[0]) for life in run.lives})
print("kev: %d lives that ran, %d of numbers that were given again: a task each, by its own name" % (lives, again))
