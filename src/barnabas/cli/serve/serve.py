"""`barnabas serve`: run a broker until a signal ends it. The broker itself is elsewhere."""

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import click

from barnabas.cli.arguments.names import complete_properties, complete_releases, named
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.usage import usage
from barnabas.cli.output.log_lines import log_from
from barnabas.cli.serve.one_broker import run_broker
from barnabas.cli.serve.properties import configuration, from_options, read_file, set_properties
from barnabas.config.property_files import merge
from barnabas.config.releases import release_line

if TYPE_CHECKING:
    from barnabas.cli.console_process import ConsoleProcess

_LEVELS = click.Choice(["debug", "info", "warning", "error"])


@click.command()
@click.option("--port", type=WholeNumber(0, 65535), help="Port; default 9092; 0: any free port.")
@click.option("--host", help="Address to listen on; default localhost; '' for all.")
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False),
    callback=named("data directory"),
    help="The directory of the logs.",
)
@click.option("--config", type=click.Path(dir_okay=False), help="A server.properties file.")
@click.option(
    "--profile",
    metavar="RELEASE",
    shell_complete=complete_releases,
    help="Emulate this Kafka release, as 0.8.2 or 3.9: `barnabas profiles` lists them.",
)
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=complete_properties,
    help="Set one property; repeatable.",
)
@click.option(
    "--metrics-port",
    type=WholeNumber(0, 65535),
    help="Serve /metrics for Prometheus on this port, on --host; 0: any free port. Several brokers have "
    "ports one after the other.",
)
@click.option(
    "--ephemeral", is_flag=True, help="Keep the logs in a directory that is deleted at the end."
)
@click.option(
    "--console-port",
    type=WholeNumber(0, 65535),
    help="Also show the broker in a browser, on this port of this machine: `barnabas console`.",
)
@click.option(
    "--watch/--no-watch",
    "may_watch",
    default=True,
    help="Whether the console may show what connections send and receive. Default: it may.",
)
@click.option(
    "--brokers",
    type=WholeNumber(1, 100),
    default=1,
    help="Run a cluster of so many brokers, on ports one after the other (default 1).",
)
@click.option(
    "--zookeeper",
    type=click.Choice(["local"]),
    help="local: each of the brokers is a process, under a ZooKeeper that is started with them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the address as one line of JSON.")
@click.option("--until-stdin-ends", is_flag=True, hidden=True)
@click.option("--log-level", type=_LEVELS, default="warning", show_default=True)
def serve(
    *,
    port: int | None,
    host: str | None,
    data_dir: str | None,
    config: str | None,
    profile: str | None,
    pairs: tuple[str, ...],
    metrics_port: int | None,
    ephemeral: bool,
    console_port: int | None,
    may_watch: bool,
    brokers: int,
    zookeeper: str | None,
    as_json: bool,
    until_stdin_ends: bool,
    log_level: str,
) -> None:
    """Run a broker in this process, or a cluster, until SIGTERM, SIGHUP or Ctrl-C.

    Properties have Kafka's names. --port, --host and --data-dir override --set, which overrides
    --config. With --brokers they are those of each broker; the data directory gets a folder for each.
    """
    log_from(log_level)
    if ephemeral and data_dir:
        raise click.UsageError("--ephemeral creates its own directory: leave out --data-dir")
    with (
        usage(),
        # Before the broker starts: what the console lacks ends the command, not the console alone.
        _console(console_port) as console,
        _directory(data_dir, ephemeral=ephemeral) as directory,
    ):
        release = release_line(profile) if profile else ""
        given = merge(read_file(config), set_properties(pairs, release))
        if brokers > 1 or zookeeper is not None:
            from barnabas.cli.local_cluster.options import ClusterOptions

            wanted = ClusterOptions(brokers, release, directory, host, port, metrics_port)
            if zookeeper is None:
                from barnabas.cli.local_cluster.one_process import serve_in_one_process

                serve_in_one_process(wanted, given, configuration, console, as_json=as_json)
            else:
                from barnabas.cli.local_cluster.processes import serve_in_processes

                serve_in_processes(
                    wanted, given, configuration, console, log_level=log_level, as_json=as_json
                )
            return
        given |= from_options(given, port, host, directory)
        run_broker(
            configuration(given, release),
            metrics_port=metrics_port,
            console=console,
            may_watch=may_watch,
            as_json=as_json,
            until_stdin_ends=until_stdin_ends,
        )


@contextlib.contextmanager
def _directory(data_dir: str | None, *, ephemeral: bool) -> Iterator[str | None]:
    """Open the data directory that the options name; an ephemeral one is deleted afterwards."""
    if not ephemeral:
        yield data_dir
        return
    import shutil
    import tempfile

    made = tempfile.mkdtemp(prefix="barnabas-")
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _console(port: int | None) -> "AbstractContextManager[ConsoleProcess | None]":
    if port is None:
        return contextlib.nullcontext()
    # Imported late: most brokers have none.
    from barnabas.cli.console_process import ConsoleProcess

    return ConsoleProcess(port)
