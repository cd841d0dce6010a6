"""Counts and hashes of each batch of an archive, to find files that are lost, doubled or changed.

    DIRECTORY/_batches/7/…json      the records of batch 7, counted and hashed by partition

Offsets alone do not show it: transactions and compaction leave gaps in them.
"""

import logging
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from barnabas.pipelines.archive_files import ARCHIVED, FOLDERS
from barnabas.pipelines.checkpoint import if_there
from barnabas.pipelines.comparisons.fingerprints import COMPARED, hashed
from barnabas.pipelines.comparisons.offset_check import hash_sum
from barnabas.pipelines.errors import PipelineRefused
from barnabas.spark.workers.worker_retries import despite_late_workers

log = logging.getLogger(__name__)

_KEPT: Final = (
    "topic STRING, partition INT, batch LONG, rows LONG, offset_low LONG, offset_high LONG, "
    "record_low LONG, record_high LONG"
)
_SHOWN: Final = 3

_Batch = tuple[str, int, int]
_Sums = tuple[int, ...]
"""Rows and the sums of the hashes of their offsets; then those of whole records, where they are compared."""


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
        reader = spark.read.option("basePath", self.path).schema(ARCHIVED)
        written = if_there(lambda: reader.parquet(files))
        if written is None:
            return  # A batch of no records has no files.
        kept = _record_sums(written).coalesce(1)
        kept.write.mode("overwrite").json(f"{self._folder}/{number}")

    def check(
        self, spark: SparkSession, records: DataFrame, topics: list[str], *, contents: bool
    ) -> None:
        """Compare the files of some topics with what their batches wrote.

        Args:
            spark: the session.
            records: all that is in the archive's files.
            topics: which topics.
            contents: whether whole records are compared, or offsets alone, which is faster. Of a batch
                that was archived before whole records were kept, offsets alone are.

        Raises:
            PipelineRefused: records of a batch are missing, are there twice, or were changed.
        """
        kept = if_there(lambda: spark.read.schema(_KEPT).json(f"{self._folder}/*"))
        if kept is None:
            log.warning(
                "%s has no list of its batches, as it was made before there was one: a file that "
                "is missing cannot be found. Archive the topics again into another directory, if "
                "they are still there", self.path,
            )  # fmt: skip
            return
        there = records.where(records.topic.isin(topics))
        expected = _by_batch(kept.where(kept.topic.isin(topics)))
        found = _by_batch(_record_sums(there) if contents else _offset_sums(there))
        wrong = sorted(
            each
            for each in expected.keys() | found.keys()
            if not _same(expected.get(each), found.get(each))
        )
        if not wrong:
            return
        shown = "; ".join(
            f"{_name(each)} {_fault(expected.get(each), found.get(each))}"
            for each in wrong[:_SHOWN]
        )
        raise PipelineRefused(
            f"the archive {self.path} is not as it was written, in {len(wrong)} folders: {shown}. "
            "Bring files back that are missing or were changed and move surplus ones away, or archive "
            "the topics again into another directory"
        )


def _name(batch: _Batch) -> str:
    topic, partition, number = batch
    return f"topic={topic}/partition={partition}/batch={number}"


def _fault(expected: _Sums | None, found: _Sums | None) -> str:
    wanted, there = (each[0] if each else 0 for each in (expected, found))
    if wanted == there:
        return f"has {there} records, which are not all those that were written"
    return f"has {there} records of {wanted}"


def _same(expected: _Sums | None, found: _Sums | None) -> bool:
    """Whether two sums agree in the parts that both have."""
    if expected is None or found is None:
        return False
    return all(ours == theirs for ours, theirs in zip(expected, found, strict=False))


def _offset_sums(records: DataFrame) -> DataFrame:
    sums = hash_sum(f.xxhash64("offset"), "offset")
    return records.groupBy(*FOLDERS).agg(f.count("*").alias("rows"), *sums)


def _record_sums(records: DataFrame) -> DataFrame:
    more = (f.col("batch"), f.col("timestampType"))
    rows = hashed(records, COMPARED, more)
    sums = hash_sum(f.xxhash64("offset"), "offset")
    whole = hash_sum(f.xxhash64("offset", "timestampType", "hash"), "record")
    return rows.groupBy(*FOLDERS).agg(f.count("*").alias("rows"), *sums, *whole)


def _by_batch(sums: DataFrame) -> dict[_Batch, _Sums]:
    rows: list[Row] = despite_late_workers(sums.collect)
    return {
        (row[0], row[1], row[2]): tuple(each for each in row[3:] if each is not None)
        for row in rows
    }
