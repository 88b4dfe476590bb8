#!/usr/bin/env python3
"""hostile_writers.py - makes files of which a writer or an answer might keep far more than they are large: very many
CPUs, tasks, mutexes, objects, types and names of numbers. See decoder/hostile.py.

  gen/hostile_writers.py KIND SIZE OUT    SIZE: how many of them

The trace.dat files are of gen/hostile.py's parts; pages are compressed, so that an event takes a few bytes.
"""

import hostile
import hostile_dumps
from hostile import SIZE, File, chunk, format_text, pack, sized

PAGE = 4096
SWITCH, WAKING, ENTRY, EXIT, BEGIN, END, WAIT, LOCK, UNLOCK, PLAIN = range(1, 11)


def fields(*layout):
    """The text of fields behind the common ones: (type, name, size)."""
    out, at = [], 8
    for kind, name, size in layout:
        out.append("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n"
                   % (kind % name, at, size, "unsigned" not in kind and "u" != kind[0]))
        at += size
    return "".join(out)


NUMBER, LONG, COMM = ("int %s", 4), ("long %s", 8), ("char %s[16]", 16)


def of(name, kind):
    return kind[0], name, kind[1]


SCHED = [
    format_text("sched_switch", SWITCH, fields(of("prev_comm", COMM), of("prev_pid", NUMBER), of("prev_prio", NUMBER),
                                               of("prev_state", LONG), of("next_comm", COMM), of("next_pid", NUMBER),
                                               of("next_prio", NUMBER))),
    format_text("sched_waking", WAKING, fields(of("comm", COMM), of("pid", NUMBER), of("prio", NUMBER),
                                               of("target_cpu", NUMBER)))]
IRQ = [format_text("irq_handler_entry", ENTRY, fields(of("irq", NUMBER), of("name", COMM))),
       format_text("irq_handler_exit", EXIT, fields(of("irq", NUMBER), of("ret", NUMBER)))]
OWN = [format_text("work_begin", BEGIN, fields(("unsigned int %s", "depth", 4)), '"depth=%u", REC->depth'),
       format_text("work_end", END, fields(("unsigned long %s", "duration", 8), ("unsigned int %s", "depth", 4),
                                           ("unsigned int %s", "begun", 4)))]
MUTEX = [format_text("set_mutex_" + name, ident, fields(of("context", NUMBER), of("mutex", NUMBER)),
                     '"context=%d mutex=%d", REC->context, REC->mutex')
         for name, ident in (("wait", WAIT), ("lock", LOCK), ("unlock", UNLOCK))]


def plain_text(layout="", print_fmt='"x"', ident=PLAIN, name="plain"):
    return format_text(name, ident, layout, print_fmt)


def opened(plain=(plain_text(),), page_size=PAGE, packed=True):
    """A file whose formats are those above and some of the system "own"."""
    file = File(packed, page_size)
    systems = (("sched", SCHED), ("irq", IRQ), ("own", OWN + list(plain)), ("shark", MUTEX))
    texts = pack("I", len(systems)) + b"".join(
        name.encode() + b"\0" + pack("I", len(formats)) + b"".join(sized(text, "Q") for text in formats)
        for name, formats in systems)
    file.tables((18,) if packed else (), _17=pack("I", 0), _18=texts)
    return file


def event(kind, pid, data=b"", delta=1):
    data = pack("HBBi", kind, 0, 0, pid) + data.ljust((len(data) + 3) // 4 * 4, b"\0")
    return pack("I", len(data) // 4 | delta << 5) + data


def switch(pid, old, new, state=0):
    return event(SWITCH, pid, pack("16siiq16sii", b"old", old, 1, state, b"new", new, 1))


def waking(pid, woken):
    return event(WAKING, pid, pack("16siii", b"new", woken, 1, 0))


def pages(events, time=1000, lost=False, page_size=PAGE):
    """Whole pages of events, each of which comes 1 ns behind the one before."""
    out, body, n, first = [], [], 0, time
    for each in list(events) + [None]:
        if each is None or n + len(each) > page_size - 16:
            out.append((pack("QQ", first, n | lost << 31) + b"".join(body)).ljust(page_size, b"\0"))
            body, n, first = [], 0, time
        if each is not None:
            body.append(each)
            n += len(each)
            time += 1
    return out


def compressed(all_pages):
    """Pages in chunks of 64, as trace-cmd has them."""
    parts = [b"".join(all_pages[i:i + 64]) for i in range(0, len(all_pages), 64)]
    return pack("I", len(parts)) + b"".join(chunk(part) for part in parts)


def one_cpu(events, plain=(plain_text(),), **how):
    file = opened(plain, how.get("page_size", PAGE))
    file.buffer([(0, *file.pages(compressed(pages(events, **how))))], page_size=how.get("page_size", PAGE))
    return file.close()


# ---- CPUs -----------------------------------------------------------------------------------------------------------

def cpus():
    """CPUs with the same events at the same times: switches, wake-ups, interrupts, spans. Nothing is compressed: so
    many CPUs are only believed of a large file."""
    file = opened(packed=False)
    ranges = []
    for cpu in range(SIZE):
        task = 1 + 2 * cpu
        turn = [switch(task, task, task + 1, 1), event(ENTRY, task + 1, pack("i16s", 7, b"timer")),
                waking(task + 1, task), event(EXIT, task + 1, pack("ii", 7, 1)), event(BEGIN, task + 1, pack("I", 0)),
                event(END, task + 1, pack("QII", 1, 0, 1)), switch(task + 1, task + 1, task)]
        ranges.append((cpu, *file.pages(b"".join(pages(turn * 6)))))
    file.buffer(ranges)
    return file.close()


# ---- tasks ----------------------------------------------------------------------------------------------------------

def tasks():
    return one_cpu(event(PLAIN, 1 + i) for i in range(SIZE))


def task_switches():
    """A switch to each task, and it waits before the next one runs."""
    return one_cpu(switch(1 + i, 1 + i, 2 + i, 1) for i in range(SIZE))


def task_spans():
    """A span of each task, which does not end."""
    return one_cpu(event(BEGIN, 1 + i, pack("I", 0)) for i in range(SIZE))


def deep_spans():
    """64 open spans of each task."""
    return one_cpu(event(BEGIN, 1 + i // 64, pack("I", 0)) for i in range(SIZE))


def task_locks():
    """Each task waits for a mutex."""
    return one_cpu(each for i in range(SIZE // 2) for each in (event(WAIT, 1 + i, pack("ii", 1 + i, i % 1000)),
                                                               switch(1 + i, 1 + i, 2 + i, 2)))


def span_losses():
    """Open spans of as many tasks; and others, each of which a loss ends."""
    first = pages((event(BEGIN, 1 + i, pack("I", 0)) for i in range(65536)), page_size=64)
    rest = pages((event(BEGIN, 1 + i, pack("I", 0)) for i in range(3 * SIZE)), 1000000, True, 64)
    file = opened(page_size=64)
    file.buffer([(cpu, *file.pages(compressed(each))) for cpu, each in enumerate((first, rest))], page_size=64)
    return file.close()


# ---- mutexes and objects --------------------------------------------------------------------------------------------

def mutexes():
    """A wait, a lock and an unlock of each."""
    return one_cpu(event(kind, 5, pack("ii", 5, i)) for i in range(SIZE) for kind in (WAIT, LOCK, UNLOCK))


def held_mutexes():
    return one_cpu(event(LOCK, 5, pack("ii", 5, i)) for i in range(SIZE))


def mutex_losses():
    """As many mutexes as are followed, which were locked once; then locks, each of which a loss ends."""
    first = [event(LOCK, 5, pack("ii", 5, i)) for i in range(65536)]
    rest = (event(LOCK, 5, pack("ii", 5, i % 3)) for i in range(3 * SIZE))
    return two_parts(pages(first, page_size=64), pages(rest, 1000000, True, 64))


def two_parts(first, rest):
    file = opened(page_size=64)
    file.buffer([(0, *file.pages(compressed(first + rest)))], page_size=64)
    return file.close()


def task_mutexes():
    """Reasons to wait, no two of the same task and mutex, and 16 of each task."""
    return one_cpu(each for i in range(SIZE) for each in (event(WAIT, 1 + i // 16, pack("ii", 1 + i // 16, i)),
                                                          switch(1, 1 + i // 16, 2 + i // 16, 2)))


def objects():
    """Tasks of a kernel, each of which waits for 16 queues, no two of them for the same one; a dump of tlog."""
    slots = min(2 * SIZE, 65534)
    turns = [1 + i % (SIZE // 16) for i in range(slots // 2 + 1)]
    body = b"".join(pack("4I", 0x20000000 + i, 0, 1000 + 2 * i, (4 << 5 | 6) << 16 | 0x16F)
                    + pack("4I", 0, 0, 1001 + 2 * i, turns[i + 1] << 16 | 0x115) for i in range(slots // 2))
    head = hostile_dumps.header(slots)
    return head + body + hostile_dumps.MARK + bytes(32) + hostile_dumps.seal_of(head, body)


# ---- types, fields, names -------------------------------------------------------------------------------------------

def types():
    """As many types as a trace may have, and more, each with an event."""
    texts = [plain_text(fields(of("a%d" % i, NUMBER)), '"a=%%d", REC->a%d' % i, 20 + i, "type%d" % i)
             for i in range(SIZE)]
    return one_cpu((event(20 + i, 5, pack("i", i)) for i in range(SIZE)), [plain_text()] + texts)


def symbols_of_mutex():
    """A mutex's field with names for so many numbers, all of which tasks wait for."""
    names = ", ".join('{ %d, "n%x" }' % (i, i) for i in range(SIZE))
    text = format_text("set_mutex_wait", 20, fields(of("context", NUMBER), of("mutex", NUMBER)),
                       '"%%s", __print_symbolic(REC->mutex, %s)' % names)
    file = File()
    file.tables((18,), _17=pack("I", 0), _18=pack("I", 2) + b"sched\0" + pack("I", 1) + sized(SCHED[0], "Q")
                + b"shark\0" + pack("I", 1) + sized(text, "Q"))
    events = (each for i in range(SIZE) for each in (event(20, 1 + i // 8, pack("ii", 1 + i // 8, i)),
                                                     switch(1, 1 + i // 8, 2 + i // 8, 2)))
    file.buffer([(0, *file.pages(compressed(pages(events))))])
    return file.close()


if __name__ == "__main__":
    with open(hostile.OUT, "wb") as to:
        to.write(globals()[hostile.KIND]())
