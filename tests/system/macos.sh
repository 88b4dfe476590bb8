#!/bin/sh
# macos.sh - what can be told of macOS without a Mac. host/os/posix/ compiles with headers that show POSIX.1-2008 with
# XSI alone, musl's (tests/strength/symbols.py knows what macOS lacks of that). make, told that this is macOS, calls
# the compiler, the linker and install with nothing that Apple's do not know, and wants no library that is not there.
# usage: macos.sh
# Judge: musl's headers; the manual pages of Apple's ld and install.
set -eu
. tests/lib/needs.sh
needs musl-gcc
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for source in host/os/posix/*.c; do
    musl-gcc -std=c11 -U__linux__ -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -Ihost -fsyntax-only "$source"
    echo "POSIX.1-2008 is enough: $source"
done

# Apple's ld has no option that begins with two dashes, and none of these others; its install has no -D; there is no
# objcopy, no thin archive, no ELF.
unknown='-Wl,--|-soname|-Wl,-z|-static|install -[^ ]*D|objcopy|scdoc -|ar [a-z]*T|\.so\b|-lzstd|-larchive|-ldw'
make -n HOST_SYSTEM=Darwin CC=cc "BUILD=$dir" "DESTDIR=$dir/to" "$dir/tlog-decode" library >"$dir/calls"
make -n HOST_SYSTEM=Darwin CC=cc "BUILD=$dir" "DESTDIR=$dir/to" install | grep -v arm-none-eabi >>"$dir/calls"
if grep -nE -e "$unknown" "$dir/calls"; then
    echo "Apple's programs do not know that"
    exit 1
fi
grep -qF -e "-dynamiclib -Wl,-dead_strip" "$dir/calls"
grep -qF -e "libtlogdecode.0.dylib" "$dir/calls"
[ "$(grep -c ' -c host/' "$dir/calls")" -gt 150 ]
echo "$(wc -l <"$dir/calls") commands for macOS: nothing unknown"
