"""dist.py - writes tlog's packages: the sources, the runtime as two files, a CMSIS-Pack, libraries for PlatformIO and
Arduino, a Zephyr module; and the decoder: for npm, as one file for any Linux, for Debian, and for Windows. SHA256SUMS
has their check sums.

usage: dist.py VERSION URL MAINTAINER FOLDER [BUILD]     (from the root of the checkout, by `make dist`; URL: where tlog
                                                        is published; MAINTAINER: name <address>; FOLDER: where the
                                                        packages go; BUILD: where the decoder was built, in all ways)

The same files give the same bytes: names are sorted, times, owners and permissions are not those of the files. All
files of a package have the time SOURCE_DATE_EPOCH, or else that of the newest version in CHANGELOG.md.

Each manifest is a template in port/package or host/npm. A package for which a kernel's glue matters has what port/rtos
holds."""
import calendar
import email.utils
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

sys.dont_write_bytecode = True  # what is beside this file is the checkout
import single  # noqa: E402

TOP = [".ci", ".clang-format", ".clang-tidy", ".editorconfig", ".github", ".gitignore", "CHANGELOG.md", "LICENSE",
       "Makefile", "README.md", "host", "linker", "port", "target", "tests"]
LINKER = ["linker/tlog.ld", "linker/tlog_chunks.ld", "linker/tlog_rest.ld"]
LEGAL = ["LICENSE", "README.md", "CHANGELOG.md"]
RUNTIME_PORTS = ["port/port_v6m.c", "port/port_v7m.c", "port/irq_v7m.c"]
ARM_PORTS = ("port/port_v", "port/port_ldrex", "port/port_slots", "port/tlog_")
KERNELS = {"freertos": "FreeRTOS", "threadx": "ThreadX", "rtx5": "RTX5"}
ZIP_BEGINS = 315532800  # 1980-01-01, with which zip's calendar begins


def when():
    """The time of all files: seconds from 1970 on."""
    with open("CHANGELOG.md", encoding="utf-8") as file:
        dates = re.findall(r"^## [0-9.]+ - (\d{4}-\d\d-\d\d)$", file.read(), re.MULTILINE)
    released = calendar.timegm(time.strptime(dates[0], "%Y-%m-%d")) if dates else 0
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", released)), ZIP_BEGINS)


TIME = when()


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


def filled(name, folder="port/package/", **values):
    """The template NAME, with these values in the place of @VALUE@."""
    text = read(folder + name).decode()
    for key, value in values.items():
        text = text.replace("@%s@" % key, value)
    return text.encode()


def mode(path):
    return 0o755 if os.path.isfile(path) and os.stat(path).st_mode & 0o100 else 0o644


def zipped_alone(data, mtime):
    """The bytes as gzip packs them; mtime: the time that it notes, 0: none."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=mtime) as stream:
        stream.write(data)
    return packed.getvalue()


def tar(files, modes):
    """The bytes of a tar.gz with these files, {path: bytes}; a folder is a path that ends in a slash."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(files):
            entry = tarfile.TarInfo(path.rstrip("/"))
            entry.size, entry.mtime, entry.mode = len(files[path]), TIME, modes.get(path, 0o644)
            if path.endswith("/"):
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry, io.BytesIO(files[path]))
    return zipped_alone(raw.getvalue(), TIME)


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
    return {path: read(path) for path in paths if not path.startswith(("port/package/", "port/examples/"))}


def ends(files, folder, suffix):
    """The files in a folder, not below it, whose names end so."""
    return [path for path in sorted(files) if os.path.dirname(path) == folder and path.endswith(suffix)]


def element(category, path):
    return '        <file category="%s" name="%s"/>' % (category, path)


def component(sub, condition, description, files):
    head = '    <component Cclass="Utility" Cgroup="tlog" Csub="%s" Cversion="@VERSION@" condition="%s">'
    lines = [head % (sub, condition), "      <description>%s</description>" % description]
    if sub == "Runtime":
        lines.append('      <Pre_Include_Global_h>#define TLOG_CONFIG "tlog_options.h"</Pre_Include_Global_h>')
    return "\n".join(lines + ["      <files>"] + files + ["      </files>", "    </component>"])


def components(files):
    """The components of the pack: the runtime, a sink, and the glue of each kernel that there is."""
    runtime = [element("doc", "README.md"), element("doc", "target/README.md"), element("doc", "port/README.md"),
               element("include", "target/"), element("include", "port/"), element("header", "target/tlog.h"),
               element("header", "config/tlog_options.h").replace("/>", ' attr="config" version="@VERSION@"/>')]
    runtime += [element("other", path) for path in LINKER]
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


def cmsis(about):
    files = firmware_side()
    files["config/tlog_options.h"] = read("port/package/tlog_options.h")
    files["tlog.tlog.pdsc"] = filled("tlog.pdsc.in", COMPONENTS=components(files), **about)
    return "tlog.tlog.%s.pack" % about["VERSION"], zipped(files, {})


def platformio(about):
    files = firmware_side()
    folders = ["target", "port"] + [path for path in ("port/rtos",) if ends(files, path, ".h")]
    flags = ", ".join('"-I %s"' % folder for folder in folders)
    files["library.json"] = filled("library.json.in", FLAGS=flags, **about)
    files["extra_script.py"] = read("port/package/extra_script.py")
    return "tlog-platformio-%s.tar.gz" % about["VERSION"], tar(files, {})


def arduino(about):
    """src holds the public headers and the port, because src alone is an include path; src/src the rest of target/.
    Arduino's tools compile all sources in src and below it."""
    all_files = firmware_side()
    files = {"tlog/" + path: all_files[path] for path in LEGAL}
    flat = ends(all_files, "target", ".h") + RUNTIME_PORTS
    flat += [path for path in ends(all_files, "port", ".h") if path.startswith(ARM_PORTS)]
    files.update({"tlog/src/" + os.path.basename(path): all_files[path] for path in flat})
    for path in ends(all_files, "target/src", (".c", ".h")):
        files["tlog/src/src/" + os.path.basename(path)] = all_files[path]
    files.update({"tlog/src/chips/" + os.path.basename(path): all_files[path]
                  for path in ends(all_files, "port/chips", ".h")})
    for path in all_files:
        if path.startswith(("port/rtos/", "linker/")) or path.endswith(".md") and path.startswith(("port/", "target/")):
            files["tlog/extras/" + path] = all_files[path]
    files["tlog/examples/blinky/blinky.ino"] = read("port/package/blinky.ino")
    files["tlog/library.properties"] = filled("library.properties.in", **about)
    return "tlog-arduino-%s.zip" % about["VERSION"], zipped(files, {})


def zephyr(about):
    files = {"tlog/" + path: data for path, data in firmware_side().items()}
    for path in below("port/package/zephyr"):
        files["tlog/zephyr/" + os.path.basename(path)] = read(path)
    return "tlog-zephyr-%s.tar.gz" % about["VERSION"], tar(files, {})


def two_files(about):
    """tlog.h and tlog.c, and what stands beside them (single.py)."""
    name = "tlog-single-" + about["VERSION"]
    return name + ".zip", zipped({"%s/%s" % (name, path): text.encode()
                                  for path, text in single.files(about["VERSION"]).items()}, {})


def source(about):
    name = "tlog-" + about["VERSION"]
    top = name + "/"
    paths = checked_in()
    return name + ".tar.gz", tar({top + path: read(path) for path in paths}, {top + path: mode(path) for path in paths})


# ---- the decoder -----------------------------------------------------------------------------------------------------

def manual():
    """The manual page, with the date of the files."""
    return subprocess.run(["scdoc"], input=read("host/cli/tlog-decode.1.scd"), capture_output=True, check=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME)}).stdout


def installed(program, build):
    """{path: bytes} of what `make install` puts below PREFIX of the decoder, with this program."""
    return {"bin/tlog-decode": read(program), "share/man/man1/tlog-decode.1": manual(),
            "share/tlog/page.html": read(build + "/page/page.html"),
            "share/bash-completion/completions/tlog-decode": read("host/cli/tlog-decode.bash"),
            "share/zsh/site-functions/_tlog-decode": read("host/cli/tlog-decode.zsh"),
            "share/fish/vendor_completions.d/tlog-decode.fish": read("host/cli/tlog-decode.fish")}


def npm(about, build):
    """The WebAssembly with what runs it. npm wants all in a folder that is called package."""
    manifest = json.loads(filled("package.json.in", "host/npm/", **about))
    files = {name: read("host/npm/" + name) for name in ("README.md", "run.mjs", "tlog-decode.mjs")}
    files.update({"package.json": json.dumps(manifest, indent=2).encode() + b"\n", "LICENSE": read("LICENSE"),
                  "tlog-decode.wasm": read(build + "/wasm/tlog-decode.wasm"),
                  "page.html": read(build + "/page/page.html")})
    return "tlog-decode-%s.tgz" % about["VERSION"], tar({"package/" + name: data for name, data in files.items()},
                                               {"package/tlog-decode.mjs": 0o755})


def linux(about, build):
    """One static file for any Linux, with what it shows; it may be unpacked anywhere."""
    name = "tlog-decode-%s-linux-%s" % (about["VERSION"], os.uname().machine)
    files = installed(build + "/musl/tlog-decode", build)
    files.update({path: read(path) for path in LEGAL})
    return name + ".tar.gz", tar({name + "/" + path: data for path, data in files.items()},
                                 {name + "/bin/tlog-decode": 0o755})


def windows(about, build):
    """One file for Windows. The page is where the program looks for it."""
    files = {"tlog-decode.exe": read(build + "/windows/tlog-decode.exe"),
             "page/page.html": read(build + "/page/page.html"), **{path: read(path) for path in LEGAL}}
    name = "tlog-decode-%s-windows" % about["VERSION"]
    return name + ".zip", zipped({name + "/" + path: data for path, data in files.items()},
                                 {name + "/tlog-decode.exe": 0o755})


def libraries(program):
    """The Debian packages whose libraries the program is linked with."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/debian")
        with open(folder + "/debian/control", "w", encoding="utf-8") as file:
            file.write("Source: tlog\n\nPackage: tlog-decode\nArchitecture: any\n")
        told = subprocess.run(["dpkg-shlibdeps", "-O", os.path.abspath(program)], cwd=folder, check=True,
                              capture_output=True).stdout.decode()
    return told.strip().partition("shlibs:Depends=")[2]


def with_folders(files):
    """The same, with the folders that they are in."""
    parts = {path[:at + 1]: b"" for path in files for at, character in enumerate(path) if character == "/"}
    return {**files, **parts}


def ar(members):
    """An archive as ar makes it, of (name, bytes)."""
    data = b"!<arch>\n"
    for name, content in members:
        data += b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name.encode(), TIME, 0, 0, b"100644", len(content))
        data += content + b"\n" * (len(content) % 2)
    return data


def debian_changelog(about):
    """What Debian's tools read as a package's changes; it leads to ours."""
    date = email.utils.formatdate(TIME)
    return ("tlog-decode (%s) unstable; urgency=medium\n\n  * NEWS.gz, beside this, tells what changed.\n\n -- %s  %s\n"
            % (about["VERSION"], about["MAINTAINER"], date)).encode()


def debian(about, build):
    """The decoder with all its parts."""
    program = build + "/deb/tlog-decode"
    machine = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, check=True).stdout.decode().strip()
    files = {"./usr/" + path: data for path, data in installed(program, build).items()}
    page = files.pop("./usr/share/man/man1/tlog-decode.1")
    files["./usr/share/man/man1/tlog-decode.1.gz"] = zipped_alone(page, 0)
    files["./usr/share/zsh/vendor-completions/_tlog-decode"] = files.pop("./usr/share/zsh/site-functions/_tlog-decode")
    files["./usr/share/doc/tlog-decode/copyright"] = read("LICENSE")
    files["./usr/share/doc/tlog-decode/NEWS.gz"] = zipped_alone(read("CHANGELOG.md"), 0)
    files["./usr/share/doc/tlog-decode/changelog.gz"] = zipped_alone(debian_changelog(about), 0)
    control = ["Package: tlog-decode", "Version: " + about["VERSION"], "Architecture: " + machine,
               "Maintainer: " + about["MAINTAINER"], "Section: devel", "Priority: optional",
               "Installed-Size: %d" % ((sum(map(len, files.values())) + 1023) // 1024),
               "Depends: " + libraries(program), "Homepage: " + about["URL"],
               "Description: decodes traces of ARM firmware",
               " It turns dumps that firmware logs with tlog into files for Perfetto,",
               " KernelShark, trace-cmd, GTKWave, Trace Compass and spreadsheets, or into",
               " figures."]
    sums = "".join("%s  %s\n" % (hashlib.md5(files[path]).hexdigest(), path[2:]) for path in sorted(files))
    parts = {"./control": ("\n".join(control) + "\n").encode(), "./md5sums": sums.encode()}
    return "tlog-decode_%s_%s.deb" % (about["VERSION"], machine), ar([
        ("debian-binary", b"2.0\n"), ("control.tar.gz", tar(with_folders(parts), {})),
        ("data.tar.gz", tar(with_folders(files), {"./usr/bin/tlog-decode": 0o755}))])


def main(version, url, maintainer, folder, build=""):
    name, address = re.fullmatch(r"([^<>]+) <([^<>@ ]+@[^<>@ ]+)>", maintainer).groups()
    about = {"VERSION": version, "URL": url, "MAINTAINER": maintainer, "NAME": name, "EMAIL": address}
    os.makedirs(folder, exist_ok=True)
    sums = []
    packages = [package(about) for package in (source, two_files, cmsis, platformio, arduino, zephyr)]
    if build:
        there = [windows] * os.path.exists(build + "/windows/tlog-decode.exe")
        packages += [package(about, build) for package in [npm, linux, debian] + there]
    for name, data in packages:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        sums.append("%s  %s\n" % (hashlib.sha256(data).hexdigest(), name))
        print("  DIST     %s/%s" % (folder, name))
    with open(os.path.join(folder, "SHA256SUMS"), "w", encoding="utf-8") as file:
        file.writelines(sorted(sums, key=lambda line: line.split()[1]))


main(*sys.argv[1:])
