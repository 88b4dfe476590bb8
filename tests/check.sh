#!/bin/sh
# check.sh - builds and runs the tests of one folder of sources. For `make check DIR=FOLDER`.
# usage: check.sh FOLDER     (called by make, with the variables of RUN_TESTS in tests/module.mk)
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
    check "rtos: $kernel" sh "tests/rtos/$kernel/$kernel.sh" "$build" "$board"
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
port/rtos/* | tests/rtos/*)
    kernel=${where##*/}
    if [ -f "tests/rtos/$kernel/$kernel.sh" ]; then
        make_it all
        run_checks kernel_tests
        exit
    fi
    ;;
host/* | tests/decoder/*)
    folders=$(folder_of "$where")
    scripts=
    case $folders in
    io) folders="io firmware" ;;
    text | rows | ctf | vcd) scripts=tests/decoder/$folders/$folders.sh ;;
    qnx) scripts=tests/decoder/qnx/kev.sh ;;
    decode) scripts=tests/decoder/decode/order.sh ;;
    esac
    programs=
    for test in $DECODER_TESTS; do
        case " $folders " in *" $(basename "$(dirname "$test")") "*) programs="$programs $build/test/$test" ;; esac
    done
    if [ -n "$programs" ]; then
        [ -z "$scripts" ] || programs="$programs $build/gen_dump $build/check_tracedat $build/check_kshark"
        # shellcheck disable=SC2086
        make_it all "$build/demo/trace.dat" "$build/test/tlog-decode-script" $programs
        run_checks decoder_tests
        exit
    fi
    ;;
esac
echo "no tests for '$where'; make check DIR=FOLDER knows host and its folders, target, port/rtos and its folders"
exit 1
