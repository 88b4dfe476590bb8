"""ide.py - a stand-in for STM32CubeIDE: builds a project by what a README writes into the IDE's dialogs, with the flags
of the IDE's configuration Debug. A line of a dialog is `NAME: value value ...`."""
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


def build(folder, settings, core, script):
    """The command that builds Debug/firmware.elf, where the IDE does: in the folder Debug."""
    found = sorted(glob.glob(folder + "/Core/Src/*.c"))
    sources = ["../" + os.path.relpath(name, folder) for name in found]
    flags = ["-D" + symbol for symbol in settings["Define symbols (-D)"]]
    flags += ["-L" + path.replace("${ProjDirPath}", "..") for path in settings["Library search path (-L)"]]
    return " ".join(["mkdir -p Debug && cd Debug && arm-none-eabi-gcc", core, DEBUG, "-I../Core/Inc", *flags, *sources,
                     *settings["Other flags"], LINK, "-T", "../" + script, "-o firmware.elf"])
