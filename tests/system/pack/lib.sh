# lib.sh - what the checks of packages share.
# usage: build=BUILD dir=DIRECTORY; . tests/system/pack/lib.sh     (from the root of the checkout)
. tests/lib/firmware.sh
. tests/lib/needs.sh
unset MAKEFLAGS MAKELEVEL MFLAGS
here=$PWD/tests/system/pack
case $build in /*) ;; *) build=$PWD/$build ;; esac
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
version=$(sed -n 's/^VERSION := //p' Makefile)
toolchain=$PWD/port/cmake/arm-none-eabi.cmake

# vendor FILE [LINE]: write a linker script as vendors give it for mps2-an385, with this line behind .text
vendor() {
    { sed -n '/^MEMORY/,/^}/p' linker/mps2-an385.ld
      sed "s/ BSS / *(.bss) *(.bss*) /; s|INCLUDED|${2:-}|" tests/system/link/plain.ld; } >"$1"
}

# shows ELF [EVENTS]: run the firmware consumer/ in QEMU and decode its dump, which must hold what main.c logs
shows() {
    rm -f "$(dirname "$1")/dump.bin"
    emulate mps2-an385 "$1"
    "$build/tlog-decode" --format=text-full "--elf=$1" "$(dirname "$1")/dump.bin" -o "$dir/shown.txt" 2>"$dir/err" ||
        { cat "$dir/err"; exit 1; }
    for line in 'blinky-1 .*user_event_0: par1=99 par2=9801' 'blinky-1 .*user_event_1: par1=7 par2=42' ${2:+"$2"}; do
        grep -q "$line" "$dir/shown.txt" || { echo "not in $1's dump: $line"; exit 1; }
    done
    [ "$(grep -c user_event_0 "$dir/shown.txt")" -eq 100 ] || { echo "events are missing in $1's dump"; exit 1; }
}
