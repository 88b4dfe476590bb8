#!/bin/sh
# conform.sh - has programs of others read a trace.dat file. Usage:
#   conform.sh BUILD TRACE.dat EVENTS LOSSES [AS.dat] [WHAT]...
#
# EVENTS: events in the file, with derived ones. LOSSES: lines about lost events. AS.dat: a file of the same events that
# is known to be right; TRACE.dat must have the same events with the same fields. What these programs print must be what
# they print for a whole and correct file. WHAT leaves out what trace-cmd 3.1.6 cannot do with such files:
#   no-convert   for big-endian files: it writes some numbers in the order of its machine
#   no-split     for big-endian files, and for marks on pages that are not of 4096 bytes: it loses events
set -eu
build=$1
file=$2
events=$3
losses=$4
shift 4
same=
case ${1:-} in *.dat) same=$1; shift ;; esac
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "conform: $file: $*"
    exit 1
}

is_left_out() { # WHAT LIST...: whether WHAT is in the list
    wanted=$1
    shift
    for word in "$@"; do
        [ "$word" != "$wanted" ] || return 0
    done
    return 1
}

read_file() { # MODE FILE [MORE]: by a reader that shares no code with the decoder
    python3 "$here/tracedat.py" "$@"
}

version=$(dd if="$file" bs=1 skip=10 count=1 2>/dev/null)
trace-cmd dump --all "$file" >"$dir/dump" 2>"$dir/errors" || fail "dump --all: $(cat "$dir/errors")"
trace-cmd dump --validate "$file" | grep -q 'is a valid trace-cmd file' || fail "dump --validate"
if [ "$version" = 7 ]; then
    trace-cmd dump --sections --options "$file" | sed -n '
        s/^\t\[Section *\([0-9]*\) @ \([0-9]*\) *\t"/Section \1 @ \2 "/p
        s/^\t*\[Option [A-Z0-9 ]*, \([0-9]* bytes\)\].*/Option \1/p' | sed 's/]$//' >"$dir/dumped"
    read_file sections "$file" | diff - "$dir/dumped" || fail "dump shows other sections"
fi
trace-cmd report --verbose=warning --check-events "$file" >"$dir/checked" 2>"$dir/errors" ||
    fail "report --check-events"
[ ! -s "$dir/errors" ] || fail "report: $(cat "$dir/errors")"
trace-cmd report -t "$file" >"$dir/report" 2>/dev/null || fail "report -t"
if grep -E '\[FAILED|UNKNOWN EVENT|NO FORMAT' "$dir/report"; then fail "unreadable events"; fi
lines=$(wc -l <"$dir/report")
[ "$lines" -eq $((events + losses + 1)) ] || fail "$lines lines, expected $events events + $losses losses + 1"
trace-cmd report -t --ts-check "$file" >"$dir/ts" 2>&1 || fail "report --ts-check"
if grep WARNING "$dir/ts"; then fail "time goes back"; fi
options="--cpus --first-event --last-event --stat --uname --version -f -P -E -p -e -l -R -N"
# The quick tier: those of the pages and of the head, if the events are those of a file that was read with all.
[ "${TIER:-}" != quick ] || [ -z "$same" ] || options="--stat -R"
for option in $options; do
    trace-cmd report $option "$file" >"$dir/any" 2>"$dir/errors" || fail "report $option"
    [ ! -s "$dir/errors" ] || fail "report $option: $(cat "$dir/errors")"
done

read_file events "$file" >"$dir/events" || fail "tracedat.py"
[ "$(grep -vc '^[0-9]* lost ' "$dir/events")" -eq "$events" ] || fail "tracedat.py: another number of events"
if [ -n "$same" ]; then
    read_file events "$same" | cmp - "$dir/events" || fail "other events than in $same"
    trace-cmd report -t "$same" 2>/dev/null | cmp - "$dir/report" || fail "it reports something else than $same"
fi

again() { # FILE WHAT: trace-cmd must report the same for a file that WHAT made
    trace-cmd report -t "$1" >"$dir/again" 2>/dev/null || fail "report after $2"
    cmp "$dir/report" "$dir/again" || fail "$2: it reports something else"
}

convert() { # FROM TO OPTION...: convert a file; trace-cmd must report the same for it
    from=$1
    to=$2
    shift 2
    trace-cmd convert -i "$from" -o "$to" "$@" >/dev/null 2>"$dir/errors" || fail "convert $*: $(cat "$dir/errors")"
    again "$to" "convert $*"
}

if ! is_left_out no-convert "$@"; then
    convert "$file" "$dir/7.dat" --file-version 7 --compression none
    convert "$file" "$dir/7z.dat" --file-version 7 --compression zstd
    convert "$file" "$dir/6.dat" --file-version 6
    convert "$dir/6.dat" "$dir/67.dat" --file-version 7 --compression none
    # A file that trace-cmd makes of this one's metadata and pages, with tables of its own.
    read_file pages "$file" "$dir/pages"
    cpus=$(find "$dir/pages" -name 'cpu*' | sort -V)
    # shellcheck disable=SC2086
    trace-cmd restore -i "$file" -o "$dir/restored.dat" $cpus >/dev/null 2>"$dir/errors" || fail "restore"
    again "$dir/restored.dat" restore
fi

# split makes new pages; it cannot write losses.
if ! is_left_out no-split "$@"; then
    trace-cmd split -i "$file" -o "$dir/split.dat" >/dev/null 2>&1 || fail "split"
    part=$(find "$dir" -name 'split.dat*' | head -n 1)
    trace-cmd report -t "$part" 2>/dev/null | grep -v 'EVENTS DROPPED\]' >"$dir/again" || fail "report of split"
    grep -v 'EVENTS DROPPED\]' "$dir/report" | cmp - "$dir/again" || fail "split it reports something else"
fi

"$build/check_tracedat" "$file" || fail "check_tracedat"
"$build/check_kshark" "$file" || fail "check_kshark"
echo "conform: $events events, $losses losses: all tools agree${*:+ ($*)}"
