"""check.py - checks the manifest of an unpacked package as the tool that reads it would: what must be there is there,
and every file that it names exists. Prints what the tool would compile: `include FOLDER` and `source FILE`. The rules
are those that the tools publish: PACK.xsd 1.7.60, arduino-lint's in its strict mode, PlatformIO's ManifestSchema.

usage: check.py pdsc|platformio|arduino|zephyr FOLDER VERSION URL MAINTAINER [KERNEL]     (the kernel that a project of
                                                                                        PlatformIO asks for)"""
import fnmatch
import json
import os
import re
import sys
import types
import xml.etree.ElementTree

# Of PACK.xsd what the pack uses, and what it must not: linkerScript would be the project's one script.
PACKAGE = {"name", "vendor", "description", "url", "supportContact", "license", "releases", "keywords", "conditions",
           "components"}
CATEGORIES = {"doc", "header", "include", "other", "sourceC"}
CORES = {"Cortex-" + name for name in ("M0 M0+ M1 M3 M4 M7 M23 M33 M35P M52 M55 M85 A5 A7 A8 A9 A15 A17".split())}
FILTERS = {"Dcore": CORES | {"Star-MC1"}, "Dendian": {"Little-endian"}, "Tcompiler": {"GCC", "CLANG", "ARMCC"},
           "Toptions": {"AC6"}}
SEMVER = r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?"
WEB = r"https?://[^\s/.]+(\.[^\s/.]+)+(/\S*)?"
FIELDS_ARDUINO = ["name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url",
                  "architectures", "includes", "license", "dot_a_linkage"]
# As their cores call them; the boards of each have Cortex-M cores only.
ARCHITECTURES = {"stm32", "sam", "samd", "nrf52", "mbed", "mbed_nano", "mbed_portenta", "mbed_giga", "mbed_opta",
                 "mbed_rp2040", "rp2040", "renesas", "renesas_uno", "renesas_portenta", "teensy"}
CATEGORIES_ARDUINO = {"Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing",
                      "Data Storage", "Data Processing", "Other"}


def need(condition, text):
    if not condition:
        sys.exit("not so: " + text)


def below(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder)
                  for path, _, names in os.walk(folder) for name in names)


def legal(folder):
    for name in ("LICENSE", "README.md"):
        need(os.path.getsize(os.path.join(folder, name)) > 0, name + " is in the package")


def all_are_named(folder, sources, where):
    """Each source of the runtime must be compiled, both ports included."""
    wanted = {os.path.join(where, name) for name in os.listdir(os.path.join(folder, where))
              if re.fullmatch(r"tlog\w*\.c", name)}
    need(wanted and wanted <= set(sources), "all of %s is compiled" % where)
    for port in ("port_v6m.c", "port_v7m.c"):
        need([path for path in sources if os.path.basename(path) == port], port + " is compiled")


def conditions_of(root):
    """The conditions; each that another one names must exist."""
    known = {each.get("id"): each for each in root.find("conditions")}
    for condition in known.values():
        need(condition.findtext("description"), "a condition has a description")
        for rule in condition:
            need(rule.tag in ("accept", "require", "deny", "description"), rule.tag + " is a rule of a condition")
            for name, value in rule.items():
                need(value in FILTERS.get(name, [value]), "%s may be %s" % (name, value))
            need(rule.get("condition") is None or rule.get("condition") in known, "conditions that are named exist")
    return known


def component(folder, each, known):
    """The files of a component of a pack, as pairs of category and name."""
    for attribute in ("Cclass", "Cgroup", "Csub"):
        need(re.fullmatch(r"[A-Za-z0-9][\w+()'/\s.-]{1,31}", each.get(attribute) or ""), attribute + " of a component")
    need(re.fullmatch(SEMVER, each.get("Cversion") or ""), "Cversion of a component")
    need(each.get("condition") in known, "a component's condition exists")
    need(each.findtext("description"), "a component has a description")
    files = [(file.get("category"), file.get("name")) for file in each.find("files")]
    for category, name in files:
        path = os.path.join(folder, name)
        need(category in CATEGORIES, "%s is a category that the pack may have" % category)
        need(os.path.isdir(path) and name.endswith("/") if category == "include" else os.path.isfile(path),
             "%s exists, as %s" % (name, category))
    return files


def configured(folder, runtime):
    """The header of options is copied into the project, and all files read it."""
    files = [file for file in runtime.find("files") if file.get("attr")]
    need([file.get("category") + file.get("attr") for file in files] == ["headerconfig"], "one header of options")
    need(re.fullmatch(SEMVER, files[0].get("version") or ""), "a config file has a version, by which it is updated")
    name = os.path.basename(files[0].get("name"))
    need(runtime.findtext("Pre_Include_Global_h") == '#define TLOG_CONFIG "%s"' % name, "all files read the options")
    return os.path.dirname(files[0].get("name"))


def pdsc(folder, version, url, maintainer):
    root = xml.etree.ElementTree.parse(os.path.join(folder, "tlog.tlog.pdsc")).getroot()
    need(root.tag == "package" and root.get("schemaVersion"), "the root is a package with a schemaVersion")
    need({each.tag for each in root} <= PACKAGE, "elements of a package")
    texts = {name: root.findtext(name) for name in ("vendor", "name", "description", "url", "license")}
    need(root.findtext("supportContact") == maintainer.split("<")[1].rstrip(">"), "supportContact")
    need(texts["vendor"] == "tlog" and texts["name"] == "tlog", "vendor and name are those of the file's name")
    need(texts["description"] and texts["license"] == "LICENSE", "description and license")
    need((texts["url"] or "") == url, "url")
    need([each.get("version") for each in root.iter("release")] == [version], "the release is %s" % version)
    known = conditions_of(root)
    parts = {each.get("Csub"): component(folder, each, known) for each in root.find("components")}
    for kernel, name in (("freertos", "FreeRTOS"), ("threadx", "ThreadX"), ("rtx5", "RTX5")):
        need(os.path.isdir(os.path.join(folder, "port/rtos", kernel)) == (name in parts), "%s is a component" % name)
    yield "include", configured(folder, root.find("components/component[@Csub='Runtime']"))
    for category, name in parts["Runtime"]:
        yield {"sourceC": "source", "include": "include"}.get(category), name


def filtered(patterns, files):
    """The files that PlatformIO's srcFilter leaves."""
    chosen = set()
    for pattern in patterns:
        sign, glob = re.fullmatch(r"([+-])<(.*)>", pattern).groups()
        some = {path for path in files if fnmatch.fnmatch(path, glob)}
        need(some, "%s matches something" % pattern)
        chosen = chosen | some if sign == "+" else chosen - some
    return sorted(path for path in chosen if path.endswith((".c", ".cpp", ".S")))


class Environment(dict):
    """What of PlatformIO's construction environments a library's extra script may use."""

    def __init__(self, options=None, libraries=()):
        super().__init__(SRC_FILTER=[], CPPPATH=[])
        self.options, self.libraries = options or {}, libraries

    def Append(self, **values):
        for name, value in values.items():
            self[name] = self[name] + value

    def Replace(self, **values):
        self.update(values)

    def GetProjectOption(self, name, *default):
        return self.options[name] if name in self.options else default[0]

    def GetLibBuilders(self):
        return self.libraries


def ran(folder, script, kernel):
    """The environment of the library behind its extra script, which runs in the library's folder. Those of another
    library and of the project must have the same folders of headers."""
    other, project = types.SimpleNamespace(env=Environment()), Environment()
    env = Environment({"custom_tlog_rtos": kernel} if kernel else {}, [other])
    here = os.getcwd()
    os.chdir(folder)
    with open(script, encoding="utf-8") as file:
        exec(compile(file.read(), script, "exec"),  # pylint: disable=exec-used
             {"Import": lambda name: None, "env": env, "DefaultEnvironment": lambda: project})
    os.chdir(here)
    need(other.env["CPPPATH"] == project["CPPPATH"] == env["CPPPATH"], "the same headers for all")
    return env


def listed(manifest):
    """What PlatformIO's ManifestSchema says of the fields."""
    need(re.fullmatch(r"[^:;/,@<>]{1,100}", manifest["name"]), "a name")
    for key in ("keywords", "platforms", "frameworks"):
        values = [value.strip() for value in manifest[key].split(",")]
        need(all(re.fullmatch(r"[a-z\d_+. -]{1,50}|\*", value) for value in values), key)
    need(re.fullmatch(WEB, manifest["homepage"]), "homepage is an address")
    need(manifest["repository"]["type"] in ("git", "hg", "svn"), "repository has a known type")
    need(re.fullmatch(SEMVER, manifest["version"]) and manifest["license"] == "MIT", "version and license")
    for author in manifest["authors"]:
        need(0 < len(author["name"]) <= 100 and re.fullmatch(r"[^@ ]+@[^@ ]+\.[a-z]+", author["email"]), "authors")


def platformio(folder, version, url, maintainer, kernel=None):
    with open(os.path.join(folder, "library.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    for key in ("name", "description", "keywords", "license", "frameworks", "platforms", "build"):
        need(manifest.get(key), key + " is there")
    listed(manifest)
    need(manifest["version"] == version and manifest["homepage"] == url, "version and homepage")
    need(manifest["repository"]["url"] == url, "repository")
    need(["%s <%s>" % (each["name"], each["email"]) for each in manifest["authors"]] == [maintainer], "authors")
    build = manifest["build"]
    need(os.path.isfile(os.path.join(folder, build["includeDir"], manifest["headers"])), "the header exists")
    yield "include", build["includeDir"]
    for flag in build["flags"]:
        yield "include", re.fullmatch("-I (.*)", flag).group(1)
    need("srcFilter" not in build, "the script's filter is heeded")
    need(build["libArchive"] is False, "weak functions are replaced")
    env = ran(folder, build["extraScript"], kernel)
    for path in env["CPPPATH"]:
        yield "include", os.path.relpath(path, os.path.realpath(folder))
    for path in filtered(env["SRC_FILTER"], below(os.path.join(folder, build["srcDir"]))):
        yield "source", path


def linted(folder, manifest):
    """arduino-lint's rules for libraries; theirs that need its index or the network are left out."""
    need(set(manifest) <= set(FIELDS_ARDUINO), "the fields have known names")
    need(re.fullmatch(SEMVER, manifest["version"]) and re.fullmatch(WEB, manifest["url"]), "version and url")
    need(not re.search("arduino", manifest["name"] + manifest["maintainer"], re.I), "reserved for Arduino's own")
    need(len(manifest["name"]) <= 32 and not re.search(" |library", manifest["name"], re.I), "a good name")
    need(manifest["sentence"] not in manifest["paragraph"], "the paragraph does not repeat the sentence")
    need(manifest["dot_a_linkage"] in ("true", "false"), "dot_a_linkage")
    need(set(manifest["architectures"].split(",")) <= ARCHITECTURES, "architectures that there are")
    need(os.path.isfile(os.path.join(folder, "src", manifest["name"] + ".h")), "a header of the library's name")
    paths = below(folder)
    need(not [path for path in paths if os.path.islink(os.path.join(folder, path))], "no symbolic links")
    need(not [path for path in paths if path.endswith(".exe") or os.path.basename(path) == ".development"], "no .exe")
    need(not [path for path in paths if path.endswith(".ino") and not path.startswith("examples/")], "no stray sketch")
    need(not os.path.exists(os.path.join(folder, "utility")), "no folder utility")
    need([path for path in paths if path.endswith("library.properties")] == ["library.properties"], "one manifest")


def arduino(folder, version, url, maintainer):
    with open(os.path.join(folder, "library.properties"), encoding="utf-8") as file:
        manifest = dict(line.rstrip("\n").split("=", 1) for line in file)
    need(manifest["maintainer"] == maintainer, "maintainer")
    linted(folder, manifest)
    for key in ("name", "author", "maintainer", "sentence", "paragraph", "category", "architectures", "includes"):
        need(manifest.get(key), key + " is there")
    need(manifest["version"] == version and manifest["url"] == url, "version and url")
    need(manifest["category"] in CATEGORIES_ARDUINO, "the category is one of Arduino's")
    need(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,62}", manifest["name"]), "the name is one of Arduino's")
    need(os.path.isfile(os.path.join(folder, "src", manifest["includes"])), "the header exists")
    need([name for name in below(os.path.join(folder, "examples")) if name.endswith(".ino")], "there is an example")
    yield "include", "src"
    for path in below(os.path.join(folder, "src")):
        if path.endswith((".c", ".cpp", ".S")):
            yield "source", "src/" + path


def zephyr(folder, *_):
    """module.yml has a small part of YAML: keys, and keys below them."""
    with open(os.path.join(folder, "zephyr/module.yml"), encoding="utf-8") as file:
        lines = [line.rstrip() for line in file if line.strip() and not line.startswith("#")]
    need(lines[0] == "name: tlog" and lines[1] == "build:", "a name, and how it is built")
    build = dict(line.strip().split(": ") for line in lines[2:])
    need(os.path.isfile(os.path.join(folder, build["cmake"], "CMakeLists.txt")), "build: cmake: has a CMakeLists.txt")
    need(os.path.isfile(os.path.join(folder, build["kconfig"])), "build: kconfig: exists")
    return []


def main(kind, folder, version, *values):
    legal(folder)
    found = [each for each in globals()[kind](folder, version, *values) if each[0]]
    sources = [name for what, name in found if what == "source"]
    if sources:
        all_are_named(folder, sources, "src/src" if kind == "arduino" else "target/src")
    for what, name in found:
        need(os.path.exists(os.path.join(folder, name)), name + " exists")
        print(what, name)


main(*sys.argv[1:])
