# one_file.sh - several sources as one: it compiles in half the time.
# usage: . tests/lib/one_file.sh

# one_file SOURCE...: print a source that includes these, whose paths are absolute or from the current directory
one_file() {
    for source in "$@"; do
        case $source in /*) ;; *) source=$PWD/$source ;; esac
        echo "#include \"$source\""
    done
}
