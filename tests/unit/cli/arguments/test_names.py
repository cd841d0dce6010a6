"""What a shell is offered: names that begin as typed, whatever the cluster does."""

import socket

import click
import pytest
from click.shell_completion import CompletionItem

from barnabas import Admin, NewTopic
from barnabas.cli.arguments.names import TOPIC, complete_properties
from barnabas.testing import EmbeddedBroker


def context(name: str = "describe", **params: object) -> click.Context:
    made = click.Context(click.Command(name))
    made.params = dict(params)
    return made


def offered(items: list[CompletionItem]) -> list[str]:
    return [str(one.value) for one in items]


def test_topics_of_the_cluster_of_the_command_line() -> None:
    with EmbeddedBroker() as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic(name, 1) for name in ("dogs", "cats", "dragons")])
        ctx = context(servers=broker.bootstrap_servers)
        found = TOPIC.shell_complete(ctx, click.Argument(["topic"]), "d")
    assert offered(found) == ["dogs", "dragons"]


@pytest.mark.parametrize("pairs", [(), ("no pair",), ("security.protocol=nonsense",)])
def test_no_names_and_no_error_where_nobody_answers(
    pairs: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ctx = context(servers=f"127.0.0.1:{silent.getsockname()[1]}", pairs=pairs)
        assert not TOPIC.shell_complete(ctx, click.Argument(["topic"]), "")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("ctx", "option", "typed", "name"),
    [
        (context(), "configs", "retention.m", "retention.ms="),
        (context(), "removed", "retention.m", "retention.ms"),
        (context("configs", kind="broker"), "changes", "log.segment.b", "log.segment.bytes="),
        (
            context("configs", kind="group"),
            "changes",
            "consumer.session",
            "consumer.session.timeout.ms=",
        ),
        (context("configs", kind="client-metrics"), "changes", "inter", "interval.ms="),
        (context("quotas"), "removed", "prod", "producer_byte_rate"),
        (context("configs", kind="topic"), "pairs", "linger", "linger.ms="),
    ],
)
def test_properties_of_what_the_command_changes(
    ctx: click.Context, option: str, typed: str, name: str
) -> None:
    found = complete_properties(ctx, click.Option([f"--{option}"]), typed)
    assert offered(found) == [name]
