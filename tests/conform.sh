#!/bin/sh
# Other people's programs on a trace.dat: conform.sh BUILD TRACE.dat EVENTS LOSSES. EVENTS includes derived ones; LOSSES are
# lines that tell of lost events. Everything that these tools say must be what a whole and correct file makes them say.
set -eu
build=$1
file=$2
events=$3
losses=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "conform: $file: $*"
    exit 1
}

trace-cmd dump --all "$file" >"$dir/dump" 2>"$dir/errors" || fail "dump --all: $(cat "$dir/errors")"
trace-cmd dump --validate "$file" | grep -q 'is a valid trace-cmd file' || fail "dump --validate"
trace-cmd report --verbose=warning --check-events "$file" >"$dir/checked" 2>"$dir/errors" || fail "report --check-events"
[ ! -s "$dir/errors" ] || fail "report: $(cat "$dir/errors")"
trace-cmd report -t "$file" >"$dir/report" 2>/dev/null || fail "report -t"
if grep -E '\[FAILED|UNKNOWN EVENT|NO FORMAT' "$dir/report"; then fail "unreadable events"; fi
lines=$(wc -l <"$dir/report")
[ "$lines" -eq $((events + losses + 1)) ] || fail "$lines lines, expected $events events + $losses losses + 1"
trace-cmd report -t --ts-check "$file" >"$dir/ts" 2>&1 || fail "report --ts-check"
if grep WARNING "$dir/ts"; then fail "time goes back"; fi
for option in --cpus --first-event --last-event --stat --uname --version -f -P -E -p -e -l -R -N; do
    trace-cmd report $option "$file" >"$dir/any" 2>"$dir/errors" || fail "report $option"
    [ ! -s "$dir/errors" ] || fail "report $option: $(cat "$dir/errors")"
done

trace-cmd convert -i "$file" -o "$dir/7.dat" --file-version 7 --compression none >/dev/null 2>"$dir/errors" || fail "convert to 7"
trace-cmd convert -i "$file" -o "$dir/7z.dat" --file-version 7 --compression zstd >/dev/null 2>"$dir/errors" || fail "convert to 7 zstd"
trace-cmd convert -i "$file" -o "$dir/6.dat" --file-version 6 >/dev/null 2>"$dir/errors" || fail "convert to 6"
trace-cmd convert -i "$dir/6.dat" -o "$dir/67.dat" --file-version 7 --compression none >/dev/null 2>"$dir/errors" || fail "convert back"
for version in 7 7z 6 67; do
    trace-cmd report -t "$dir/$version.dat" >"$dir/again" 2>/dev/null || fail "report of $version"
    cmp -s "$dir/report" "$dir/again" || fail "converted ($version) it reports something else"
done

# split packs the pages anew; it has no way to write losses.
trace-cmd split -i "$file" -o "$dir/split.dat" >/dev/null 2>&1 || fail "split"
part=$(ls "$dir"/split.dat* | head -n 1)
trace-cmd report -t "$part" 2>/dev/null | grep -v 'EVENTS DROPPED\]' >"$dir/again" || fail "report of split"
grep -v 'EVENTS DROPPED\]' "$dir/report" | cmp -s - "$dir/again" || fail "split it reports something else"

"$build/check_tracedat" "$file" || fail "check_tracedat"
"$build/check_kshark" "$file" || fail "check_kshark"
valgrind -q --error-exitcode=9 trace-cmd report "$file" >/dev/null 2>"$dir/errors" || fail "valgrind: $(head -n 20 "$dir/errors")"
echo "conform: $events events, $losses losses: dump, report, convert, split, libtracecmd, libkshark, valgrind agree"
