#!/bin/sh
# cycles.sh - what llvm-mca's models of Cortex-M4, M7 and M33 say of the cycles of an event. An estimate: not measured.
# usage: cycles.sh BUILD_DIR
#
# QEMU runs a firmware that logs, and tells which instructions the most frequent call executed, from the wrapper's first
# one to its return. llvm-objdump disassembles these, and llvm-mca gets them as one sequence, 100 times. It knows no
# flash, RAM and buses: zero wait states. It sees a straight sequence, too: what a core needs to refill its pipeline
# after a branch is not in its figure, so the branches that are taken stand beside it. M4's model counts a PUSH or POP
# of several registers as one cycle. In LLVM 14 Cortex-M33 has the model of Cortex-M4.

. "$(dirname "$0")/lib.sh"
start cycles "$0" "$@"

repeats=100
for tool in llvm-mca llvm-objdump; do
    command -v $tool >/dev/null || {
        echo "cycles.sh: $tool is not installed: no estimate of cycles (make deps-test, or Debian's package llvm)"
        exit 0
    }
done

# assembly IMAGE CORE: print the path of IMAGE as source text for llvm-mca, all branches to one label; its last line is
# a comment with the number of branches that are taken
assembly() {
    llvm-objdump -d --triple=thumb "--mcpu=$2" --no-show-raw-insn "$build/$1.elf" |
        awk -v path="$(field "$build/$1.count" path)" -v me="$me" '
            $1 !~ /^[0-9a-f]+:$/ { next }
            {
                sub(/:$/, "", $1)
                at = substr("0000000" $1, length($1))
                after[before] = at
                before = at
                sub(/^[^ ]* /, "")
                sub(/[ \t]*@.*/, "")
                sub(/0x[0-9a-f]+ <.*>$/, "end")
                text[at] = $0
            }
            END {
                steps = split(path, pc, " ")
                for (i = 1; i <= steps; i++) {
                    if (!(pc[i] in text)) { print me ": nothing at " pc[i] > "/dev/stderr"; exit 1 }
                    print text[pc[i]]
                    taken += i < steps && after[pc[i]] != pc[i + 1]
                }
                print "end:\n@ taken " taken + 0
            }'
}

# estimate KEY CORE BOARD CLOCK VARIANT: put the instructions, the cycles and the branches of a call into the results
estimate() {
    key=$1 core=$2 board=$3
    count "$key" "$core" "$board" "$4" "-DEMIT_$5" -DBENCH_KEEPS=1 -DBENCH_CALLS=100
    assembly "$key" "$core" >"$build/$key.s" || fail "$key: no path"
    llvm-mca -mtriple=thumb "-mcpu=$core" "-iterations=$repeats" "$build/$key.s" >"$build/$key.mca" ||
        fail "$key: llvm-mca does not take $build/$key.s"
    put "${key}_instructions" "$(($(awk '/^Instructions:/ { print $2 }' "$build/$key.mca") / repeats))"
    put "${key}_cycles" "$(awk -v n=$repeats '/^Total Cycles:/ { printf "%.0f", $3 / n }' "$build/$key.mca")"
    put "${key}_taken" "$(awk '/^@ taken/ { print $3 }' "$build/$key.s")"
}

cores="m4 cortex-m4 mps2-an386 up
m7 cortex-m7 mps2-an500 up
m33 cortex-m33 mps2-an505 own"
echo "$cores" | while read -r name core of clock; do
    estimate "inline_$name" "$core" "$of" "$clock" INLINE
    estimate "call_$name" "$core" "$of" "$clock" CALL
done

echo
echo "Cycles of an event as llvm-mca's models estimate them, $(llvm-mca --version | sed -n 's/.*LLVM version/LLVM/p'),"
echo "-O2, clock that counts up; zero wait states, no refill after a branch; nothing here ran on silicon"
echo
row='| %-14s | %-6s | %12s | %17s | %14s |\n'
# shellcheck disable=SC2059 # a constant
{
    printf "$row" core event instructions "cycles (estimate)" "branches taken"
    echo '|----------------|--------|--------------|-------------------|----------------|'
    echo "$cores" | while read -r name core of clock; do
        for how in inline call; do
            key=${how}_$name
            printf "$row" "$core" $how "$(get "${key}_instructions")" "$(get "${key}_cycles")" "$(get "${key}_taken")"
        done
    done
}
echo "(M33: LLVM 14 has no model of its own for it and takes that of M4)"
