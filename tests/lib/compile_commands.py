"""compile_commands.py - turns lines "SOURCE<tab>COMMAND" of standard input into the JSON that clangd reads."""
import json
import os
import shlex
import sys

pairs = [line.rstrip("\n").split("\t", 1) for line in sys.stdin if "\t" in line]
json.dump([{"directory": os.getcwd(), "file": source.strip(), "arguments": shlex.split(command)}
           for source, command in pairs], sys.stdout, indent=1)
