#!/bin/sh
# cppcheck over everything, clang over the host's sources; no finding is accepted.
set -eu
cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
    --suppress=missingIncludeSystem -Ihost -Itarget -D__unix__ host/*.c
cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
    --suppress=missingIncludeSystem -Itarget -Iport -D__unix__ target/*.c port/*.c
for source in host/*.c; do
    clang -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef -Ihost -Itarget \
        -fsyntax-only "$source"
done
for options in "" "-DTLOG_ARENA=1" "-DTLOG_TRACEEVENTS=1" "-DTLOG_ARENA=1 -DTLOG_TRACEEVENTS=1" "-DTLOG_CPUS=2 -DTLOG_TRACEEVENTS=1"; do
    for source in target/*.c port/port_*.c; do
        # shellcheck disable=SC2086
        clang -std=c11 -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef $options -Itarget -Iport -fsyntax-only "$source"
    done
done
echo "clean"
