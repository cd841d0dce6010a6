"""`barnabas completion`: the script that lets a shell complete commands, options and names."""

from typing import Final

import click
from click.shell_completion import add_completion_class, get_completion_class

from barnabas.cli.completion.bash import WholeWordBashComplete
from barnabas.cli.completion.fish import WholeLineFishComplete
from barnabas.cli.completion.zsh import LoadingZshComplete

PROGRAM: Final = "barnabas"
VARIABLE: Final = "_BARNABAS_COMPLETE"
"""The environment variable in which a shell asks; click derives it from the program's name."""

_INSTALL: Final = {
    "bash": "barnabas completion bash > ~/.barnabas-completion.bash && "
    "echo '. ~/.barnabas-completion.bash' >> ~/.bashrc",
    "zsh": "barnabas completion zsh > ~/.barnabas-completion.zsh && "
    "echo '. ~/.barnabas-completion.zsh' >> ~/.zshrc",
    "fish": "mkdir -p ~/.config/fish/completions && "
    "barnabas completion fish > ~/.config/fish/completions/barnabas.fish",
}


def register_shells() -> None:
    """Answer each shell by our class instead of click's."""
    for one in (WholeWordBashComplete, LoadingZshComplete, WholeLineFishComplete):
        add_completion_class(one)


@click.command()
@click.argument("shell", type=click.Choice(list(_INSTALL)))
def completion(shell: str) -> None:
    """Print a script that completes commands, options and names in SHELL.

    Its last line is a comment with the command that installs it. Names of topics and groups are
    those of the cluster of -b, or of BARNABAS_BOOTSTRAP_SERVERS; none if it does not answer soon.
    """
    register_shells()
    kind = get_completion_class(shell)
    assert kind is not None, shell
    root = click.get_current_context().find_root().command
    print(kind(root, {}, PROGRAM, VARIABLE).source().rstrip("\n"))
    print(f"# To install it: {_INSTALL[shell]}")
