"""`barnabas doctor`: check this machine, and suggest what to change."""

import click

from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.doctor.finding import Finding, Verdict
from barnabas.cli.output.output import json_option, show_rows


@click.command()
@click.option("--host", default="localhost", show_default=True, help="Address a broker would use.")
@click.option(
    "--port", type=WholeNumber(0, 65535), default=9092, show_default=True, help="Its port."
)
@click.option(
    "--data-dir",
    type=click.Path(),
    default="barnabas-data",
    show_default=True,
    help="Its data directory.",
)
@json_option
def doctor(*, host: str, port: int, data_dir: str, as_json: bool) -> None:
    """Check Python, kernels, packages, Java, port, limits and data directory.

    Each row is ok, a warning (it works, but slower or smaller than it could) or a problem, with
    what to do about it. Changes nothing. Exit code 1 if there is a problem.
    """
    findings = checked(host, port, data_dir)
    show_rows(Finding._fields, findings, title="This machine", as_json=as_json)
    if any(each.state is Verdict.PROBLEM for each in findings):
        raise click.exceptions.Exit(1)


def checked(host: str, port: int, data_dir: str) -> list[Finding]:
    """All findings, in the order in which a user needs them."""
    from barnabas.cli.doctor.packages import (
        check_java,
        check_kernels,
        check_packages,
        check_python,
    )
    from barnabas.cli.doctor.resources import check_descriptors, check_directory, check_port

    return [
        check_python(),
        check_kernels(),
        *check_packages(),
        check_java(),
        check_port(host, port),
        check_descriptors(),
        *check_directory(data_dir),
    ]
