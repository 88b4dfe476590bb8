# tlog-decode.fish - completion of tlog-decode's options and arguments for fish. The program itself tells its options.
# Install as share/fish/vendor_completions.d/tlog-decode.fish.

# The names in one half of --list-formats: lines indented by two blanks below a heading.
function __tlog_decode_formats
    tlog-decode --list-formats 2>/dev/null |
        awk -v heading="$argv[1]" '/^[^ ]/ { on = index($0, heading) } on && /^  / { print $1 }'
end

# The names of events, tasks or interrupts in the dump, a line each, if it stands ahead on the command line.
function __tlog_decode_names
    set -l dump
    for word in (commandline -opc)[2..]
        if test -f "$word"
            set dump $word
            break
        end
    end
    test -n "$dump"; or return
    switch $argv[1]
        case event
            tlog-decode -q --info "$dump" 2>/dev/null | sed -n 's/^ *[0-9][0-9]*  [^:]*://p'
        case task interrupt
            tlog-decode -q --stat --json "$dump" 2>/dev/null | sed -n 's/^ *"'$argv[1]'": "\(.*\)",*$/\1/p'
    end | sort -u
end

# What may follow an option, by its name. Of the others it is a file, or nothing that could be listed.
set -l values \
    "format=(__tlog_decode_formats Output)" "from=(__tlog_decode_formats Input)" "task=(__tlog_decode_names task)" \
    "event=(__tlog_decode_names event)" "around=(__tlog_decode_names event)" "irq=(__tlog_decode_names interrupt)" \
    "map=full exact native" "function-trace=graph flat none" "compress=none zstd zlib" "color=auto always never" \
    "endian=little big" "long-size=4 8" "page-size=4096 8192 16384 32768 65536" "timescale=1ns 1us" \
    "help=output answers decoding choosing boards all"

# An option's line in --help is "  -o, --output=FILE    write FILE ...".
for line in (tlog-decode --help=all 2>/dev/null | string match -r '^ +(?:-\w, )?--.*')
    set -l name (string replace -rf '^ +(?:-\w, )?--([a-z-]+).*' '$1' -- $line)
    set -l letter (string replace -rf '^ +-(\w), .*' '$1' -- $line)
    set -l option -c tlog-decode -l $name -d (string replace -rf '^ +(?:-\w, )?\S+ +(.*)' '$1' -- $line)
    if test -n "$letter"
        set option $option -s $letter
    end
    if string match -qr -- "--$name\[?=" $line
        set option $option -r
        set -l value (string replace -rf "^$name=(.*)" '$1' -- $values)
        if test -n "$value"
            set option $option -f -a "$value"
        end
    end
    complete $option
end
