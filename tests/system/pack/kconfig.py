"""kconfig.py - evaluates a module's Kconfig as Zephyr does, and prints its options as CMake's set().

usage: kconfig.py KCONFIG [OPTION=VALUE...] [PATH:PROPERTY=VALUE...]

KCONFIG may use what Zephyr has: the symbols below, and functions that read the device tree, of which the arguments
tell the properties. The label of a node is the last word of its path, up to @."""
import os
import sys
import tempfile
import types

ZEPHYR = 'config ARM\n\tdef_bool y\nconfig TRACING\n\tbool "Tracing"\nconfig TRACING_USER\n\tbool "User"\n' \
    'config CORTEX_M_SYSTICK\n\tbool "SysTick"\nconfig SOC_SERIES_NRF52X\n\tbool "nRF52"\n' \
    'config ARMV7_M_ARMV8_M_MAINLINE\n\tdef_bool y\nconfig NUM_IRQS\n\tint\n\tdefault 60\n' \
    'config SYS_CLOCK_HW_CYCLES_PER_SEC\n\tint\n\tdefault 25000000 if CORTEX_M_SYSTICK\n\tdefault 32768\nsource "%s"\n'


def device_tree(properties):
    """The module in which kconfiglib looks for functions of Zephyr's."""
    module = types.ModuleType("kconfigfunctions")
    paths = {path.rsplit("/", 1)[1].split("@")[0]: path for path, _ in properties}
    module.functions = {
        "dt_node_int_prop_int": (lambda _, name, *where: properties.get(where, "0"), 2, 2),
        "dt_nodelabel_path": (lambda _, name, label: paths.get(label, ""), 1, 1)}
    return module


def main(path, *arguments):
    pairs = [argument.split("=", 1) for argument in arguments]
    properties = {tuple(name.split(":")): value for name, value in pairs if ":" in name}
    sys.modules["kconfigfunctions"] = device_tree(properties)
    import kconfiglib
    with tempfile.NamedTemporaryFile("w", suffix="Kconfig") as top:
        top.write(ZEPHYR % os.path.abspath(path))
        top.flush()
        config = kconfiglib.Kconfig(top.name, warn_to_stderr=False)
    for name, value in pairs:
        if ":" not in name and not config.syms[name].set_value(value):
            sys.exit("no value of %s: %s" % (name, value))
    for symbol in config.unique_defined_syms:
        if symbol.str_value not in ("", "n"):
            print('set(CONFIG_%s "%s")' % (symbol.name, symbol.str_value))
    if config.warnings:
        sys.exit("\n".join(config.warnings))


main(*sys.argv[1:])
