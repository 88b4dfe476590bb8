# firmware.sh - builds a test's firmware for a board, and runs it in QEMU.
# usage: . tests/lib/firmware.sh     (from the root of the checkout)
#
# Both functions run in a subshell and leave the caller's variables as they are.

. tests/lib/one_file.sh

# firmware BOARD OUTPUT ARGUMENT...: compile and link the sources and flags for gcc in ARGUMENT with the runtime and the
# board's startup code; the core is that of the Makefile. Puts the board's header as board.h beside OUTPUT. A linker
# script of the test's own is given as -T SCRIPT. FIRMWARE_OPT, if it is set, stands for -O2 -g, and the runtime is then
# compiled as one file, which takes a fifth of the time.
firmware() (
    board=$1 output=$2
    shift 2
    core=$(sed -n "s/^CORE_$board *:= *//p" Makefile)
    startup=linker/startup_m.c
    case $core in cortex-a*) startup=linker/startup_a.c ;; esac
    case $board in lm3s6965evb) set -- "$@" linker/ticks.c ;; esac
    case " $* " in *" -T "*) ;; *) set -- "$@" -T "linker/$board.ld" ;; esac
    include=$(dirname "$output")
    cp "linker/$board.h" "$include/board.h"
    runtime="target/src/*.c port/port_v[67]m.c"
    if [ -n "${FIRMWARE_OPT:-}" ]; then
        # shellcheck disable=SC2086
        one_file $runtime >"$include/runtime.c"
        runtime=$include/runtime.c
    fi
    # shellcheck disable=SC2086 # several words
    arm-none-eabi-gcc -std=c11 "-mcpu=$core" -mthumb -mfloat-abi=soft ${FIRMWARE_OPT:--O2 -g} -ffreestanding \
        -ffunction-sections -fdata-sections -Wall -Wextra -Werror -Itarget -Iport -Ilinker "-I$include" \
        -include board.h "$@" $runtime port/out_semihost.c port/out_disk.c "$startup" linker/mem.c -nostdlib \
        -Wl,--gc-sections -Llinker -lgcc -o "$output"
)

# emulate BOARD IMAGE QEMU_OPTION...: run the image, with counted instructions, in the directory of the image, where its
# dump is written; at most 120 s
emulate() (
    board=$1 image=$2
    shift 2
    case $board in virt) set -- -cpu cortex-a15 -m 64 -nic none "$@" ;; esac
    cd "$(dirname "$image")" || exit
    exec timeout 600 qemu-system-arm -M "$board" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 "$@" -kernel "$(basename "$image")"
)
