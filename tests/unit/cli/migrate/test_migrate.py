"""What is wrong with a command line is an error before any broker is asked."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from barnabas.cli.migrate.migrate import migrate
from barnabas.errors import KafkaError


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "one of --from, --directory and --zookeeper"),
        (("--from", "a:1", "--directory", "b"), "one of --from, --directory and --zookeeper"),
        (("--from", "here"), "--from: here is not host:port: the port is missing"),
        (("--from", "2=here:no"), "--from: here:no is not host:port: the port must be a number"),
        (("--directory", "a", "--groups"), "--groups needs --zookeeper"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], why: str) -> None:
    done = CliRunner().invoke(migrate, ["dogs", *arguments])
    assert (done.exit_code, why in done.output) == (2, True), done.output


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    done = CliRunner().invoke(migrate, ["dogs", "--directory", str(tmp_path / "no")])
    assert isinstance(done.exception, KafkaError)
    assert str(tmp_path / "no") in str(done.exception)
