"""`barnabas pipeline`: makes, runs, shows and checks projects of declarative pipelines."""

from pathlib import Path

import click

from barnabas.cli.arguments.hints import DEFAULT_SERVERS
from barnabas.cli.arguments.names import starting
from barnabas.cli.arguments.usage import HintingCommand, HintingGroup, usage
from barnabas.cli.output.output import notice, show_json, show_rows
from barnabas.cli.pipeline.run import dry_run, run
from barnabas.cli.pipeline.status import status
from barnabas.cli.pipeline.verify import verify
from barnabas.client.core.cluster.bootstrap import parse_addresses
from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.templates import templates, write_project


@click.group(cls=HintingGroup)
def pipeline() -> None:
    """Run declarative pipelines of Spark that read and write topics.

    init writes a project; `spark-pipelines run` runs it, too. PROJECT is its folder, by default the
    current one.
    """


@pipeline.command(cls=HintingCommand)
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@click.option(
    "--template",
    metavar="TEMPLATE",
    shell_complete=lambda _ctx, _param, typed: starting(typed, templates()),
    help="What to write; `barnabas pipeline templates` lists all.",
)
@click.option(
    "-b",
    "--bootstrap-servers",
    "servers",
    default=DEFAULT_SERVERS,
    envvar="BARNABAS_BOOTSTRAP_SERVERS",
    show_default=True,
    metavar="HOST:PORT",
    help="The brokers that the project reads and writes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the files as JSON.")
def init(folder: Path, template: str | None, servers: str, *, as_json: bool) -> None:
    """Write a project into the new folder NAME."""
    known = templates()
    if template is None or template not in known:
        what = f"there is no template {template}" if template else "--template is missing"
        raise click.UsageError(f"{what}; the templates are {', '.join(known)}")
    with usage():
        parse_addresses(servers.split(","))
    try:
        written = write_project(folder, known[template], servers)
    except ProjectError as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        show_json({"folder": str(folder.absolute()), "files": [str(each) for each in written]})
        return
    for each in written:
        print(folder / each)
    notice(f"README.md says what it does. Next: barnabas pipeline run {folder}")


@pipeline.command("templates", cls=HintingCommand)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_templates(*, as_json: bool) -> None:
    """List the templates for init."""
    rows = [(one.name, one.summary) for one in templates().values()]
    show_rows(("template", "writes"), rows, title="Templates", as_json=as_json)


pipeline.add_command(run)
pipeline.add_command(dry_run)
pipeline.add_command(status)
pipeline.add_command(verify)
