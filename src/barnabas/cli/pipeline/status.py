"""`barnabas pipeline status`: what each flow does, its last batch and its lag."""

from pathlib import Path

import click

from barnabas.cli.arguments.connection import administering, client_settings
from barnabas.cli.arguments.hints import add_hint
from barnabas.cli.arguments.usage import HintingCommand
from barnabas.cli.output.output import Cell, Moment, notice, show_rows
from barnabas.cli.pipeline.packages import check_pyspark
from barnabas.cli.pipeline.run import PROJECT
from barnabas.errors import KafkaError

_COLUMNS = ("flow", "state", "batch", "planned_ms", "topic", "lag")


@click.command(cls=HintingCommand)
@PROJECT
@click.option(
    "-b",
    "--bootstrap-servers",
    "servers",
    metavar="HOST:PORT",
    help="The brokers; default: those of the project.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def status(*, where: Path, servers: str | None, as_json: bool) -> None:
    """Show each flow: its state in the last run, its last batch, and its lag for each topic.

    The lag is the number of records behind what the last finished batch read; a run need not be
    under way.
    """
    check_pyspark()
    from barnabas.pipelines.projects import run_state
    from barnabas.pipelines.projects.project import load_project, servers_of
    from barnabas.pipelines.projects.status import flow_statuses

    project = load_project(where)
    servers = servers or servers_of(project)
    try:
        with administering(servers, client_settings(servers, ())) as admin:
            flows = flow_statuses(project, admin)
    except KafkaError as error:
        add_hint(error, servers)
        raise
    rows: list[tuple[Cell, ...]] = []
    for one in flows:
        batch = None if one.position is None else one.position.batch
        planned = None if one.position is None else Moment(one.position.planned_ms)
        for topic, lag in one.lag.items() or ((None, None),):
            rows.append((one.flow, one.state, batch, planned, topic, lag))
    show_rows(_COLUMNS, rows, title=f"Pipeline {project.name}", as_json=as_json)
    last = run_state.last_run(project.folder)
    if last is None:
        notice(f"{project.name} has not run yet: barnabas pipeline run {where}")
    elif last.error is not None:
        notice(f"the last run failed: {last.error}")
