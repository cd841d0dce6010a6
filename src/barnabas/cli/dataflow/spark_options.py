"""Shared code of the commands that run on Spark: session, errors, progress."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click

from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.usage import typed
from barnabas.cli.output.progress import progress_bars
from barnabas.errors import ConfigError, KafkaError
from barnabas.extras import install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from barnabas.pipelines.running import OnProgress, PipelineProgress

_Command = TypeVar("_Command", bound=Callable[..., Any])


_CAUSE: Final = re.compile(r"(?:: |Caused by: )[\w.$]+(?:Exception|Error): (.+)")
_FILE: Final = re.compile(r"\[FAILED_READ_FILE\S*\] .*reading file (?:file://)?(\S+?)\.?(?:\s|$)")


class SparkFailed(KafkaError):
    """Spark gave up; the message is its first line."""


def spark_options(command: _Command) -> _Command:
    """Add --master and --conf; the command receives `master` and `conf`.

    It fails with a ConfigError where Spark is not installed.
    """

    @wraps(command)
    def checked(*arguments: Any, **options: Any) -> Any:
        if find_spec("pyspark") is None or find_spec("pyarrow") is None:
            raise ConfigError(f"this command runs on Spark: {install('spark')} brings it")
        return command(*arguments, **options)

    made: Callable[..., Any] = checked
    for option in (
        click.option(
            "--conf", multiple=True, metavar="NAME=VALUE", help="A Spark property; repeatable."
        ),
        click.option(
            "--master",
            default="local[*]",
            show_default=True,
            metavar="URL",
            help="Where Spark runs: this machine, or the master of a cluster.",
        ),
    ):
        made = option(made)
    return cast("_Command", made)


uncommitted_option: Final = click.option(
    "--uncommitted", is_flag=True, help="Include records of aborted transactions."
)
rename_option: Final = click.option(
    "--rename", "renamed", multiple=True, metavar="OLD=NEW", help="Another name for a topic."
)
records_per_batch_option: Final = click.option(
    "--records-per-batch",
    type=WholeNumber(1),
    default=1_000_000,
    show_default=True,
    help="How many records of all partitions are written together.",
)


@contextmanager
def spark_run(
    name: str, master: str, conf: tuple[str, ...], *, quiet: bool
) -> Iterator[tuple["SparkSession", "OnProgress"]]:
    """A session for one command, and where to report progress. Raises as `spark_session` does."""
    with spark_session(name, master, conf) as spark, shown_progress(quiet=quiet) as on_progress:
        yield spark, on_progress


@contextmanager
def spark_session(name: str, master: str, conf: tuple[str, ...]) -> Iterator["SparkSession"]:
    """A session for one command, which ends with it.

    Raises:
        JavaMissing: there is no Java for it.
        SparkFailed: in place of an error of Spark's.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    from barnabas.demo.interrupted import raise_interruption
    from barnabas.spark import session

    usual = {"spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1))}
    spark = session(f"barnabas {name}", master=master, settings=usual | typed(conf, "--conf"))
    try:
        with raise_interruption():
            yield spark
    except (PySparkException, Py4JJavaError) as error:
        raise SparkFailed(first_line(error)) from error
    # Not after a failure: after an interruption Py4J accepts no further call.
    spark.stop()


def first_line(error: Exception) -> str:
    """A sentence of ours in an error of Spark's; else the last cause that Java names, or its start."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    ours = [line for line in lines if "[BARNABAS_" in line]
    if ours:
        return ours[0]
    causes = [found[1] for line in lines if (found := _CAUSE.match(line))]
    cause = (causes or lines or [type(error).__name__])[-1 if causes else 0]
    if file := _FILE.search(str(error)):
        return (
            f"{file[1]} cannot be read ({cause}): bring the file back from a copy, or archive the "
            "topics again into another directory"
        )
    return cause


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator["OnProgress"]:
    """One bar for each step on a terminal's stderr; nothing elsewhere."""
    with progress_bars(quiet=quiet, unit="records") as bars:
        steps: set[str] = set()

        def show(progress: "PipelineProgress") -> None:
            total = progress.records + progress.left or None
            if progress.step not in steps:
                steps.add(progress.step)
                bars.begin(progress.step, total)
            bars.reach(progress.records, total, progress.step)

        yield show
