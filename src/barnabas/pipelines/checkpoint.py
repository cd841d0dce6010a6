"""Read Spark's checkpoint of a streaming query: its id and its progress. Never writes.

Read through Spark, so that it may be wherever Spark can write.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from barnabas.spark.options.offsets import OffsetMap, offsets_from_json


@dataclass(frozen=True, slots=True)
class QueryCheckpoint:
    """The checkpoint of a query that reads topics."""

    path: str

    def query(self, spark: SparkSession) -> str | None:
        """The id of the query; None before its first run."""
        lines = _lines(spark, f"{self.path}/metadata")
        return None if lines is None else str(json.loads(lines[0])["id"])

    def ends(self, spark: SparkSession) -> OffsetMap:
        """The offset behind the last record of each partition, empty partitions included.

        Of the last batch that was committed; empty before the first one.
        """
        files = if_there(lambda: spark.read.text(f"{self.path}/commits"))
        if files is None:
            return {}
        number = f.col("_metadata.file_name").cast("long")
        last = files.select(f.max(number)).first()
        if last is None or last[0] is None:
            return {}
        lines = _lines(spark, f"{self.path}/offsets/{last[0]}") or []
        return offsets_from_json(json.loads(lines[-1])) if lines else {}


def if_there(read: Callable[[], DataFrame]) -> DataFrame | None:
    """A frame of files; None where there is no such path."""
    try:
        return read()
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        return None


def _lines(spark: SparkSession, path: str) -> list[str] | None:
    frame = if_there(lambda: spark.read.text(path))
    return None if frame is None else [row.value for row in frame.coalesce(1).collect()]
