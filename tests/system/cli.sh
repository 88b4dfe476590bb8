#!/bin/sh
# cli.sh - what tlog-decode does on its command line: options, messages, exit codes, and what it leaves behind.
#
#   cli.sh DECODER
#
# Prints one line per check and a total. Checks that need events want a decoder linked with tests/gen/script_reader.c in
# the place of native/reader.c; with any other decoder they are left out, and the total says so.

. tests/lib/needs.sh
needs python3 trace-cmd script
here=$(cd "$(dirname "$0")" && pwd)
decoder=$(cd "$(dirname "${1:?usage: cli.sh DECODER}")" && pwd)/$(basename "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
mkdir results
passed=0
failed=0
usage="Try 'tlog-decode --help'."

# ---- how to check ------------------------------------------------------------------------------------------------

report() { # NAME, with the status of the check before it
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1"
    fi
}

run() { # COMMAND...: keep its standard output, standard error and exit code
    "$@" >"$work/results/out" 2>"$work/results/err"
    code=$?
}

same() { # WHAT EXPECTED ACTUAL
    [ "$2" = "$3" ] && return 0
    echo "        $1: expected:"
    echo "$2" | head -n 12
    echo "        but got:"
    echo "$3" | head -n 12
    return 1
}

expect() { # NAME CODE STDOUT STDERR: of the last run, exactly
    wrong=0
    same "exit code" "$2" "$code" || wrong=1
    same "standard output" "$3" "$(cat "$work/results/out")" || wrong=1
    same "standard error" "$4" "$(cat "$work/results/err")" || wrong=1
    report "$1" "$wrong"
}

contains() { # NAME CODE PATTERN...: exit code, and patterns that standard output or error match
    name=$1
    wrong=0
    same "exit code" "$2" "$code" || wrong=1
    shift 2
    for pattern in "$@"; do
        cat "$work/results/out" "$work/results/err" | grep -q -e "$pattern" && continue
        echo "        nothing matches $pattern in:"
        head -n 12 "$work/results/out" "$work/results/err" | cat -v
        wrong=1
    done
    report "$name" "$wrong"
}

holds() { # NAME FILES: the names in the directory out, in order
    same "files left" "$2" "$(ls -A out | tr '\n' ' ' | sed 's/ $//')"
    report "$1" $?
}

fresh() { # an empty directory out
    rm -rf out
    mkdir out
}

# ---- help and lists ----------------------------------------------------------------------------------------------

run "$decoder" --help
contains "--help explains itself" 0 '^Usage: tlog-decode ' '^Exit status: '
cp results/out short
[ "$(wc -l <short)" -le 25 ]
report "--help fits a terminal of 25 lines" $?
run "$decoder" --help=all
contains "--help=all explains itself" 0 '^Usage: tlog-decode ' '^Exit status: '
cp results/out help
[ ! -s results/err ]
report "--help says nothing on standard error" $?
for topic in output answers decoding choosing boards; do
    "$decoder" "--help=$topic"
done | grep -e '^ *-' >topics
sed -n '/^Messages/q; /^ *-/p' help >all
same "options of all topics" "$(sort all)" "$(sort topics)"
report "the topics of --help have all options but those of messages" $?
run "$decoder" -h
cmp -s short results/out
report "-h is --help" $?
[ "$(sed -n '/^Examples:/,/^$/p' help | grep -c tlog-decode)" -eq 6 ]
report "--help has six examples" $?

# An example is good when its options are: with an input that is not there, the error is about that and nothing else.
sed -n '/^Examples:/,/^$/s/.*\(tlog-decode [^|>]*\).*/\1/p' help | sed 's/   .*//' >examples
wrong=0
while read -r program arguments; do
    # shellcheck disable=SC2086
    "$decoder" $arguments </dev/null >results/out 2>results/err
    grep -q -e '^tlog-decode: dump.bin: No such file or directory$' -e '(0 bytes)$' results/err && continue
    echo "        $program $arguments: $(cat results/err)"
    wrong=1
done <examples
report "the options of the examples are accepted" "$wrong"

# Options are compared in a common form, a line each: HEADING|-LETTER|--NAME, with = behind the name if it takes an
# argument.
page=$here/../../host/cli/tlog-decode.1.scd
completion=$here/../../host/cli/tlog-decode.bash
common='function show(text, part) {
            split(text, part, " ")
            sub(/\[?=.*/, "=", part[1])
            sub(/\[?=.*/, "=", part[2])
            print heading (part[1] ~ /,$/ ? "|" substr(part[1], 1, 2) "|" part[2] : "||" part[1])
        }'

options_of_help() {
    awk "$common"'
        /^Examples:/ { exit }
        /^[A-Z a-z.]+( \(.*)?:$/ { heading = $0; sub(/( \(.*)?:$/, "", heading) }
        /^ +(-[A-Za-z], )?--/ { show($0) }' help | sort
}

options_of_page() {
    awk "$common"'
        /^# / { heading = "" }
        /^## / { heading = substr($0, 4) }
        heading != "" && /^\*-/ { gsub(/[*_]/, ""); show($0) }' "$page" | sort
}

listed() { # the words on standard input, sorted
    tr ' ' '\n' | grep . | sort
}

options_of_help >help.options
[ "$(wc -l <help.options)" -ge 28 ]
report "--help lists options" $?
same "options" "$(cat help.options)" "$(options_of_page)"
report "--help and the manual page list the same options under the same headings" $?
broken=$(awk '/^    / || (before ~ /^\t/ && !/^\t/ && !/^$/) { print FILENAME ":" FNR } { before = $0 }' "$page")
same "broken paragraphs" "" "$broken"
report "no paragraph of the manual page is broken in a sentence" $?
same "options" "$(cut -d'|' -f3 help.options | sort)" \
    "$(sed -n 's/.*local options="\([^"]*\)".*/\1/p' "$completion" | listed)"
report "--help and the completion list the same long options" $?
same "options" "$(cut -d'|' -f2 help.options | listed)" \
    "$(sed -n 's/.*[$]options \(-[^"]*\)".*/\1/p' "$completion" | listed)"
report "--help and the completion list the same short options" $?
wrong=0
sed -n 's/.*|\(--.*\)=$/\1/p' help.options >with-arguments
while read -r option; do
    grep -q -e "^    [^*]*$option\( |[^)]*\)\{0,1\})" "$completion" && continue
    echo "        the completion does not know what follows $option="
    wrong=1
done <with-arguments
report "the completion knows what follows each option that takes an argument" "$wrong"
wrong=0
while read -r program arguments; do
    grep -q -F -e "$program $arguments" "$page" && continue
    echo "        not in the manual page: $program $arguments"
    wrong=1
done <examples
report "the manual page has the examples of --help" "$wrong"

# What the shells offer where a dump stands ahead: names of its events and tasks.
offers() { # SHELL TEXT: the words that a shell offers behind a command line, a line each
    case $1 in
    bash)
        # shellcheck disable=SC2016
        PATH=$work/bin:$PATH bash -c '. "$1"; COMP_WORDS=($2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tlog_decode
                 printf "%s\n" "${COMPREPLY[@]}"' - "$completion" "$(echo "$2" | sed 's/=/ = /; s/:/ : /')"
        ;;
    fish)
        PATH=$work/bin:$PATH fish -N -c "source '${completion%.bash}.fish'; complete -C '$2'" |
            cut -f 1 | sed 's/^--[a-z]*=//'
        ;;
    esac
}
printf '#script\ncpus 1\nclock 1000000000\nname 5 net\nname 6 nonsense\nname 7 motor\n' >names.script
printf 'switch 0 10 5\nwake 0 15 6\nswitch 0 20 6\nswitch 0 30 7\nswitch 0 40 5\n' >>names.script
sed 's/6 nonsense/8 pair/; s/5 net/9 pair/; s/ 6$/ 8/; s/ 5$/ 9/' names.script >pairs.script
mkdir bin
ln -s "$decoder" bin/tlog-decode
for shell in $("$decoder" --list-formats | sed -n "s/^  script .*/bash fish/p"); do
    command -v $shell >/dev/null || continue
    same "words" "$(printf 'net\nnonsense')" "$(offers $shell 'tlog-decode names.script --task=n' | sort)"
    report "$shell offers tasks" $?
    same "words" "$(printf 'pair:8\npair:9')" "$(offers $shell 'tlog-decode pairs.script --task=pa' | sort)"
    report "$shell offers tasks of one name with their numbers" $?
    same "words" "$([ $shell = bash ] && echo 9 || echo pair:9)" \
        "$(offers $shell 'tlog-decode pairs.script --task=pair:9')"
    report "$shell offers the numbers of a name" $?
    same "words" "task_activate" "$(offers $shell "tlog-decode names.script --event=task")"
    report "$shell offers events" $?
    same "words" "choosing" "$(offers $shell 'tlog-decode --help=ch')"
    report "$shell offers topics" $?
done

# The parser itself tells what it knows: an ambiguous abbreviation makes it list the options that are meant.
wrong=0
for letter in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
    known=$(sed -n "s/.*|\(--${letter}[^=]*\)=\{0,1\}$/\1/p" help.options | sort)
    message=$("$decoder" "--$letter" no-such-file no-such-file 2>&1)
    case $(echo "$known" | grep -c .) in
    0) echo "$message" | grep -q "unrecognized option '--$letter'" || wrong=1 ;;
    1) echo "$message" | grep -q -e unrecognized -e ambiguous && wrong=1 ;;
    *)
        meant=$(echo "$message" | sed -n '1s/.*possibilities: //p' | tr -d "'" | listed)
        same "--$letter" "$known" "$meant" || wrong=1
        ;;
    esac
done
report "--help lists the long options that the parser knows, and no others" "$wrong"
known=
for letter in a b c d e f g h i j k l m n o p q r s t u v w x y z \
    A B C D E F G H I J K L M N O P Q R S T U V W X Y Z; do
    "$decoder" "-$letter" 2>&1 | grep -q 'invalid option' || known="$known -$letter"
done
same "options" "$(cut -d'|' -f2 help.options | listed)" "$(echo "$known" | listed)"
report "--help lists the short options that the parser knows, and no others" $?

run "$decoder" --version
contains "--version" 0 '^tlog-decode [0-9]*\.[0-9]*\.[0-9]*$'
cp results/out version
run "$decoder" -V
cmp -s version results/out
report "-V is --version" $?
run "$decoder" --list-formats
contains "--list-formats tells viewers" 0 'perfetto .*ui.perfetto.dev.*suffix .pftrace$' 'trace.dat .*KernelShark' \
    'vcd .*GTKWave; suffix .vcd$' 'vcd-wires .*PulseView'
contains "--list-formats" 0 '^Input formats (--from):$' '^Output formats (--format):$' \
    '^  trace.dat  .*; suffix \.dat$' '^  text  .*; suffix \.txt$'
same "formats" "" "$(sed -n '/^Output/,$s/^  //p' results/out | grep -v '[,;] for ')"
report "... of every output" $?
wrong=0
sed -n 's/^  \([^ ]*\) .*/\1/p' results/out | grep -v -x script >formats
while read -r format; do
    sed -n '/^# FORMATS/,/^# OWN/p' "$page" | grep -q -x "## $format" && continue
    echo "        no section of the manual page: $format"
    wrong=1
done <formats
report "the manual page has a section for each format" "$wrong"
grep -q '^  script ' results/out && script=yes || script=no
"$decoder" --help >/dev/full 2>results/err
code=$?
: >results/out
expect "--help to a full disk" 1 "" "tlog-decode: standard output: No space left on device"

# ---- wrong usage -------------------------------------------------------------------------------------------------

run "$decoder"
contains "alone it tells the first steps, and is an error" 1 '^tlog-decode: no input given$' "^$usage$" \
    '^  tlog-decode dump.bin  ' '^  tlog-decode dump.bin -o trace.dat  ' '^  tlog-decode dump.bin -o trace.pftrace  '
[ ! -s results/out ] && [ "$(wc -l <results/err)" -eq 6 ]
report "... in six lines on standard error" $?
run "$decoder" -v
expect "no input" 1 "" "tlog-decode: no input given
$usage"
run "$decoder" --color=sometimes dump.bin
expect "unknown colour" 1 "" "tlog-decode: --color=sometimes: not auto, always or never
$usage"
run "$decoder" one two
expect "two inputs" 1 "" "tlog-decode: two: one input at a time, and that is one;\
 --merge or --guest is for dumps of several boards
$usage"
run "$decoder" --nonsense
expect "unknown long option" 1 "" "tlog-decode: unrecognized option '--nonsense'
$usage"
for typed in stats:stat hlep:help tsak:task merg3=x:merge; do
    run "$decoder" "--${typed%:*}"
    word=${typed%:*}
    expect "a mistyped option: --$word" 1 "" "tlog-decode: unrecognized option '--$word'
Did you mean --${typed#*:}?
$usage"
done
for typed in kernelshark:trace.dat GTKWave:vcd json:jsonl tex:text perfeto:perfetto; do
    run "$decoder" "--format=${typed%:*}" dump.bin
    expect "a mistyped format: ${typed%:*}" 1 "" \
        "tlog-decode: --format=${typed%:*}: no such output format; did you mean ${typed#*:}?
$usage"
done
for time in nan..inf 1..NaN infinity..; do
    run "$decoder" "--time=$time" dump.bin
    expect "--time=$time" 1 "" "tlog-decode: --time=$time: not a time in seconds
$usage"
done
run "$decoder" --help=nonsense
expect "unknown topic" 1 "" "tlog-decode: --help=nonsense: no such topic; there are output, answers, decoding,\
 choosing, boards and all
$usage"
run "$decoder" -x
expect "unknown short option" 1 "" "tlog-decode: invalid option -- 'x'
$usage"
run "$decoder" dump.bin -o
expect "option without its argument" 1 "" "tlog-decode: option requires an argument -- 'o'
$usage"
run "$decoder" --format=nonsense dump.bin
expect "unknown output format" 1 "" "tlog-decode: --format=nonsense: no such output format; see --list-formats
$usage"
run "$decoder" --from nonsense dump.bin
expect "unknown input format" 1 "" "tlog-decode: --from=nonsense: no such input format; see --list-formats
$usage"
run "$decoder" --map=nonsense dump.bin
expect "unknown mapping" 1 "" "tlog-decode: --map=nonsense: no such mode; there are full, exact and native
$usage"
run "$decoder" --filter='mv < ' dump.bin
expect "a filter that is none" 1 "" \
    "tlog-decode: --filter=mv < : column 6: a value is missing: a number, \"a text\" or a name
$usage"
run "$decoder" --where=fw.elf dump.bin
expect "places are told of no input" 1 "" "tlog-decode: dump.bin: --where takes no input
$usage"
run "$decoder" --where=nothing.elf
expect "places are told of a file that is there" 1 "" "tlog-decode: nothing.elf: No such file or directory"
run "$decoder" --save-events=fw.elf dump.bin
expect "events are saved of no input" 1 "" "tlog-decode: dump.bin: --save-events takes no input
$usage"
run "$decoder" --save-events=fw.elf -o fw.events
expect "events of a file that is not there" 1 "" "tlog-decode: fw.elf: No such file or directory"
run "$decoder" -q -v dump.bin
expect "quiet and verbose" 1 "" "tlog-decode: --quiet and --verbose contradict each other
$usage"
run "$decoder" dump.bin -o events.xyz
expect "suffix of no format" 1 "" \
    "tlog-decode: events.xyz: the suffix does not tell the format; give --format, see --list-formats
$usage"
run "$decoder" dump.bin -o .txt
expect "a suffix alone is a name" 1 "" \
    "tlog-decode: .txt: the suffix does not tell the format; give --format, see --list-formats
$usage"

run "$decoder" --compress=lzma dump.bin -o t.dat
expect "unknown compression" 1 "" \
    "tlog-decode: --compress=lzma: no such method; there are none, zstd and zlib
$usage"
run "$decoder" --endian=middle dump.bin -o t.dat
expect "unknown byte order" 1 "" \
    "tlog-decode: --endian=middle: no such byte order; there are little and big
$usage"
run "$decoder" --long-size=16 dump.bin -o t.dat
expect "a long of 16 bytes" 1 "" "tlog-decode: --long-size=16: a long has 4 or 8 bytes
$usage"
for size in 2048 4097 131072 "" 4k; do
    run "$decoder" --page-size=$size dump.bin -o t.dat
    expect "pages of '$size' bytes" 1 "" \
        "tlog-decode: --page-size=$size: not a power of two from 4096 to 65536
$usage"
done
run "$decoder" --start-time=noon dump.bin -o t.dat
expect "a start time that is none" 1 "" \
    "tlog-decode: --start-time=noon: not a time like 2026-01-31T12:00:00Z or @1769860800.5, from 1970 to 2200
$usage"
for option in compress=none start-time=@0 raw-tsc long-size=4 endian=big page-size=8192; do
    run "$decoder" --$option dump.bin
    expect "--$option and text" 1 "" "tlog-decode: --${option%%=*} is not for text;\
 -o FILE says what to write, as in -o trace.dat
$usage"
done
for arguments in "--session=s.json dump.bin" "--session=s.json --format=shark dump.bin -o t.shark"; do
    # shellcheck disable=SC2086
    run "$decoder" $arguments
    contains "--session without trace.dat: $arguments" 1 '^tlog-decode: --session is not for '
done
run "$decoder" --session=s.json --format=trace.dat dump.bin
expect "--session without a file" 1 "" \
    "tlog-decode: --session is for a file that KernelShark or GTKWave can open: -o FILE.dat or -o FILE.vcd says where
$usage"
run "$decoder" --session=t.dat dump.bin -o t.dat
expect "--session into the output" 1 "" "tlog-decode: --session=t.dat: is the output
$usage"
run "$decoder" --session=s.json dump.bin --guest=g:g.bin -o t.dat
expect "--session with guests" 1 "" "tlog-decode: --session is not for --guest
$usage"
run "$decoder" --format=trace.dat-v6 --compress=none dump.bin
expect "compressing version 6" 1 "" "tlog-decode: --compress is not for trace.dat-v6
$usage"

# ---- input that cannot be used -----------------------------------------------------------------------------------

fresh
formats=$("$decoder" --list-formats | sed -n '/^Input/,/^Output/s/^  \([^ ]*\) .*/\1/p' | tr '\n' ' ')
formats=$(echo "$formats" | sed 's/ $//; s/ /, /g; s/^native/tlog/')
run "$decoder" nothing.bin -o out/trace.dat
expect "input that is not there" 1 "" "tlog-decode: nothing.bin: No such file or directory"
run "$decoder" out -o out/trace.dat
expect "input that is a directory" 1 "" \
    "tlog-decode: out: a directory, but not a trace of any known format ($formats)"
run "$decoder" --check nothing.bin
expect "a file to check that is not there" 1 "" "tlog-decode: nothing.bin: No such file or directory"
run "$decoder" /dev/null -o out/trace.dat
expect "empty input" 1 "" "tlog-decode: no $formats dump found in /dev/null (0 bytes)"
run "$decoder" /dev/zero -o out/trace.dat
expect "an endless input of no format" 1 "" "tlog-decode: no $formats dump found in the first 16 MiB of /dev/zero, \
which is no file: --from=NAME waits for more"
run "$decoder" --from=shark --spool=17 /dev/zero -o out/trace.dat
expect "an endless input of any format" 1 "" "tlog-decode: /dev/zero: has more than 17 MiB, which --spool=MIB raises"
echo "hello, world" >hello
run "$decoder" hello -o out/trace.dat
expect "input of no format" 1 "" "tlog-decode: no $formats dump found in hello (13 bytes)"
cp hello events.shark
cp hello 3trace.dat
for each in events.shark 3trace.dat; do
    run "$decoder" $each
    expect "not recognised: $each" 1 "" "tlog-decode: no $formats dump found in $each (13 bytes);\
 --from=shark reads it as a file of S.Ha.R.K."
done
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0(\0' >firmware.elf
head -c 32 /dev/zero >>firmware.elf
run "$decoder" firmware.elf
expect "the firmware in place of its dump" 1 "" "tlog-decode: firmware.elf: an ELF file, which has the firmware's\
 names, but no events: tlog-decode --elf=firmware.elf DUMP; DUMP is a copy of the target's memory"
rm -f events.shark 3trace.dat firmware.elf
run "$decoder" - -o out/trace.dat <hello
expect "standard input of no format" 1 "" "tlog-decode: no $formats dump found in standard input (13 bytes)"
run "$decoder" -q hello -o out/trace.dat
expect "errors are said even with --quiet" 1 "" "tlog-decode: no $formats dump found in hello (13 bytes)"
run env TMPDIR=/nonexistent "$decoder" /dev/null
expect "no place for a pipe's bytes" 1 "" \
    "tlog-decode: /dev/null: cannot make a temporary file in /nonexistent: No such file or directory"
holds "after all these, no file is left" ""

if [ $script = no ]; then
    echo "$passed passed, $failed failed; checks with events left out, they need tests/gen/script_reader.c"
    [ "$failed" -eq 0 ]
    exit
fi

# ---- events ------------------------------------------------------------------------------------------------------

cat >whole.bin <<'END'
#script
cpus 2
name 1 sensor
event 1 999999999 1 2
switch 0 1000000000 1
event 0 1000000001 4660 3735928559
switch 1 1000000002 0
event 1 1000000003 2 2
loss 0 1000000003 17
event 0 1000000003 3 2
switch 0 1000000004 9
event 0 3000000004 4 2
END
cat >whole.txt <<'END'
cpus=2
            boot-65536 [001]     0.999999999: user_event_0:         par1=1 par2=2
            boot-65536 [000]     1.000000000: context_switch:       context=1
          sensor-1     [000]     1.000000001: user_event_0:         par1=4660 par2=3735928559
            boot-65536 [001]     1.000000002: context_switch:       context=0
CPU:0 [17 EVENTS DROPPED]
           <...>-69999 [000]     1.000000003: user_event_0:         par1=3 par2=2
          <idle>-0     [001]     1.000000003: user_event_0:         par1=2 par2=2
           <...>-69999 [000]     1.000000004: context_switch:       context=9
           <...>-9     [000]     3.000000004: user_event_0:         par1=4 par2=2
END
cat >whole-full.txt <<'END'
cpus=2
            boot-65536 [001]     0.999999999: shark:user_event_0: par1=1 par2=2
            boot-65536 [000]     1.000000000: shark:context_switch: context=1
          sensor-1     [000]     1.000000001: shark:user_event_0: par1=4660 par2=3735928559
CPU:0 [17 EVENTS DROPPED]
            boot-65536 [001]     1.000000002: shark:context_switch: context=0
           <...>-69999 [000]     1.000000003: shark:user_event_0: par1=3 par2=2
          <idle>-0     [001]     1.000000003: shark:user_event_0: par1=2 par2=2
           <...>-69999 [000]     1.000000004: shark:context_switch: context=9
           <...>-9     [000]     3.000000004: shark:user_event_0: par1=4 par2=2
END
cat >damaged.bin <<'END'
#script
event 0 5 1 1
damage 0 6 8000 188 3 slot of no known kind
event 0 7 2 2
END
cat >damaged.txt <<'END'
cpus=1
            boot-65536 [000]     0.000000005: user_event_0:         par1=1 par2=1
CPU:0 [3 EVENTS DROPPED]
           <...>-69999 [000]     0.000000007: user_event_0:         par1=2 par2=2
END
sed '2a\
            boot-65536 [000]     0.000000005: sched_switch:         boot:65536 [0] S ==> <...>:69999 [0]
' damaged.txt >damaged-mapped.txt
cat >damaged-full.txt <<'END'
cpus=1
            boot-65536 [000]     0.000000005: shark:user_event_0: par1=1 par2=1
CPU:0 [DAMAGED INPUT: 3 EVENTS]
           <...>-69999 [000]     0.000000007: shark:user_event_0: par1=2 par2=2
END
totals="8 events, 2 CPUs, 2.000 s, lost 17 (17 dropped, 0 overwritten), damaged 0"
native="$decoder --map=native"

run $native whole.bin
expect "text to standard output by default" 0 "$(cat whole.txt)" "tlog-decode: standard output: $totals"
run $native -q whole.bin -o -
expect "-o - is standard output, --quiet is quiet" 0 "$(cat whole.txt)" ""
run $native -q - <whole.bin
expect "- is standard input" 0 "$(cat whole.txt)" ""
cat whole.bin | $native -q - >results/out 2>results/err
code=$?
expect "a pipe is as good as a file" 0 "$(cat whole.txt)" ""
run $native -q --from=script --format=text whole.bin
expect "formats by name" 0 "$(cat whole.txt)" ""
run $native -q --format=text-full whole.bin
expect "full text has the systems' names" 0 "$(cat whole-full.txt)" ""
run $native -q --format=text-full damaged.bin
expect "... and tells damage from losses" 2 "$(cat damaged-full.txt)" ""
run $native --from=script hello
expect "a format by name that is wrong" 1 "" "tlog-decode: hello: offset 0x0: expected #script"
run $native -v whole.bin -o out/trace.txt
bytes=$(wc -c <whole.bin)
expect "--verbose" 0 "" "tlog-decode: whole.bin: script, $bytes bytes, 2 CPUs, clock 1000000000 Hz, target unknown
tlog-decode: out/trace.txt: writing text
tlog-decode: out/trace.txt: $totals"
cmp -s out/trace.txt whole.txt
report "the suffix .txt is text" $?
for mode in full exact native; do
    run "$decoder" -q --map=$mode damaged.bin
    [ $mode = native ] || mapped=-mapped
    expect "--map=$mode keeps plain events" 2 "$(cat damaged${mapped-}.txt)" ""
    mapped=
done
# The user is told of each input whose clock stood still, even if the clocks of others ran; a slow clock is not one that
# stood still.
printf '#script\nclock 1000000000\nmany 0 16 7 0\n' >still.bin
printf '#script\nclock 1000000000\nmany 0 15 7 0\n' >slow.bin
still="bear the same time: the target's clock did not run; TLOG_CLOCK_ADDRESS gives it another one"
run $native still.bin -o still.txt
expect "a clock that stands still" 0 "" \
    "tlog-decode: still.bin: all 16 events $still
tlog-decode: still.txt: 16 events, 1 CPU, 0.000 s, lost 0, damaged 0"
run $native slow.bin -o slow.txt
expect "a clock that is slow" 0 "" "tlog-decode: slow.txt: 15 events, 1 CPU, 0.000 s, lost 0, damaged 0"
run $native --merge still.bin slow.bin -o both.txt
contains "a clock that stands still beside one that is slow" 0 "still.bin: all 16 events bear the same time"
# Each CPU may have a clock of its own; where each has one event only, nothing is known of their clocks.
printf '#script\ncpus 3\nclock 1000000000\nmany 0 16 7 0\nmany 1 20 7 1\nmany 2 15 9 0\n' >cpu.bin
run $native cpu.bin -o cpu.txt
expect "a CPU whose clock stands still" 0 "" \
    "tlog-decode: cpu.bin: CPU 0: all 16 events $still
tlog-decode: cpu.txt: 51 events, 3 CPUs, 0.000 s, lost 0, damaged 0"
printf '#script\ncpus 2\nclock 1000000000\nmany 0 8 7 0\nmany 1 9 7 0\n' >cpus.bin
run $native cpus.bin -o cpus.txt
contains "two CPUs whose clock stands still" 0 "cpus.bin: all 17 events bear the same time"
printf '#script\nclock 1000000000\nevent 0 7 1 1\n' >single.bin
run $native single.bin -o single.txt
expect "one event does not tell of a clock that stands still" 0 "" \
    "tlog-decode: single.txt: 1 event, 1 CPU, 0.000 s, lost 0, damaged 0"
# One task of several with one name is chosen by both, as a switch shows them. A name may look like that, too.
cat >pairs.bin <<'END'
#script
name 1 main
name 3 worker
name 4 worker
name 5 a:7
event 0 10 0 65536
switch 0 20 1
event 0 21 0 1
switch 0 30 3
event 0 31 0 3
switch 0 40 4
event 0 41 0 4
switch 0 50 2
event 0 51 0 2
switch 0 60 5
event 0 61 0 5
switch 0 70 0
event 0 71 0 0
END
there="main:1, worker:3, worker:4, a:7:5, boot:65536"
while read -r task left; do
    run "$decoder" -q --event=user_event_0 "--task=$task" pairs.bin
    same "tasks of $task" "$left" "$(sed -n 's/.* par2=//p' results/out | paste -s -d ' ')"
    report "--task=$task" $?
done <<END
main 1
boot 65536
boot:65536 65536
main:1 1
worker 3 4
worker:3 3
w*:4 4
worker:3,main:1 1 3
worker:3,w*:4 3 4
task-2:2 2
a:7 5
a:7:5 5
a:* 5
idle:0 0
END
while read -r task others; do
    run "$decoder" --event=user_event_0 "--task=$task" pairs.bin -o out/none.txt
    expect "--task=$task, which there is not" 1 "" "tlog-decode: --task=$task: there is no such task; there are $others"
done <<END
main:2 main:1
worker:1 worker:3, worker:4
w*:5 worker:3, worker:4
4:4 $there
net:3 $there
END
cp pairs.bin more.bin
run "$decoder" --task=worker:99999999999 pairs.bin
contains "a task's number that is too large" 1 '' '--task=worker:99999999999: .*a number that is too large'
run "$decoder" -q --merge --task=?:worker:100003 --event=user_event_0 pairs.bin more.bin
same "tasks" 3 "$(sed -n 's/.* par2=//p' results/out)"
report "a task of the second board" $?
run "$decoder" -q --merge --task=worker:7 pairs.bin more.bin
contains "... and one that no board has" 1 '' 'there is no such task; there are'
# On a CPU whose beginning is lost the task is not known until the first switch; the other CPU begins with boot.
cat >lapped.bin <<'END'
#script
cpus 2
name 1 sensor
loss 0 1000000100 17
event 0 1000000101 1 1
event 1 1000000102 1 1
switch 0 1000000103 1
event 0 1000000104 1 1
loss 1 1000000105 3
event 1 1000000106 1 1
END
cat >lapped.txt <<'END'
cpus=2
CPU:0 [17 EVENTS DROPPED]
           <...>-69999 [000]     1.000000101: user_event_0:         par1=1 par2=1
            boot-65536 [001]     1.000000102: user_event_0:         par1=1 par2=1
           <...>-69999 [000]     1.000000103: context_switch:       context=1
          sensor-1     [000]     1.000000104: user_event_0:         par1=1 par2=1
CPU:1 [3 EVENTS DROPPED]
           <...>-69999 [001]     1.000000106: user_event_0:         par1=1 par2=1
END
run $native -q lapped.bin
expect "the task of a beginning that is lost is not known" 0 "$(cat lapped.txt)" ""
run "$decoder" -q lapped.bin
contains "... to Linux's events either" 0 \
    "<...>-69999 \[000\]     1.000000103: sched_switch:         <...>:69999 \[0\] R ==> sensor:1 \[0\]$"
for format in trace.dat trace.dat-v6; do
    $native -q --format=$format lapped.bin -o out/lapped.dat
    trace-cmd report -t out/lapped.dat >report.txt 2>/dev/null
    same "lines" "$(cat lapped.txt)" "$(cat report.txt)"
    report "... in trace-cmd's report ($format)" $?
    "$decoder" -q --format=$format lapped.bin -o out/lapped.dat
    trace-cmd report -t out/lapped.dat 2>/dev/null |
        grep -q '<...>-69999 .* sched_switch: *<...>:69999 .* ==> sensor:1 '
    report "... nor does its plugin for switches ($format)" $?
done
fresh
run "$decoder" -q --map=exact whole.bin
contains "--map=exact has Linux events" 0 'boot-65536 \[000\]     1.000000000: sched_switch: '
same "lines" "$(wc -l <whole.txt)" "$(grep -vc '==> <...>:69999' results/out)"
report "... as many as there were events, and a switch to the unknown task at the loss" $?

run $native damaged.bin
expect "damage: what is whole is written, exit code 2" 2 "$(cat damaged.txt)" \
    "tlog-decode: damaged.bin: offset 0x1f40: slot of no known kind: skipped 188 bytes
tlog-decode: standard output: 2 events, 1 CPU, 0.000 s, lost 0, damaged 3 in 1 part"
run $native -q damaged.bin
expect "damage: --quiet still has exit code 2" 2 "$(cat damaged.txt)" ""
run $native -q - <damaged.bin
expect "damage on standard input" 2 "$(cat damaged.txt)" ""
printf '#script\ndamage 0 6 16 48 3 nothing but noise\n' >noise.bin
fresh
run $native noise.bin -o out/trace.txt
expect "nothing but damage is nothing decodable" 1 "" \
    "tlog-decode: noise.bin: offset 0x10: nothing but noise: skipped 48 bytes
tlog-decode: noise.bin: nothing decodable, 1 damaged part"
holds "... and leaves no file" ""
printf '#script\n' >none.bin
run $native none.bin
expect "a dump without events is whole" 0 "cpus=1" \
    "tlog-decode: standard output: 0 events, 1 CPU, 0.000 s, lost 0, damaged 0"
printf '#script\nclock 0\ncpus 2\nevent 0 12 1 1\nevent 0 15 1 1\nevent 1 9 1 1\n' >ticks.bin
run $native ticks.bin
contains "without a clock the summary has ticks" 0 ': 3 events, 2 CPUs, 6 ticks, lost 0, damaged 0$'
fresh
for format in trace.dat trace.dat-v6; do
    run $native --format=$format --start-time=@1700000000 ticks.bin -o out/ticks.dat
    expect "... and a start time tells nothing ($format)" 1 "" \
        "tlog-decode: out/ticks.dat: the clock's frequency is not known, so --start-time has no meaning;\
 --clock-hz=N tells it"
    run $native -q --format=$format --raw-tsc ticks.bin -o out/ticks.dat
    expect "... and ticks are all there is ($format)" 0 "" ""
done
holds "... in a file" "ticks.dat"
fresh
methods=$("$decoder" --version | sed -n '/^with:/s/zstd\|zlib/compress=&/gp' | tr ' ' '\n' | grep compress=)
# shellcheck disable=SC2086
for option in compress=none $methods start-time=@1700000000.5 raw-tsc long-size=4 endian=big \
    page-size=65536; do
    run $native -q --$option whole.bin -o out/trace.dat
    expect "--$option" 0 "" ""
done
case $methods in *zlib*)
    run $native --compress=zlib whole.bin -o out/trace.dat
    contains "--compress=zlib tells who cannot read that" 0 'Debian.*without zlib'
    ;;
esac
printf '#script\nbad\nevent 0 1 1 1\n' >broken.bin
run $native broken.bin
expect "a dump that its reader calls broken" 1 "" \
    "tlog-decode: broken.bin: a script dump, but broken; --from=script tries to decode it all the same"
run $native -q --from=script broken.bin
contains "... and what it says is tried" 0 'par1=1 par2=1'
printf '#script\nunsure\nevent 0 1 1 1\n' >unsure.bin
run $native -q unsure.bin
contains "a reader that is not sure gets what no other reader recognises" 0 'par1=1 par2=1'

# Windows of several CPUs and boards are in the order of time of all; an event of the beginning is not that of the end.
printf '#script\ncpus 2\nevent 1 100 1 1\nmany 0 10 150 100\nwake 1 350 7\nevent 1 1100 1 1\nwake 1 1110 7\n' >two.bin
chosen() { # NAME TIMES OPTION...: the times of the events that are left, of all CPUs
    name=$1 wanted=$2
    shift 2
    run $native -q --format=csv "$@" two.bin
    same "times" "$wanted" "$(sed 1d results/out | cut -d, -f1 | tr '\n' ' ' | sed 's/0*\.0*//g; s/ $//')"
    report "$name" $?
}
chosen "--time from event to event, two CPUs" "350 350 450 550 650 750 850 950 1050 1100 1110" \
    --time=task_activate..task_activate
chosen "... to the next one of any CPU" "350 350 450" --time=task_activate..user_event_0
chosen "... from the first one of any CPU" "100 150 250 350 350" --time=user_event_0..task_activate
chosen "--around, windows of two CPUs" "250 350 350 450 1050 1100 1110" --around=task_activate:100ns
chosen "... overlap" "350 350 450 550 1110" --around=task_activate:0ns,200ns
run $native --around=nothing:1s --time=task_activate..nothing two.bin -o two.txt
contains "events that there are none of" 0 \
    '^tlog-decode: two.bin: --time=task_activate..nothing: there is no event that it could end with; it goes on' \
    '^tlog-decode: two.bin: --around=nothing:1s: no event has that name$' '0 of 14 events are left'
run $native --around=event_0:1s --event=event_0 two.bin -o two.txt
contains "a part of an event's name" 0 \
    '^tlog-decode: two.bin: --around=event_0:1s: no event has that name; there is user_event_0$' \
    '^tlog-decode: two.bin: --event=event_0: no event has that name; there is user_event_0$'
run $native --around=user_event_0:1s ticks.bin
expect "--around without a clock" 1 "" \
    "tlog-decode: the clock's frequency is not known, so --around has no meaning; --clock-hz=N tells it"
run $native --around=user_event_0:1s noise.bin
expect "--around of nothing but damage" 1 "" \
    "tlog-decode: noise.bin: offset 0x10: nothing but noise: skipped 48 bytes
tlog-decode: noise.bin: nothing decodable, 1 damaged part"
run $native --around=user_event_0 two.bin
expect "--around without a time" 1 "" \
    "tlog-decode: --around=user_event_0: not EVENT:TIME, such as task_deadline_miss:50ms
$usage"
sed -e 's/wake 1 350/wake 1 1099/' -e '/many/d' two.bin >later.bin
run $native -q --merge --format=csv --sync=+0 --time=task_activate..user_event_0 later.bin two.bin
same "events" "3" "$(sed 1d results/out | wc -l)"
report "--time with events of merged boards" $?

# A session for KernelShark appears with the file, or not at all.
fresh
for format in trace.dat trace.dat-v6; do
    run $native -q --format=$format whole.bin -o out/trace.dat --session=out/s.json
    expect "--session ($format)" 0 "" ""
    grep -q '"CPUPlots": \[0, 1\]' out/s.json && grep -q '"TaskPlots": \[1, 9, 65536, 0\]' out/s.json &&
        grep -q "\"file\": \"$PWD/out/trace.dat\"" out/s.json
    report "... has a row for each task" $?
done
rm out/s.json out/trace.dat
# The same for GTKWave, whose lines of the file hold whole paths.
run $native -q whole.bin -o out/trace.vcd --session=out/s.gtkw
expect "--session (vcd)" 0 "" ""
grep -qx "\[dumpfile\] \"$PWD/out/trace.vcd\"" out/s.gtkw && grep -q '^tlog\.tasks\.' out/s.gtkw
report "... names the file and tasks" $?
rm out/s.gtkw out/trace.vcd
run $native -q whole.bin -o out/trace.vcd "--session=out/two
lines"
contains "--session of a path with a line break" 1 'a session cannot name a path with a line break'
holds "... writes nothing" ""
printf '#script\nmany 0 5000 1 1\nfail 0 offset 0x10: cable pulled\n' >fail.bin
for format in dat vcd; do
    run $native -q fail.bin -o out/trace.$format --session=out/s.json
    holds "--session of an input that fails ($format)" ""
done
run $native -q whole.bin -o out/trace.dat --session=nowhere/s.json
expect "--session where none can be" 1 "" \
    "tlog-decode: nowhere/s.json: cannot create a file there: No such file or directory"
run $native -q whole.bin -o out/trace.dat --session=whole.bin
expect "--session that is the input" 1 "" "tlog-decode: whole.bin: is the input, and stays as it is"
holds "after all these, no file is left" ""
rm -r out

# More than one batch on several CPUs: the text is in order of time, and whole.
printf '#script\ncpus 3\nmany 0 5000 1000 3\nmany 1 3000 1001 5\nmany 2 1 9000 1\n' >many.bin
run $native many.bin
contains "many batches" 0 ': 8001 events, 3 CPUs, 0.000 s, lost 0, damaged 0$'
sed 1d results/out >many.txt
[ "$(wc -l <many.txt)" -eq 8001 ] && sort -s -k3,3 -k2,2 many.txt | cmp -s - many.txt
report "... are merged in order of time, then CPU" $?
[ "$(grep -c '\[001\]' many.txt)" -eq 3000 ] && grep -F '[000]' many.txt | sed 's/.*par1=\([0-9]*\).*/\1/' |
    awk '$1 != NR - 1 { exit 1 }'
report "... and none is lost or doubled" $?

# ---- output files ------------------------------------------------------------------------------------------------

fresh
$native -q whole.bin -o out/trace.dat
cat whole.bin | $native -q --format=trace.dat - | cmp -s - out/trace.dat
report "trace.dat to a pipe is the same as to a file" $?
$native -q whole.bin -o out/seekable.dat && cmp -s out/trace.dat out/seekable.dat
report "the same input gives the same file" $?
rm out/seekable.dat
trace-cmd report -t out/trace.dat >report.txt 2>/dev/null
same "lines" "$(cat whole.txt)" "$(cat report.txt)"
report "text is what trace-cmd report shows" $?
run $native -q --format=trace.dat whole.bin -o out/../out/trace.dat
expect "a file is replaced" 0 "" ""
(umask 027 && $native -q whole.bin -o out/mode.txt)
same "mode" "-rw-r-----" "$(ls -l out/mode.txt | cut -c1-10)"
report "the umask is respected" $?
ln -s mode.txt out/link.txt
echo old >out/mode.txt
chmod 600 out/mode.txt
$native -q whole.bin -o out/link.txt
[ -L out/link.txt ] && cmp -s out/mode.txt whole.txt
report "a symbolic link stays, its file is replaced" $?
same "mode" "-rw-------" "$(ls -l out/mode.txt | cut -c1-10)"
report "... and what was for its owner only, stays so" $?
mkdir out/deep
ln -s ../second.txt out/deep/first.txt
ln -s deep/first.txt out/new.txt
$native -q whole.bin -o out/new.txt
[ -L out/new.txt ] && [ -L out/deep/first.txt ] && cmp -s out/second.txt whole.txt
report "links that lead nowhere stay, and the file is made where they lead" $?
ln -s loop.txt out/loop.txt
run $native -q whole.bin -o out/loop.txt
contains "a link to itself" 1 \
    '^tlog-decode: out/loop.txt: cannot create a file there: \(Too many levels of symbolic links\|Symbolic link loop\)$'
rm -r out/new.txt out/second.txt out/deep out/loop.txt
mkdir -m 700 out/directory
$native -q --format=lttng whole.bin -o out/directory
same "mode" "drwx------ control" "$(ls -ld out/directory | cut -c1-10) $(ls out/directory | head -n 1)"
report "... and so does a directory" $?
rm -r out/directory
holds "only results are left" "link.txt mode.txt trace.dat"

fresh
run $native whole.bin -o nowhere/trace.dat
expect "output directory missing" 1 "" \
    "tlog-decode: nowhere/trace.dat: cannot create a file there: No such file or directory"
run $native whole.bin -o out/ --format=text
expect "output is a directory" 1 "" "tlog-decode: out/: Is a directory"
run $native whole.bin -o out/new/ --format=text
expect "output would be a directory" 1 "" "tlog-decode: out/new/: Is a directory"
run $native whole.bin -o "" --format=text
expect "output without a name" 1 "" "tlog-decode: the name of the output is empty"
run $native whole.bin -o hello/trace.dat
expect "output below a file" 1 "" "tlog-decode: hello/trace.dat: cannot create a file there: Not a directory"
cp whole.bin out/whole.bin
run $native out/whole.bin --format=text -o out/whole.bin
expect "output is the input" 1 "" "tlog-decode: out/whole.bin: is the input, and stays as it is"
cmp -s whole.bin out/whole.bin
report "... which is untouched" $?
rm out/whole.bin
for guest in "" "--elf=hello --guest=g:damaged.bin"; do
    cp hello out/firmware.elf
    # shellcheck disable=SC2086
    run $native whole.bin $guest --elf=out/firmware.elf --format=trace.dat -o out/firmware.elf
    expect "output is an ELF file ($guest)" 1 "" "tlog-decode: out/firmware.elf: is the input, and stays as it is"
    cmp -s hello out/firmware.elf
    report "... which is untouched, too" $?
done
rm out/firmware.elf

run $native whole.bin -o /dev/full
expect "disk full" 1 "" "tlog-decode: /dev/full: cannot write: No space left on device"
run $native --format=trace.dat whole.bin -o /dev/full
expect "disk full, trace.dat" 1 "" "tlog-decode: /dev/full: cannot write: No space left on device"
$native whole.bin >/dev/full 2>results/err
code=$?
: >results/out
expect "standard output full" 1 "" "tlog-decode: standard output: cannot write: No space left on device"
echo before >out/kept.txt
run sh -c "ulimit -f 8; exec $native -q many.bin -o out/kept.txt"
expect "file not allowed to grow" 1 "" "tlog-decode: out/kept.txt: cannot write: File too large"
same "old file" before "$(cat out/kept.txt)"
report "... and the old file is still there" $?
printf '#script\nmany 0 5000 1 1\nfail 0 offset 0x10: cable pulled\n' >fail.bin
run $native fail.bin -o out/kept.txt
expect "the reader fails in the middle" 1 "" "tlog-decode: fail.bin: offset 0x10: cable pulled"
same "old file" before "$(cat out/kept.txt)"
report "... and the old file is still there, too" $?
$native whole.bin >&- 2>results/err
code=$?
: >results/out
expect "standard output closed" 1 "" "tlog-decode: standard output: cannot write: Bad file descriptor"
run env TMPDIR=/nonexistent $native -q --format=trace.dat whole.bin -o -
expect "no place to make trace.dat for a pipe" 1 "" \
    "tlog-decode: standard output: cannot make a temporary file in /nonexistent: No such file or directory"
holds "after all these, nothing else is left" "kept.txt"
$native - <damaged.bin -o out/closed.txt 2>&-
cmp -s out/closed.txt damaged.txt
report "closed standard error: messages do not end up in the output" $?

printf '#script\nmany 0 200000 1 1\n' >long.bin
$native -q long.bin -o long.txt
echo before >appended.txt
$native -q long.bin >>appended.txt
sed 1d appended.txt | cmp -s - long.txt
report "appended to a file: directly behind what was there" $?
rm long.txt appended.txt
{
    $native long.bin 2>results/err
    echo $? >results/code
} | head -n 1 >results/out
code=$(cat results/code)
expect "a pipe closed early ends it quietly" 1 "cpus=1" ""
{
    $native --format=trace.dat long.bin 2>results/err
    echo $? >results/code
} | head -c 1 >/dev/null
code=$(cat results/code)
: >results/out
expect "... with trace.dat, too" 1 "" ""

# ---- signals -----------------------------------------------------------------------------------------------------

printf '#script\nmany 0 5000 1 1\nwait 0 600\n' >slow.bin
for signal in INT TERM HUP; do
    fresh
    rm -f results/pid
    (
        for _ in $(seq 600); do
            ls -A out | grep -q tlog-decode && [ -s results/pid ] && break
            sleep 0.1
        done
        ls -A out >results/during
        kill -$signal "$(cat results/pid)"
    ) &
    run sh -c "echo \$\$ >results/pid; exec $native slow.bin -o out/trace.txt"
    wait
    [ "$(grep -c '^\.tlog-decode-......$' results/during)" -eq 1 ]
    report "SIG$signal: there was an unfinished file" $?
    [ "$code" -gt 128 ]
    report "SIG$signal: ended by the signal" $?
    holds "SIG$signal: nothing is left" ""
done

# ---- terminals ---------------------------------------------------------------------------------------------------

if python3 "$here/terminal.py" "$decoder" >results/out 2>&1; then code=0; else code=$?; fi
contains "progress and colours, on terminals only" 0 '^terminal: '
run script -qec "NO_COLOR=1 $native --format=trace.dat whole.bin" /dev/null
contains "binary is not for a terminal" 1 \
    '^tlog-decode: trace.dat is binary and not for a terminal; -o FILE writes a file, --force insists'
run script -qec "$native --format=trace.dat -o /dev/tty whole.bin" /dev/null
contains "... by whatever name" 1 'not for a terminal'
run script -qec "$native -q --force --format=trace.dat whole.bin" /dev/null
contains "--force writes it" 0 '.'
run script -qec "$native -q whole.bin" /dev/null
contains "text is for a terminal" 0 'par1=4660 par2=3735928559'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
