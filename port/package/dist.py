"""dist.py - writes tlog's packages: the sources, a CMSIS-Pack, libraries for PlatformIO and Arduino, a Zephyr module.

usage: dist.py VERSION FOLDER [URL]     (from the root of the checkout, by `make dist`; URL: where tlog is published)

The same files give the same bytes: names are sorted, times, owners and permissions are not those of the files. All
files of a package have the time SOURCE_DATE_EPOCH, or else that of 1980-01-01, with which zip's calendar begins.

Each manifest is a template in port/package. A package for which a kernel's glue matters has what port/rtos holds."""
import gzip
import io
import os
import subprocess
import sys
import tarfile
import time
import zipfile

TOP = [".ci", ".clang-format", ".clang-tidy", ".editorconfig", ".github", ".gitignore", "CHANGELOG.md", "LICENSE",
       "Makefile", "README.md", "host", "linker", "port", "target", "tests"]
LINKER = ["linker/tlog.ld", "linker/tlog_chunks.ld", "linker/tlog_rest.ld"]
LEGAL = ["LICENSE", "README.md", "CHANGELOG.md"]
RUNTIME_PORTS = ["port/port_v6m.c", "port/port_v7m.c", "port/irq_v7m.c"]
ARM_PORTS = ("port/port_v", "port/port_ldrex", "port/port_slots", "port/tlog_port", "port/tlog_irq")
KERNELS = {"freertos": "FreeRTOS", "threadx": "ThreadX", "rtx5": "RTX5"}
TIME = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)


def below(*tops):
    """All files below these files and folders, sorted."""
    found = []
    for top in tops:
        found += [top] if os.path.isfile(top) else []
        for path, folders, names in os.walk(top):
            folders[:] = [folder for folder in folders if folder != "__pycache__"]
            found += [os.path.join(path, name) for name in names]
    return sorted(found)


def checked_in():
    """The files of the checkout that git knows; all files where there is no git, as in an unpacked archive."""
    if not os.path.exists(".git"):
        return below(*TOP)
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout.decode().split("\0")
    return sorted(path for path in listed if os.path.isfile(path))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def filled(name, **values):
    """The template port/package/NAME, with these values in the place of @VALUE@."""
    text = read("port/package/" + name).decode()
    for key, value in values.items():
        text = text.replace("@%s@" % key, value)
    return text.encode()


def mode(path):
    return 0o755 if os.path.isfile(path) and os.stat(path).st_mode & 0o100 else 0o644


def tar(files, modes):
    """The bytes of a tar.gz with these files, {path: bytes}."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime, entry.mode = len(files[path]), TIME, modes.get(path, 0o644)
            archive.addfile(entry, io.BytesIO(files[path]))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=TIME) as stream:
        stream.write(raw.getvalue())
    return packed.getvalue()


def zipped(files, modes):
    """The bytes of a zip with these files."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, time.gmtime(TIME)[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100000 | modes.get(path, 0o644)) << 16
            archive.writestr(entry, files[path])
    return raw.getvalue()


def firmware_side():
    """{path: bytes} of all that firmware is compiled and linked with, and of the documents."""
    paths = below("target", "port", *LINKER, *LEGAL)
    return {path: read(path) for path in paths if not path.startswith("port/package/")}


def ends(files, folder, suffix):
    """The files in a folder, not below it, whose names end so."""
    return [path for path in sorted(files) if os.path.dirname(path) == folder and path.endswith(suffix)]


def element(category, path):
    return '        <file category="%s" name="%s"/>' % (category, path)


def component(sub, condition, description, files):
    head = '    <component Cclass="Utility" Cgroup="tlog" Csub="%s" Cversion="@VERSION@" condition="%s">'
    return "\n".join([head % (sub, condition), "      <description>%s</description>" % description, "      <files>"]
                     + files + ["      </files>", "    </component>"])


def components(files):
    """The components of the pack: the runtime, a sink, and the glue of each kernel that there is."""
    runtime = [element("doc", "README.md"), element("doc", "target/README.md"), element("doc", "port/README.md"),
               element("include", "target/"), element("include", "port/"),
               element("linkerScript", LINKER[0]), element("header", "target/tlog.h")]
    runtime += [element("other", path) for path in LINKER[1:]]
    runtime += [element("sourceC", path) for path in ends(files, "target/src", ".c") + RUNTIME_PORTS]
    made = [component("Runtime", "core", "What logs, into memory", runtime),
            component("Semihosting", "glue", "A file on the debugger's machine", [
                element("header", "port/out_semihost.h"), element("sourceC", "port/out_semihost.c")])]
    for folder, kernel in KERNELS.items():
        sources = ends(files, "port/rtos/" + folder, ".c")
        if sources:
            glue = [element("include", "port/rtos/"), element("include", "port/rtos/%s/" % folder)]
            glue += [element("sourceC", path) for path in ends(files, "port/rtos", ".c") + sources]
            made.append(component(kernel, "glue", "Tasks and objects of " + kernel, glue))
    return "\n".join(made)


def cmsis(version, url):
    files = firmware_side()
    files["tlog.tlog.pdsc"] = filled("tlog.pdsc.in", COMPONENTS=components(files), VERSION=version, URL=url)
    return "tlog.tlog.%s.pack" % version, zipped(files, {})


def platformio(version, url):
    files = firmware_side()
    folders = ["target", "port"] + [path for path in ("port/rtos",) if ends(files, path, ".h")]
    flags = ", ".join('"-I %s"' % folder for folder in folders)
    files["library.json"] = filled("library.json.in", VERSION=version, URL=url, FLAGS=flags)
    files["extra_script.py"] = read("port/package/extra_script.py")
    return "tlog-platformio-%s.tar.gz" % version, tar(files, {})


def arduino(version, url):
    """src holds the public headers and the port, because src alone is an include path; src/src the rest of target/.
    Arduino's tools compile all sources in src and below it."""
    all_files = firmware_side()
    files = {"tlog/" + path: all_files[path] for path in LEGAL}
    flat = ends(all_files, "target", ".h") + RUNTIME_PORTS
    flat += [path for path in ends(all_files, "port", ".h") if path.startswith(ARM_PORTS)]
    files.update({"tlog/src/" + os.path.basename(path): all_files[path] for path in flat})
    for path in ends(all_files, "target/src", (".c", ".h")):
        files["tlog/src/src/" + os.path.basename(path)] = all_files[path]
    for path in all_files:
        if path.startswith(("port/rtos/", "linker/")) or path.endswith(".md") and path.startswith(("port/", "target/")):
            files["tlog/extras/" + path] = all_files[path]
    files["tlog/examples/blinky/blinky.ino"] = read("port/package/blinky.ino")
    files["tlog/library.properties"] = filled("library.properties.in", VERSION=version, URL=url)
    return "tlog-arduino-%s.zip" % version, zipped(files, {})


def zephyr(version, _):
    files = {"tlog/" + path: data for path, data in firmware_side().items()}
    for path in below("port/package/zephyr"):
        files["tlog/zephyr/" + os.path.basename(path)] = read(path)
    return "tlog-zephyr-%s.tar.gz" % version, tar(files, {})


def source(version, _):
    top = "tlog-%s/" % version
    paths = checked_in()
    return "tlog-%s.tar.gz" % version, tar({top + path: read(path) for path in paths},
                                           {top + path: mode(path) for path in paths})


def main(version, folder, url=""):
    os.makedirs(folder, exist_ok=True)
    for package in (source, cmsis, platformio, arduino, zephyr):
        name, data = package(version, url)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        print("  DIST     %s/%s" % (folder, name))


main(*sys.argv[1:])
