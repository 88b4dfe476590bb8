"""ide.py - a stand-in for STM32CubeIDE: builds a project by what a README writes into the IDE's dialogs, with the flags
of the IDE's configuration Debug. A line of a dialog is `NAME: value value ...`."""
import fnmatch
import glob
import os

DEBUG = "-mthumb -std=gnu11 -g3 -DDEBUG -O0 -ffunction-sections -fdata-sections -Wall --specs=nano.specs"
LINK = "-nostartfiles --specs=nosys.specs -Wl,--gc-sections -static"


def read_dialog(settings, lines):
    """Add the lines to the settings. Returns what is wrong, or None."""
    for line in lines:
        name, colon, values = line.partition(":")
        if not colon:
            return "no line of a dialog: %s" % line
        settings.setdefault(name, []).extend(values.split())
    return None


def sources(folder, settings):
    """The sources that the IDE compiles: the project's own, and those of the locations, if no filter names them or a
    folder of theirs."""
    found = glob.glob(folder + "/*.c")
    for location in settings["Source Location"]:
        for path, inner, names in os.walk(os.path.join(folder, location)):
            excluded = [pattern for pattern in settings["Edit Filter"] if fnmatch.filter(names + inner, pattern)]
            inner[:] = [name for name in inner if name not in excluded]
            found += [os.path.join(path, name) for name in names
                      if name.endswith(".c") and not any(fnmatch.fnmatch(name, each) for each in excluded)]
    return sorted(os.path.relpath(name, folder) for name in found)


def build(folder, settings, core, script):
    """The command that builds Debug/firmware.elf."""
    flags = ["-I" + path for path in settings["Include paths (-I)"]]
    flags += ["-D" + symbol for symbol in settings["Define symbols (-D)"]]
    flags += ["-L" + path for path in settings["Library search path (-L)"]] + settings["Other flags"]
    return " ".join(["mkdir -p Debug && arm-none-eabi-gcc", core, DEBUG, "-I.", *flags, *sources(folder, settings),
                     LINK, "-T", script, "-o Debug/firmware.elf"])
