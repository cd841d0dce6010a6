"""`barnabas replay`: an archive back into topics."""

import click

from barnabas.cli.arguments.connection import connection_options
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.usage import typed
from barnabas.cli.dataflow.addresses import check_cluster, cluster
from barnabas.cli.dataflow.compare import PARTS, part_rows
from barnabas.cli.dataflow.spark_options import (
    rename_option,
    spark_options,
    spark_run,
)
from barnabas.cli.output.output import json_option, objects, show_json, show_rows

_EXAMPLES = """\b
Examples:
  barnabas replay ./flights-archive
  barnabas replay ./flights-archive --topic flights --rename flights=flights-again
"""


@click.command(epilog=_EXAMPLES)
@click.argument("directory", metavar="DIR")
@click.option(
    "--topic",
    "topics",
    multiple=True,
    type=TOPIC,
    help="Only this topic of the archive; repeatable.",
)
@rename_option
@click.option(
    "--tasks",
    type=WholeNumber(1),
    default=4,
    show_default=True,
    help="Transactions for each batch; the same in all runs of a replay.",
)
@json_option
@spark_options
@connection_options
def replay(
    *,
    directory: str,
    topics: tuple[str, ...],
    renamed: tuple[str, ...],
    tasks: int,
    as_json: bool,
    master: str,
    conf: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Write the archive in DIR to its topics, each record once, and compare both.

    Partitions, order, keys, headers and timestamps are kept. Run the command again to resume after
    an interruption, and to write what the archive has got since.
    """
    names = typed(renamed, "--rename")
    target = cluster(servers, pairs)
    check_cluster(target)
    with spark_run("replay", master, conf, quiet=as_json) as (spark, on_progress):
        from barnabas.pipelines import ReplayOptions
        from barnabas.pipelines import replay as run

        options = ReplayOptions(
            directory=directory, target=target, topics=topics, names=names, tasks=tasks
        )
        done = run(spark, options, on_progress)
    rows = part_rows(done.comparison)
    if as_json:
        parts = objects(PARTS, rows)
        show_json({"batches": done.batches, "records": done.records, "partitions": parts})
    else:
        title = f"{directory}: {done.records:,} records written; none missing, none twice"
        show_rows(PARTS, rows, title=title, as_json=False)
