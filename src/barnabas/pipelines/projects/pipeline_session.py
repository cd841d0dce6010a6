"""Spark for a pipeline: a session of this machine with Spark Connect in it, as pipelines need it.

`spark-pipelines` does the same with a port that is always 15002: two pipelines at a time could not run.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, cast

from pyspark.sql import SparkSession

from barnabas.extras import check_extra
from barnabas.pipelines.projects.project import Project, start_settings
from barnabas.runtime.entropy import SystemEntropy
from barnabas.spark.sessions.local_session import SETTINGS, session

_NEEDED: Final = ("grpc", "grpc_status", "yaml", "zstandard")
_TOKEN: Final = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # noqa: S105 - the name of a variable
_CONNECT: Final = "SPARK_CONNECT_MODE_ENABLED"

_SERVER: Final = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.sql.connect.serverStacktrace.enabled": "false",
    # The reason of a failure is in the error at the end of a run.
    "spark.log.level": "OFF",
    # As PySpark sets them for its own local server.
    "spark.sql.artifact.isolation.enabled": "true",
    "spark.sql.artifact.isolation.alwaysApplyClassloader": "true",
}
_JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"

QUIET_DERBY: Final = {
    # It would write derby.log into the current directory.
    _JAVA_OPTIONS: f"{SETTINGS[_JAVA_OPTIONS]} -Dderby.stream.error.file=/dev/null",
}


@contextmanager
def pipeline_session(project: Project, *, master: str = "local[*]") -> Iterator[SparkSession]:
    """A session of Spark Connect whose server is in this process's own Java, until the block ends.

    `spark` of definitions, `SparkSession.active()` and this one are the same.

    Args:
        project: its configuration is stronger than what `barnabas.spark.session` sets.
        master: Spark's master URL.

    Raises:
        ConfigError: a package is missing.
        JavaMissing: there is no Java 17 or later.
    """
    check_extra("pipelines", "pipelines", *_NEEDED)
    # Without a password everybody on this machine could connect.
    os.environ[_TOKEN] = SystemEntropy().uuid().hex()
    settings = {**_SERVER, **QUIET_DERBY, **start_settings(project)}
    classic = session(project.name, master=master, settings=settings)
    try:
        from pyspark.sql.connect.session import SparkSession as Connected

        service = getattr(
            classic._jvm,  # noqa: SLF001 - the port is nowhere else
            "org.apache.spark.sql.connect.service.SparkConnectService$",
        )
        port = getattr(service, "MODULE$").localPort()
        os.environ[_CONNECT] = "1"
        # By another name of this machine PySpark sends a password over TLS only.
        connected = Connected.builder.remote(f"sc://localhost:{port}").create()
        try:
            for key, value in project.configuration.items():
                # Spark takes no other names than spark.* before its start.
                if classic.conf.get(key, None) != value:
                    connected.conf.set(key, value)
            # PySpark types the methods of pipelines with the class of plain sessions.
            yield cast("SparkSession", connected)
        finally:
            _silence(classic)
            connected.stop()
    finally:
        os.environ.pop(_CONNECT, None)
        classic.stop()


def _silence(classic: SparkSession) -> None:
    """Keep Java off stderr: a thread of a pipeline that is stopped prints how that surprised it."""
    assert classic._jvm is not None  # noqa: SLF001 - no other way
    java = classic._jvm.java  # noqa: SLF001
    java.lang.System.setErr(java.io.PrintStream(java.io.OutputStream.nullOutputStream()))
