"""openocd.py - speaks OpenOCD's Tcl port over the memory that a function reads: as release 0.12 does (read_memory),
or as releases before it (mdw). Only what a client needs to read memory."""
import re
import socket
import threading


class OpenOcd:
    """The server, in a thread of its own; for one connection after the other."""

    def __init__(self, memory, old=False):
        self.memory, self.old = memory, old
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            with connection:
                self.talk(connection)

    def talk(self, connection):
        waiting = b""
        while True:
            got = connection.recv(65536)
            if not got:
                return
            waiting += got
            while b"\x1a" in waiting:
                command, waiting = waiting.split(b"\x1a", 1)
                connection.sendall(self.evaluate(command.decode()).encode() + b"\x1a")

    def evaluate(self, command):
        """Tcl, as far as it is needed: concat [catch {COMMAND} VARIABLE] $VARIABLE, and the commands."""
        caught = re.fullmatch(r"concat \[catch \{(.*)\} (\w+)\] \$\2", command)
        if caught is None:
            return self.run(command)[1]
        code, text = self.run(caught.group(1))
        return ("%d %s" % (code, text)).strip()

    def run(self, command):
        """Its code, 0 or 1, and its result."""
        captured = re.fullmatch(r"capture \{(.*)\}", command)
        word = (captured.group(1) if captured else command).split()
        if word[0] == "read_memory" and not self.old:
            return self.read(int(word[1], 0), int(word[2]) // 8, int(word[3]))
        if word[0] in ("mdw", "mdb") and captured:
            return self.dump(int(word[1], 0), 4 if word[0] == "mdw" else 1, int(word[2]))
        return 1, 'invalid command name "%s"' % word[0]

    def words(self, address, width, count):
        got = self.memory(address, width * count)
        return [int.from_bytes(got[i:i + width], "little") for i in range(0, len(got), width)]

    def read(self, address, width, count):
        try:
            return 0, " ".join("0x%x" % word for word in self.words(address, width, count))
        except KeyError:
            return 1, "read_memory: failed to read memory"

    def dump(self, address, width, count):
        lines, per = [], 32 // width
        words = self.words(address, width, count)
        for i in range(0, count, per):
            lines.append("0x%08x: %s \n" % (address + i * width, " ".join("%0*x" % (2 * width, word) for word in
                                                                           words[i:i + per])))
        return 0, "".join(lines)
