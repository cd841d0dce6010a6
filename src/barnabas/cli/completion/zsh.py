"""Completion for zsh, which also loads zsh's own completion where nobody has: click's script needs it."""

from typing import Final

from click.shell_completion import ZshComplete

_SCRIPT: Final = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a answer names shown open
    local type value help
    answer=("${(@f)$(COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \\
        %(complete_var)s=zsh_complete %(prog_name)s 2>/dev/null)}")
    for type value help in $answer; do
        case $type in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            plain)
                if [[ $value == *= ]]; then
                    open+=("$value")
                elif [[ $help == _ ]]; then
                    names+=("$value")
                else
                    shown+=("${value//:/\\\\:}:$help")
                fi
                ;;
        esac
    done
    (( $#shown )) && _describe -V unsorted shown -U
    (( $#names )) && compadd -U -V unsorted -a names
    (( $#open )) && compadd -U -V unsorted -S '' -a open
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef %(complete_func)s %(prog_name)s
fi
"""


class LoadingZshComplete(ZshComplete):
    """Loads what it needs, and leaves no space behind `NAME=`."""

    source_template = _SCRIPT
