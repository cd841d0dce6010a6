"""`barnabas produce`: each line of stdin becomes a record. The client batches and retries."""

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from io import BufferedIOBase
from pathlib import Path
from typing import ClassVar, cast

import click

from barnabas.cli.arguments.connection import client_settings, connection_options
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.usage import HintingCommand
from barnabas.cli.output.output import counted, notice
from barnabas.cli.records.lines import delimiter, split
from barnabas.config.clients import ProducerConfig
from barnabas.config.codec_names import PRODUCED
from barnabas.errors import ConfigError
from barnabas.records.record_json import RecordToSend, from_json

_CODECS = click.Choice(PRODUCED)

_JSON_GROWTH = 8
"""JSON may need six bytes for one (\u0001), and has names besides key and value."""


_HEADER = "Repeatable. NAME alone has no value (null)."
_TOPIC = "The topic is an argument: barnabas produce TOPIC"

_EXAMPLES = """\b
Examples:
  echo hello | barnabas produce greetings
  printf 'rex:barks\\ntom:purrs\\n' | barnabas produce -K : animals
"""


class Produce(HintingCommand):
    """Suggestions for options of `kcat -P` and `kafka-console-producer`."""

    hints: ClassVar[Mapping[str, str]] = {
        "-t": _TOPIC,
        "--topic": _TOPIC,
        "--broker-list": "Use -b for the brokers' addresses.",
        "": "Records come from stdin: echo hello | barnabas produce greetings",
    }


@click.command(cls=Produce, epilog=_EXAMPLES)
@click.argument("topic", type=TOPIC)
@click.option("-K", "--key-delimiter", metavar="TEXT", help="The separator between key and value.")
@click.option(
    "-k", "--key", metavar="TEXT", help="The key of all records; with -K, of those without one."
)
@click.option(
    "-D",
    "--delimiter",
    "end",
    default="\\n",
    help="The separator between records (default: a newline).",
)
@click.option("-H", "--header", "headers", multiple=True, metavar="NAME=VALUE", help=_HEADER)
@click.option(
    "-p", "--partition", type=WholeNumber(0), help="The partition; default: chosen by the key."
)
@click.option("-z", "--compression", type=_CODECS, default="none", show_default=True)
@click.option("-Z", "--null", is_flag=True, help="An empty value is null (a tombstone).")
@click.option(
    "-l", "--file", type=click.Path(dir_okay=False), help="Read this file instead of stdin."
)
@click.option("--json", "as_json", is_flag=True, help="Each line is what consume --json prints.")
@connection_options
def produce(
    *,
    topic: str,
    key_delimiter: str | None,
    key: str | None,
    end: str,
    headers: tuple[str, ...],
    partition: int | None,
    compression: str,
    file: str | None,
    servers: str,
    pairs: tuple[str, ...],
    null: bool,
    as_json: bool,
) -> None:
    """Send each line of stdin to TOPIC as one record."""
    from barnabas.cli.records.sending import Watched, send_all
    from barnabas.client.core.producer.delivery_tracker import DeliveryTracker
    from barnabas.client.sync.producer import Producer

    if as_json and (key is not None or key_delimiter is not None or null):
        raise click.UsageError("--json lines contain key and value: leave out -k, -K and -Z")
    settings = client_settings(servers, pairs, compression_type=compression)
    longest = _longest(settings) * (_JSON_GROWTH if as_json else 1)
    usual = RecordToSend(
        None if key is None else key.encode(), None, [_header(one) for one in headers], partition
    )
    # The command reports a lost record with its line; the log need not repeat it.
    logging.getLogger("barnabas.client").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        stream = sys.stdin.buffer if file is None else stack.enter_context(_open(file))
        receipts = DeliveryTracker()
        watched = Watched(cast("BufferedIOBase", stream), receipts.look)
        lines = split(watched, delimiter(end), longest)
        if as_json:
            records = _json(lines, usual)
        elif key_delimiter is None:
            records = _plain(lines, usual, null=null)
        else:
            records = _keyed(lines, delimiter(key_delimiter), usual, null=null)
        producer = stack.enter_context(Producer(settings))
        count = send_all(producer, topic, records, receipts, servers)
    notice(f"{counted(count, 'record')} to {topic}")


def _longest(settings: Mapping[str, object]) -> int:
    row = ProducerConfig.settings()["max.request.size"]
    return cast("int", row.parse(settings.get(row.name, row.default)))


def _plain(lines: Iterator[bytes], usual: RecordToSend, *, null: bool) -> Iterator[RecordToSend]:
    key, _, headers, partition, _ = usual
    for line in lines:
        yield RecordToSend(key, None if null and not line else line, headers, partition)


def _keyed(
    lines: Iterator[bytes], between: bytes, usual: RecordToSend, *, null: bool
) -> Iterator[RecordToSend]:
    for number, line in enumerate(lines, start=1):
        before, found, value = line.partition(between)
        if not found and usual.key is None:
            raise ConfigError(
                f"line {number} has no {between.decode()!r} (-K) between key and value; -k names the key of "
                "such lines"
            )
        key = before if found else usual.key
        value = value if found else line
        yield RecordToSend(
            key, None if null and not value else value, usual.headers, usual.partition
        )


def _json(lines: Iterator[bytes], usual: RecordToSend) -> Iterator[RecordToSend]:
    for number, line in enumerate(lines, start=1):
        record = from_json(line, number)
        yield record._replace(
            headers=[*usual.headers, *record.headers],
            partition=usual.partition if record.partition is None else record.partition,
        )


def _header(text: str) -> tuple[str, bytes | None]:
    name, equals, value = text.partition("=")
    if not name:
        raise click.UsageError(f"-H {text}: expected name=value")
    return name, value.encode() if equals else None


def _open(path: str) -> BufferedIOBase:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
