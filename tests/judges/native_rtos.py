"""native_rtos.py - records of an operating system's objects in words; section 5.1 of target/FORMAT.md, written from it
alone."""
CODES = {1: "create", 2: "delete", 3: "send", 4: "receive", 5: "fail", 6: "block", 7: "delay", 8: "set_bits",
         9: "clear_bits", 10: "wait_bits", 11: "other", 12: "notify", 13: "allocate", 14: "free"}
FURTHER = ("peek wait sync reset start stop change expire suspend resume join call stack_overflow tick sleep_begin "
           "sleep_end").split()
OPERATIONS = {**CODES, **{16 + k: name for k, name in enumerate(FURTHER)}}
KINDS = {0: None, 1: "task", 3: "mutex"}
KINDS.update(enumerate("object queue queue_set semaphore timer event_group stream_buffer message_buffer mailbox pipe "
                       "memory_pool heap condition notification barrier lock work_queue counter".split(), 5))
OTHER_VERBS = {"give take": ("mutex", "semaphore", "lock", "notification"), "free allocate": ("memory_pool", "heap")}
COUNTS = {"stream_buffer": "bytes", "message_buffer": "bytes", "pipe": "bytes", "semaphore": "count",
          "counter": "count", "lock": "count", "notification": "count"}


def verb(operation, kind):
    for verbs, kinds in OTHER_VERBS.items():
        if kind in kinds and operation in ("send", "receive"):
            return verbs.split()[operation == "receive"]
    return operation


def words(code, par1, par2):
    """(name of the event, [(field, number)]) of a record with such a code; None: it is unknown. A field that is called
    as a kind of object is the number of one."""
    name, kind, count = CODES.get(code >> 4), KINDS.get(par1 & 31, "?"), par1 >> 5
    if code & 15 != 15 or name is None:
        return None
    if name == "delay":
        return "delay", [("ticks", par2)]
    if name in ("set_bits", "clear_bits", "wait_bits"):
        return "event_group_" + name.replace("wait_bits", "wait_block"), [("event_group", par2), ("bits", par1)]
    if name == "notify":
        return "task_notify", [("task", par1), ("index", par2)]
    if name in ("allocate", "free"):
        return "heap_" + name, [("bytes", par1), ("in_use", par2)]
    operation = OPERATIONS.get(count) if name in ("fail", "block", "other") else name
    if kind == "?" or operation is None:
        return None
    fields = [(kind or ("function" if operation == "call" else "value"), par2)]
    if name == "create" and kind != "mutex":
        fields.append(("size", count))
    if name in ("send", "receive") and kind != "mutex":
        fields.append((COUNTS.get(kind, "waiting"), count))
    end = {"fail": "_failed", "block": "_block"}.get(name, "")
    return (kind + "_" if kind else "") + verb(operation, kind) + end, fields


FACT_KINDS = {name: number for number, name in KINDS.items() if name}


def text(code, par1, par2, facts):
    """The same as a line of trace-cmd report -t ends; facts: {(kind, id): name}. None: it is unknown."""
    found = words(code, par1, par2)
    if found is None:
        return None
    shown = []
    for field, number in found[1]:
        kind = FACT_KINDS.get(field)
        named = [ident for fact, ident in facts if fact == kind]
        if field in ("bits", "function"):
            shown.append("%s=0x%x" % (field, number))
        elif field == "task" and number == 0:
            shown.append("task=idle")
        elif kind and (kind, number) in facts:
            shown.append("%s=%s" % (field, facts[kind, number].decode()))
        else:
            is_handle = kind and field not in ("task", "interrupt", "notification")
            shown.append(("%s=0x%x" if named or is_handle else "%s=%d") % (field, number))
    return found[0], " ".join(shown)
