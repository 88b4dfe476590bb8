#!/bin/sh
# open.sh - what --open starts, by stand-ins for the viewers that record their arguments: each gets the file as it is,
# whatever its name, in a process group of its own, with streams that lead nowhere. A page that may fetch the trace gets
# it, whole and once, and nobody else does. If nothing is installed, a line tells what would show the file.
# usage: open.sh BUILD quick|whole     (whole: also that a page which fetches nothing is waited for 60 s)
# Judges: the stand-ins, and fetch.py, which speaks HTTP by Python's client.
set -eu
. tests/lib/needs.sh
needs python3
build=$(cd "$1" && pwd)
decoder=$build/tlog-decode
dump=$build/demo/dump.bin
fetch=$PWD/tests/system/fetch.py
dir=$build/test/open
page='https://ui.perfetto.dev/#!/?url=http://127.0.0.1:9001/trace.pftrace'
rm -rf "$dir"
mkdir -p "$dir/bin" "$dir/none"
cd "$dir"
mkfifo record
for program in kernelshark gtkwave xdg-open; do
    cat >"bin/$program" <<'END'
#!/bin/sh
streams=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2 | sort -u)
group=$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f3)
[ "$streams" = /dev/null ] && [ "$group" = $$ ] && how=alone || how="$streams, group $group of $$"
printf '%s\n' "${0##*/}, $how" "$@" >"$RECORD"
case $1 in https:*) [ -z "$FETCH" ] || python3 "$FETCH" "$SEEN" >"$SEEN.log" 2>&1 ;; esac
END
    chmod +x "bin/$program"
done
export RECORD="$dir/record" FETCH= SEEN="$dir/seen"

fail() {
    echo "open: $*"
    exit 1
}

# opens EXPECTED TOLD ARGUMENT...: fail unless the viewer is started so, and the user is told that
opens() {
    expected=$1 told=$2
    shift 2
    timeout 100 cat record >got &
    PATH="$dir/bin:$PATH" "$decoder" "$dump" --open "$@" 2>err || fail "$*: exit code $?: $(cat err)"
    wait $!
    printf '%s\n' "$expected" | diff - got || fail "$*: started otherwise"
    tail -n 1 err | grep -qxF -e "tlog-decode: $told" || fail "$*: $(tail -n 1 err)"
}

opens "kernelshark, alone
$dir/t.dat" "t.dat: opened by kernelshark" -o t.dat
opens "kernelshark, alone
-s
$dir/rows.json" "t.dat: opened by kernelshark" -o t.dat --session=rows.json
opens "gtkwave, alone
$dir/t.vcd
$dir/-t.gtkw" "t.vcd: opened by gtkwave" -o t.vcd --session=-t.gtkw
export TLOG_PAGE="$dir/page.html"
sed 's/<script.*<.script>//' "$build/page/page.html" >page.html 2>/dev/null || TLOG_PAGE=
for name in -x '--help' 'a b;touch pwned' '$(touch pwned)' '`touch pwned`' "'\"" '%s%n#?&' '\' "$(printf '\377\303')" \
    "$(printf 'two\nlines')" '*'; do
    for suffix in dat vcd ${TLOG_PAGE:+html}; do
        case $suffix in dat) viewer=kernelshark ;; vcd) viewer=gtkwave ;; html) viewer=xdg-open ;; esac
        timeout 100 cat record >got &
        PATH="$dir/bin:$PATH" "$decoder" -q "$dump" --open -o "./$name.$suffix" || fail "$name.$suffix: exit code $?"
        wait $!
        printf '%s\n' "$viewer, alone" "$dir/./$name.$suffix" | cmp - got || fail "$name.$suffix is handed on otherwise"
        rm -f -- "./$name.$suffix"
    done
done
[ ! -e pwned ] || fail "a name was a command"
echo "viewers: their arguments, whatever the file's name"

FETCH=$fetch
opens "xdg-open, alone
$page" "t.pftrace: https://ui.perfetto.dev fetches it from this machine, within 60 s" -o t.pftrace
timeout 60 sh -c 'until grep -q ended seen 2>/dev/null; do sleep 0.1; done' || fail "$(cat seen seen.log)"
diff - seen <<END || { cat seen.log; fail "the file is served otherwise"; }
another path: 404, no origin may have it, 0 bytes
another page: 403, no origin may have it, 0 bytes
another name of this machine: 403, no origin may have it, 0 bytes
no name: 403, no origin may have it, 0 bytes
another method: 404, no origin may have it, 0 bytes
asked first: 204, https://ui.perfetto.dev may have it, 0 bytes
no HTTP: nothing
the page: 200, https://ui.perfetto.dev may have it, $(wc -c <t.pftrace) bytes, $(cksum <t.pftrace | cut -d' ' -f1)
ended
END
echo "Perfetto's page gets the trace, once, and nobody else does"

# tells TEXT ARGUMENT...: without any viewer the user is told that
tells() {
    text=$1
    shift
    PATH=$dir/none "$decoder" -q "$dump" --open "$@" 2>err || fail "$*: exit code $?"
    grep -qxF -e "tlog-decode: $text" err || fail "$*: $(cat err)"
}
tells "t.dat: not opened, for want of kernelshark; KernelShark shows it (Debian: sudo apt install kernelshark)" -o t.dat
tells "t.vcd: not opened, for want of gtkwave; GTKWave shows it (Debian: sudo apt install gtkwave)" -o t.vcd
tells "t.pftrace: not opened, for want of xdg-open; https://ui.perfetto.dev shows it (Open trace file)" -o t.pftrace
[ -z "$TLOG_PAGE" ] || tells "t.html: not opened, for want of xdg-open; any browser shows it" -o t.html
python3 -c 'import socket, sys
with socket.create_server(("127.0.0.1", 9001)):
    print(flush=True); sys.stdin.read()' <record >taken &
(until [ -s taken ]; do sleep 0.1; done
PATH="$dir/bin:$PATH" "$decoder" -q "$dump" --open -o t.pftrace 2>err) 3>record || fail "the port is taken: $?"
wait
hint="https://ui.perfetto.dev shows it (Open trace file)"
grep -qxF "tlog-decode: t.pftrace: not opened: Address already in use; $hint" err || fail "$(cat err)"

# refuses TEXT ARGUMENT...
refuses() {
    text=$1
    shift
    if "$decoder" "$@" --open "$dump" 2>err; then fail "$* is accepted"; fi
    [ "$(head -n 1 err)" = "tlog-decode: $text" ] || fail "$*: $(cat err)"
}
refuses "--open is for a file: -o FILE says where" --format=trace.dat
refuses "--open is for a file: -o FILE says where" --format=trace.dat -o -
refuses "--open is not for csv, but for trace.dat, perfetto, vcd and html" -o t.csv
refuses "--open is for a trace, not for --stat" --stat -o t.txt
echo "without viewers, and wrong usage: a line"
if [ "$2" = whole ]; then
    FETCH=
    begin=$(date +%s)
    opens "xdg-open, alone
$page" "t.pftrace: was not fetched; https://ui.perfetto.dev shows it (Open trace file)" -o t.pftrace
    [ $(($(date +%s) - begin)) -ge 60 ] || fail "it was not waited for 60 s"
    echo "a page that fetches nothing: 60 s"
fi
