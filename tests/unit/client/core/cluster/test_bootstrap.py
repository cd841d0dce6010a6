import pytest

from barnabas.client.core.cluster.bootstrap import Failures, parse_addresses
from barnabas.errors import (
    ApiVersionsUnanswered,
    ConfigError,
    ConnectionRefused,
    ConnectionSetupTimeout,
    HostUnknown,
)


def test_addresses_are_hosts_with_ports() -> None:
    assert parse_addresses(["a:1", " b:2 ", "[::1]:3", ""]) == [("a", 1), ("b", 2), ("::1", 3)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http://a:1", "leave out http://"),
        ("a:1/", "leave out /"),
        ("PLAINTEXT://a:1/", "leave out PLAINTEXT://"),
        ("a:1;b:2", "';' is not allowed; separate several addresses by commas"),
        ("a b:1", "' ' is not allowed"),
        ("a:b", "the port must be a number from 1 to 65535"),
        ("a:-1", "the port must be a number"),
        ("a:0", "the port must be a number"),
        ("a:70000", "the port must be a number"),
        ("a:" + 5000 * "1", "the port must be a number"),
        ("a:", "the port is missing"),
        ("a", "the port is missing; Kafka's is 9092"),
        ("[fe80::1]", "the port is missing"),
        (":1", "the host is missing"),
        ("[]:1", "the host is missing"),
        ("[::1", "only an IPv6 host has colons, and it must be in brackets"),
        ("[::1]9092", "must be in brackets"),
        ("::1", "must be in brackets"),
    ],
)
def test_what_is_no_address_is_named_with_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_addresses(["good:1", text])
    assert str(caught.value).startswith(f"bootstrap.servers: {text} is not host:port: ")
    assert why in str(caught.value)


def test_an_ipv6_host_that_has_a_port_may_do_without_brackets_as_in_kafka() -> None:
    assert parse_addresses(["::1:9093"]) == [("::1", 9093)]


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(ConfigError, match="is empty"):
        parse_addresses([" "])


def test_the_error_names_every_address_with_its_last_reason() -> None:
    failures = Failures()
    failures.note("a:1", "too slow")
    failures.note("a:1", "refused")
    failures.note("b:2", "no such host")
    assert str(failures.error()).startswith("no broker at a:1 (refused), b:2 (no such host): ")
    failures.forget()
    assert not failures


def test_where_nobody_knows_the_names_the_error_says_nothing_of_starting_a_broker() -> None:
    failures = Failures()
    failures.note("a:1", HostUnknown("a is unknown"))
    assert failures.hopeless(["a:1"])
    assert isinstance(failures.error(), HostUnknown)
    assert str(failures.error()).endswith(": check how the host is spelled in bootstrap.servers")
    failures.note("b:2", ConnectionRefused("b:2: nobody listens"))
    assert not isinstance(failures.error(), HostUnknown)
    assert ": check that one runs there and" in str(failures.error())
    failures.note("a:1", "too slow")
    failures.note("b:2", HostUnknown("b is unknown"))
    assert not isinstance(failures.error(), HostUnknown)


def test_who_closes_at_the_first_request_again_and_again_is_given_up() -> None:
    failures, unanswered = (
        Failures(),
        ApiVersionsUnanswered("b:2 closes the connection at ApiVersions"),
    )
    failures.note("a:1", ConnectionRefused("a:1: nobody listens"))
    for _ in range(3):
        assert not failures.hopeless(["a:1", "b:2"])
        failures.note("b:2", unanswered)
    assert failures.hopeless(["a:1", "b:2"])
    assert not failures.hopeless(["a:1", "b:2", "c:3"])
    assert "bootstrap.servers" in str(failures.error())
    failures.note("b:2", "too slow")
    failures.note("b:2", unanswered)
    assert not failures.hopeless(["b:2"])


def test_an_address_that_was_silent_for_the_whole_time_of_a_connection_is_given_up() -> None:
    failures, silent = Failures(), ConnectionSetupTimeout("a:1 did not answer")
    failures.note("a:1", silent)
    assert failures.hopeless(["a:1"])
    assert not failures.hopeless(["a:1", "b:2"])
    assert isinstance(failures.error(), ConnectionSetupTimeout)
    assert failures.error().tried == "a:1 (did not answer)"
    failures.note("b:2", ConnectionRefused("b:2: nobody listens"))
    assert failures.hopeless(["a:1", "b:2"])
    assert not isinstance(failures.error(), ConnectionSetupTimeout)
    failures.note("a:1", "closed")
    assert not failures.hopeless(["a:1", "b:2"])


def test_where_only_old_brokers_are_the_error_says_nothing_of_starting_one() -> None:
    failures = Failures()
    failures.note("a:1", ApiVersionsUnanswered("a:1 closes the connection at ApiVersions"))
    error = failures.error()
    assert isinstance(error, ApiVersionsUnanswered)
    assert str(error) == "a:1 closes the connection at ApiVersions"
