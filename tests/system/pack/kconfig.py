"""kconfig.py - evaluates a module's Kconfig as Zephyr does, and prints its options as CMake's set().

usage: kconfig.py KCONFIG [OPTION=VALUE...]     (KCONFIG may use what Zephyr has: ARM, TRACING, and the clock's rate)"""
import os
import sys
import tempfile

import kconfiglib

ZEPHYR = 'config ARM\n\tdef_bool y\nconfig TRACING\n\tbool "Tracing"\nconfig SYS_CLOCK_HW_CYCLES_PER_SEC\n\tint\n' \
    '\tdefault 25000000\nsource "%s"\n'


def main(path, *options):
    with tempfile.NamedTemporaryFile("w", suffix="Kconfig") as top:
        top.write(ZEPHYR % os.path.abspath(path))
        top.flush()
        config = kconfiglib.Kconfig(top.name, warn_to_stderr=False)
    for option in options:
        name, value = option.split("=", 1)
        if not config.syms[name].set_value(value):
            sys.exit("no value of %s: %s" % (name, value))
    for symbol in config.unique_defined_syms:
        if symbol.str_value not in ("", "n"):
            print('set(CONFIG_%s "%s")' % (symbol.name, symbol.str_value))
    if config.warnings:
        sys.exit("\n".join(config.warnings))


main(*sys.argv[1:])
