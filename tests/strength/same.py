"""same.py - proves that two checkouts behave the same: this one, and one of a commit before a restructuring.

usage: same.py BUILD REVISION [WORD]     WORD: only what has this word in its command; "runtime": only the machine code

Both decoders are built without sanitizers and called with the same arguments in the same directory, one after the
other: every input (same_inputs.py) in every format and with every answer, and wrong usages (same_calls.py). What they
write, standard output, messages and exit codes must be the same, byte for byte. Of the runtime the machine code must be
the same, symbol by symbol (same_code.py). Each difference is printed; the exit code is 1 if there is any."""
import concurrent.futures
import itertools
import os
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

import same_calls
import same_code
import same_inputs

JOBS = os.cpu_count() or 1
SECONDS = 600  # that a call may take: a guard against calls that hang
SHOWN = 200  # bytes of a difference that are printed
FILE_TIME = re.compile(rb', "time": \d+')  # in a session of KernelShark: when trace.dat was written


class Decoder:
    """The programs of a checkout: the decoder, and the one that reads event scripts in place of dumps. Both checkouts'
    have this one's version."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        self.program = {"main": os.path.join(root, build, "tlog-decode"),
                        "script": os.path.join(root, build, "same", "tlog-decode-script")}

    def make(self, *more):
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
        goals = [self.build + "/" + name for name in ("tlog-decode",) + more]
        settings = ["VERSION=" + version(), "BUILD=" + self.build]
        run(["make", "-s", "-j%d" % JOBS, *settings, *goals], self.root, environment)
        self.link_script()

    def link_script(self):
        """Link the decoder's objects with tests/gen/script_reader.c in place of the reader of dumps."""
        objects, output = [], self.program["script"]
        for path, _, names in os.walk(os.path.join(self.root, "host")):
            inside = os.path.relpath(path, self.root)
            objects += [os.path.join(self.build, inside, n[:-2] + ".o") for n in names if n.endswith(".c")]
        symbols = run(["nm", "-A", "--defined-only", *objects], self.root)
        reader = re.search(r"^(\S+):\S+ D \S*reader_native$|^(\S+):\S+ R \S*reader_native$", symbols, re.M)
        objects.remove(reader.group(1) or reader.group(2))
        os.makedirs(os.path.dirname(output), exist_ok=True)
        flags = "-std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Ihost -Itarget -Itests".split()
        libraries = "-lz -lzstd -ldw -lelf -larchive -pthread".split()
        run(["gcc", *flags, "tests/gen/script_reader.c", *sorted(objects), *libraries, "-o", output], self.root)


def run(command, directory, environment=None):
    """Run a command that must succeed. Returns its output."""
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("same: %s: exit code %d\n%s%s" % (" ".join(command)[:300], done.returncode, done.stdout, done.stderr))
    return done.stdout


def version():
    with open("Makefile", encoding="utf-8") as file:
        return re.search(r"^VERSION := (.*)$", file.read(), re.M).group(1)


def check_out(revision, directory):
    """A checkout of the revision; one that is there already is kept, with what was built in it."""
    commit = run(["git", "rev-parse", "--verify", revision + "^{commit}"], ".").strip()
    note, told = os.path.join(directory, ".revision"), commit + " " + version()
    if os.path.exists(note) and open(note).read() == told:
        return commit
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    archive = subprocess.Popen(["git", "archive", commit], stdout=subprocess.PIPE)
    subprocess.run(["tar", "x", "-C", directory], stdin=archive.stdout, check=True)
    if archive.wait() != 0:
        sys.exit("same: cannot check out " + revision)
    with open(note, "w") as file:
        file.write(told)
    return commit


# ---- calls -----------------------------------------------------------------------------------------------------------

class Caller:
    """Calls both decoders, each in the same directory, which is fresh, and compares what they leave."""

    def __init__(self, decoders, inputs, directory):
        self.decoders, self.inputs, self.directory = decoders, os.path.abspath(inputs), os.path.abspath(directory)
        self.local, self.numbers, self.lock = threading.local(), itertools.count(), threading.Lock()
        self.calls = self.outputs = self.differences = 0
        shutil.rmtree(directory, ignore_errors=True)

    def place(self):
        if not hasattr(self.local, "place"):
            self.local.place = os.path.join(self.directory, str(next(self.numbers)))
        return self.local.place

    def results(self, program, arguments, at):
        """What a call leaves: exit code, standard output, messages, and each file, by name."""
        shutil.rmtree(at, ignore_errors=True)
        os.makedirs(at + "/tmp")
        os.symlink(self.inputs, at + "/in")
        given = [a[1:] for a in arguments if a.startswith("<")]
        port = next((int(a.split(":")[-1]) for a in arguments if given and a.startswith("udp:")), None)
        environment = {"PATH": os.environ["PATH"], "TMPDIR": at + "/tmp", "LC_ALL": "C.UTF-8"}
        with open(os.path.join(at, given[0]) if given else "/dev/null", "rb") as source:
            process = subprocess.Popen(["tlog-decode"] + [a for a in arguments if not a.startswith("<")], cwd=at,
                                       executable=program, env=environment, stdin=source, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            if port:
                send_packets(process, os.path.join(at, given[0]), port)
            try:
                out, err = process.communicate(timeout=SECONDS)
                found = {"exit code": b"%d" % process.returncode}
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                found = {"exit code": b"none in %d s" % SECONDS}
        found.update({"standard output": out, "messages": err})
        for path, folders, names in os.walk(at):
            for name in sorted(set(names + folders) - {"in"}):
                found["file " + os.path.relpath(os.path.join(path, name), at)] = contents(os.path.join(path, name))
        return found

    def compare(self, call):
        which, arguments = call
        at = self.place()
        old, new = (self.results(d.program[which], arguments, at) for d in self.decoders)
        told = []
        for name in sorted(set(old) | set(new)):
            if old.get(name) != new.get(name):
                told.append("  %s: %s" % (name, difference(old.get(name), new.get(name))))
        with self.lock:
            self.outputs += len(set(old) | set(new))
            self.calls += 1
            if self.calls % 1000 == 0:
                print("%d calls, %d differences" % (self.calls, self.differences), flush=True)
            if told:
                title = "tlog-decode " + ("(with scripts) " if which == "script" else "") + shlex.join(arguments)
                print("\n".join([title] + told), flush=True)
                self.differences += 1


def send_packets(process, path, port):
    """Send the first records of a file to the decoder as the S.Ha.R.K. tracer sends them: one packet is missing, one
    comes twice, two come in the wrong order, and one is broken."""
    with open(path, "rb") as file:
        records = [file.read(16 * 9) for _ in range(8)]
    packets = [b"TRACER-V1.0\0" + struct.pack("<III", number, 9, 24 + len(data)) + data
               for number, data in enumerate(records, 1)]
    while process.poll() is None:  # until the decoder listens
        with open("/proc/net/udp", encoding="ascii") as file:
            if ":%04X " % port in file.read():
                break
        time.sleep(0.01)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind(("127.0.0.1", port + 1000))  # which is told
        for each in [packets[i] for i in (0, 2, 1, 3, 3, 5, 6, 7)] + [packets[0][:30]]:
            sender.sendto(each, ("127.0.0.1", port))


def contents(path):
    if os.path.islink(path):
        return b"link to " + os.readlink(path).encode()
    if os.path.isdir(path):
        return b"directory"
    with open(path, "rb") as file:
        data = file.read()
    return FILE_TIME.sub(b"", data) if path.endswith(".json") else data


def difference(old, new):
    """Where the two first differ: in texts the line, else the byte."""
    if old is None or new is None:
        return "only " + ("here" if old is None else "of the base")
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    if b"\0" in old + new:
        return "byte %d of %d and %d: %s and %s" % (at, len(old), len(new), old[at:at + 8].hex() or "end",
                                                   new[at:at + 8].hex() or "end")
    lines = []
    for data in (old, new):
        begin = data.rfind(b"\n", 0, at) + 1
        lines.append(data[begin:begin + SHOWN].split(b"\n")[0].decode(errors="backslashreplace"))
    return "line %d, byte %d:\n    base: %s\n    here: %s" % (old[:at].count(b"\n") + 1, at, *lines)


def main():
    build, revision = sys.argv[1], sys.argv[2]
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    began, top = time.time(), os.path.join(build, "same")
    base = os.path.join(top, "base")
    commit = check_out(revision, base)
    print("base: " + commit[:12], flush=True)
    inputs, differences, outputs, symbols = [], 0, 0, 0
    if word != "runtime":
        decoders = Decoder(os.path.abspath(base), "build"), Decoder(os.path.abspath("."), build)
        decoders[0].make("gen_dump", "pack_dump", "demo/dump.bin")
        decoders[1].make()
        inputs = same_inputs.make(os.path.abspath(base), commit, os.path.join(top, "in"), JOBS)
        calls = [c for c in [*same_calls.of_inputs(inputs), *same_calls.of_usage()] if word in " ".join(c[1])]
        print("%d inputs, %d calls of each decoder, after %d s" % (len(inputs), len(calls), time.time() - began),
              flush=True)
        caller = Caller(decoders, os.path.join(top, "in"), os.path.join(top, "run"))
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(caller.compare, calls))
        differences, outputs = caller.differences, caller.outputs
        print("%d outputs compared, after %d s" % (outputs, time.time() - began), flush=True)
    if word in ("", "runtime"):
        symbols, renamed, found = same_code.compare(base, ".", os.path.join(top, "objects"), JOBS)
        print("".join(line + "\n" for line in renamed + found), end="")
        differences += len(found)
    print("%d inputs, %d outputs compared, %d symbols compared, %d differences (%d s)"
          % (len(inputs), outputs, symbols, differences, time.time() - began))
    sys.exit(1 if differences else 0)


main()
