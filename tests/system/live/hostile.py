"""hostile.py - servers of the GDB remote protocol and of OpenOCD's Tcl port that do all that a client must bear: good
ones of every kind give the events, bad ones an exact error and nothing else, in time."""
import os
import re
import signal
import socket
import subprocess
import threading
import time

from target import decode


def packet(text, wrong=0):
    """A packet with these bytes; its check sum is wrong by so much."""
    data = text if isinstance(text, bytes) else text.encode("latin-1")
    return b"$" + data + b"#%02x" % ((sum(data) + wrong) % 256)


def escaped(data):
    """Bytes with those escaped that mean something."""
    return b"".join(b"}" + bytes([b ^ 0x20]) if b in b"#$}*" else bytes([b]) for b in data)


def run_lengths(text):
    """Text in which repeats of 4 to 97 characters are shortened."""
    def shorten(match):
        n = len(match.group(0)) - 1
        n -= n + 29 in (ord("#"), ord("$"), ord("+"), ord("-"))  # counts that a server must not send
        left = len(match.group(0)) - 1 - n
        return match.group(1) * (1 + left) + "*" + chr(n + 29)
    return re.sub(r"(.)\1{3,96}", shorten, text)


class Server:
    """A server that does all right, over an image of memory; cases replace parts of it."""
    features = "PacketSize=400;qXfer:features:read+"
    no_ack = False
    map = None
    runs = False

    def __init__(self, base, image):
        self.base, self.image, self.acks = base, image, True
        self.heard, self.resumed, self.sent = [], False, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        self.connection, _ = self.listener.accept()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.talk()
        except OSError:
            pass
        self.connection.close()
        self.listener.close()

    def send(self, data):
        self.connection.sendall(data)

    def talk(self):
        self.waiting = b""
        while True:
            got = self.connection.recv(4096)
            if not got:
                return
            self.waiting += got
            self.take()

    def take(self):
        while self.waiting:
            if self.waiting[0] == 3:
                self.waiting = self.waiting[1:]
                self.interrupt()
            elif self.waiting[0] in b"+-":
                self.acknowledged(self.waiting[0])
                self.waiting = self.waiting[1:]
            else:
                found = re.match(rb"\$([^#]*)#(..)", self.waiting, re.S)
                if not found:
                    return
                assert int(found.group(2), 16) == sum(found.group(1)) % 256
                self.waiting = self.waiting[found.end():]
                self.hear(found.group(1).decode())

    def acknowledged(self, sign):
        if sign == ord("-"):
            self.send(packet(self.last))

    def interrupt(self):
        self.heard.append("\3")

    def hear(self, text):
        self.heard.append(text)
        if text == "c":
            self.resumed = True
        if self.acks:
            self.send(b"+")
        answer = self.answer(text)
        if text == "QStartNoAckMode" and self.no_ack:
            self.acks = False
        if answer is not None:
            self.last = answer
            self.reply(answer)

    def reply(self, answer):
        self.send(packet(answer))

    def answer(self, text):
        if text.startswith("qSupported"):
            return self.features + (";QStartNoAckMode+" if self.no_ack else "")
        if text == "QStartNoAckMode":
            return "OK"
        if text == "?":
            return None if self.runs else "T05thread:01;"
        if text.startswith("qXfer:memory-map"):
            at, n = (int(x, 16) for x in text.rsplit(":", 1)[1].split(","))
            return ("m" if at + n < len(self.map) else "l") + self.map[at:at + n]
        if text[0] in "mx":
            at, n = (int(x, 16) for x in text[1:].split(","))
            return self.memory(at - self.base, n)
        return None if text == "c" else ""

    def memory(self, at, n):
        return self.image[at:at + n].hex()


# ---- servers that do all right --------------------------------------------------------------------------------------
class NoAck(Server):
    no_ack = True


class Binary(NoAck):
    features = "PacketSize=200;binary-upload+"

    def memory(self, at, n):
        return b"b" + escaped(self.image[at:at + n])


class RunLengths(Server):
    def memory(self, at, n):
        return run_lengths(self.image[at:at + n].hex())


class Short(Server):
    """Gives fewer bytes than are asked for."""
    def memory(self, at, n):
        return self.image[at:at + max(1, n // 3)].hex()


class Tiny(NoAck):
    features = "PacketSize=10"


class Silent(Server):
    """Tells nothing of itself."""
    features = ""


class Runs(Server):
    """The target runs, and prints, until it is interrupted."""
    runs = True

    def interrupt(self):
        super().interrupt()
        self.send(packet("O414243") + packet("S02"))


class Late(Server):
    """Answers ? only when it was interrupted, too."""
    runs = True

    def interrupt(self):
        super().interrupt()
        self.send(packet("S02") + packet("T05"))


class Notifies(NoAck):
    def reply(self, answer):
        self.send(b"%Stop:T05thread:01;#73" + packet("T05swbreak:;") + packet(answer))


class WrongOnce(Server):
    """A check sum is wrong: it sends the packet again when it is told so."""
    broken = False

    def reply(self, answer):
        wrong = 0 if self.broken else 1
        self.broken = True
        self.send(packet(answer, wrong))


class NaksOnce(Server):
    done = False

    def hear(self, text):
        if text[0] == "m" and not self.done:
            self.done = True
            self.send(b"-")
        else:
            super().hear(text)


class Slices(Server):
    """Each byte comes alone."""
    def send(self, data):
        for byte in data:
            self.connection.sendall(bytes([byte]))


class Detaches(Server):
    """Knows D, but not c."""
    def answer(self, text):
        if text == "D":
            self.resumed = True
            return "OK"
        return "" if text == "c" else super().answer(text)


class Stops(Server):
    """Runs into a breakpoint at once."""
    def answer(self, text):
        return "T05thread:01;" if text == "c" else super().answer(text)


class Map(Server):
    """Tells the memory; no ELF file is given."""
    features = "PacketSize=100;qXfer:memory-map:read+"

    def __init__(self, base, image):
        self.map = ('<?xml version="1.0"?><memory-map><memory type="flash" start="0x0" length="0x40000">'
                    '<property name="blocksize">0x400</property></memory>'
                    '<memory type="ram" start="0x%x" length="0x%x"/></memory-map>' % (base, len(image)))
        super().__init__(base, image)


GOOD = [Server, NoAck, Binary, RunLengths, Short, Tiny, Silent, Runs, Late, Notifies, WrongOnce, NaksOnce, Slices,
        Detaches, Stops, Map]


# ---- servers that do not --------------------------------------------------------------------------------------------
def answering(told, **answers):
    """A server that answers requests that begin with a letter otherwise; the error that is wanted."""
    class Answering(Server):
        wanted = told

        def answer(self, text):
            for letter, answer in answers.items():
                if text.startswith(letter):
                    return answer
            return super().answer(text)
    return Answering


def memory_is(told, memory, binary=False):
    class Memory(Binary if binary else Server):
        wanted = told
    Memory.memory = lambda self, at, n: memory(self.image[at:at + n], n)
    return Memory


class Slow(Server):
    """A byte a second."""
    wanted = r"not done after 1\.5 s; --wait=SECONDS allows more"
    wait = "1.5"

    def send(self, data):
        for byte in data:
            self.connection.sendall(bytes([byte]))
            time.sleep(1)


class Mute(Server):
    wanted = "the server does not answer for 5 s"

    def hear(self, text):
        pass


class AlwaysWrong(Server):
    wanted = "a packet whose check sum is wrong"

    def reply(self, answer):
        self.send(packet(answer, 1))

    acknowledged = lambda self, sign: self.reply("00") if sign == ord("-") else None


class WrongUnacknowledged(NoAck):
    wanted = "a packet whose check sum is wrong"

    def reply(self, answer):
        self.send(packet(answer, 0 if self.acks else 1))


class AlwaysNaks(Server):
    wanted = "refuses packets as damaged again and again"

    def hear(self, text):
        self.send(b"-")


class Floods(Server):
    """Sends without end, and no packet."""
    wanted = "the server sends much, but no packet"

    def hear(self, text):
        while True:
            self.connection.sendall(b"%Stop#00" * 512)


class FloodsPackets(Server):
    """Sends halts without end."""
    wanted = 'the server answers "T05'

    def reply(self, answer):
        while True:
            self.send(packet("T05") * 512)


class Endless(Server):
    """A packet without end."""
    wanted = "a packet of more than 64 KiB"

    def reply(self, answer):
        self.send(b"$")
        while True:
            self.connection.sendall(b"00" * 4096)


class Bomb(Endless):
    """The same by few bytes."""
    def reply(self, answer):
        self.send(b"$0" + b"*~" * 4096)


class Restarts(Server):
    """Begins packets without end."""
    wanted = "not done after 1.0 s"
    wait = "1"

    def reply(self, answer):
        while True:
            self.connection.sendall(b"$00" * 4096)


class HalfNoAck(NoAck):
    wanted = 'QStartNoAckMode: the server answers "E01"'

    def answer(self, text):
        return "E01" if text == "QStartNoAckMode" else super().answer(text)


def map_is(told, text):
    class Told(Map):
        wanted = told

        def __init__(self, base, image):
            super().__init__(base, image)
            self.map = text
    return Told


class EndlessMap(Map):
    wanted = "the memory map cannot be read"

    def answer(self, text):
        return "m" + " " * 200 if text.startswith("qXfer") else super().answer(text)


AT = "0x[0-9a-f]+ cannot be read: "
BAD = [
    answering('it has no target that could be halted: the server answers "W00"', **{"?": "W00"}),
    answering('it has no target that could be halted: the server answers ""', **{"?": ""}),
    answering(AT + 'the server answers "E01"', m="E01"),
    answering(AT + 'the server answers "E.no power"', m="E.no power"),
    answering(AT + 'the server does not read memory, and answers ""', m=""),
    answering('the target does not go on: the server answers "E02"', c="E01", D="E02"),
    memory_is(AT + "more bytes come than were asked for", lambda data, n: "00" * (n + 1)),
    memory_is(AT + "half a byte comes", lambda data, n: data.hex()[1:]),
    memory_is(AT + "what comes are no digits", lambda data, n: "g0" * n),
    memory_is(AT + "what comes are no digits", lambda data, n: "0\0" * n),
    memory_is("a repeat of nothing", lambda data, n: "*!00"),
    memory_is("a repeat of no length", lambda data, n: "0*\t0"),
    memory_is("a packet whose check sum is wrong", lambda data, n: "00*"),
    memory_is(AT + "more bytes come than were asked for", lambda data, n: b"b" + b"0" * (n + 1), True),
    memory_is(AT + 'the server answers "b"', lambda data, n: b"b", True),
    memory_is(AT + 'the server answers "E01"', lambda data, n: b"E01", True),
    memory_is("a packet whose check sum is wrong", lambda data, n: b"b}", True),
    Slow, Mute, AlwaysWrong, WrongUnacknowledged, AlwaysNaks, Floods, FloodsPackets, Endless, Bomb, Restarts, HalfNoAck,
    map_is("the server tells of 0 MiB of RAM: give --elf", "<memory-map></memory-map>"),
    map_is("the server tells of 0 MiB of RAM: give --elf", "<memory type=\"ram\" start=\"0x2"),
    map_is("the server tells of 4096 MiB of RAM: give --elf", '<memory type="ram" start="0" length="0x100000000"/>'),
    EndlessMap,
]


class Breaks(Server):
    """Closes the connection behind so many bytes."""
    wanted = "the server closed the connection|Connection reset by peer|Broken pipe"
    behind = 0

    def send(self, data):
        left = self.behind - self.sent
        self.connection.sendall(data[:left])
        self.sent += len(data)
        if len(data) >= left:
            self.connection.shutdown(socket.SHUT_RDWR)
            raise OSError


def fail(name, what):
    raise SystemExit("live: %s: %s" % (name, what))


class Tired(Server):
    """Takes its time for memory."""
    def memory(self, at, n):
        time.sleep(0.3)
        return super().memory(at, n)


def interrupted(build, elf, base, image):
    """Ctrl-C while the memory is read: the target runs on."""
    server = Tired(base, image)
    run = subprocess.Popen([os.path.join(build, "tlog-decode"), "gdb:%d" % server.port, "--elf=" + elf],
                           stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while not any(text[0] == "m" for text in server.heard):
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    told = run.communicate(timeout=20)[1].decode()
    server.thread.join(10)
    if run.returncode != 1 or not told.endswith(": interrupted\n") or not server.resumed:
        fail("Tired", "exit code %d, %s: %s" % (run.returncode, server.heard[-3:], told))


class Tcl:
    """A server that answers each command of OpenOCD's Tcl port with the same, and goes."""
    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        connection, _ = self.listener.accept()
        try:
            while connection.recv(4096):
                connection.sendall(self.answer)
                if not self.answer.endswith(b"\x1a"):
                    break
        except OSError:
            pass
        connection.close()
        self.listener.close()


TCL = [
    ("the server closed the connection", b"0 0x0 0x1"),
    ("this is not OpenOCD's Tcl port: it answers \"Open On-Chip", b"Open On-Chip Debugger\r\n\x1a"),
    ("cannot be read: the server answers \"read_memory: failed", b"1 read_memory: failed to read\x1a"),
    ("cannot be read: the server answers \"invalid command", b'1 invalid command name "x"\x1a'),
    ("cannot be read: 0 words come of", b"0\x1a"),
    ("cannot be read: the server answers \"Target chip.cpu", b"-4 Target chip.cpu doesn't support read_memory\x1a"),
    ("this is not OpenOCD's Tcl port: it answers \"0x20", b"0x20 0x30\x1a"),
    ("this is not OpenOCD's Tcl port: it answers \"- ", b"- 0x30\x1a"),
    ("cannot be read: 3 words come of", b"0 0x1 0x2 0x3\x1a"),
    ("cannot be read: the server answers \"0x0", b"0" + b" 0x0" * 5000 + b"\x1a"),
    ("cannot be read: the server answers \"0x100000000", b"0 0x100000000\x1a"),
    ("cannot be read: the server answers \"-1", b"0 -1\x1a"),
    ("cannot be read: the server answers \"what", b"0 what\x1a"),
    ("an answer of more than 64 KiB", b"0 " + b"0x0 " * 40000),
]


def refused(name, wanted, result):
    """A bad server: one line that tells what is wrong, no event, in time."""
    code, text, told, seconds = result
    if code != 1 or text or not re.fullmatch("tlog-decode: [^\n]*(%s)[^\n]*\n" % wanted, told) or seconds > 8:
        fail(name, "exit code %d after %.1f s, %d bytes: %s" % (code, seconds, len(text), told))


def hostile(build, elf, base, image, wanted):
    """All of them: the firmware's memory at base, and the events in it."""
    def call(server, *arguments):
        options = [] if server.map else ["--elf=" + elf]
        wait = getattr(server, "wait", None)
        return decode(build, "gdb:127.0.0.1:%d" % server.port, "--format=text-full", *options, *arguments,
                      *(["--wait=" + wait] if wait else []))

    def longest(case):
        server = case(base, image)
        code, text, told, _ = call(server)
        server.thread.join(10)
        same = sorted(text.split("\n")) == sorted(wanted.split("\n")) or server.map
        if code != 0 or not same or not (server.resumed or "c" in server.heard):
            fail(case.__name__, "exit code %d, %s: %s" % (code, server.heard[-3:], told))
        if (server.heard.count("\3") != 0) != case.runs:
            fail(case.__name__, "was halted without need, or not at all")
        return server

    for case in GOOD:
        longest(case)
    for case in BAD:
        server = case(base, image)
        refused(case.__name__, case.wanted, call(server))
    interrupted(build, elf, base, image)
    count = 0
    for Breaks.behind in [*range(0, 90), *range(90, 3000, 97)]:
        refused("Breaks behind %d bytes" % Breaks.behind, Breaks.wanted, call(Breaks(base, image)))
        count += 1
    for told, answer in TCL:
        refused("Tcl", told, decode(build, "openocd:127.0.0.1:%d" % Tcl(answer).port, "--elf=" + elf))
    print("%d servers that are right, %d that are not, one that breaks off at %d places, %d of OpenOCD's" %
          (len(GOOD), len(BAD), count, len(TCL)))
