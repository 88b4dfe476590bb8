"""packed.py - inputs compressed by gzip and zstd: every format is read as from the file itself, by any name and from
standard input; what is cut or damaged is decoded up to there, with the offset; what unpacks to too much is refused.

usage: packed.py DECODER ELF DUMP DIR
"""
import gzip
import os
import random
import re
import subprocess
import sys
import zlib

decoder, elf, dump, folder = sys.argv[1:]


def run(*options, stdin=b""):
    done = subprocess.run([decoder, *options], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr.decode()


def write(name, content):
    with open(folder + "/" + name, "wb") as file:
        file.write(content)
    return folder + "/" + name


def zstd(content, *options):
    return subprocess.run(["zstd", "-q", *options], input=content, stdout=subprocess.PIPE, check=True).stdout


def whole(name):
    with open(name, "rb") as file:
        return file.read()


METHODS = {"gzip": lambda content: gzip.compress(content, 6), "zstd": lambda content: zstd(content, "--check")}
QUICK = os.environ.get("TIER") == "quick"  # one method for each format, by turns
packed = 0
for turn, suffix in enumerate((".bin", ".dat", ".shark", ".kev")):
    plain = dump
    if suffix != ".bin":
        plain = folder + "/plain" + suffix
        assert run("-q", "--elf=" + elf, dump, "-o", plain)[0] == 0
    wanted = run("-q", "--format=text-full", plain)
    assert wanted[0] == 0 and wanted[1].count(b"\n") > 5000, wanted[2]
    bytes_of = whole(plain)
    for method, compress in list(METHODS.items())[turn % 2::2] if QUICK else METHODS.items():
        half = len(bytes_of) // 2
        for content in (compress(bytes_of), compress(bytes_of[:half]) + compress(bytes_of[half:])):
            name = write("some" + suffix, content)
            assert run("-q", "--format=text-full", name) == wanted, (name, method)
            assert run("-q", "--format=text-full", "-", stdin=content) == wanted, (name, method)
            with open(name, "rb") as file:
                assert subprocess.run([decoder, "-q", "--format=text-full", "-"], stdin=file, check=True,
                                      stdout=subprocess.PIPE).stdout == wanted[1]
            packed += 1
    assert run("-q", "--info", "--json", name)[1].count(b'"format": "') == 1
# Zeros behind a member of gzip fill up a block; an empty member holds nothing.
text = run("-q", "--format=text-full", dump)
content = gzip.compress(b"") + gzip.compress(whole(dump)) + bytes(1000)
assert run("-q", "--format=text-full", write("some.gz", content)) == text



def beginning(method, content):
    """What another program decompresses of it."""
    if method == "gzip":
        return zlib.decompressobj(31).decompress(content)
    return subprocess.run(["zstd", "-dcq"], input=content, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


# Cut, at many places: exit code 2, the place, and the events of the beginning; or nothing, and then exit code 1.
seen = {0: 0, 1: 0, 2: 0}
for method, compress in METHODS.items():
    content = compress(whole(dump))
    for at in [*range(4, 40, 7), *range(40, len(content), len(content) // 12), len(content) - 1]:
        name = write("cut", content[:at])
        code, out, error = run("--format=text-full", name)
        seen[code] += 1
        assert code in (1, 2), (method, at, code, error)
        place = r"^tlog-decode: %s: offset 0x%x: %s: cut short" % (name, at, method)
        assert re.search(place, error, re.M), (method, at, error)
        assert code == 2 or out == b"", error
        begins = beginning(method, content[:at])
        assert whole(dump).startswith(begins)
        # zstd gives a block out when more follows, and this decoder at once.
        assert out == run("-q", "--format=text-full", write("begin", begins))[1] or \
            method == "zstd" and len(content) - at < 8 and out == text[1], (method, at)
    assert code == 2 and out.count(b"\n") > 5000, (method, code, error)
    code, out, error = run("-q", "--check", name)
    assert code == 2 and b": damaged: " in out, out

# Damaged, at random places.
random.seed(23)
for method, compress in METHODS.items():
    content = compress(whole(dump))
    for i in range(40):
        other = bytearray(content)
        other[random.randrange(len(other))] ^= 1 << random.randrange(8)
        code, out, error = run("--format=text-full", write("flipped", bytes(other)))
        assert code in (0, 1, 2) and len(error.splitlines()) <= 30, (method, i, code, error[:1000])
        assert code != 0 or out == text[1], (method, i)
        assert re.search(r"offset 0x[0-9a-f]+: |dump found in|%s: " % method, error) or code == 0, (method, i, error)
        seen[code] += 1
    code, out, error = run("--format=text-full", write("more", content + b"and something else"))
    assert code == 2 and out == text[1], (code, error)
    assert "%s: offset 0x%x: %s: " % (folder + "/more", len(content), method) in error or method == "gzip", error
    assert re.search(r"offset 0x%x" % len(content), error) or method == "gzip", error
assert seen[1] > 5 and seen[2] > 30, seen

# Too much: 64 times the size, but 256 MiB for the smallest; --unpack says other.
content = gzip.compress(bytes(3 << 20) + whole(dump), 9)
name = write("large.gz", content)
code, out, error = run("--unpack=3", name)
assert (code, out) == (1, b"") and error == \
    "tlog-decode: %s: it unpacks to more than 3 MiB, which --unpack=MIB raises\n" % name, error
assert run("-q", "--format=text-full", "--unpack=4", name)[:2] == text[:2]
member = gzip.compress(bytes(1 << 20), 9)
code, out, error = run("--format=text-full", write("bomb", gzip.compress(whole(dump)) + 256 * member))
assert code == 1 and "it unpacks to more than 256 MiB, which" in error, error
# A window of 2 GiB, which the sixth byte tells, would take that much memory.
content = bytearray(zstd(whole(dump)))
content[5] = (31 - 10) << 3
code, out, error = run(write("window.zst", content))
assert code == 1 and "offset 0x" in error and "too much memory" in error, error
print("packed: %d files as whole, of cut and damaged ones %d in parts and %d not at all" % (packed, seen[2], seen[1]))
