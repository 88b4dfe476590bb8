#!/bin/sh
# windows.sh - the decoder for Windows, run by Wine, gives byte for byte what the native one gives: every output and
# answer, of a dump, of every format that the native one writes, of damage, of files that are not there. It needs no DLL
# but those that each Windows has. And what only Windows has: drives, backslashes, names in any script, files that
# somebody has open, Ctrl-C, consoles. whole: the tests of the command line pass with it, too.
# usage: windows.sh BUILD full|whole      (builds BUILD/windows/tlog-decode.exe)
# Judge: the native decoder.
set -eu
. tests/lib/needs.sh
. tests/lib/wine.sh
needs x86_64-w64-mingw32-gcc python3
build=$(cd "$1" && pwd)
top=$PWD
dir=$build/test/windows
other=$dir/tlog-decode
exe=$build/windows/tlog-decode.exe
. tests/lib/same_runs.sh
rm -rf "$dir"
mkdir -p "$dir"
make -s "BUILD=$1" windows >"$dir/making" 2>&1 || { cat "$dir/making"; exit 1; }
trap wine_end EXIT
wine_begin "$dir/wine"

# trace.dat has the whole path of the ELF file, which begins with a drive on Windows. So that both are of the same
# length, the native decoder reads another copy: Z_elf/firmware.elf where the other one reads elf/firmware.elf.
mkdir "$dir/elf" "$dir/Z_elf"
cp "$elf" "$dir/elf/firmware.elf"
cp "$elf" "$dir/Z_elf/firmware.elf"
elf=$dir/Z_elf/firmware.elf
cat >"$other" <<END
#!/bin/sh
for argument; do
    shift
    case \$argument in *Z_elf/*) argument=\${argument%%Z_elf/*}elf/\${argument#*Z_elf/} ;; esac
    set -- "\$@" "\$argument"
done
exec wine "$exe" "\$@"
END
chmod +x "$other"
settle() {
    [ "$1" = native ] ||
        find . -type f -exec env LC_ALL=C sed -i "s|Z:$dir/elf/|$dir/Z_elf/|g; s|$dir/elf/|$dir/Z_elf/|g" {} +
    for session in rows.*; do
        [ ! -e "$session" ] || sed -i "s|\(Z:\)*$PWD/||; s|\"time\": [0-9]*|\"time\": 0|" "$session"
    done
}

# tells WHAT TEXT: the last run told it, or printed it
tells() {
    cat told said | grep -qF -e "$2" || differs "$1: $(head -n 5 told)"
}

# win ARGUMENT...: run it here; sets code
win() {
    code=0
    wine "$exe" "$@" >said 2>told </dev/null || code=$?
}

# holds WHAT NAMES: what is in out/
holds() {
    [ "$(ls -A out | tr '\n' ' ')" = "$2" ] || differs "$1: in out/ are $(ls -A out | tr '\n' ' ')"
}

names_and_paths() {
    windows_dir=Z:$(echo "$dir" | tr / '\\')
    mkdir -p out 'выход' 'elf-ü'
    cp "$elf" 'elf-ü'
    "$native" -q "$dump" -o native.csv 2>native.told
    cp "$dump" 'dümp-日本.bin'
    win -q "$windows_dir\\dümp-日本.bin" -o 'выход\ä.csv'
    cmp native.csv 'выход/ä.csv' || differs "names in other scripts"
    win 'ничто-ü.bin'
    tells "a name in a message" 'tlog-decode: ничто-ü.bin: No such file or directory'
    win '*.bin'
    tells "patterns stay as they are" 'tlog-decode: *.bin: No such file or directory'
    win 'Q:\none.bin'
    tells "a drive that is not there" 'tlog-decode: Q:\none.bin: No such file or directory'
    win -q "$dump" "--guest=b:$windows_dir\\inputs\\cut.bin" --sync=+0 -o 'out\t.dat'
    win -q --merge --sync=+0 "$windows_dir\\inputs\\made.bin" 'inputs\cut.bin' -o 'out\merged.csv'
    holds "outputs behind backslashes" "merged.csv t-b.dat t.dat "
    win "$dump" -o 'out\' --format=csv
    tells "a folder" 'tlog-decode: out\: Is a directory'
    win "$dump" -o NUL
    tells "the device for nothing" 'tlog-decode: NUL: '
    TLOG_ELF_PATH='C:\none;elf-ü' win "$dump" -o with-elf.csv
    cmp -s native.csv with-elf.csv && differs "TLOG_ELF_PATH is not looked through"
    long=$(printf '%0120d/%0120d/%0120d' 1 2 3)
    mkdir -p "$long"
    win -q "$dump" -o "$(echo "$long" | tr / '\\')\\long.csv"
    cmp native.csv "$long/long.csv" || differs "a path of more than 260 characters"
    wine "$exe" -q --format=csv - <"$dump" | cmp - native.csv || differs "streams"
    win -q "$dump" --format=trace.dat -o -
    "$native" -q "$dump" --format=trace.dat -o - | cmp - said || differs "a binary standard output"
    rm -r out
}

text_with_crlf() {
    "$native" "--save-events=$elf" -o firmware.events
    sed 's/$/\r/' firmware.events >crlf.events
    for events in firmware crlf; do
        win -q "$dump" "--elf=$events.events" -o $events.csv
    done
    cmp firmware.csv crlf.csv || differs "a file of events with CRLF"
}

# A file that another program has open (hold.c) is replaced if that program allows it to be renamed.
files_in_use() {
    x86_64-w64-mingw32-gcc -O1 -municode "$top/tests/system/hold.c" -o hold.exe
    for shares in shares alone; do
        mkdir out
        echo old >out/held.csv
        rm -f ready
        mkfifo go
        wine hold.exe 'out\held.csv' "$shares" <go >ready &
        exec 3>go
        while [ ! -s ready ]; do sleep 0.05; done
        win -q "$dump" -o 'out\held.csv'
        exec 3>&-
        wait $!
        rm go
        case $shares:$code in
        shares:0) cmp out/held.csv native.csv || differs "a file in use is not replaced" ;;
        alone:1)
            tells "a file in use" 'tlog-decode: out\held.csv: Permission denied'
            [ "$(cat out/held.csv)" = old ] || differs "a file in use was changed"
            ;;
        *) differs "a file that is open ($shares): $code, $(cat told)" ;;
        esac
        holds "a file in use ($shares)" "held.csv "
        rm -r out
    done
}

# Ctrl-C while the second half of the input is waited for: nothing is left.
interrupted() {
    for format in csv ctf lttng; do
        mkdir out
        mkfifo slow
        wine "$exe" -q --format=$format - -o "out\\$format" <slow 2>told &
        exec 3>slow
        head -c 200000 "$dump" >&3
        for _ in $(seq 100); do
            [ -n "$(ls -A out)" ] && break
            sleep 0.05
        done
        [ -n "$(ls -A out)" ] || differs "Ctrl-C, $format: nothing was unfinished"
        kill -INT $!
        for _ in $(seq 200); do
            kill -0 $! 2>/dev/null || break
            sleep 0.05
        done
        kill -0 $! 2>/dev/null && differs "Ctrl-C, $format: it goes on"
        exec 3>&-
        wait $! || true # Wine tells no code of a program that Ctrl-C ended
        holds "Ctrl-C, $format" ""
        rm -r out slow
    done
}

# One check of the command line sets TMPDIR to a folder that is not there, with which Wine itself does not start.
command_line() {
    (cd "$top" && sh tests/system/cli.sh "$other") >cli 2>&1 || true
    grep -B 12 FAILED cli | grep -v "FAILED  no place for a pipe's bytes" >wrong || true
    ! grep -q FAILED wrong || differs "the command line: $(cat wrong)"
    grep -q ' passed, ' cli || differs "the command line: $(tail -n 1 cli)"
    tail -n 1 cli
}

# consoles: colours, blocks and letters of any script on a console; ASCII if the locale says so
consoles() {
    python3 "$top/tests/system/console.py" "$exe" "$dump" || differs "consoles"
}

libraries=$(x86_64-w64-mingw32-objdump -p "$exe" | sed -n 's/.*DLL Name: //p' | sort | tr '\n' ' ')
[ "$libraries" = "KERNEL32.dll WS2_32.dll msvcrt.dll " ] || differs "it needs $libraries"
same_begin
same_outputs "$2"
same_command_line
same_places
same_links
names_and_paths
text_with_crlf
files_in_use
interrupted
consoles
win --version
tells "what it is built with" "with: threads sockets"
tells "what it is built without" " zstd libarchive libdw"
refuses "$dump" --compress=zstd -o x.dat -- "this program was built without zstd"
[ "$2" != whole ] || command_line
same_end
