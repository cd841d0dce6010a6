"""`barnabas topics`: list, describe, create, delete, grow, configure.

The broker enforces the rules.
"""

import sys

import click

from barnabas import Admin
from barnabas.cli.arguments.confirmation import confirm, yes_option
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.arguments.names import TOPIC, complete_properties
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.properties import (
    COLUMNS,
    property_options,
    refuse_unknown,
    rows_of,
    wanted,
)
from barnabas.cli.arguments.usage import HintingGroup, typed
from barnabas.cli.lost_partitions import give_up, offline
from barnabas.cli.output.output import counted, notice, objects, show_json, show_rows
from barnabas.client.core.admin.descriptions import (
    EARLIEST,
    LATEST,
    ConfigSource,
    NewTopic,
    Resource,
)
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.types import TopicPartition

_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_settings = click.option(
    "-c",
    "--config",
    "configs",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=complete_properties,
    help="A topic property.",
)


@click.group(cls=HintingGroup)
def topics() -> None:
    """Inspect topics and change them."""


@topics.command("list")
@click.option("--internal", is_flag=True, help="Include Kafka's internal topics.")
@_json
@connection_options
def list_topics(servers: str, pairs: tuple[str, ...], *, internal: bool, as_json: bool) -> None:
    """List all topics with their partitions."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        described = admin.describe_topics()
    rows = [
        (view.name, len(view.partitions))
        for view in described.values()
        if internal or not view.internal
    ]
    show_rows(("topic", "partitions"), rows, title=f"Topics of {servers}", as_json=as_json)


@topics.command()
@click.argument("topic", type=TOPIC)
@_json
@connection_options
def describe(topic: str, servers: str, pairs: tuple[str, ...], *, as_json: bool) -> None:
    """Print the partitions of TOPIC, their first and end offsets, and its own properties.

    In a pipe, each partition is a line of six fields, each property one of name and value.
    """
    with administering(servers, client_settings(servers, pairs)) as admin:
        view = existing_topics(admin, (topic,))[topic]
        places = [TopicPartition(topic, one.partition) for one in view.partitions]
        served = [
            place for place, one in zip(places, view.partitions, strict=True) if one.leader >= 0
        ]
        first = admin.list_offsets(dict.fromkeys(served, EARLIEST))
        last = admin.list_offsets(dict.fromkeys(served, LATEST))
        own = _own_configs(admin, topic)
    columns = ("partition", "leader", "replicas", "in_sync", "start_offset", "end_offset")
    rows = [
        (
            one.partition,
            one.leader,
            list(one.replicas),
            list(one.in_sync),
            first[place].offset if place in first else None,
            last[place].offset if place in last else None,
        )
        for place, one in zip(places, view.partitions, strict=True)
    ]
    if as_json:
        partitions = objects(columns, rows)
        show_json({"topic": topic, "id": _id(view), "configs": own, "partitions": partitions})
        return
    show_rows(columns, rows, title=f"{topic}, id {_id(view)}", as_json=False)
    if own is None:
        click.echo(f"properties of {topic} unknown: they need Kafka 0.11.0 or later", err=True)
    elif own and sys.stdout.isatty():
        print("  ".join(f"{name}={value}" for name, value in own.items()))
    else:
        for name, value in own.items():
            print(f"{name}\t{value}")


@topics.command()
@click.argument("topic", type=TOPIC)
@click.option("-p", "--partitions", type=WholeNumber(1), help="Default: the broker's.")
@click.option("-r", "--replication-factor", type=WholeNumber(1))
@click.option("--if-not-exists", is_flag=True, help="Succeed if it already exists.")
@_settings
@connection_options
def create(
    *,
    topic: str,
    partitions: int | None,
    replication_factor: int | None,
    configs: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
    if_not_exists: bool,
) -> None:
    """Create TOPIC."""
    own = typed(configs, "--config")
    new = NewTopic(topic, partitions or -1, replication_factor or -1, own)
    with administering(servers, client_settings(servers, pairs)) as admin:
        try:
            admin.create_topics([new])
        except BrokerError as error:
            if error.code is not ErrorCode.TOPIC_ALREADY_EXISTS:
                raise
            if not if_not_exists:
                raise KafkaError(
                    f"topic {topic} already exists; with --if-not-exists that is no error"
                ) from None
            notice(f"{topic} already exists")
        else:
            notice(f"created {topic}")


@topics.command()
@click.argument("names", nargs=-1, required=True, type=TOPIC, metavar="TOPIC...")
@yes_option
@connection_options
def delete(names: tuple[str, ...], servers: str, pairs: tuple[str, ...], *, yes: bool) -> None:
    """Delete topics with all their records."""
    all_names = ", ".join(names)
    what = f"Delete {all_names} with all records?"
    confirm(what, yes=yes, instead=f"--yes deletes {all_names}")
    with administering(servers, client_settings(servers, pairs)) as admin:
        existing_topics(admin, names)
        admin.delete_topics(names)
    notice(f"deleted {all_names}")


@topics.command("add-partitions")
@click.argument("topic", type=TOPIC)
@click.argument("total", type=WholeNumber(1))
@connection_options
def add_partitions(topic: str, total: int, servers: str, pairs: tuple[str, ...]) -> None:
    """Increase TOPIC to TOTAL partitions. Keys may map to others; stored records stay."""
    with administering(servers, client_settings(servers, pairs)) as admin:
        existing_topics(admin, (topic,))
        admin.create_partitions({topic: total})
    notice(f"{topic} has {counted(total, 'partition')}")


@topics.command()
@click.argument("topic", type=TOPIC)
@property_options
@_json
@connection_options
def config(
    *,
    topic: str,
    changes: tuple[str, ...],
    removed: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
    everything: bool,
    as_json: bool,
) -> None:
    """Change the properties of TOPIC, then print those that are set."""
    from barnabas.config.topic import TopicConfig

    values = wanted(changes, removed)
    with administering(servers, client_settings(servers, pairs)) as admin:
        existing_topics(admin, (topic,))
        if values:
            known = admin.describe_configs(Resource.TOPIC, topic)
            refuse_unknown(removed, known, "topics have", TopicConfig.nearest)
            admin.alter_configs(Resource.TOPIC, topic, values)
        entries = admin.describe_configs(Resource.TOPIC, topic)
    rows = [
        *rows_of(
            entry for entry in entries.values() if everything or entry.source is ConfigSource.TOPIC
        )
    ]
    if not rows and not as_json:
        notice(f"{topic} has no properties of its own; --all shows the defaults")
        return
    show_rows(COLUMNS, rows, title=f"Properties of {topic}", as_json=as_json)


topics.add_command(offline)
topics.add_command(give_up)


def _own_configs(admin: Admin, topic: str) -> dict[str, str | None] | None:
    """The properties that are set; None where the broker is too old to report them."""
    try:
        entries = admin.describe_configs(Resource.TOPIC, topic).values()
    except BrokerError as error:
        if error.code is not ErrorCode.UNSUPPORTED_VERSION:
            raise
        return None
    return {one.name: one.value for one in entries if one.source is ConfigSource.TOPIC}


def _id(view: TopicView) -> str:
    """A topic id in Kafka's notation: URL-safe base 64 without padding."""
    import base64

    return base64.urlsafe_b64encode(view.topic_id).decode().rstrip("=")
