import pytest

from barnabas.cli.arguments.hints import add_hint, with_hints
from barnabas.client.core.arguments.deadline import REFUSED, Deadline
from barnabas.client.core.cluster.bootstrap import Failures
from barnabas.errors import (
    ApiVersionsUnanswered,
    ConfigError,
    ConnectionFailed,
    ConnectionRefused,
    ConnectionSetupTimeout,
    HostUnknown,
    KafkaError,
)


@pytest.mark.parametrize(
    ("servers", "hint"),
    [
        ("localhost:9092", "start one with `barnabas serve`"),
        ("127.0.0.1", "start one with `barnabas serve`"),
        ("[::1]:9999,b:1", "start one with `barnabas serve --port 9999`"),
        ("dogs.example:9092", "check that one runs there"),
    ],
)
def test_an_error_without_a_broker_ends_with_a_way_to_get_one(servers: str, hint: str) -> None:
    error = ConnectionFailed("gone")
    add_hint(error, servers)
    assert with_hints(error) == f"gone; {hint}, or name another with -b"


@pytest.mark.parametrize(
    ("why", "sentence"),
    [
        (
            ConnectionRefused("cannot connect to there:1: Connection refused"),
            "no broker at there:1 (Connection refused); check that one runs there",
        ),
        (
            ConnectionFailed("there:1 closed the connection"),
            "no broker at there:1 (closed the connection); check that one runs there",
        ),
        (
            ConnectionSetupTimeout("connecting to there:1 took longer than 10 s"),
            (
                "no broker at there:1 (connecting took longer than 10 s); "
                "check that what runs there is a broker"
            ),
        ),
        (
            HostUnknown("cannot connect to there:1: nobody knows it"),
            "no broker at there:1 (nobody knows it); check how the host is spelled",
        ),
    ],
)
def test_a_command_that_finds_no_broker_says_it_in_one_short_sentence(
    why: ConnectionFailed, sentence: str
) -> None:
    failures = Failures()
    failures.note("there:1", why)
    missed = Deadline(9, 5, REFUSED).missed("asking for metadata", failures.error())
    assert "asking for metadata: not done within 5 s (bootstrap.refused.timeout.ms)" in str(missed)
    add_hint(missed, "there:1", "--from")
    add_hint(missed, "another:2")  # the outer command's: the first one knows better
    assert with_hints(missed) == f"{sentence}, or name another with --from"


@pytest.mark.parametrize(
    ("option", "hint"), [("-b", "; in a command: -X broker.version.fallback=0.9.0"), ("--from", "")]
)
def test_a_command_that_has_properties_says_where_to_name_the_release(
    option: str, hint: str
) -> None:
    sentence = "old:1 closes it; set broker.version.fallback to its release"
    failures = Failures()
    failures.note("old:1", ApiVersionsUnanswered(sentence))
    missed = Deadline(9, 0, REFUSED).missed("asking for metadata", failures.error())
    assert "asking for metadata: not done within 0 s" in str(missed)
    add_hint(missed, "old:1", option)
    assert with_hints(missed) == sentence + hint


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
