"""`barnabas mirror`: topics of one cluster to another, with the positions of their groups."""

from typing import Final

import click

from barnabas.cli.arguments.connection import connection_options
from barnabas.cli.arguments.names import named
from barnabas.cli.arguments.usage import typed
from barnabas.cli.dataflow.addresses import cluster
from barnabas.cli.dataflow.compare import PARTS, part_rows
from barnabas.cli.dataflow.spark_options import shown_progress, spark_options, spark_session
from barnabas.cli.output.output import Row, show_json, show_rows

GROUPS: Final = (
    *("group", "topic", "partition", "source_offset", "target_offset"),
    *("was", "state"),
)
_EXAMPLES = """\b
Examples:
  barnabas mirror flights --from old:9092 --work ./flights-mirror -b new:9092
  barnabas mirror flights delays --from old:9092 --work ./both --all-groups
"""


@click.command(epilog=_EXAMPLES)
@click.argument("topics", nargs=-1, required=True, callback=named("topic"))
@click.option("--from", "source", required=True, metavar="HOST:PORT", help="The source's brokers.")
@click.option(
    "--from-property",
    "source_pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="A client property for the source, as -X is for the target; repeatable.",
)
@click.option(
    "--work",
    "directory",
    required=True,
    metavar="DIR",
    help="A path or URI where this mirror keeps how far it is.",
)
@click.option(
    "--rename", "renamed", multiple=True, metavar="OLD=NEW", help="Another name for a topic."
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    callback=named("group"),
    help="Move the positions of this group; repeatable.",
)
@click.option("--all-groups", is_flag=True, help="Move the positions of all groups.")
@click.option(
    "--records-per-batch",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="How many records of all partitions are written together.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@spark_options
@connection_options
def mirror(
    *,
    topics: tuple[str, ...],
    source: str,
    source_pairs: tuple[str, ...],
    directory: str,
    renamed: tuple[str, ...],
    groups: tuple[str, ...],
    all_groups: bool,
    records_per_batch: int,
    as_json: bool,
    master: str,
    conf: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Copy what TOPICS have now to the cluster of -b, each record once, and compare both.

    Partitions, order, keys, headers and timestamps are kept. Run the command again to resume after
    an interruption, and to copy what came since. Topics of Kafka 0.7: `barnabas migrate`.
    """
    if groups and all_groups:
        raise click.UsageError("give --group or --all-groups, not both")
    names = typed(renamed, "--rename")
    origin, target = cluster(source, source_pairs), cluster(servers, pairs)
    with (
        spark_session("mirror", master, conf) as spark,
        shown_progress(quiet=as_json) as on_progress,
    ):
        from barnabas.pipelines import MirrorOptions
        from barnabas.pipelines import mirror as run

        options = MirrorOptions(
            source=origin,
            target=target,
            topics=topics,
            directory=directory,
            names=names,
            groups=None if all_groups else groups,
            records_per_batch=records_per_batch,
        )
        done = run(spark, options, on_progress)
    parts = part_rows(done.comparison)
    moved: list[Row] = [
        (
            *(one.group, one.topic, one.partition, one.source_offset, one.target_offset),
            *(one.was, one.state),
        )
        for one in done.groups
    ]
    if as_json:
        show_json(
            {
                "batches": done.batches,
                "records": done.records,
                "partitions": [dict(zip(PARTS, row, strict=True)) for row in parts],
                "groups": [dict(zip(GROUPS, row, strict=True)) for row in moved],
            }
        )
        return
    title = f"{done.records:,} records copied; of what was compared none missing, none twice"
    show_rows(PARTS, parts, title=title, as_json=False)
    if moved:
        show_rows(GROUPS, moved, title="Groups", as_json=False)
