#!/bin/sh
# editors.sh - what editors are given is right: tags lead to their lines, and every tenth command of
# compile_commands.json compiles its source.
# usage: editors.sh BUILD
set -eu
. tests/lib/needs.sh
needs python3 ctags
build=$1
make -s tags compile_commands "BUILD=$build"
python3 - "$build" <<'PYTHON'
import json, os, subprocess, sys
build = sys.argv[1]
commands = json.load(open(build + "/compile_commands.json"))
failed = [each["file"] for each in commands[::10]
          if subprocess.run(each["arguments"] + ["-fsyntax-only"], cwd=each["directory"]).returncode]
tags = 0
for line in open(build + "/tags", encoding="utf-8"):
    name, path, place = line.split("\t")[:3]
    if name in ("TRACER_LOGEVENT", "tlog_dump", "trace_type") and place.startswith("/^"):
        text = place[2:place.rindex("/")].rstrip("$").replace("\\/", "/")
        assert text in open(os.path.join(build, path), encoding="utf-8").read(), line
        tags += 1
assert len(commands) > 200 and tags >= 3, (len(commands), tags)
assert not failed, failed
print("%d commands, every tenth compiles; %d tags lead to their lines" % (len(commands), tags))
PYTHON
