#!/bin/sh
# Mutants of the record path's machine code on the Cortex-M3: build the tests that are to notice them, and let
# mutants.py make and run them. usage: mutants.sh BUILD [OPTION]...: those of mutants.py; without --config all
# configurations
set -eu
build=$1
shift
board=mps2-an385
dir=$build/mutants
configs="lean ring event"
case " $* " in *" --quick "*) configs=lean ;; esac # --applies wants the images of all configurations

# The watchdog ends what hangs. There is memory that nothing uses.
for config in $configs; do
    flags=$(sed -n "s/^SWEEP_$config *:= *//p" tests/module.mk)
    make -s "BUILD=$dir" "BOARD=$board" ARM_OPT=-O2 \
        "SWEEP_$config=$flags -DTEST_WATCHDOG -DTEST_MEMORY_END=0x21001000" "$dir/$board/sweep-O2-$config.elf"
done
case " $* " in *" --quick "* | *" --config "* | *" --applies "*) exec python3 tests/strength/mutants.py "$dir" "$@" ;;
    esac
failed=0
for config in $configs; do
    python3 tests/strength/mutants.py "$dir" --config $config "$@" || failed=1
done
exit $failed
