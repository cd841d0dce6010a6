"""The question before something is changed for good, and the option that answers it."""

import sys
from typing import Final

import click

yes_option: Final = click.option(
    "-y", "--yes", is_flag=True, help="Do not ask for confirmation; required in scripts."
)
"""The command receives `yes`."""


def confirm(question: str, *, yes: bool, instead: str = "--yes confirms") -> None:
    """Ask, unless `yes`; `instead` is the advice for a script, which cannot answer.

    Raises:
        click.UsageError: there is no terminal.
        click.Abort: the answer is no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"no terminal to ask for confirmation: {instead}")
    click.confirm(question, abort=True, err=True)
