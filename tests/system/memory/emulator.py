"""emulator.py - firmware in QEMU, stopped at moments of its run, and its memory.

With one CPU QEMU counts the instructions and records the run; the run is then repeated as it was, so every moment can
be visited again. Several CPUs run side by side, and are stopped after a part of the time that the run takes. QEMU's
monitor (QMP) saves the memory; its gdbstub stops the firmware at an address or behind a store, and lets it go on."""
import json
import os
import socket
import subprocess
import time

PATIENCE = 600  # s that QEMU may take to answer, or the firmware to get where it is to be stopped

PC = 15         # number of the register


def connected(path):
    """A socket that is connected to the one at a path, which QEMU is about to make."""
    end = time.monotonic() + PATIENCE
    while True:
        channel = socket.socket(socket.AF_UNIX)
        channel.settimeout(PATIENCE)
        try:
            channel.connect(path)
            return channel
        except OSError:
            channel.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


class Monitor:
    """QEMU's monitor."""

    def __init__(self, path):
        self.stream = connected(path).makefile("rwb")
        self.stream.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        """QEMU's answer to a command. What it tells by itself meanwhile is passed over."""
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        self.stream.flush()
        while True:
            message = json.loads(self.stream.readline())
            if "error" in message:
                raise RuntimeError("QEMU: %s: %s" % (command, message["error"]["desc"]))
            if "return" in message:
                return message["return"]


class Stub:
    """QEMU's gdbstub, by gdb's remote protocol."""

    def __init__(self, path):
        self.socket = connected(path)
        self.text = b""

    def send(self, text):
        self.socket.sendall(b"$%s#%02x" % (text.encode(), sum(text.encode()) % 256))

    def packet(self):
        """The next packet that QEMU sends."""
        while b"#" not in self.text[:-2]:
            more = self.socket.recv(4096)
            if not more:
                raise EOFError("QEMU has ended")
            self.text += more
        packet, _, rest = self.text.partition(b"#")
        self.text = rest[2:]
        self.socket.sendall(b"+")
        return packet.partition(b"$")[2].decode()

    def ask(self, text):
        self.send(text)
        answer = self.packet()
        if answer != "OK":
            raise RuntimeError("QEMU's gdbstub: %s: %s" % (text, answer or "unknown"))

    def go(self, seconds=PATIENCE):
        """Let the firmware run until something stops it, or that long."""
        self.send("c")
        self.socket.settimeout(max(seconds, 0.001))
        try:
            self.packet()
        except socket.timeout:
            self.socket.settimeout(PATIENCE)
            self.socket.sendall(b"\3")
            self.packet()
        self.socket.settimeout(PATIENCE)

    def number(self, register):
        self.send("g")
        return int.from_bytes(bytes.fromhex(self.packet()[8 * register:][:8]), "little")


class Machine:
    """QEMU, until the end of a with block, with its monitor; the sockets `qmp` and `gdb` are in the folder."""

    def __init__(self, command, folder):
        for name in ("qmp", "gdb"):
            if os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
        self.process = subprocess.Popen(
            [*command, "-qmp", "unix:qmp,server=on,wait=off", "-chardev",
             "socket,path=gdb,server=on,wait=off,id=gdb", "-gdb", "chardev:gdb"], cwd=folder)
        self.monitor = Monitor(os.path.join(folder, "qmp"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Emulator(Machine):
    """QEMU with a firmware, stopped ahead of its first instruction; `with` ends it. The firmware stops at the address
    `end`, at last."""

    def __init__(self, command, folder, end):
        super().__init__([*command, "-S"], folder)
        self.stub, self.end = Stub(os.path.join(folder, "gdb")), end
        self.stub.ask("Z0,%x,2" % end)

    def save(self, path, address, size):
        """Save so many bytes of the memory as the CPU sees it."""
        self.monitor.ask("memsave", val=address, size=size, filename=os.path.abspath(path))

    def go(self, seconds=PATIENCE):
        self.stub.go(seconds)

    def step(self):
        """Run one instruction, unless it is the end."""
        if self.stub.number(PC) != self.end:
            self.stub.send("s")
            self.stub.packet()

    def run_to_last(self, address):
        """Run to the end. Return the moment when it came to the address for the last time."""
        last = 0
        self.stub.ask("Z0,%x,2" % address)
        self.go()
        while self.stub.number(PC) != self.end:
            last = self.moment()
            self.step()
            self.go()
        self.stub.ask("z0,%x,2" % address)
        return last

    def run_to_store(self, addresses, latest):
        """Run up to behind the next store to one of these words, and not beyond the moment `latest`."""
        for address in addresses:
            self.stub.ask("Z2,%x,4" % address)
        self.run_to(latest)
        for address in addresses:
            self.stub.ask("z2,%x,4" % address)


class Recorded(Emulator):
    """One CPU. A moment is a number of instructions."""

    def __init__(self, command, folder, end, mode="replay"):
        super().__init__([*command, "-icount", "shift=6,rr=%s,rrfile=record" % mode], folder, end)

    @classmethod
    def measure(cls, command, folder, dump, end):
        """The moments of the last dump and of the end; of the end one that can be visited again, and some steps behind
        it. QEMU completes its record when it quits."""
        with cls(command, folder, end, "record") as run:
            moments = run.run_to_last(dump), run.moment() - 20
            run.monitor.ask("quit")
            run.process.wait(PATIENCE)
        return moments

    def moment(self):
        return self.monitor.ask("query-replay")["icount"]

    def name(self):
        return "instruction %d" % self.moment()

    def run_to(self, moment):
        if moment > self.moment():
            self.monitor.ask("replay-break", icount=moment)
            self.go()


class Parallel(Emulator):
    """Several CPUs. A moment is the time in ms for which they ran."""

    def __init__(self, command, folder, end):
        super().__init__([*command, "-accel", "tcg,thread=multi"], folder, end)
        self.ran = 0

    @classmethod
    def measure(cls, command, folder, dump, end):
        with cls(command, folder, end) as run:
            return run.run_to_last(dump), run.moment()

    def moment(self):
        return self.ran

    def name(self):
        return "%.1f ms" % self.ran

    def go(self, seconds=PATIENCE):
        begin = time.monotonic()
        self.stub.go(seconds)
        self.ran += (time.monotonic() - begin) * 1000

    def run_to(self, moment):
        if moment > self.ran:
            self.go((moment - self.ran) / 1000)


def visit(kind, command, folder, addresses, words, count):
    """(name of the moment, the Emulator) at `count` moments of a run. kind: Recorded or Parallel; addresses: where the
    firmware dumps, and its end, which is the last moment. The others are ahead of the last dump, every second one some
    instructions behind a store to one of `words`, the cursors: what is reserved then is not yet written."""
    dump, end = kind.measure(command, folder, *addresses)
    moments = [dump * k // count for k in range(1, count)] + [end]
    with kind(command, folder, addresses[-1]) as run:
        for k, moment in enumerate(moments):
            run.run_to(moment)
            if k % 2 == 0 and moment != end:
                run.run_to_store(words, moments[k + 1])
                for _ in range(k + 1):
                    run.step()
            yield run.name(), run


def opening(kind, command, folder, addresses, header):
    """(name of the moment, the Emulator) behind each store to a header of 128 bytes, until there is a first event."""
    dump, _ = kind.measure(command, folder, *addresses)
    with kind(command, folder, addresses[-1]) as run:
        for _ in range(40):
            run.run_to_store(range(header, header + 128, 4), dump)
            if run.moment() >= dump:
                break
            run.step()
            yield run.name(), run
