# tlog-decode.bash - completion of tlog-decode's options and arguments for bash.
# Install as share/bash-completion/completions/tlog-decode.

# The names in one half of --list-formats: lines indented by two blanks below a heading.
_tlog_decode_formats()
{
    "${COMP_WORDS[0]}" --list-formats 2>/dev/null |
        awk -v heading="$1" '/^[^ ]/ { on = index($0, heading) } on && /^  / { print $1 }'
}

# The first argument that is a file and no option's: the dump.
_tlog_decode_dump()
{
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i - 1]} in
        = | -o | --output | --elf | --save-events | --where | --session) continue ;;
        esac
        if [[ -f ${COMP_WORDS[i]} ]]; then
            echo "${COMP_WORDS[i]}"
            return
        fi
    done
}

# The names of events, tasks or interrupts in the dump, a line each, if it stands ahead on the command line.
_tlog_decode_names()
{
    local dump
    dump=$(_tlog_decode_dump)
    [[ -n $dump ]] || return
    case $1 in
    event) "${COMP_WORDS[0]}" -q --info "$dump" 2>/dev/null | sed -n 's/^ *[0-9][0-9]*  [^:]*://p' ;;
    task) "${COMP_WORDS[0]}" -q --stat --json "$dump" 2>/dev/null | sed -n 's/^ *"task": "\(.*\)",*$/\1/p' ;;
    irq) "${COMP_WORDS[0]}" -q --stat --json "$dump" 2>/dev/null | sed -n 's/^ *"interrupt": "\(.*\)",*$/\1/p' ;;
    esac | sort -u
}

# Complete the last word of a list with commas between the words.
_tlog_decode_list()
{
    local word=$1 begin=
    [[ $word == *,* ]] && begin=${word%,*},
    local IFS=$'\n'
    mapfile -t COMPREPLY < <(compgen -P "$begin" -W "$(_tlog_decode_names "$2")" -- "${word##*,}")
}

# Complete the number in --task=NAME:NUMBER, which bash splits at the colon, word $1 of the line: only what is behind it is
# replaced. False: the colon belongs to another option.
_tlog_decode_number()
{
    local name=${COMP_WORDS[$1 - 1]##*,} option=${COMP_WORDS[$1 - 2]}
    [[ $option == = ]] && option=${COMP_WORDS[$1 - 3]}
    [[ $option == --task ]] || return
    local IFS=$'\n'
    mapfile -t COMPREPLY < <(compgen -W "$(_tlog_decode_names task | sed -n "s/^$name:\([0-9]*\)$/\1/p")" -- "$2")
}

_tlog_decode()
{
    local options="--output= --format= --force --lttng= --timescale= --session= --open --stat --info --check --json --from= --map= --function-trace= --elf= --elf-dir= --save-events= --filter= --time= --around= --task= --cpu= --event= --irq= --typed-text --run= --base= --clock-hz= --unpack= --spool= --merge --guest= --sync= --where= --follow --poll= --duration= --until= --after= --every= --rotate= --keep= --idle= --wait= --count= --compress= --start-time= --raw-tsc --instances --endian= --long-size= --page-size= --quiet --verbose --color= --list-formats --help= --version"
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}

    # bash splits --option=word at the "="
    if [[ $word == = ]]; then
        word=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    if [[ $word == : ]]; then
        _tlog_decode_number "$COMP_CWORD" "" && return
    elif [[ $previous == : ]]; then
        _tlog_decode_number $((COMP_CWORD - 1)) "$word" && return
    fi

    case $previous in
    --format) mapfile -t COMPREPLY < <(compgen -W "$(_tlog_decode_formats Output)" -- "$word") ;;
    --from) mapfile -t COMPREPLY < <(compgen -W "$(_tlog_decode_formats Input)" -- "$word") ;;
    --filter | --time | --cpu | --poll | --duration | --until | --after | --every | --rotate | --keep | --idle | --wait | --count | --run | --base | --clock-hz | --unpack | --spool | --start-time | --sync) COMPREPLY=() ;;
    --task) _tlog_decode_list "$word" task ;;
    --event | --around) _tlog_decode_list "$word" event ;;
    --irq) _tlog_decode_list "$word" irq ;;
    --help) mapfile -t COMPREPLY < <(compgen -W "output answers decoding choosing boards all" -- "$word") ;;
    --compress) mapfile -t COMPREPLY < <(compgen -W "none zstd zlib" -- "$word") ;;
    --color) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word") ;;
    --endian) mapfile -t COMPREPLY < <(compgen -W "little big" -- "$word") ;;
    --long-size) mapfile -t COMPREPLY < <(compgen -W "4 8" -- "$word") ;;
    --page-size) mapfile -t COMPREPLY < <(compgen -W "4096 8192 16384 32768 65536" -- "$word") ;;
    --lttng) mapfile -t COMPREPLY < <(compgen -W "word=4 word=8 order=big order=little packed heartbeat compact flight seed block=" -- "$word") ;;
    --timescale) mapfile -t COMPREPLY < <(compgen -W "1ns 1us" -- "$word") ;;
    --map) mapfile -t COMPREPLY < <(compgen -W "full exact native" -- "$word") ;;
    --function-trace) mapfile -t COMPREPLY < <(compgen -W "graph flat none" -- "$word") ;;
    --elf-dir) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    -o | --output | --elf | --save-events | --where | --session) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    --guest) COMPREPLY=() ;; # NAME:FILE, which bash splits at the colon
    :) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    *)
        if [[ $word == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$options -o -f -q -v -h -V" -- "$word")
            [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        ;;
    esac
}

complete -o filenames -F _tlog_decode tlog-decode
