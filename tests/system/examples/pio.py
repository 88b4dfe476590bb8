"""pio.py - a stand-in for PlatformIO's `pio run`: compiles src/ and the library of platformio.ini as its manifest says,
whose list is that of tests/system/pack/check.py. The framework's part is in the folder framework.

usage: pio.py run     (in the project's folder)
"""
import configparser
import glob
import json
import subprocess
import sys
import tarfile

FLAGS = ("arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os -g -ffunction-sections -fdata-sections -Wall "
         "--specs=nano.specs --specs=nosys.specs -nostartfiles -Wl,--gc-sections -Iframework "
         "-T framework/flash.ld").split()


def main():
    project = configparser.ConfigParser()
    project.read("platformio.ini")
    section, = project.sections()
    settings, place = project[section], ".pio/build/" + section.removeprefix("env:")
    with tarfile.open(settings["lib_deps"].removeprefix("file://")) as package:
        package.extractall(".pio/libdeps/tlog")
    with open(".pio/libdeps/tlog/library.json", encoding="utf-8") as file:
        manifest = json.load(file)
    maintainer = "%(name)s <%(email)s>" % manifest["authors"][0]
    listed = subprocess.run([sys.executable, "tlog/tests/system/pack/check.py", "platformio", ".pio/libdeps/tlog",
                             manifest["version"], manifest["homepage"], maintainer],
                            check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    include = ["-I.pio/libdeps/tlog/" + line[8:] for line in listed if line.startswith("include ")]
    sources = [".pio/libdeps/tlog/" + line[7:] for line in listed if line.startswith("source ")]
    subprocess.run(["mkdir", "-p", place], check=True)
    subprocess.run(FLAGS + settings["build_flags"].split() + include + sources + glob.glob("src/*.c") +
                   glob.glob("framework/*.c") + ["-o", place + "/firmware.elf"], check=True)


main()
