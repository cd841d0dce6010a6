"""`barnabas doctor`: check this machine, and suggest what to change."""

import click

from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.doctor.finding import Finding, Verdict
from barnabas.cli.output.output import json_option, show_rows


@click.command()
@click.option("--host", help="Address a broker would use; default localhost.")
@click.option("--port", type=WholeNumber(0, 65535), help="Its port; default 9092.")
@click.option("--data-dir", type=click.Path(), help="Its data directory; default barnabas-data.")
@click.option(
    "--config",
    type=click.Path(dir_okay=False),
    help="Its server.properties: also check that file, and what it names.",
)
@json_option
def doctor(
    *, host: str | None, port: int | None, data_dir: str | None, config: str | None, as_json: bool
) -> None:
    """Check Python, kernels, packages, Java, port, limits and data directory.

    Each row is ok, missing (an optional part that is not installed), a warning (it works, but slower
    or smaller than it could) or a problem, with what to do about it. Changes nothing. Exit code 1
    if there is a problem.
    """
    findings = checked(host, port, data_dir, config)
    show_rows(Finding._fields, findings, title="This machine", as_json=as_json)
    if any(each.state is Verdict.PROBLEM for each in findings):
        raise click.exceptions.Exit(1)


def checked(
    host: str | None, port: int | None, data_dir: str | None, config: str | None
) -> list[Finding]:
    """All findings, in the order in which a user needs them."""
    from barnabas.cli.doctor.packages import (
        check_java,
        check_kernels,
        check_packages,
        check_python,
    )
    from barnabas.cli.doctor.properties import check_properties
    from barnabas.cli.doctor.resources import check_descriptors, check_directory, check_port

    found = check_properties(config, port, host, data_dir)
    return [
        check_python(),
        check_kernels(),
        *check_packages(),
        check_java(),
        *found.findings,
        *(check_port(*place) for place in found.places),
        check_descriptors(),
        *(row for directory in found.directories for row in check_directory(directory)),
    ]
