"""Completion for fish, with whole descriptions: click's script cuts them at their first comma."""

from typing import Final

from click.shell_completion import FishComplete

_SCRIPT: Final = """\
function %(complete_func)s
    for answer in (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \\
            COMP_CWORD=(commandline -t) %(prog_name)s 2>/dev/null)
        set -l parts (string split -m 1 "," -- $answer)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                echo $parts[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class WholeLineFishComplete(FishComplete):
    """Splits an answer once: a description has commas."""

    source_template = _SCRIPT
