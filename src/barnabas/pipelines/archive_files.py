"""An archive on disk: Parquet by topic, partition and batch, beside the checkpoint that wrote it.

    DIRECTORY/topic=flights/partition=0/batch=7/part-….zstd.parquet
    DIRECTORY/_checkpoint/…

A batch that is written again replaces the files of its own folders. So every reader of Parquet finds each
record once, even without Spark's own list of files.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from barnabas.pipelines.checkpoint import QueryCheckpoint, if_there
from barnabas.pipelines.errors import PipelineRefused
from barnabas.pipelines.topic_frames import RECORD
from barnabas.spark.options.offsets import OffsetMap

ARCHIVED: Final = f"{RECORD}, batch LONG"
"""The columns of an archive; `batch` numbers the micro-batch that wrote the record."""

FOLDERS: Final = ("topic", "partition", "batch")


@dataclass(frozen=True, slots=True)
class ArchiveDirectory:
    """An archive at a path or URI that Spark can read and write."""

    path: str

    @property
    def checkpoint(self) -> QueryCheckpoint:
        """The checkpoint, in which Spark stores the progress of the archive."""
        return QueryCheckpoint(f"{self.path.rstrip('/')}/_checkpoint")

    def records(self, spark: SparkSession) -> DataFrame:
        """All records, with the columns of `ARCHIVED`."""
        return spark.read.schema(ARCHIVED).parquet(self.path)

    def identity(self, spark: SparkSession) -> str | None:
        """The id of the query that writes the archive; None before its first run.

        Raises:
            PipelineRefused: there are records of an archive, but not its checkpoint.
        """
        query = self.checkpoint.query(spark)
        if query is not None:
            return query
        if self._has_files(spark):
            raise PipelineRefused(
                f"{self.path} has Parquet files but no {self.checkpoint.path}, which says how far the "
                "archive is: name an empty directory, or bring the checkpoint back"
            )
        return None

    def existing(self, spark: SparkSession) -> str:
        """As `identity`, of an archive that must be there.

        Raises:
            PipelineRefused: there is none.
        """
        found = self.identity(spark)
        if found is None:
            raise PipelineRefused(
                f"there is no archive in {self.path}; `barnabas archive TOPIC --to {self.path}` "
                "makes one"
            )
        return found

    def chosen(self, spark: SparkSession, topics: Collection[str]) -> OffsetMap:
        """The progress of the archive: the end of each partition of some topics, or of all if none is named.

        Raises:
            PipelineRefused: the archive lacks one of them, or is empty.
        """
        ends = self.checkpoint.ends(spark)
        if not ends:
            raise PipelineRefused(f"the archive {self.path} has no records yet: archive some first")
        there = {where.topic for where in ends}
        if missing := sorted(set(topics) - there):
            raise PipelineRefused(
                f"the archive {self.path} has no topic {', '.join(missing)}; it has "
                f"{', '.join(sorted(there))}"
            )
        return {where: end for where, end in ends.items() if not topics or where.topic in topics}

    def _has_files(self, spark: SparkSession) -> bool:
        found = if_there(lambda: self.records(spark))
        return found is not None and bool(found.inputFiles())
