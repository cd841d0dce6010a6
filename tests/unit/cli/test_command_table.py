"""What `barnabas --help` lists is what the commands say, although it imports none of them."""

import subprocess
import sys

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
