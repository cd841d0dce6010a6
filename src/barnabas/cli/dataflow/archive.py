"""`barnabas archive`: topics to partitioned Parquet."""

from typing import Final

import click

from barnabas.cli.arguments.connection import connection_options
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.dataflow.addresses import check_cluster, cluster
from barnabas.cli.dataflow.spark_options import (
    records_per_batch_option,
    spark_options,
    spark_run,
    uncommitted_option,
)
from barnabas.cli.output.output import Row, json_option, objects, show_json, show_rows

COLUMNS: Final = ("topic", "partition", "checked")
_EXAMPLES = """\b
Examples:
  barnabas archive flights --to ./flights-archive
  barnabas archive flights delays --to s3a://bucket/archive --master spark://host:7077
"""


@click.command(epilog=_EXAMPLES)
@click.argument("topics", nargs=-1, required=True, type=TOPIC)
@click.option("--to", "directory", required=True, metavar="DIR", help="A path or URI; one archive.")
@records_per_batch_option
@uncommitted_option
@json_option
@spark_options
@connection_options
def archive(
    *,
    topics: tuple[str, ...],
    directory: str,
    records_per_batch: int,
    uncommitted: bool,
    as_json: bool,
    master: str,
    conf: tuple[str, ...],
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Write what TOPICS have now to Parquet files, each record once, and check that all are there.

    Run the command again to resume after an interruption, and to add new records.
    """
    source = cluster(servers, pairs, committed=not uncommitted)
    check_cluster(source, topics)
    with spark_run("archive", master, conf, quiet=as_json) as (spark, on_progress):
        from barnabas.pipelines import ArchiveOptions
        from barnabas.pipelines import archive as run

        done = run(
            spark,
            ArchiveOptions(
                source=source,
                topics=topics,
                directory=directory,
                records_per_batch=records_per_batch,
            ),
            on_progress,
        )
    rows: list[Row] = [(*where, count) for where, count in sorted(done.checked.items())]
    if as_json:
        parts = objects(COLUMNS, rows)
        show_json({"batches": done.batches, "records": done.records, "partitions": parts})
    else:
        title = f"{directory}: {done.records:,} records added; none missing, none twice"
        show_rows(COLUMNS, rows, title=title, as_json=False)
