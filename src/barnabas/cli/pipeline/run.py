"""`barnabas pipeline run` and `dry-run`."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from barnabas.cli.arguments.hints import add_hint
from barnabas.cli.arguments.numbers import Number
from barnabas.cli.arguments.usage import HintingCommand
from barnabas.cli.output.output import notice, show_json, show_rows
from barnabas.cli.output.printable import printable
from barnabas.cli.pipeline.packages import check_pyspark
from barnabas.errors import KafkaError

if TYPE_CHECKING:
    from barnabas.pipelines.projects.project import Project

PROJECT: Final = click.argument(
    "where", metavar="[PROJECT]", type=click.Path(path_type=Path), default=Path()
)
MASTER: Final = click.option(
    "--master", default="local[*]", show_default=True, help="Spark's master URL."
)


@click.command(cls=HintingCommand)
@PROJECT
@MASTER
@click.option("--refresh", multiple=True, metavar="OUTPUT", help="Update only this; repeatable.")
@click.option("--full-refresh", multiple=True, metavar="OUTPUT", help="Refill this; repeatable.")
@click.option("--full-refresh-all", is_flag=True, help="Refill everything.")
@click.option(
    "--with-broker",
    is_flag=True,
    help="Start a broker at the project's address for this time, with the project's topics.",
)
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="The broker's data; default: broker in the project's folder.",
)
@click.option(
    "--every",
    type=Number(min=0),
    metavar="SECONDS",
    help="Run again so long after each run, until Ctrl-C.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def run(
    *,
    where: Path,
    master: str,
    refresh: tuple[str, ...],
    full_refresh: tuple[str, ...],
    full_refresh_all: bool,
    with_broker: bool,
    data_dir: Path | None,
    every: float | None,
    as_json: bool,
) -> None:
    """Run a project until everything that is in its topics now is done.

    The next run continues where this one ended. Ctrl-C stops at any time without loss.
    """
    if full_refresh_all and (full_refresh or refresh):
        raise click.UsageError("--full-refresh-all fills everything: leave out the other refreshes")
    if data_dir and not with_broker:
        raise click.UsageError("--data-dir is for --with-broker")
    check_pyspark()
    from barnabas.pipelines.projects.project import load_project
    from barnabas.pipelines.projects.run import RunOptions
    from barnabas.pipelines.projects.run import run as run_project
    from barnabas.pipelines.projects.topic_check import check_sources

    project = load_project(where)
    options = RunOptions(
        refresh=refresh,
        full_refresh=full_refresh,
        full_refresh_all=full_refresh_all,
        master=master,
    )
    with _broker(project, data_dir, wanted=with_broker):
        with _hinting(project):
            check_sources(project)
        notice("starting Spark …")
        state = run_project(project, options, _show_event, partial(_again, every))
    if as_json:
        took = (state.ended_ms or state.started_ms) - state.started_ms
        show_json({"pipeline": project.name, "flows": state.flows, "milliseconds": took})
        return
    rows = [(flow, what.lower()) for flow, what in sorted(state.flows.items())]
    show_rows(("flow", "state"), rows, title=f"Pipeline {project.name}", as_json=False)


@click.command("dry-run", cls=HintingCommand)
@PROJECT
@MASTER
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def dry_run(*, where: Path, master: str, as_json: bool) -> None:
    """Check a project without running it: its files, tables, columns and topics."""
    check_pyspark()
    from barnabas.pipelines.projects.project import load_project
    from barnabas.pipelines.projects.run import RunOptions
    from barnabas.pipelines.projects.run import run as run_project
    from barnabas.pipelines.projects.topic_check import check_sources

    project = load_project(where)
    with _hinting(project):
        check_sources(project)
    notice("starting Spark …")
    run_project(project, RunOptions(dry=True, master=master), _show_event)
    if as_json:
        show_json({"pipeline": project.name, "valid": True})
    else:
        notice(f"{project.name} is valid")


@contextmanager
def _broker(project: "Project", data_dir: Path | None, *, wanted: bool) -> Iterator[None]:
    """Keep a broker at the address that the project names, if it is wanted."""
    if not wanted:
        yield
        return
    from barnabas.pipelines.projects.own_broker import own_broker

    with own_broker(project, data_dir or project.folder / "broker") as servers:
        notice(f"a broker listens on {servers}")
        yield


@contextmanager
def _hinting(project: "Project") -> Iterator[None]:
    """If the project's brokers do not respond, advise what to start or to change."""
    from barnabas.pipelines.projects.project import servers_of

    try:
        yield
    except KafkaError as error:
        add_hint(error, servers_of(project), "spark.barnabas.servers in spark-pipeline.yml")
        raise


def _again(every: float | None) -> bool:
    """Wait for the next run; there is none without --every, or after Ctrl-C."""
    if every is None:
        return False
    try:
        time.sleep(every)
    except KeyboardInterrupt:
        return False
    return True


def _show_event(message: str) -> None:
    print(printable(message.splitlines()[0]), file=sys.stderr, flush=True)
