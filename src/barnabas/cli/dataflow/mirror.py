"""`barnabas mirror`: topics of one cluster to another, with the positions of their groups."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import click

from barnabas.cli.arguments.connection import connection_options
from barnabas.cli.arguments.names import SOURCE_GROUP, SOURCE_TOPIC
from barnabas.cli.arguments.usage import typed
from barnabas.cli.dataflow.addresses import (
    check_cluster,
    check_old_cluster,
    cluster,
    old_cluster,
)
from barnabas.cli.dataflow.compare import PARTS, part_rows
from barnabas.cli.dataflow.spark_options import (
    records_per_batch_option,
    rename_option,
    shown_progress,
    spark_options,
    spark_session,
)
from barnabas.cli.output.output import Row, json_option, objects, show_json, show_rows

if TYPE_CHECKING:
    from barnabas.pipelines.mirrors.mirror_07 import Kafka07Address
    from barnabas.pipelines.topic_frames import ClusterAddress

GROUPS: Final = (
    *("group", "topic", "partition", "source_offset", "target_offset"),
    *("was", "state"),
)
_EXAMPLES = """\b
Examples:
  barnabas mirror flights --from old:9092 --work ./flights-mirror -b new:9092
  barnabas mirror flights delays --from old:9092 --work ./both --all-groups
  barnabas mirror dogs --zookeeper zk:2181 --work ./dogs --all-groups
  barnabas mirror dogs --from new:9092 --to-07 old:9092 --work ./dogs-back
"""


@click.command(epilog=_EXAMPLES)
@click.argument("topics", nargs=-1, required=True, type=SOURCE_TOPIC)
@click.option("--from", "source", metavar="HOST:PORT", help="The source's brokers.")
@click.option(
    "--from-07",
    "old",
    multiple=True,
    metavar="[N=]HOST:PORT",
    help="A broker of Kafka 0.7; repeatable.",
)
@click.option(
    "--zookeeper",
    metavar="HOST:PORT/PATH",
    help="The ZooKeeper of brokers and groups of Kafka 0.7.",
)
@click.option(
    "--to-07",
    "old_targets",
    multiple=True,
    metavar="[N=]HOST:PORT",
    help="A broker of Kafka 0.7 as the target, in place of -b; repeatable.",
)
@click.option(
    "--to-zookeeper",
    metavar="HOST:PORT/PATH",
    help="The ZooKeeper of brokers and groups of Kafka 0.7 as the target.",
)
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
@rename_option
@click.option(
    "--group",
    "groups",
    multiple=True,
    type=SOURCE_GROUP,
    help="Move the positions of this group; repeatable.",
)
@click.option("--all-groups", is_flag=True, help="Move the positions of all groups.")
@records_per_batch_option
@json_option
@spark_options
@connection_options
def mirror(
    *,
    topics: tuple[str, ...],
    source: str | None,
    old: tuple[str, ...],
    zookeeper: str | None,
    old_targets: tuple[str, ...],
    to_zookeeper: str | None,
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
    an interruption, and to copy what came since.
    """
    if groups and all_groups:
        raise click.UsageError("give --group or --all-groups, not both")
    if bool(source) == bool(old or zookeeper):
        raise click.UsageError(
            "name the source with --from, or of Kafka 0.7 --from-07 or --zookeeper"
        )
    chosen = None if all_groups else groups
    names = typed(renamed, "--rename")
    target: ClusterAddress | Kafka07Address
    if old_targets or to_zookeeper:
        target = old_cluster(old_targets, to_zookeeper)
    else:
        target = cluster(servers, pairs)
    origin: ClusterAddress | Kafka07Address
    origin = cluster(source, source_pairs) if source else old_cluster(old, zookeeper)
    _check_both(origin, target, topics, names)
    with ExitStack() as stack:
        spark = None
        if source and not (old_targets or to_zookeeper):
            spark = stack.enter_context(spark_session("mirror", master, conf))
        on_progress = stack.enter_context(shown_progress(quiet=as_json))
        from barnabas.pipelines import MirrorOptions
        from barnabas.pipelines import mirror as run

        options = MirrorOptions(
            source=origin,
            target=target,
            topics=topics,
            directory=directory,
            names=names,
            groups=chosen,
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
                "partitions": objects(PARTS, parts),
                "groups": objects(GROUPS, moved),
            }
        )
        return
    title = f"{done.records:,} records copied; of what was compared none missing, none twice"
    show_rows(PARTS, parts, title=title, as_json=False)
    if moved:
        show_rows(GROUPS, moved, title="Groups", as_json=False)


def _check_both(
    origin: "ClusterAddress | Kafka07Address",
    target: "ClusterAddress | Kafka07Address",
    topics: Sequence[str],
    names: Mapping[str, str],
) -> None:
    """Ask both before Spark is started; the mirror asks brokers that ZooKeeper names."""
    from barnabas.pipelines.topic_frames import ClusterAddress

    if isinstance(origin, ClusterAddress):
        check_cluster(origin, topics, "--from")
    else:
        check_old_cluster(origin, topics[0], "--from-07")
    if isinstance(target, ClusterAddress):
        check_cluster(target)
    else:
        check_old_cluster(target, names.get(topics[0], topics[0]), "--to-07")
