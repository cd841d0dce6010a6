"""What help texts say of numbers."""

from collections.abc import Iterator

import click
import pytest

from barnabas.cli.arguments.numbers import Number, WholeNumber
from barnabas.cli.command_table import COMMANDS, load_command


@pytest.mark.parametrize("kind", [WholeNumber, Number])
@pytest.mark.parametrize(
    ("low", "high", "shown"), [(None, None, ""), (1, None, "[x>=1]"), (1, 3, "[1<=x<=3]")]
)
def test_a_range_is_shown_where_there_is_one(
    kind: type[WholeNumber | Number], low: int | None, high: int | None, shown: str
) -> None:
    option = click.Option(["--number"], type=kind(min=low, max=high), help="A number.")
    record = option.get_help_record(click.Context(click.Command("any")))
    assert record is not None
    assert record[1] == f"A number.  {shown}".strip()


def commands(command: click.Command) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from commands(each)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_help_text_shows_none(name: str) -> None:
    loaded = load_command(name)
    assert loaded is not None
    for command in commands(loaded):
        text = command.get_help(click.Context(command, info_name=name))
        assert "None]" not in text, f"barnabas {name}: {command.name}"
