"""`barnabas migrate`: copy a topic of Kafka 0.7 to a new topic.

The package `migration` has the rules.
"""

import sys
from contextlib import ExitStack, closing
from pathlib import Path

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import client_settings, connection_options
from barnabas.cli.arguments.names import named
from barnabas.cli.arguments.waiting_notice import waiting_notice
from barnabas.cli.migrate.run import MigrateArguments, MigrationRun
from barnabas.cli.migrate.source import open_registry, open_source
from barnabas.cli.output.output import json_option
from barnabas.cli.output.progress import progress_bars
from barnabas.client.core.cluster.missing_partitions import similar_names
from barnabas.errors import ConnectionFailed, RequestTimeout
from barnabas.migration.errors import TopicNotThere
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.files.disk import RealDisk

_CODECS = click.Choice([codec.name.lower() for codec in Codec])
_EXAMPLES = """\b
Examples:
  barnabas migrate dogs --directory /var/kafka-logs
  barnabas migrate dogs --from old1:9092 --from old2:9092 --to dogs-new -z zstd
  barnabas migrate dogs --zookeeper zk:2181 --groups
"""


@click.command(epilog=_EXAMPLES)
@click.argument("topic", callback=named("topic"))
@click.option("--from", "brokers", multiple=True, metavar="[N=]HOST:PORT", help="A 0.7 broker.")
@click.option(
    "--directory", "directories", multiple=True, metavar="[N=]DIR", help="Its log directory."
)
@click.option(
    "--zookeeper", metavar="HOST:PORT/PATH", help="The ZooKeeper of the 0.7 brokers and groups."
)
@click.option("--to", "target", metavar="NAME", help="The new topic; default: the same name.")
@click.option(
    "--map",
    "path",
    metavar="FILE",
    help="File for old and new offsets; default: TOPIC.migration.",
)
@click.option("-z", "--compression", type=_CODECS, default="none", show_default=True)
@click.option("--skip-corrupt", "skip", is_flag=True, help="Leave out records that cannot be read.")
@click.option("--groups", is_flag=True, help="Also move the positions of groups in ZooKeeper.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@json_option
@connection_options
def migrate(
    *,
    topic: str,
    brokers: tuple[str, ...],
    directories: tuple[str, ...],
    zookeeper: str | None,
    target: str | None,
    path: str | None,
    compression: str,
    servers: str,
    pairs: tuple[str, ...],
    skip: bool,
    groups: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Copy TOPIC of Kafka 0.7 to a new topic, compare both, and move its groups.

    N is the number of a broker; default: 0, 1, 2 ... Run the command again to resume after an
    interruption, and to copy new records.
    """
    if groups and zookeeper is None:
        raise click.UsageError("--groups needs --zookeeper, where 0.7 groups are stored")
    asked = MigrateArguments(
        topic,
        target or topic,
        str(Path(path or f"{topic}.migration").absolute()),
        Codec[compression.upper()],
        client_settings(servers, pairs),
        skip=skip,
        groups=groups,
    )
    with ExitStack() as stack:
        registry = None
        if zookeeper is not None:
            registry = stack.enter_context(closing(open_registry(zookeeper)))
        try:
            source = open_source(topic, brokers, directories, registry, RealDisk())
        except (ConnectionFailed, RequestTimeout) as error:
            error.add_note("--from has to name a broker of Kafka 0.7 that runs")
            raise
        except TopicNotThere as error:
            if near := similar_names(topic, error.known):
                error.add_note(near)
            raise
        stack.callback(source.close)
        admin = stack.enter_context(Admin(asked.settings))
        with waiting_notice(servers):
            cluster = admin.describe_cluster().cluster_id
        run = MigrationRun(asked, source, registry, admin, cluster)
        if dry_run:
            report = run.planned()
        else:
            progress = stack.enter_context(progress_bars(quiet=as_json, unit="bytes"))
            report = run.done(progress)
    report.show(as_json=as_json)
    if report.failed:
        sys.exit(1)
