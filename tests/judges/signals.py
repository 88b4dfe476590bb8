"""signals.py - which events are about a mutex that is a signal, by the rule of target/FORMAT.md, section 5.1."""
NAMES = ("set_mutex_wait", "set_mutex_lock", "set_mutex_unlock")
HANDLER = object()


class Signals:
    def __init__(self):
        self.holder, self.waiter = {}, {}  # by board and mutex

    def forget(self, board):
        for each in self.holder, self.waiter:
            for key in [key for key in each if key[0] == board]:
                del each[key]

    def take(self, board, name, values, pid):
        """Whether it is. pid: of the task that the event belongs to; that of idle is 0."""
        if name not in NAMES or "mutex" not in values or "context" not in values:
            return False
        key, task = (board, values["mutex"]), int(values["context"])
        holder = self.holder.get(key)
        if name == "set_mutex_wait":
            self.waiter[key] = task
            return holder is HANDLER or task > 0 and holder == task
        if name == "set_mutex_lock":
            self.holder[key] = task
            return holder is HANDLER and task > 0 and self.waiter.pop(key, 0) == task
        self.holder[key] = HANDLER if task == 0 and pid else None
        if self.holder[key] is None:
            self.waiter.pop(key, 0)
        return self.holder[key] is HANDLER
