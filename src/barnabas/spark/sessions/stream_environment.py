"""The environment variables that Spark gives to the Python processes of streams.

Spark keeps one map of them for each data source, and adds to it without a lock whenever a stream starts. If
two streams start at the same moment, both may add the same name. The size of the map is then wrong, and no
job of the data source can be sent to an executor until the session ends ("Illegal size 5 of collection,
expected 6"). Names that exist already are only overwritten, which is safe.
"""

import logging
from collections.abc import Iterable
from tempfile import gettempdir
from typing import Protocol, cast

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

_log = logging.getLogger(__name__)

PER_STREAM = {
    "SPARK_LOCAL_DIRS": ("spark.local.dir", gettempdir()),
    "SPARK_AUTH_SOCKET_TIMEOUT": ("spark.python.authenticate.socketTimeout", "15"),
    "SPARK_BUFFER_SIZE": ("spark.buffer.size", "65536"),
    "SPARK_PYTHON_RUNTIME": ("", "PYTHON_WORKER"),
}
"""The names that a stream adds, each with the property of its value, and Spark's default."""


class JavaMap(Protocol):
    """The used methods of a `java.util.Map`, through py4j."""

    def keySet(self) -> "JavaSet": ...  # noqa: N802, D102

    def putIfAbsent(self, name: str, value: str | None) -> object: ...  # noqa: N802, D102


class JavaSet(Protocol):
    """The used methods of a `java.util.Set`."""

    def toArray(self) -> Iterable[object]: ...  # noqa: N802, D102


def names(spark: SparkSession) -> list[str]:
    """The names in the map, read one by one."""
    return [str(each) for each in _shared(spark).keySet().toArray()]


def fill(spark: SparkSession) -> None:
    """Add the names that streams would add, before anything else uses the data source.

    Existing values stay. If another release of Spark keeps the map elsewhere, this does nothing.
    """
    try:
        shared = _shared(spark)
    except Py4JError as error:
        _log.warning("start streams one after another, not at the same moment: %s", error)
        return
    for name, (setting, default) in PER_STREAM.items():
        value = spark.conf.get(setting, default) if setting else default
        shared.putIfAbsent(name, value)


def _shared(spark: SparkSession) -> JavaMap:
    manager = spark._jsparkSession.sessionState().dataSourceManager()  # noqa: SLF001 - no other way
    return cast("JavaMap", manager.lookupDataSource("barnabas").dataSourceCls().envVars())
