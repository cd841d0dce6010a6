"""Completion for bash, which splits words at `:` and `=`: HOST:PORT and NAME=VALUE are whole here.

click's own script leaves the words as bash splits them, so that `-b localhost:9093` would be three
arguments.
"""

import os
from typing import Any, Final

from click.shell_completion import BashComplete, CompletionItem, split_arg_string

_SCRIPT: Final = """\
%(complete_func)s() {
    local type value
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                COMPREPLY+=("$value")
                [[ $value == *= ]] && compopt -o nospace
                ;;
        esac
    done < <(COMP_LINE=$COMP_LINE COMP_POINT=$COMP_POINT COMP_WORDBREAKS=$COMP_WORDBREAKS \\
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class WholeWordBashComplete(BashComplete):
    """Reads the line itself instead of bash's words, and completes the part that bash would."""

    source_template = _SCRIPT

    def get_completion_args(self) -> tuple[list[str], str]:
        """The arguments before the cursor, and the one that is being typed."""
        line = os.environ["COMP_LINE"][: int(os.environ["COMP_POINT"])]
        words = split_arg_string(line)[1:]
        self._typed = words.pop() if words and not line[-1].isspace() else ""
        return words, self._typed

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Omit what bash regards as words before the last one."""
        breaks = [one for one in ":=" if one in os.environ.get("COMP_WORDBREAKS", "")]
        done = max((self._typed.rfind(one) for one in breaks), default=-1) + 1
        return f"{item.type},{str(item.value)[done:]}"
