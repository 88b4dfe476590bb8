#!/bin/sh
# lint.sh - runs cppcheck and clang with all warnings over host, target, port and linker, and clang-format over all C
# files; fails on any finding.
# usage: lint.sh
# Judges: cppcheck, clang, clang-format.
set -eu
. tests/lib/needs.sh
needs clang cppcheck clang-format
find host target port linker tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror
cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
    --suppress=missingIncludeSystem -Ihost -Itarget -D__unix__ host
cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
    --suppress=missingIncludeSystem -Itarget -Iport -D__unix__ target/src/*.c port/*.c
find host -name '*.c' ! -path 'host/os/windows/*' -print0 | xargs -0 clang -std=c11 -Wall -Wextra -Wpedantic -Werror \
    -Wconversion -Wshadow -Wundef -Ihost -Itarget -fsyntax-only
[ ! -e /usr/x86_64-w64-mingw32/include/windows.h ] ||
    clang --target=x86_64-w64-mingw32 -std=c11 -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef -Ihost \
        -Itarget -fsyntax-only host/os/windows/*.c
for options in "" "-DTLOG_ARENA=1" "-DTLOG_TRACEEVENTS=1" "-DTLOG_ARENA=1 -DTLOG_TRACEEVENTS=1" \
    "-DTLOG_CPUS=2 -DTLOG_TRACEEVENTS=1"; do
    # shellcheck disable=SC2086
    clang -std=c11 -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef $options -Itarget -Iport \
        -fsyntax-only target/src/*.c port/port_*.c
done
# The ports and the boards' sources, for one core of each port.
header=$(mktemp -d)
trap 'rm -rf "$header"' EXIT
for each in cortex-m3:mps2-an385:startup_m cortex-m0:microbit:startup_m cortex-m33:mps2-an505:startup_m \
    cortex-a15:virt:startup_a; do
    board=${each#*:}
    cp "linker/${board%:*}.h" "$header/board.h"
    clang --target=arm-none-eabi "-mcpu=${each%%:*}" -mthumb -mfloat-abi=soft -ffreestanding -std=c11 -Wall -Wextra \
        -Wpedantic -Werror -Wconversion -Wshadow -Wundef -DTLOG_ARENA=1 -Itarget -Iport "-I$header" -include board.h \
        -fsyntax-only port/*_v[67]m.c port/out_*.c port/net_*.c linker/mem.c "linker/${board#*:}.c"
done
echo "clean"
