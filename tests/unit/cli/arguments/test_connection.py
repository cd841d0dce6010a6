import click
import pytest

from barnabas.cli.arguments.connection import admin_settings, client_settings


def test_what_the_user_says_wins() -> None:
    given = ("acks=1", "bootstrap.refused.timeout.ms=7")
    settings = client_settings("dogs:1", given, acks="all", compression_type="zstd")
    assert settings == {
        "bootstrap.refused.timeout.ms": "7",
        "bootstrap.servers": "dogs:1",
        "acks": "1",
        "compression.type": "zstd",
    }


def test_an_admin_gets_the_options_that_it_knows() -> None:
    settings = client_settings("dogs:1", ("client_id=me", "group.id=g"))
    assert admin_settings(settings) == {
        "bootstrap.refused.timeout.ms": 5000,
        "client.id": "me",
        "bootstrap.servers": "dogs:1",
    }


def test_a_misspelt_property_is_refused() -> None:
    with pytest.raises(click.UsageError, match=r"-X grup\.id: .*did you mean group\.id"):
        client_settings("dogs:1", ("grup.id=g",))


def test_a_property_needs_a_value() -> None:
    with pytest.raises(click.UsageError, match="-X acks"):
        client_settings("dogs:1", ("acks",))
