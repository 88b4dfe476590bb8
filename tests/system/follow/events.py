"""events.py - checks the text of what app.c logs: no event is torn, each is there once and in order, and between two
that follow each other with numbers left out stands how many were lost."""
import re

LINE = re.compile(r"^.{23}\[\d+\] +([\d.]+): +(\S+): (.*)$")
LOSS = re.compile(r"^CPU:\d+ \[(\d+|SOME) EVENTS? DROPPED\]")


class Torn(Exception):
    pass


class Disorder(Exception):
    pass


class Miscounted(Exception):
    pass


def record(fields):
    """The number of a record of app.c."""
    par1, par2 = (int(n) for n in re.fullmatch(r"par1=(\d+) par2=(\d+)", fields).groups())
    if par1 != par2 * 40503 % 2 ** 32 >> 16:
        raise Torn(fields)
    return par2


def words(fields):
    """The number of an event of several slots."""
    number, *rest = (int(n, 16) for n in re.findall(r"d\d=0x([0-9a-f]+)", fields))
    if rest[:4] != [number * 3 % 2 ** 32, number ^ 0xFFFFFFFF, number ^ 0xA5A5A5A5, number * 2654435761 % 2 ** 32]:
        raise Torn(fields)
    return number


KINDS = {"shark:user_event_0": record, "qnx:user_words6": words}


class Follower:
    """Takes lines. `kept`: events; `lost`: those that are told lost; `missing`: those that the numbers tell, which
    begin with 0. Both agree wherever an event of each kind has come behind a loss."""

    def __init__(self):
        self.last, self.time = {}, 0.0
        self.kept = self.lost = self.missing = 0
        self.seen = set()  # kinds since the last loss

    def take(self, line):
        told, found = LOSS.match(line), LINE.match(line)
        if told:
            self.lost += int(told.group(1))
            self.seen = set()
        elif found and found.group(2) in KINDS:
            self.event(line, found.group(2), float(found.group(1)), KINDS[found.group(2)](found.group(3)))

    def event(self, line, kind, time, number):
        if time < self.time:
            raise Disorder("time steps back: " + line)
        if number <= self.last.get(kind, -1):
            raise Disorder("twice, or out of order: " + line)
        self.time = time
        self.kept += 1
        self.missing += number - self.last.get(kind, -1) - 1
        self.last[kind] = number
        self.seen.add(kind)
        if self.is_settled() and self.lost != self.missing:
            raise Miscounted("%d are missing, %d told: %s" % (self.missing, self.lost, line))

    def is_settled(self):
        return len(self.seen) == len(KINDS)


def check(lines):
    """What was followed. Raises Torn, Disorder or Miscounted."""
    follower = Follower()
    for line in lines:
        follower.take(line)
    return follower
