"""What is wrong with a command line is reported before anything starts."""

import pytest
from click.testing import CliRunner

from barnabas.cli.dataflow.mirror import mirror


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "name the source"),
        (("--from", "a:1", "--from-07", "b:1"), "name the source"),
        (("--from", "a:1", "--group", "g", "--all-groups"), "not both"),
        (("--from-07", "here"), "here is not host:port"),
        (("--from", "a:1", "--to-07", "there"), "there is not host:port"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], why: str) -> None:
    done = CliRunner().invoke(mirror, ["dogs", "--work", "w", *arguments])
    assert (done.exit_code, why in done.output) == (2, True), done.output
