"""`barnabas completion`: the script that lets a shell complete commands, options and names."""

from typing import Final

import click
from click.shell_completion import add_completion_class, get_completion_class

from barnabas.cli.completion.bash import WholeWordBashComplete

PROGRAM: Final = "barnabas"
VARIABLE: Final = "_BARNABAS_COMPLETE"
"""The environment variable in which a shell asks; click derives it from the program's name."""

_INSTALL: Final = {
    "bash": "barnabas completion bash > ~/.barnabas-completion.bash && "
    "echo '. ~/.barnabas-completion.bash' >> ~/.bashrc",
    "zsh": "barnabas completion zsh > ~/.barnabas-completion.zsh && "
    "echo '. ~/.barnabas-completion.zsh' >> ~/.zshrc",
    "fish": "barnabas completion fish > ~/.config/fish/completions/barnabas.fish",
}


def register_bash() -> None:
    """Answer bash by `WholeWordBashComplete` instead of click's class."""
    add_completion_class(WholeWordBashComplete)


@click.command()
@click.argument("shell", type=click.Choice(list(_INSTALL)))
def completion(shell: str) -> None:
    """Print a script that completes commands, options and names in SHELL.

    Its last line is a comment with the command that installs it. Names of topics and groups are
    those of the cluster of -b, or of BARNABAS_BOOTSTRAP_SERVERS; none if it does not answer soon.
    """
    register_bash()
    kind = get_completion_class(shell)
    assert kind is not None, shell
    root = click.get_current_context().find_root().command
    print(kind(root, {}, PROGRAM, VARIABLE).source().rstrip("\n"))
    print(f"# To install it: {_INSTALL[shell]}")
