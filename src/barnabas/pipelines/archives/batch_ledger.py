"""What each batch of an archive wrote, kept beside its files: so a file that is lost or doubled is found.

    DIRECTORY/_batches/7/…json      the records of batch 7, counted and hashed by partition

Offsets alone do not show it: transactions and compaction leave gaps in them.
"""

import logging
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from barnabas.pipelines.checkpoint import if_there
from barnabas.pipelines.comparisons.offset_check import hash_sum
from barnabas.pipelines.errors import PipelineRefused
from barnabas.spark.workers.worker_retries import despite_late_workers

log = logging.getLogger(__name__)

_FOLDERS: Final = "topic STRING, partition INT, batch LONG"
_KEPT: Final = f"{_FOLDERS}, rows LONG, offset_low LONG, offset_high LONG"
_SHOWN: Final = 3

_Batch = tuple[str, int, int]
_Sums = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class BatchLedger:
    """The ledger of the archive at `path`; Spark takes its folder for none of the archive's."""

    path: str

    @property
    def _folder(self) -> str:
        return f"{self.path.rstrip('/')}/_batches"

    def enter(self, spark: SparkSession, number: int) -> None:
        """Keep what the files of a batch hold, in place of what an earlier attempt at it has kept."""
        files = f"{self.path.rstrip('/')}/topic=*/partition=*/batch={number}"
        reader = spark.read.option("basePath", self.path).schema("offset LONG, " + _FOLDERS)
        written = if_there(lambda: reader.parquet(files))
        if written is None:
            return  # A batch of no records has no files.
        kept = _sums(written).coalesce(1)
        kept.write.mode("overwrite").json(f"{self._folder}/{number}")

    def check(self, spark: SparkSession, records: DataFrame, topics: list[str]) -> None:
        """Compare the files of some topics with what their batches wrote. Reads offsets alone.

        Raises:
            PipelineRefused: records of a batch are missing, or are there twice.
        """
        kept = if_there(lambda: spark.read.schema(_KEPT).json(f"{self._folder}/*"))
        if kept is None:
            log.warning(
                "%s has no list of its batches, as it was made before there was one: a file that "
                "is missing cannot be found. Archive the topics again into another directory, if "
                "they are still there", self.path,
            )  # fmt: skip
            return
        expected = _by_batch(kept.where(kept.topic.isin(topics)))
        found = _by_batch(_sums(records.where(records.topic.isin(topics))))
        nothing = (0, 0, 0)
        wrong = sorted(
            each
            for each in expected.keys() | found.keys()
            if expected.get(each, nothing) != found.get(each, nothing)
        )
        if not wrong:
            return
        shown = "; ".join(
            f"{self._name(each)} has {found.get(each, nothing)[0]} records of "
            f"{expected.get(each, nothing)[0]}"
            for each in wrong[:_SHOWN]
        )
        raise PipelineRefused(
            f"the archive {self.path} is not as it was written, in {len(wrong)} folders: {shown}. "
            "Bring missing files back and move surplus ones away, or archive the topics again into "
            "another directory"
        )

    def _name(self, batch: _Batch) -> str:
        topic, partition, number = batch
        return f"topic={topic}/partition={partition}/batch={number}"


def _sums(records: DataFrame) -> DataFrame:
    sums = hash_sum(f.xxhash64("offset"), "offset")
    return records.groupBy("topic", "partition", "batch").agg(f.count("*").alias("rows"), *sums)


def _by_batch(sums: DataFrame) -> dict[_Batch, _Sums]:
    rows: list[Row] = despite_late_workers(sums.collect)
    return {(row[0], row[1], row[2]): (row[3], row[4], row[5]) for row in rows}
