import pytest

from barnabas.cli.arguments.hints import add_hint, with_hints
from barnabas.client.core.cluster.bootstrap import Failures
from barnabas.errors import (
    ApiVersionsUnanswered,
    ConfigError,
    ConnectionFailed,
    HostUnknown,
    KafkaError,
)


@pytest.mark.parametrize(
    ("servers", "hint"),
    [
        ("localhost:9092", "; `barnabas serve` starts one there, -b names another"),
        ("127.0.0.1", "; `barnabas serve` starts one there, -b names another"),
        ("[::1]:9999,b:1", "; `barnabas serve --port 9999` starts one there, -b names another"),
        ("dogs.example:9092", "; is it running? -b names another"),
    ],
)
def test_who_reaches_no_broker_is_told_how_to_come_by_one(servers: str, hint: str) -> None:
    error = ConnectionFailed("gone")
    add_hint(error, servers)
    assert with_hints(error).endswith(f"gone{hint}")


def test_what_an_error_says_itself_is_not_asked_again() -> None:
    failures = Failures()
    for why, reported in (
        (HostUnknown("nobody knows it"), "Check how the host is spelled in bootstrap.servers"),
        (ConnectionFailed("too slow"), "bootstrap.servers names its listener"),
    ):
        failures.note("dogs.example:9092", why)
        error = failures.error()
        add_hint(error, "dogs.example:9092")
        assert with_hints(error).endswith(f"{reported}; -b names another")


@pytest.mark.parametrize("error", [ConfigError("acks=9"), ApiVersionsUnanswered("old")])
def test_an_error_of_another_kind_is_left_alone(error: KafkaError) -> None:
    add_hint(error, "localhost:9092")
    assert with_hints(error) == str(error)


@pytest.mark.parametrize(
    ("reported", "line"),
    [("Not found.", "Not found; a hint"), ("no a-0, a-1, ...", "no a-0, a-1, ...; a hint")],
)
def test_a_hint_stands_behind_a_sentence_without_its_stop(reported: str, line: str) -> None:
    error = ConfigError(reported)
    assert with_hints(error) == reported
    error.add_note("a hint")
    assert with_hints(error) == line
