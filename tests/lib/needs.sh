# needs.sh - ends a check as skipped if a program that it needs is not installed.
# usage: . tests/lib/needs.sh     (from the root of the checkout)
#
# A skipped check ends with code 77, and its last line is "skipped: PACKAGE: why": the Debian package that brings what
# is missing. tests/lib/checks.sh counts the check as skipped, neither as passed nor as failed.

# skipped PACKAGE WHY: end the check
skipped() {
    echo "skipped: $1: $2"
    exit 77
}

# package_of PROGRAM: print the package that brings it
package_of() {
    case $1 in
    ld.lld) echo lld ;;
    arm-none-eabi-*) echo gcc-arm-none-eabi ;;
    vcd2fst | fst2vcd) echo gtkwave ;;
    clang++) echo clang ;;
    xmllint) echo libxml2-utils ;;
    node) echo nodejs ;;
    x86_64-w64-mingw32-gcc) echo gcc-mingw-w64-x86-64-win32 ;;
    wineserver-stable) echo wine64 ;;
    ctags) echo universal-ctags ;;
    script) echo bsdutils ;;
    *) echo "$1" ;;
    esac
}

# needs PROGRAM...: end the check as skipped if one of them is missing. A FILE with a slash is a program that `make
# tested` builds if the libraries for it are installed.
needs() {
    for program in "$@"; do
        case $program in
        */check_kshark) [ -x "$program" ] || skipped libkshark-dev "$program is not built without the library" ;;
        */check_tracedat) [ -x "$program" ] || skipped libtracecmd-dev "$program is not built without the library" ;;
        */*) [ -x "$program" ] || skipped libcmocka-dev "$program is not built without it" ;;
        *)
            command -v "$program" >/dev/null || skipped "$(package_of "$program")" "$program is not installed" ;;
        esac
    done
}
