#!/bin/sh
# user.sh - checks what a user does first: target/README.md's example by `make run`; `make install` to another place,
# and the installed decoder, headers and sources there; `make help`. The place has a blank in its name.
# usage: user.sh BUILD
# Judges: trace-cmd; the built decoder.
set -eu
. tests/lib/needs.sh
needs trace-cmd
build=$1
dir="$build/test/a user"
rm -rf "$dir"
mkdir -p "$dir"

awk '/^```c$/ { if (!done) { on = 1; next } } /^```$/ { if (on) done = 1; on = 0 } on' target/README.md >"$dir/readme.c"
[ "$(wc -l <"$dir/readme.c")" -gt 5 ]
make -s run "APP=$dir/readme.c" "BUILD=$build"
run=$build/run/readme
trace-cmd report -t "$run/trace.dat" >"$dir/report" 2>/dev/null
[ "$(grep -c 'user_event_0' "$dir/report")" -eq 100 ]
grep -q 'blinky-1 .*user_event_0: *par1=99 par2=9801' "$dir/report"
[ -s "$run/firmware.elf" ]
echo "target/README.md's example: 100 events of blinky"

# kept ARGUMENT...: print how many of 700 events `make run` keeps. By default all, so that a first program loses none;
# fewer if the program asks for a smaller ring, in FLAGS or in a header of its own.
sed 's/i < 100/i < 700/' "$dir/readme.c" >"$dir/more.c"
echo '#define TLOG_SLOTS 32' >"$dir/small.h"
kept() {
    make -s run "APP=$dir/more.c" "BUILD=$build" "$@" >/dev/null 2>&1
    "$build/tlog-decode" -q "$build/run/more/dump.bin" | grep -c user_event_0
}
[ "$(kept)" -eq 700 ]
[ "$(kept FLAGS=-DTLOG_SLOTS=16)" -le 16 ]
[ "$(kept "FLAGS=-DTLOG_CONFIG='\"$PWD/$dir/small.h\"'")" -le 32 ]
echo "a loop of 700 events loses none; FLAGS and TLOG_CONFIG say otherwise"

# A program that never ends: TIME, and Ctrl-C, which a terminal sends to all programs of the command.
cat >"$dir/loop.c" <<'END'
#include "tlog.h"

int main(void)
{
    for (unsigned n = 0;; n++) {
        for (volatile unsigned i = 0; i < 20000; i++)
            ;
        TRACER_LOGEVENT(FTrace_EVT_user_event_0, n & 0xFFFFu, n);
    }
}
END
loops() { # HOW: the loop's trace was taken and shows it
    [ "$(trace-cmd report "$build/run/loop/trace.dat" 2>/dev/null | grep -c user_event_0)" -ge 10 ] ||
        { cat "$dir/loop.log"; echo "no trace of a loop: $1"; exit 1; }
    grep -q "stopped after .*: the memory is taken" "$dir/loop.log"
}
make -s run "APP=$dir/loop.c" "BUILD=$build" TIME=1 >"$dir/loop.log" 2>&1
loops TIME=1
if make -s run "APP=$dir/loop.c" "BUILD=$build" TIME=soon >"$dir/loop.log" 2>&1; then exit 1; fi
grep -q '^TIME=soon: not a number of seconds$' "$dir/loop.log"
rm "$build/run/loop/trace.dat"
python3 - "$dir/loop.c" "$build" "$dir/loop.log" <<'END'
import os, signal, subprocess, sys, time
app, build, log = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would make
run = subprocess.Popen(["make", "-s", "run", "APP=" + app, "BUILD=" + build], stdout=open(log, "w"),
                       stderr=subprocess.STDOUT, start_new_session=True)
while not os.path.exists(build + "/run/loop/gdb.socket"):
    assert run.poll() is None, open(log).read()
    time.sleep(0.1)
time.sleep(1)
os.killpg(run.pid, signal.SIGINT)
run.wait(60)
END
loops Ctrl-C
if make -s run "APP=$dir/loop.c" BOARD=nonsense 2>"$dir/loop.log"; then exit 1; fi
grep -q 'there is no board nonsense; BOARD is one of: mps2-an385 microbit' "$dir/loop.log"
echo "a loop without an end: TIME, Ctrl-C; a wrong BOARD"

[ "$(wc -l <README.md)" -le 180 ] || { echo "README.md has more than 180 lines: the folders have READMEs"; exit 1; }

make -s install "DESTDIR=$dir/prefix" PREFIX=/usr "BUILD=$build" >/dev/null
"$dir/prefix/usr/bin/tlog-decode" --version
"$dir/prefix/usr/bin/tlog-decode" --format=text-full -q "$run/dump.bin" -o "$dir/installed.txt"
"$build/tlog-decode" --format=text-full -q "$run/dump.bin" -o "$dir/built.txt"
cmp "$dir/built.txt" "$dir/installed.txt"
for file in bin/tlog-decode share/man/man1/tlog-decode.1 share/bash-completion/completions/tlog-decode \
    include/tlog/tlog.h share/tlog/target/src/tlog_ring.c share/tlog/target/FORMAT.md share/tlog/port/port_v7m.c \
    share/tlog/linker/mps2-an385.ld; do
    [ -s "$dir/prefix/usr/$file" ]
done

# A firmware builds from the installed headers and sources alone.
installed=$dir/prefix/usr/share/tlog
cp "$installed/linker/mps2-an385.h" "$dir/board.h"
arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -O2 -ffreestanding -nostdlib "-I$dir/prefix/usr/include/tlog" \
    "-I$dir" -include board.h "$dir/readme.c" "$installed"/target/src/*.c "$installed/port/port_v7m.c" \
    "$installed/port/out_semihost.c" "$installed/linker/startup_m.c" "$installed/linker/mem.c" "-L$installed/linker" \
    -T "$installed/linker/mps2-an385.ld" -Wl,--gc-sections -lgcc -o "$dir/firmware.elf"
make -s uninstall "DESTDIR=$dir/prefix" PREFIX=/usr "BUILD=$build"
[ -z "$(find "$dir/prefix" -type f)" ]
echo "installed, used, uninstalled"

# Every target named by `make help` exists.
make -s help | sed 's/:.*//' | while read -r target; do
    make -n "$target" APP=x.c "BUILD=$build" >/dev/null || { echo "make $target does not exist"; exit 1; }
done
