#compdef tlog-decode
# tlog-decode.zsh - completion of tlog-decode's options and arguments for zsh: that for bash, which zsh can use.
# Install as share/zsh/site-functions/_tlog-decode.

autoload -Uz bashcompinit && bashcompinit
for _tlog_decode_file in ${0:A:h}/tlog-decode.bash ${0:A:h:h:h}/bash-completion/completions/tlog-decode; do
    if [[ -r $_tlog_decode_file ]]; then
        source $_tlog_decode_file
        break
    fi
done
unset _tlog_decode_file
_bash_complete -o filenames -F _tlog_decode
