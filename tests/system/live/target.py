"""target.py - a firmware in QEMU, with its gdbstub and its monitor, for tests that read its memory.

The judge of what is read is QEMU's own pmemsave, asked for over QMP.
"""
import json
import os
import re
import socket
import subprocess
import threading
import time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Target:
    """QEMU, until the end of a with block."""

    def __init__(self, folder, board, elf):
        self.folder, self.port = folder, free_port()
        self.monitor = os.path.join(folder, "qmp.socket")
        if os.path.exists(self.monitor):
            os.unlink(self.monitor)
        self.qemu = subprocess.Popen(
            ["qemu-system-arm", "-M", board, "-display", "none", "-monitor", "none", "-serial", "none",
             "-semihosting-config", "enable=on,target=native", "-kernel", elf,
             "-gdb", "tcp:127.0.0.1:%d" % self.port, "-qmp", "unix:%s,server=on,wait=off" % self.monitor])
        self.lock = threading.Lock()
        self.qmp = socket.socket(socket.AF_UNIX)
        for _ in range(300):
            try:
                self.qmp.connect(self.monitor)
                break
            except OSError:
                time.sleep(0.1)
        self.lines = self.qmp.makefile("rw")
        self.lines.readline()
        self.ask("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.qemu.kill()
        self.qemu.wait()

    def ask(self, command, **arguments):
        """What QEMU answers to a command of QMP; several threads may ask."""
        with self.lock:
            self.lines.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
            self.lines.flush()
            while True:
                answer = json.loads(self.lines.readline())
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                if "return" in answer:
                    return answer["return"]

    def is_running(self):
        return self.ask("query-status")["running"]

    def memory(self, address, size):
        """The target's memory, while it runs if it runs."""
        path = os.path.abspath(os.path.join(self.folder, "pmemsave.bin"))
        self.ask("pmemsave", val=address, size=size, filename=path)
        with open(path, "rb") as f:
            return f.read()

    def word(self, address):
        """A word of memory, by xp of QEMU's monitor for humans."""
        told = self.ask("human-monitor-command", **{"command-line": "xp /1wx 0x%x" % address})
        return int(told.split(":")[1], 16)


def symbols(elf):
    """Addresses by name."""
    told = subprocess.run(["arm-none-eabi-nm", elf], check=True, capture_output=True, text=True).stdout
    return {name: int(address, 16) for address, name in re.findall(r"^(\w+) \w (\S+)$", told, re.M)}


def chunks(elf):
    """Where the firmware has memory for chunks: address, size."""
    known = symbols(elf)
    return known["__start_tlog_chunks"], known["__stop_tlog_chunks"] - known["__start_tlog_chunks"]


def decode(build, *arguments):
    """tlog-decode: its exit code, its output, its messages, and the seconds that it took."""
    begin = time.time()
    run = subprocess.run([os.path.join(build, "tlog-decode"), *arguments], capture_output=True, timeout=60)
    return run.returncode, run.stdout.decode(), run.stderr.decode(errors="replace"), time.time() - begin
