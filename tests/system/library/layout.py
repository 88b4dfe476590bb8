"""layout.py - prints a C program that prints how a program meets tlog_decode.h: the size of each struct, the offset of
each member, and the value of each constant. layout.txt is what programs that are compiled already rely on. Whoever
changes a line of it also changes the number in the name libtlogdecode.so.N (host/module.mk); a new line is fine, and so
are the sizes of the structs whose size callers tell, tlog_options and tlog_info.

usage: layout.py HEADER"""
import re
import sys


def members(body):
    """The names that a struct's declarations end with; a pointer to a function has its name in the middle."""
    for declaration in (part.strip() for part in body.split(";")):
        function = re.search(r"\(\*(\w+)\)", declaration)
        if declaration:
            yield from [function.group(1)] if function else re.findall(r"(\w+)\s*(?:,|$)", declaration)


def main(header):
    text = re.sub(r"/\*.*?\*/", "", open(header, encoding="utf-8").read(), flags=re.S)
    print('#include <tlog_decode.h>\n#include <stdio.h>\n\nint main(void)\n{')
    for name, body in re.findall(r"struct (\w+) \{(.*?)^\};", text, flags=re.S | re.M):
        print('    printf("struct %s %%zu\\n", sizeof(struct %s));' % (name, name))
        for member in members(body):
            print('    printf("%s.%s %%zu\\n", offsetof(struct %s, %s));' % (name, member, name, member))
    constants = [name for body in re.findall(r"enum \w+ \{(.*?)\};", text, flags=re.S)
                 for name in re.findall(r"\b(TLOG_\w+)\s*(?:=[^,]*)?(?:,|$)", body.strip())]
    for name in constants + re.findall(r"#define (TLOG_\w+)[ ]+[^ _\n]", text):
        print('    printf("%s %%d\\n", (int)%s);' % (name, name))
    print('}')


main(*sys.argv[1:])
