#!/bin/sh
# check.sh - builds and runs the tests of one folder of sources. For `make check DIR=FOLDER`.
# usage: check.sh FOLDER     (called by make, with TOOLS and the variables of RUN_TESTS in tests/module.mk)
#
# FOLDER is a folder of sources, or of tests. A folder of the decoder has the tests of tests/decoder/ that bear the last
# name of its path for which there are some: host/formats/tracedat/read those of tests/decoder/tracedat.
set -u
where=${1%/}
build=${BUILD:-build}
board=${BOARD:-mps2-an385}
logs=$build/check
only=
tells=
export TIER=quick
. tests/lib/checks.sh
. tests/lib/programs.sh

# make_it TARGET...: build them
make_it() {
    ${MAKE:-make} -s --no-print-directory -j"$(nproc)" "BUILD=$build" "$@" || exit 1
}

# folder_of PATH: print the folder of tests/decoder for it
folder_of() {
    path=$1
    while :; do
        name=${path##*/}
        [ ! -d "tests/decoder/$name" ] || { echo "$name" && return; }
        case $path in */*) path=${path%/*} ;; *) return ;; esac
    done
}

decoder_tests() {
    for folder in $folders; do
        for test in $DECODER_TESTS; do
            case $test in tests/decoder/"$folder"/*) check "${test#tests/}" cmocka "$test" ;; esac
        done
    done
    for script in $scripts; do
        check "$script" sh "$script" "$build" quick
    done
}

runtime_tests() {
    for test in $QUICK_IMAGES; do
        check "runtime: $test" on_host "$test"
    done
}

kernel_tests() {
    for kernel in $kernels; do
        check "rtos: $kernel" sh "tests/rtos/$kernel/$kernel.sh" "$build" "$board"
    done
}

library_tests() {
    check "library: installed, by pkg-config and Python; its example, names and layout" \
        sh tests/system/library/library.sh "$build" quick
    for mode in misuse pieces failing; do
        check "library: $mode" sh tests/system/library/trial.sh "$build" $mode
    done
}

command_line_tests() {
    check "command line" sh tests/system/cli.sh "$build/tlog-decode"
}

case $where in
target | target/* | port | tests/runtime)
    programs=
    for test in $QUICK_IMAGES; do
        programs="$programs $build/test/runtime/$test"
    done
    # shellcheck disable=SC2086
    make_it $programs
    run_checks runtime_tests
    exit
    ;;
port/rtos | tests/rtos | port/rtos/* | tests/rtos/*)
    kernels=${where##*/}
    [ "$kernels" != rtos ] || kernels="freertos rtx5 threadx zephyr chibios riot"
    if [ -f "tests/rtos/${kernels##* }/${kernels##* }.sh" ]; then
        # shellcheck disable=SC2086
        make_it all $TOOLS
        run_checks kernel_tests
        exit
    fi
    ;;
host/cli)
    # shellcheck disable=SC2086
    make_it all $TOOLS
    run_checks command_line_tests
    exit
    ;;
host/library | tests/system/library)
    # shellcheck disable=SC2086
    make_it all "$build/demo/trace.dat" "$build/test/trial" $TOOLS
    run_checks library_tests
    exit
    ;;
host | host/* | tests/decoder | tests/decoder/*)
    folders=$(folder_of "$where")
    case $where in host | tests/decoder | host/formats) folders=$(ls tests/decoder | tr '\n' ' ') ;; esac
    scripts=
    case $folders in
    io) folders="io firmware" ;;
    text | rows | ctf | vcd | columns) scripts=tests/decoder/$folders/$folders.sh ;;
    qnx) scripts=tests/decoder/qnx/kev.sh ;;
    decode) scripts=tests/decoder/decode/order.sh ;;
    esac
    programs=
    for test in $DECODER_TESTS; do
        case " $folders " in *" $(basename "$(dirname "$test")") "*) programs="$programs $build/test/$test" ;; esac
    done
    if [ -n "$programs" ]; then
        # shellcheck disable=SC2086
        make_it all "$build/demo/trace.dat" "$build/test/tlog-decode-script" $TOOLS $programs
        run_checks decoder_tests
        exit
    fi
    ;;
esac
[ -n "$where" ] || echo "usage: make check DIR=FOLDER"
[ -z "$where" ] || echo "'$where' has no tests of its own"
echo "FOLDER is host or one of its folders, target, port/rtos or one of its folders, or a folder of tests for these"
exit 1
