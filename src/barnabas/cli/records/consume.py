"""`barnabas consume`: print records of a topic as they arrive, or up to a limit."""

import sys
from collections.abc import Callable, Mapping
from typing import ClassVar

import click

from barnabas import Consumer
from barnabas.cli.arguments.connection import (
    admin_settings,
    administering,
    client_settings,
    connection_options,
    existing_topics,
)
from barnabas.cli.arguments.names import GROUP, TOPIC
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.usage import HintingCommand, usage
from barnabas.cli.output.moment import moment_ms
from barnabas.cli.records.record_format import formatter
from barnabas.cli.signals import defer_signals
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.errors import ConfigError
from barnabas.records.columns.record import Record
from barnabas.records.record_json import ConsumedRecord, to_json
from barnabas.types import TopicPartition

_POLL_SECONDS = 0.5
_POLL_RECORDS = 5000
_SHOWN = 8
_STARTS = "earliest, latest, a number, -N"
_TOPIC = "The topic is an argument: barnabas consume TOPIC"


class Consume(HintingCommand):
    """Suggestions for options of `kcat -C` and `kafka-console-consumer`."""

    hints: ClassVar[Mapping[str, str]] = {
        "-t": _TOPIC,
        "--topic": _TOPIC,
        "-G": "Use --group: barnabas consume TOPIC --group GROUP",
        "--group-id": "Use --group.",
        "--max-messages": "Use --count to stop after so many records.",
        "": "One topic at a time.",
    }


@click.command(cls=Consume)
@click.argument("topic", type=TOPIC)
@click.option("-p", "--partition", "partitions", type=WholeNumber(0), multiple=True)
@click.option(
    "-g",
    "--group",
    type=GROUP,
    help="Read as a member of this group, and commit what was printed.",
)
@click.option("-o", "--offset", help="Where to start; default: auto.offset.reset (latest).")
@click.option("--from-beginning", is_flag=True, help="The same as --offset earliest.")
@click.option("-c", "--count", type=WholeNumber(1), help="Stop after so many records.")
@click.option("-e", "--exit", "to_end", is_flag=True, help="Stop at the current end.")
@click.option(
    "-K", "--key-delimiter", metavar="TEXT", help="Print keys, followed by this separator."
)
@click.option("-f", "--format", "template", metavar="TEXT", help="%s value, %k key, %o offset, …")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per record.")
@connection_options
def consume(
    *,
    topic: str,
    partitions: tuple[int, ...],
    group: str | None,
    offset: str | None,
    count: int | None,
    key_delimiter: str | None,
    template: str | None,
    servers: str,
    pairs: tuple[str, ...],
    from_beginning: bool,
    to_end: bool,
    as_json: bool,
) -> None:
    r"""Print the records of TOPIC.

    An OFFSET is earliest, latest, a number, -N (the last N of each partition), a time such as
    2013-01-01T05:00 (local unless it has a zone), or @ and milliseconds since 1970.

    Letters of a FORMAT: %s value, %k key, %t topic, %p partition, %o offset, %T timestamp, %h
    headers, %S and %K sizes of value and key; \n and \t as usual.

    A member of a GROUP reads its share of the partitions, from the group's last position;
    --from-beginning applies to partitions without one.

    In JSON, bytes that are not UTF-8 are {"base64": "..."}.
    """
    if from_beginning and offset is not None:
        raise click.UsageError("--from-beginning and --offset exclude each other: leave out one")
    if group is not None and (partitions or offset is not None):
        raise click.UsageError(
            "a group chooses partitions and positions itself: leave out -p and -o"
        )
    render = _renderer(template, key_delimiter, as_json=as_json)
    common = client_settings(servers, pairs)
    start = "earliest" if from_beginning else offset or _reset(common)
    with administering(servers, admin_settings(common)) as admin:
        view = existing_topics(admin, (topic,))[topic]
    places = _places(view, partitions)
    own: dict[str, object] = {"auto.offset.reset": "none", "enable.auto.commit": False}
    if group is not None:
        own = {"group.id": group, "auto.offset.reset": start}
    with Consumer(own | common) as consumer:
        ends = consumer.end_offsets(places) if to_end else None
        if group is not None:
            consumer.subscribe([topic])
        else:
            offsets = _positions(consumer, places, start)
            consumer.assign(places)
            for place, position in offsets.items():
                consumer.seek(place, position)
        _copy(consumer, render, count, ends)


def _renderer(
    template: str | None, key_delimiter: str | None, *, as_json: bool
) -> Callable[[ConsumedRecord], bytes]:
    if (template is not None) + (key_delimiter is not None) + as_json > 1:
        raise click.UsageError("--json, --format and --key-delimiter exclude each other: use one")
    if as_json:
        return lambda record: to_json(record).encode() + b"\n"
    if template is not None:
        with usage():
            return formatter(template)
    if key_delimiter is not None:
        return formatter(f"%k{key_delimiter.replace('%', '%%')}%s\\n")
    return formatter("%s\\n")


def _reset(settings: Mapping[str, object]) -> str:
    """Where auto.offset.reset starts; by default the end."""
    asked = settings.get("auto.offset.reset", "latest")
    return "earliest" if asked == "earliest" else "latest"


def _places(view: TopicView, partitions: tuple[int, ...]) -> list[TopicPartition]:
    known = [each.partition for each in view.partitions]
    for partition in partitions:
        if partition not in known:
            there = f"partitions 0 to {known[-1]}" if known[-1] else "only partition 0"
            raise ConfigError(f"{view.name} has {there}, not {partition}")
    return [TopicPartition(view.name, one) for one in known if one in partitions or not partitions]


def _positions(
    consumer: Consumer, places: list[TopicPartition], start: str
) -> Mapping[TopicPartition, int]:
    first = consumer.beginning_offsets(places)
    last = consumer.end_offsets(places)
    if start in {"earliest", "beginning"}:
        return first
    if start in {"latest", "end"}:
        return last
    if start.isdecimal():
        if all(int(start) > last[place] for place in places):
            ends = ", ".join(f"{place.partition}: {last[place]}" for place in places[:_SHOWN])
            more = ", …" if len(places) > _SHOWN else ""
            raise ConfigError(
                f"--offset {start} is after the end of every partition ({ends}{more})"
            )
        return {place: min(max(int(start), first[place]), last[place]) for place in places}
    if start.startswith("-") and start[1:].isdecimal():
        return {place: max(first[place], last[place] - int(start[1:])) for place in places}
    found = consumer.offsets_for_times(dict.fromkeys(places, moment_ms("--offset", start, _STARTS)))
    return {place: last[place] if hit is None else hit.offset for place, hit in found.items()}


def _copy(
    consumer: Consumer,
    render: Callable[[ConsumedRecord], bytes],
    count: int | None,
    ends: Mapping[TopicPartition, int] | None,
) -> None:
    """Print until `count` records are out or every partition reaches its end."""
    out = sys.stdout.buffer
    left = sys.maxsize if count is None else count
    while left:
        if ends is not None and _is_done(consumer, ends):
            return
        records: list[Record] = []
        printed = 0
        try:
            with defer_signals(consumer.wakeup):
                records = consumer.poll(_POLL_SECONDS, min(left, _POLL_RECORDS))
            for record in records:
                place = TopicPartition(record.topic, record.partition)
                if ends is None or record.offset < ends[place]:
                    out.write(render(record))
                    left -= 1
                printed += 1
        except BaseException:
            _give_back(consumer, records[printed:])
            raise
        out.flush()


def _give_back(consumer: Consumer, records: list[Record]) -> None:
    """A signal interrupted the output: return the unprinted records to the group."""
    first = {TopicPartition(one.topic, one.partition): one.offset for one in reversed(records)}
    for place, offset in first.items():
        consumer.seek(place, offset)


def _is_done(consumer: Consumer, ends: Mapping[TopicPartition, int]) -> bool:
    places = consumer.assignment()
    known = [place for place in places if place in ends]
    return bool(places) and all(consumer.position(place) >= ends[place] for place in known)
