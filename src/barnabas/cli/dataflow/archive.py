"""`barnabas archive`: topics to partitioned Parquet."""

from typing import Final

import click

from barnabas.cli.arguments.connection import connection_options
from barnabas.cli.arguments.names import named
from barnabas.cli.dataflow.addresses import cluster
from barnabas.cli.dataflow.spark_options import shown_progress, spark_options, spark_session
from barnabas.cli.output.output import Row, show_json, show_rows

COLUMNS: Final = ("topic", "partition", "checked")
_EXAMPLES = """\b
Examples:
  barnabas archive flights --to ./flights-archive
  barnabas archive flights delays --to s3a://bucket/archive --master spark://host:7077
"""


@click.command(epilog=_EXAMPLES)
@click.argument("topics", nargs=-1, required=True, callback=named("topic"))
@click.option("--to", "directory", required=True, metavar="DIR", help="A path or URI; one archive.")
@click.option(
    "--records-per-batch",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="How many records of all partitions are written together.",
)
@click.option("--uncommitted", is_flag=True, help="Include records of aborted transactions.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
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
    with (
        spark_session("archive", master, conf) as spark,
        shown_progress(quiet=as_json) as on_progress,
    ):
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
        parts = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        show_json({"batches": done.batches, "records": done.records, "partitions": parts})
    else:
        title = f"{directory}: {done.records:,} records added; none missing, none twice"
        show_rows(COLUMNS, rows, title=title, as_json=False)
