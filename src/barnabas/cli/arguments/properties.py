"""Properties of a resource on the command line: options, checked changes, output rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import click

from barnabas.cli.arguments.names import complete_properties
from barnabas.cli.arguments.usage import typed
from barnabas.cli.output.output import Row
from barnabas.client.core.admin.descriptions import ConfigEntry
from barnabas.errors import ConfigError

COLUMNS = ("property", "value", "source")

_Command = TypeVar("_Command", bound=Callable[..., Any])


def property_options(command: _Command) -> _Command:
    """Give a command the parameters `changes`, `removed` and `everything`."""
    for option in (
        click.option(
            "--all", "everything", is_flag=True, help="Include properties with default values."
        ),
        click.option(
            "--unset",
            "removed",
            multiple=True,
            metavar="NAME",
            shell_complete=complete_properties,
            help="Reset this property to its default.",
        ),
        click.option(
            "--set",
            "changes",
            multiple=True,
            metavar="NAME=VALUE",
            shell_complete=complete_properties,
            help="Set this property.",
        ),
    ):
        command = option(command)
    return command


def wanted(changes: Iterable[str], removed: Iterable[str]) -> dict[str, str | None]:
    """The new values by name; None resets to the default."""
    return typed(changes, "--set") | dict.fromkeys(removed)


def refuse_unknown(
    removed: Iterable[str],
    entries: Mapping[str, ConfigEntry],
    whose: str,
    nearest: Callable[[str], str],
) -> None:
    """Refuse unknown names: a broker accepts resetting one silently, although it is a typing error.

    `whose` starts the sentence, as "topics have"; `nearest` ends it, or is empty.
    """
    for name in removed:
        if name not in entries:
            raise ConfigError(f"--unset {name}: {whose} no property {name}{nearest(name)}")


def rows_of(entries: Iterable[ConfigEntry]) -> Iterator[Row]:
    """The rows, with the columns `COLUMNS`."""
    for entry in entries:
        yield entry.name, entry.value, entry.source.name.lower().replace("_", " ")
