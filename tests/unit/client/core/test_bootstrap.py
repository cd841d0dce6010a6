import pytest

from barnabas.client.core.bootstrap import Failures, parse_addresses
from barnabas.errors import ConfigError


def test_addresses_are_read_with_and_without_port() -> None:
    assert parse_addresses(["a:1", " b ", "[::1]:2", "[fe80::1]", ""]) == [
        ("a", 1),
        ("b", 9092),
        ("::1", 2),
        ("fe80::1", 9092),
    ]


@pytest.mark.parametrize("text", ["a:b", ":1", "[::1", "a:70000"])
def test_what_is_no_address_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=r"bootstrap\.servers"):
        parse_addresses([text])


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(ConfigError, match="is empty"):
        parse_addresses([" "])


def test_the_error_names_every_address_with_its_last_reason() -> None:
    failures = Failures()
    failures.note("a:1", "too slow")
    failures.note("a:1", "refused")
    failures.note("b:2", "no such host")
    assert "(a:1: refused; b:2: no such host)" in str(failures.error())
    failures.forget()
    assert not failures
