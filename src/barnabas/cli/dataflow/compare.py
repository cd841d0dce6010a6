"""`barnabas compare`: whether two topics, or an archive and its topics, have the same records."""

import sys
from typing import TYPE_CHECKING, Final, Literal, cast

import click

from barnabas.cli.arguments.connection import connection_options
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.dataflow.addresses import checked_side
from barnabas.cli.dataflow.spark_options import (
    spark_options,
    spark_run,
    uncommitted_option,
)
from barnabas.cli.output.output import Row, json_option, notice, objects, show_json, show_rows

if TYPE_CHECKING:
    from barnabas.pipelines.comparisons.comparison import Comparison

PARTS: Final = ("topic", "partition", "source_records", "target_records", "equal")
DIFFERENCES: Final = (
    *("topic", "difference", "source_partition", "source_offset"),
    *("target_partition", "target_offset", "key"),
)
_COLUMNS: Final = ("key", "value", "headers", "timestamp")
_EXAMPLES = """\b
Examples:
  barnabas compare flights flights-copy
  barnabas compare flights@old:9092 flights -b new:9092
  barnabas compare ./flights-archive flights --ignore timestamp
"""


@click.command(epilog=_EXAMPLES)
@click.argument("source")
@click.argument("target")
@click.option(
    "--by",
    type=click.Choice(("partition", "key")),
    default="partition",
    show_default=True,
    help="What has an order: partitions, or keys that may be in other partitions.",
)
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    type=click.Choice(_COLUMNS),
    help="What may differ; repeatable.",
)
@click.option(
    "--limit",
    type=WholeNumber(1),
    default=20,
    show_default=True,
    help="How many differences to list.",
)
@uncommitted_option
@json_option
@spark_options
@connection_options
def compare(
    *,
    source: str,
    target: str,
    by: str,
    ignored: tuple[str, ...],
    limit: int,
    uncommitted: bool,
    as_json: bool,
    master: str,
    conf: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Compare all records of SOURCE and TARGET: how many, which, and in which order.

    Each is TOPIC (several separated by commas), TOPIC@HOST:PORT, or the directory of an archive,
    written with a slash. Exit code 1: they differ.
    """
    left, right = (
        checked_side(text, servers, pairs, committed=not uncommitted) for text in (source, target)
    )
    columns = [name for name in _COLUMNS if name not in ignored]
    with spark_run("compare", master, conf, quiet=as_json) as (spark, on_progress):
        from barnabas.pipelines import CompareOptions
        from barnabas.pipelines import compare as run

        found = run(
            spark,
            left,
            right,
            CompareOptions(
                columns=columns, by=cast("Literal['partition', 'key']", by), limit=limit
            ),
            on_progress,
        )
    _show(found, as_json=as_json)
    if not found.equal:
        sys.exit(1)


def part_rows(found: "Comparison") -> list[Row]:
    """A row for each partition, with the columns `PARTS`."""
    return [
        (one.topic, one.partition, one.source_records, one.target_records, _yes(equal=one.equal))
        for one in found.parts
    ]


def _show(found: "Comparison", *, as_json: bool) -> None:
    differences: list[Row] = [
        (
            one.topic,
            one.kind,
            one.source_partition,
            one.source_offset,
            one.target_partition,
            one.target_offset,
            None if one.key is None else one.key.decode(errors="backslashreplace"),
        )
        for one in found.differences
    ]
    if as_json:
        show_json(
            {
                "source": found.source,
                "target": found.target,
                "equal": found.equal,
                "partitions": objects(PARTS, part_rows(found)),
                "differences": objects(DIFFERENCES, differences),
            }
        )
        return
    show_rows(PARTS, part_rows(found), title=f"{found.source} and {found.target}", as_json=False)
    if differences:
        show_rows(DIFFERENCES, differences, title="The first differences", as_json=False)
    notice("equal" if found.equal else "they differ")


def _yes(*, equal: bool) -> str:
    return "yes" if equal else "no"
