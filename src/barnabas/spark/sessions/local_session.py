"""A local Spark session with the connector's settings.

On a cluster this is not needed: Spark finds the data source where the package is installed.
"""

import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from barnabas.errors import ConfigError
from barnabas.spark.sessions import stream_environment
from barnabas.spark.sessions.java import default_cache, find_java, quiet_home
from barnabas.spark.sessions.python import installed_pyspark, python_for_workers

SETTINGS = {
    # Without a socket file each micro-batch takes 30 to 40 ms longer.
    "spark.python.unix.domain.socket.enabled": "true",
    # Spark's own ones print a traceback whenever a query needs only the first rows.
    "spark.python.worker.module": "pyspark_barnabas.worker",
    "spark.python.daemon.module": "pyspark_barnabas.daemon",
    # The Arrow writer is fastest with batches of about a thousand rows.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    # Spark prints errors, in a few lines each, and no warnings.
    "spark.driver.extraJavaOptions": (
        f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
    ),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # A host name that resolves to another address than the bound one breaks a local session.
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

FAST_CHECKPOINTS = {
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing."
        "FileSystemBasedCheckpointFileManager"
    ),
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
}
"""Checkpoint files of a local disk without checksum files: about 90 ms less per micro-batch."""

_JAVA_OF_SPARK_SUBMIT = "PYSPARK_GATEWAY_PORT"
"""The variable by which a program finds the Java that has started it."""


def session(
    name: str = "barnabas",
    *,
    master: str = "local[*]",
    fast_checkpoints: bool = False,
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """Start (or return) the local Spark session of this process.

    Finds Java (see `java`), has Spark's workers run the present Python, and sets what makes the connector
    fast. Sets JAVA_HOME, PYSPARK_PYTHON and PYSPARK_DRIVER_PYTHON in `os.environ`.

    Args:
        name: the application's name.
        master: Spark's master URL.
        fast_checkpoints: keep checkpoints on the local disk without checksum files.
        settings: Spark properties, which override the ones set here.

    Raises:
        JavaMissing: there is no Java 17 or later.
        ConfigError: a package that the connector needs is missing.
    """
    _check_packages()
    cache = default_cache()
    os.environ["JAVA_HOME"] = str(quiet_home(find_java(os.environ, cache=cache), cache=cache))
    # Otherwise Spark looks for a network address, and prints a warning with the one it has found.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    # Spark would start `python3` from PATH, which may lack the packages of this environment.
    # Another machine may have this Python, but not the program in front of it.
    local = master.startswith("local")
    program = _own_python() if local else sys.executable
    os.environ["PYSPARK_PYTHON"] = program
    os.environ["PYSPARK_DRIVER_PYTHON"] = program
    wanted = SETTINGS | (FAST_CHECKPOINTS if fast_checkpoints else {}) | dict(settings or {})
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in wanted.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    if local and _JAVA_OF_SPARK_SUBMIT in os.environ:
        # Java plans sources that it finds by itself with the Python of spark-submit.
        _register_sources(spark)
    stream_environment.fill(spark)
    return spark


def register(spark: SparkSession) -> None:
    """Register `format("barnabas")` and `format("barnabas-log")` in a session that does not find them.

    If the workers of a local session would run `python3` from PATH, they run the present Python from now on;
    PYSPARK_PYTHON is not changed if it is set.
    """
    # A Spark Connect session is of another class, and has no workers on this machine.
    connect = not isinstance(spark, SparkSession)
    if not connect and "PYSPARK_PYTHON" not in os.environ:
        context = spark.sparkContext
        if (context.master or "").startswith("local"):
            context.pythonExec = _own_python()
    _register_sources(spark)
    if not connect:
        stream_environment.fill(spark)


def _register_sources(spark: SparkSession) -> None:
    """Spark plans registered sources with the Python of the session's context."""
    from pyspark_barnabas import DefaultSource
    from pyspark_barnabas_log import DefaultSource as DirectorySource

    spark.dataSource.register(DefaultSource)
    spark.dataSource.register(DirectorySource)


def _own_python() -> str:
    """The program that starts the present Python for Spark's processes on this machine."""
    return python_for_workers(sys.executable, cache=default_cache(), installed=installed_pyspark())


def _check_packages() -> None:
    missing = [each for each in ("pyarrow",) if importlib.util.find_spec(each) is None]
    if missing:
        raise ConfigError(
            f"the Spark connector needs the package {', '.join(missing)}: "
            "pip install 'barnabas[spark]'"
        )
