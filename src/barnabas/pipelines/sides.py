"""The sides of a comparison: topics, an archive, or log directories, with the same columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from barnabas.pipelines.archive_files import ArchiveDirectory
from barnabas.pipelines.topic_frames import RECORD, ClusterAddress, TopicRanges, present_ranges


class Side(Protocol):
    """One of the two that are compared."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        ...

    def topics(self, spark: SparkSession) -> list[str]:
        """All of its topics, or the requested ones; sorted.

        Raises:
            KafkaError, ConfigError: a requested topic does not exist.
        """
        ...

    def records(self, spark: SparkSession) -> DataFrame:
        """All records with the columns of `RECORD`, as of this call."""
        ...


@dataclass(frozen=True, slots=True)
class TopicSide:
    """Topics of a cluster; `ranges`: only these offsets, else all that is there at the call."""

    cluster: ClusterAddress
    names: Sequence[str]
    ranges: TopicRanges | None = None

    @property
    def name(self) -> str:
        """Topics and brokers."""
        return f"{', '.join(sorted(self.names))} at {self.cluster.bootstrap_servers}"

    def topics(self, spark: SparkSession) -> list[str]:  # noqa: ARG002 - of the protocol
        """The topics, as they were named; reading them fails where one is missing."""
        return sorted(self.names)

    def records(self, spark: SparkSession) -> DataFrame:
        """The present records, or those in `ranges`."""
        ranges = self.ranges or present_ranges(self.cluster, self.names)
        return ranges.frame(spark, self.cluster, RECORD)


@dataclass(frozen=True, slots=True)
class ArchiveSide:
    """An archive; `names`: only these of its topics."""

    directory: str
    names: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Its path."""
        return f"the archive {self.directory}"

    def topics(self, spark: SparkSession) -> list[str]:
        """The topics that were archived."""
        archive = ArchiveDirectory(self.directory)
        archive.existing(spark)
        return sorted({where.topic for where in archive.chosen(spark, self.names)})

    def records(self, spark: SparkSession) -> DataFrame:
        """All that is in its files."""
        found = ArchiveDirectory(self.directory).records(spark)
        return found.where(found.topic.isin(self.topics(spark)))
