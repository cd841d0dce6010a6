"""`barnabas produce`: each line of stdin becomes a record. Batches and retries are the client's."""

import sys
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from io import BufferedIOBase
from pathlib import Path
from typing import cast

import click

from barnabas.cli.connection import client_settings, connection_options
from barnabas.cli.lines import delimiter, split
from barnabas.cli.record_json import Outgoing, from_json
from barnabas.client.core.delivery import Sent
from barnabas.config.clients import ProducerConfig
from barnabas.errors import ConfigError

_CODECS = click.Choice(["none", "gzip", "snappy", "lz4", "zstd"])

_JSON_GROWTH = 8
"""JSON may take six bytes for one (\\u0001), and there are names besides key and value."""


@click.command()
@click.argument("topic")
@click.option("-K", "--key-delimiter", metavar="TEXT", help="What stands between key and value.")
@click.option("-k", "--key", metavar="TEXT", help="One key for all records.")
@click.option("-D", "--delimiter", "end", default="\\n", help="What ends a record (a line's end).")
@click.option("-H", "--header", "headers", multiple=True, metavar="NAME=VALUE", help="Repeat.")
@click.option("-p", "--partition", type=click.IntRange(0), help="By the key if not given.")
@click.option("-z", "--compression", type=_CODECS, default="none", show_default=True)
@click.option("-Z", "--null", is_flag=True, help="An empty value is none (a tombstone).")
@click.option("-l", "--file", type=click.Path(dir_okay=False), help="Read this file, not stdin.")
@click.option("--json", "as_json", is_flag=True, help="Each line is what consume --json writes.")
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
    r"""Send each line of stdin to TOPIC as one record.

    Examples:
    \b
      echo hello | barnabas produce greetings
      printf 'rex:barks\ntom:purrs\n' | barnabas produce -K : animals
    """
    from barnabas import Producer

    if as_json and (key is not None or key_delimiter is not None or null):
        raise click.UsageError("with --json the line says key and value: leave out -k, -K and -Z")
    fixed = [_header(one) for one in headers]
    settings = client_settings(servers, pairs, compression_type=compression)
    longest = _longest(settings) * (_JSON_GROWTH if as_json else 1)
    with ExitStack() as stack:
        stream = sys.stdin.buffer if file is None else stack.enter_context(_open(file))
        lines = split(cast("BufferedIOBase", stream), delimiter(end), longest)
        records: Iterator[Outgoing]
        if as_json:
            records = (from_json(line, number) for number, line in enumerate(lines, start=1))
        else:
            between = None if key_delimiter is None else delimiter(key_delimiter)
            records = _plain(lines, between, key, null=null)
        producer = stack.enter_context(Producer(settings))
        sent: deque[Sent] = deque()
        count = 0
        for record in records:
            sent.append(
                producer.send(
                    topic,
                    record.value,
                    record.key,
                    partition=partition if record.partition is None else record.partition,
                    timestamp_ms=record.timestamp_ms,
                    headers=[*fixed, *record.headers],
                )
            )
            count += 1
            while sent and sent[0].done():
                sent.popleft().result()
        producer.flush()
        for delivery in sent:
            delivery.result()
    if sys.stderr.isatty():
        print(f"{count} record{'' if count == 1 else 's'} to {topic}", file=sys.stderr)


def _longest(settings: Mapping[str, object]) -> int:
    row = ProducerConfig.settings()["max.request.size"]
    return cast("int", row.parse(settings.get(row.name, row.default)))


def _plain(
    lines: Iterator[bytes], between: bytes | None, key: str | None, *, null: bool
) -> Iterator[Outgoing]:
    for line in lines:
        own_key = None if key is None else key.encode()
        value: bytes | None = line
        if between is not None and between in line:
            own_key, _, value = line.partition(between)
        yield Outgoing(own_key, None if null and not value else value, [])


def _header(text: str) -> tuple[str, bytes | None]:
    name, equals, value = text.partition("=")
    if not name:
        raise ConfigError(f"-H {text}: it must look like name=value")
    return name, value.encode() if equals else None


def _open(path: str) -> BufferedIOBase:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
