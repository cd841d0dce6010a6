"""What `barnabas --help` lists is what the commands say, although it imports none of them."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from barnabas.cli.command_table import COMMANDS, load_command
from barnabas.testing import EmbeddedBroker

HEAVY = (
    "asyncio",
    "ssl",
    "rich",
    "pyarrow",
    "pyspark",
    "starlette",
    "dataclasses",
    "barnabas.client",
)
"""What commands need and their list does not: each takes longer to import than all that it does."""

OF_OTHERS = (
    "rich",
    "cramjam",
    "pyarrow",
    "pyspark",
    "starlette",
    "barnabas.broker",
    "barnabas.console",
    "barnabas.coordinators",
    "barnabas.dialects",
    "barnabas.lens",
    "barnabas.log",
    "barnabas.records",
    "barnabas.spark",
    "barnabas.client.aio.consumer",
    "barnabas.client.aio.producer",
    "barnabas.client.core.producer",
)
"""What a command that asks an admin client, in a pipe, has no use for."""

WITHOUT_JSON = {
    "completion": "prints a script for a shell",
    "console": "serves pages until it is stopped",
    "demo": "is a show for people; what it finds are files",
    **dict.fromkeys(
        (
            *("topics create", "topics delete", "topics add-partitions", "groups delete-offsets"),
            *("transactions abort", "reassign cancel", "reassign unthrottle"),
        ),
        "prints nothing in a pipe: the exit code is the result",
    ),
}
"""Why a command has no --json: all others print something that a program may read."""

LISTING = """
import sys
from barnabas.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_with_the_first_sentence_of_its_help(name: str) -> None:
    command = load_command(name)
    assert command is not None
    assert command.name == name
    assert COMMANDS[name].summary == command.get_short_help_str(limit=1000)


def leaves(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    for one, found in command.commands.items():
        yield from leaves(f"{name} {one}", found)


def test_each_command_that_prints_something_to_read_prints_json_too() -> None:
    without = set()
    for name in COMMANDS:
        found = load_command(name)
        assert found is not None
        without |= {
            path
            for path, command in leaves(name, found)
            if not any("--json" in one.opts for one in command.params)
        }
    assert without == set(WITHOUT_JSON)


def test_a_name_that_is_none_has_no_command() -> None:
    assert load_command("nothing") is None


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_the_list_of_commands_imports_no_command(arguments: tuple[str, ...]) -> None:
    listed = subprocess.run(
        [sys.executable, "-c", LISTING, *arguments], capture_output=True, text=True, check=True
    )
    imported = set(listed.stderr.split())
    commands = {f"barnabas.{place.module}" for place in COMMANDS.values()}
    assert "click" in imported
    assert not imported & {*HEAVY, *commands}
    if arguments == ("--help",):
        assert all(f"\n  {name} " in listed.stdout for name in COMMANDS)


def test_a_list_of_topics_imports_nothing_of_other_commands() -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("dogs", 3)
        listed = subprocess.run(
            [sys.executable, "-c", LISTING, "topics", "list", "-b", broker.bootstrap_servers],
            capture_output=True,
            text=True,
            check=True,
        )
    assert listed.stdout == "dogs\t3\n"
    imported = set(listed.stderr.split())
    assert "barnabas.client.sync.admin" in imported
    assert not imported & set(OF_OTHERS)
