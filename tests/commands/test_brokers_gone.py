"""Commands against a broker that is gone or silent end in their time, with one clear line and code 1."""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.client import fronts
from tests.client.fronts import Place
from tests.commands.served import run, serving

SOON = ("-X", "default.api.timeout.ms=1000", "-X", "bootstrap.refused.timeout.ms=1000")
COMMANDS = (
    ("topics", "list", *SOON),
    ("topics", "create", "t", *SOON),
    ("topics", "delete", "t", "--yes", *SOON),
    ("configs", "topic", "t", *SOON),
    ("groups", "list", *SOON),
    ("groups", "describe", "g", *SOON),
    ("transactions", "list", *SOON),
    ("consume", "t", "-e", *SOON),
    ("consume", "t", "-g", "g", *SOON),
    ("produce", "t", "-X", "max.block.ms=1000"),
)


@contextmanager
def stopped() -> Iterator[Place]:
    """A broker that has started and was stopped with SIGSTOP."""
    with serving("--ephemeral") as served:
        served.process.send_signal(signal.SIGSTOP)
        try:
            yield Place(served.servers)
        finally:
            served.process.send_signal(signal.SIGCONT)


PLACES: dict[str, Callable[[], AbstractContextManager[Place]]] = {
    "nobody": fronts.nobody,
    "silent": fronts.silent,
    "accepting nothing": fronts.accepting_nothing,
    "without a name": fronts.without_a_name,
    "stopped": stopped,
}


@pytest.mark.parametrize("where", PLACES)
def test_a_command_ends_and_says_why_in_one_line(where: str) -> None:
    with PLACES[where]() as place, ThreadPoolExecutor(2) as at_once:
        ended = list(
            at_once.map(lambda one: run(*one, stdin="x\n", servers=place.servers), COMMANDS)
        )
    for command, reported in zip(COMMANDS, ended, strict=True):
        assert reported.code == 1, (command, reported)
        (line,) = reported.err.splitlines()
        assert line.startswith("barnabas: "), (command, line)
        known = {"nobody": "(Connection refused); ", "without a name": "; check how the host"}
        assert known.get(where, "not done within 1 s (") in line, (command, line)
