"""A command on Spark where there is none."""

import pytest
from click.testing import CliRunner

from barnabas.cli.dataflow import spark_options
from barnabas.cli.dataflow.archive import archive
from barnabas.errors import ConfigError


def test_spark_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_options, "find_spec", lambda _name: None)
    done = CliRunner().invoke(archive, ["dogs", "--to", "./archive"])
    assert isinstance(done.exception, ConfigError)
    assert "pip install 'barnabas[spark]'" in str(done.exception)
