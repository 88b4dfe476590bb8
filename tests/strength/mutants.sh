#!/bin/sh
# mutants.sh - builds the tests that must notice mutants of the record path's machine code on the Cortex-M3, then lets
# mutants.py make and run the mutants.
# usage: mutants.sh BUILD [OPTION]...     (options of mutants.py; without --config all configurations)
# Judges: the sweeps (tests/runtime/sweep).
set -eu
. tests/lib/needs.sh
needs python3
build=$1
shift
board=mps2-an385
dir=$build/mutants
case " $* " in *" --applies "*) dir=$dir-applies ;; esac # run.sh runs --quick beside it
configs="lean ring event"
case " $* " in *" --quick "*) configs=lean ;; esac # --applies needs the images of all configurations

# TEST_WATCHDOG ends mutants that hang. TEST_MEMORY_END is an address in memory that nothing else uses: the sweep also
# puts rings right in front of it and lets the MPU forbid the memory behind, so that an access beyond the ring faults.
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
