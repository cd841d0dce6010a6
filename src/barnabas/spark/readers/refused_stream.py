"""A stream that cannot be read: raises the reason at Spark's first call.

Spark's runner stops the reader in a `finally`. Without a reader that fails, too, and the user sees only this
second error.
"""

from collections.abc import Sequence
from typing import NoReturn

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

from barnabas.errors import ConfigError, KafkaError
from barnabas.spark.errors import briefly


class RefusedStream(DataSourceStreamReader):
    """Every call raises `error`: `initialOffset` in a new query, others in a restarted one."""

    def __init__(self, error: ConfigError | KafkaError) -> None:
        self._error = error

    @briefly()
    def initialOffset(self) -> NoReturn:  # noqa: N802 (Spark's name)
        """Raise it."""
        raise self._error

    @briefly()
    def latestOffset(self, start: dict[str, object], limit: ReadLimit) -> NoReturn:  # noqa: ARG002, N802
        """Raise it."""
        raise self._error

    @briefly()
    def partitions(
        self,
        start: dict[str, object],  # noqa: ARG002
        end: dict[str, object],  # noqa: ARG002
    ) -> Sequence[InputPartition]:
        """Raise it."""
        raise self._error

    @briefly()
    def read(self, partition: InputPartition) -> NoReturn:  # noqa: ARG002
        """Raise it."""
        raise self._error
