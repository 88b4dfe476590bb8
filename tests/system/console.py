"""console.py - what the decoder for Windows writes to a console, which Wine makes of a terminal.

usage: console.py tlog-decode.exe DUMP      (with Wine's environment)
"""
import os
import pty
import re
import subprocess
import sys

exe, dump = sys.argv[1:]


def shown(*arguments, **more):
    """What the terminal gets, without what Wine does to its cursor."""
    end, console = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(["wine", exe, *arguments], stdin=console, stdout=console, stderr=console,
                               env={**environment, **more})
    os.close(console)
    text = b""
    try:
        while piece := os.read(end, 65536):
            text += piece
    except OSError:  # nobody writes to it any more
        pass
    process.wait()
    os.close(end)
    return re.sub(r"\x1b\[\?25[lh]", "", text.decode())


RED, BOLD = "\x1b[31mtlog-decode:\x1b[0m", "\x1b[1mTasks"
for environment, colours, blocks in (({"LC_ALL": "", "LC_CTYPE": "", "LANG": "C.UTF-8"}, True, True),
                                     ({"LC_ALL": "C"}, True, False), ({"NO_COLOR": "1"}, False, True),
                                     ({"TERM": "dumb"}, False, True)):
    text = shown("--stat", dump, **environment)
    assert (BOLD in text) == colours and "Tasks" in text, (environment, text)
    assert ("\u2583" in text) == blocks and "load" in text, (environment, text)
text = shown("\u043d\u0438\u0447\u0442\u043e.bin")
assert RED in text and "\u043d\u0438\u0447\u0442\u043e.bin: No such file or directory" in text, text
print("consoles: colours, blocks and letters as they should be")
