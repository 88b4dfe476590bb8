# wine.sh - programs for Windows, run by Wine without a display.
# usage: . tests/lib/wine.sh; wine_begin DIRECTORY     (of its own, for Wine's files)
#
# Wine usually copies all of its libraries, 700 MB, for each user: here a link leads to them, and it starts in 0.4 s. It
# takes names for what the locale says. No programs that a desktop needs are started. wine_end ends its server.
wine_begin() {
    needs wine wineserver-stable
    export WINEPREFIX="$1" WINEDEBUG=-all LC_ALL=C.UTF-8
    for libraries in /usr/lib/*/wine/x86_64-windows; do :; done
    [ -e "$libraries/kernel32.dll" ] || skipped wine64 "there is no 64-bit Wine"
    mkdir -p "$WINEPREFIX/drive_c/windows/temp" "$WINEPREFIX/dosdevices"
    ln -s "$libraries" "$WINEPREFIX/drive_c/windows/system32"
    ln -s ../drive_c "$WINEPREFIX/dosdevices/c:"
    ln -s / "$WINEPREFIX/dosdevices/z:"
    echo disable >"$WINEPREFIX/.update-timestamp"
    wineserver-stable -p
}

wine_end() {
    wineserver-stable -k 2>/dev/null || true
    rm -f "$WINEPREFIX/dosdevices/z:" # what goes through all folders should not go through the whole machine
}
