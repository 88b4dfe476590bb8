# shellcheck shell=sh disable=SC2154
# cores.sh - the part of dist.sh that checks the pack's conditions, unpacked in $dir/cmsis: the runtime compiles for
# each architecture of the cores that they accept, with the pack's header of options, by gcc and by clang. (Arm Compiler
# 6 is clang; its linker was not at hand.) Cortex-M23, which they deny, has no port.
# usage: dir=DIRECTORY; . tests/system/pack/lib.sh; . tests/system/pack/cores.sh
pack=$dir/cmsis
(cd "$pack" && one_file target/src/*.c port/port_v[67]m.c port/irq_v7m.c) >"$pack/runtime.c"

# compiles COMPILER ARCHITECTURE: compile the runtime for it
compiles() {
    # shellcheck disable=SC2086
    $1 "-march=$2" -mthumb -std=gnu11 -O1 -ffreestanding -Wall -Wextra -Werror "-DTLOG_CONFIG=\"tlog_options.h\"" \
        -DTLOG_CLOCK_ADDRESS=0x40000024u "-I$pack/config" "-I$pack/target" "-I$pack/port" -c "$pack/runtime.c" \
        -o "$pack/runtime.o"
}

for core in $(sed -n 's/.*<accept Dcore="\([^"]*\)".*/\1/p' "$pack/tlog.tlog.pdsc"); do
    case $core in
    Cortex-M[01] | Cortex-M0+) echo armv6-m ;;
    Cortex-M3) echo armv7-m ;;
    Cortex-M[47]) echo armv7e-m ;;
    Cortex-M33 | Cortex-M35P | Star-MC1) echo armv8-m.main ;;
    Cortex-M52 | Cortex-M55 | Cortex-M85) echo armv8.1-m.main ;;
    Cortex-A*) echo armv7-a ;;
    *) echo "$core" ;;
    esac
done | sort -u >"$dir/architectures"
for architecture in $(cat "$dir/architectures"); do
    compiles "arm-none-eabi-gcc -mfloat-abi=soft" "$architecture"
    compiles "clang --target=arm-none-eabi -mfloat-abi=soft" "$architecture"
done
if compiles arm-none-eabi-gcc armv8-m.base 2>"$dir/log"; then exit 1; fi
grep -q 'no port for this core' "$dir/log"
echo "cmsis: compiled by gcc and clang for $(tr '\n' ' ' <"$dir/architectures")"
