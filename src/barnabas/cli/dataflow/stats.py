"""`barnabas stats`: rates, sizes, keys, skew and codecs of a topic, as tables or a picture."""

import sys
from collections.abc import Iterable
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from barnabas.cli.arguments.connection import connection_options
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.dataflow.addresses import check_cluster, cluster
from barnabas.cli.dataflow.spark_options import (
    spark_options,
    spark_run,
    uncommitted_option,
)
from barnabas.cli.output.moment import time_text
from barnabas.cli.output.output import Row, json_option, show_json, show_rows
from barnabas.errors import ConfigError

if TYPE_CHECKING:
    from barnabas.pipelines.record_statistics import SizeStatistics, TopicStatistics

_BARS: Final = " ▁▂▃▄▅▆▇█"
_EXAMPLES = """\b
Examples:
  barnabas stats flights
  barnabas stats flights --plot flights.png
"""


@click.command(epilog=_EXAMPLES)
@click.argument("topic", type=TOPIC)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also draw a picture (PNG, SVG or PDF, by its name).",
)
@click.option(
    "--top", type=WholeNumber(0), default=10, show_default=True, help="How many keys to list."
)
@uncommitted_option
@json_option
@spark_options
@connection_options
def stats(
    *,
    topic: str,
    plot: Path | None,
    top: int,
    uncommitted: bool,
    as_json: bool,
    master: str,
    conf: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Read all of TOPIC and show its rates, sizes, keys, skew and codecs.

    Bytes are those of keys and values, before compression; codecs are of a sample of batches.
    """
    if plot is not None and find_spec("matplotlib") is None:
        raise ConfigError("--plot needs matplotlib: pip install matplotlib")
    where = cluster(servers, pairs, committed=not uncommitted)
    check_cluster(where, (topic,))
    with spark_run("stats", master, conf, quiet=as_json) as (spark, on_progress):
        from barnabas.pipelines import StatisticsOptions, topic_statistics

        options = StatisticsOptions(cluster=where, topic=topic, top=top)
        found = topic_statistics(spark, options, on_progress)
    if plot is not None:
        from barnabas.cli.dataflow.stats_plot import draw

        draw(found, plot)
    if as_json:
        show_json(_document(found))
    else:
        _show(found)


def _document(found: "TopicStatistics") -> dict[str, object]:
    keys = [
        asdict(key) | {"key": key.key.decode(errors="backslashreplace")} for key in found.top_keys
    ]
    return asdict(found) | {"top_keys": keys, "skew": round(found.skew, 4)}


def _show(found: "TopicStatistics") -> None:
    show_rows(("what", "value"), list(_summary(found)), title=found.topic, as_json=False)
    partitions: list[Row] = [
        (one.partition, one.records, _share(one.records, found.records), one.bytes, one.null_keys)
        for one in found.partitions
    ]
    columns = ("partition", "records", "share", "bytes", "null_keys")
    show_rows(columns, partitions, title="Partitions", as_json=False)
    keys: list[Row] = [
        (
            one.key.decode(errors="backslashreplace"),
            one.records,
            _share(one.records, found.records),
            one.bytes,
        )
        for one in found.top_keys
    ]
    if keys:
        show_rows(("key", "records", "share", "bytes"), keys, title="Keys", as_json=False)
    if sys.stdout.isatty() and found.rates:
        first, last = found.rates[0], found.rates[-1]
        print(f"Records over time, each bar {first.length_ms / 1000:,.3f} s")
        print(bars([one.records for one in found.rates]))
        print(f"{time_text(first.start_ms)} to {time_text(last.start_ms + last.length_ms)}")


def _summary(found: "TopicStatistics") -> Iterable[Row]:
    yield "records", found.records
    yield "bytes", found.bytes
    if not found.records:
        return
    yield "bytes a record", f"{found.bytes / found.records:,.1f}"
    if found.rates:
        peak = max(found.rates, key=lambda one: one.records)
        seconds = sum(one.length_ms for one in found.rates) / 1000
        yield "records a second", f"{found.records / seconds:,.2f}"
        yield "at most a second", f"{peak.records * 1000 / peak.length_ms:,.2f}"
    yield "distinct keys, about", found.distinct_keys
    yield "without a key", sum(one.null_keys for one in found.partitions)
    yield "without a value", sum(one.null_values for one in found.partitions)
    yield "with headers", found.with_headers
    yield "key bytes", _size_text(found.keys)
    yield "value bytes", _size_text(found.values)
    yield "largest partition", f"{found.skew:.2f} times the mean"
    stored = sum(one.stored_bytes for one in found.codecs)
    for one in found.codecs:
        share = _share(one.stored_bytes, stored)
        yield f"codec {one.codec}", f"{share} of the bytes in {one.batches} sampled batches"


def _size_text(sizes: "SizeStatistics") -> str:
    return f"median {sizes.median}, 95 % {sizes.p95}, 99 % {sizes.p99}, most {sizes.most}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else ""


def bars(numbers: list[int]) -> str:
    """A line of bars, one for each number; only 0 has none."""
    most, steps = max(numbers, default=0) or 1, len(_BARS) - 1
    return "".join(_BARS[-(-number * steps // most)] for number in numbers)
