"""A command on Spark where there is none."""

import pytest
from click.testing import CliRunner

from barnabas.cli.dataflow import spark_options
from barnabas.cli.dataflow.archive import archive
from barnabas.cli.dataflow.spark_options import first_line
from barnabas.errors import ConfigError


def test_spark_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_options, "find_spec", lambda _name: None)
    done = CliRunner().invoke(archive, ["dogs", "--to", "./archive"])
    assert isinstance(done.exception, ConfigError)
    assert "pip install 'barnabas[spark]'" in str(done.exception)


UNREADABLE = """An error occurred while calling o71.collectToPython.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file \
file:///a/batch=0/part-0.zstd.parquet.  SQLSTATE: KD001
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotReadFilesError(Errors.scala:920)
Caused by: java.lang.RuntimeException: file:/a/batch=0/part-0.zstd.parquet is not a Parquet file
\tat org.apache.parquet.hadoop.ParquetFileReader.readFooter(ParquetFileReader.java:589)
"""
"""What Spark 4.2 says of a file that was cut off, shortened."""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            UNREADABLE,
            (
                "/a/batch=0/part-0.zstd.parquet cannot be read (file:/a/batch=0/part-0.zstd.parquet is not a "
                "Parquet file): bring the file back from a copy, or archive the topics again into another "
                "directory"
            ),
        ),
        (
            (
                "An error occurred while calling o1.x.\n: a.b.SparkException: Job aborted.\n\tat x\n"
                "Caused by: java.io.IOException: No space left on device\n\tat y\n"
            ),
            "No space left on device",
        ),
        (
            "Job aborted\n [BARNABAS_NO_TOPIC] gone\nCaused by: a.XError: b",
            "[BARNABAS_NO_TOPIC] gone",
        ),
        ("[PATH_NOT_FOUND] no such path.\nmore", "[PATH_NOT_FOUND] no such path."),
        ("", "RuntimeError"),
    ],
)
def test_the_cause_of_an_error_of_sparks(text: str, line: str) -> None:
    assert first_line(RuntimeError(text)) == line
