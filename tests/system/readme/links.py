"""links.py - whether what documents point to is there: relative links with their anchors, files named in `code`, and
targets of make.
"""
import os
import re
import subprocess

OLD = "CHANGELOG.md"  # tells of files as they were called then


def documents():
    """All documents of the checkout."""
    found = []
    for folder, inner, names in os.walk("."):
        inner[:] = sorted(each for each in inner if each == ".github" or not re.match(r"\.|build$", each))
        found += [os.path.relpath(os.path.join(folder, name)) for name in sorted(names) if name.endswith(".md")]
    return found


def prose(document):
    """The document's text without its blocks."""
    text = open(document, encoding="utf-8").read()
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(document):
    """The names by which links reach its headings, as GitHub makes them."""
    found = []
    for heading in re.findall(r"^#+ (.*)$", prose(document), re.MULTILINE):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        same = sum(each == name or re.fullmatch(re.escape(name) + r"-\d+", each) is not None for each in found)
        found.append(name if not same else "%s-%d" % (name, same))
    return found


def wrong_links(document):
    """Links that lead nowhere."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
        if not os.path.exists(path):
            yield "%s: there is no %s" % (document, target)
        elif anchor and anchor not in anchors(path):
            yield "%s: %s has no heading #%s" % (document, path, anchor)


def wrong_names(document, targets):
    """Files and targets of make that are named as code, and are not there."""
    text = prose(document)
    for name in re.findall(r"`((?:target|port|host|tests|linker)/[\w./-]+)`", text):
        if not os.path.exists(name) and not re.search(r"BOARD|CORE|FOLDER|KIND|NAME", name):
            yield "%s: there is no file `%s`" % (document, name)
    whole = open(document, encoding="utf-8").read()
    for line in re.findall(r"`make ([^`\n]*)`", text) + re.findall(r"^(?:\$ )?make +([^#\n]*)", whole, re.MULTILINE):
        for name in re.sub(r"\S*=('[^']*'|\S*)", "", line).split():
            if name not in targets:
                yield "%s: there is no `make %s`" % (document, name)


def make_targets():
    """The targets that the makefiles have."""
    make = subprocess.run(["make", "-npq", "--no-print-directory", ":"], capture_output=True, text=True, check=False)
    return set(re.findall(r"^([a-z][\w-]*):", make.stdout, re.MULTILINE))


def wrong(which):
    """All that is wrong in these documents."""
    found, targets = [], make_targets()
    for document in which:
        if document.endswith(".md") and document != OLD:
            found += list(wrong_links(document)) + list(wrong_names(document, targets))
    return found
