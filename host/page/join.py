"""join.py - makes the page of its parts: joins ES modules into scripts, and puts these, the style and the decoder into
page.html.in. The same parts give the same bytes.

usage: join.py FOLDER DECODER.wasm OUTPUT

A module imports and exports named things at the beginnings of lines, statically; anything else is refused. Each becomes
a function that returns what it exports, after those of the modules that it imports. The decoder is compressed by zlib
and written in base64. The page's policy has the hashes of its script and style, so that nothing else is run."""
import base64
import hashlib
import os
import re
import sys
import zlib

IMPORT = re.compile(r"^import\s*\{([^}]*)\}\s*from\s*'\./([a-z0-9_]+)\.js';\n", re.M)
EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) (\w+))", re.M)
SLOT = re.compile(r"@(POLICY|STYLE|WORKER|DECODER|SCRIPT)@")


def fail(text):
    sys.exit("join.py: %s" % text)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        return fail("%s: %s" % (path, error.strerror))


def without_comments(text):
    return re.sub(r"/\*.*?\*/|^\s*//[^\n]*", "", text, flags=re.S | re.M)


def check(path, text):
    """Refuse what would mean something else, or nothing, in a joined script."""
    code = without_comments(text)
    left = re.search(r"^\s*(?:import|export)\b[^\n]*|\bimport\s*\([^\n]*", code, re.M)
    if left:
        fail("%s: only imports and exports of named things can be joined: %s" % (path, left.group(0)))
    if re.search(r"</script|<!--", text, re.I):
        fail("%s: a script within a page must not have </script or <!--" % path)


def names_imported(names):
    """The names between the braces of an import, as those of a pattern that takes an object apart."""
    return ", ".join(re.sub(r"\s+as\s+", ": ", name.strip()) for name in names.split(",") if name.strip())


class Join:
    """Modules as one script, each after those that it imports."""

    def __init__(self, folder):
        self.folder = folder
        self.exports = {}  # of each module that is joined; None: its imports are being joined
        self.parts = []

    def add(self, name):
        if name in self.exports:
            return self.exports[name] or fail("%s.js imports itself, perhaps through others" % name)
        self.exports[name] = None
        path = os.path.join(self.folder, name + ".js")
        text = read(path)
        exported = EXPORT.findall(text)
        body = IMPORT.sub(lambda found: self.take(name, found), text)
        body = EXPORT.sub("", body)
        check(path, body)
        self.parts.append("const $%s = (() => {\n%s\nreturn { %s };\n})();\n"
                          % (name, body.strip(), ", ".join(exported)))
        self.exports[name] = set(exported) | {"(module)"}
        return self.exports[name]

    def take(self, user, found):
        """Join the module of an import. Returns what stands in its place."""
        names, module = names_imported(found.group(1)), found.group(2)
        exported = self.add(module)
        for name in names.split(", "):
            if name.split(":")[0] not in exported:
                fail("%s.js imports %s, which %s.js does not export" % (user, name, module))
        return "const { %s } = $%s;\n" % (names, module)


def joined(folder, main):
    join = Join(folder)
    join.add(main)
    return "'use strict';\n" + "".join(join.parts)


def hash_of(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def policy(script, style):
    return ("default-src 'none'; script-src %s 'wasm-unsafe-eval' blob:; worker-src blob:; style-src %s; "
            "img-src blob: data:; connect-src 'self'" % (hash_of(script), hash_of(style)))


def page(folder, decoder):
    script, style = joined(folder, "main"), read(os.path.join(folder, "page.css"))
    if "</style" in style.lower():
        fail("page.css: a style within a page must not have </style")
    parts = {"POLICY": policy(script, style), "STYLE": style, "SCRIPT": script, "WORKER": joined(folder, "worker"),
             "DECODER": base64.b64encode(zlib.compress(decoder, 9)).decode()}
    return SLOT.sub(lambda found: parts[found.group(1)], read(os.path.join(folder, "page.html.in")))


def main():
    if len(sys.argv) != 4:
        fail("usage: join.py FOLDER DECODER.wasm OUTPUT")
    folder, decoder, output = sys.argv[1:]
    with open(decoder, "rb") as file:
        made = page(folder, file.read())
    with open(output + ".new", "w", encoding="utf-8", newline="\n") as file:
        file.write(made)
    os.replace(output + ".new", output)


main()
