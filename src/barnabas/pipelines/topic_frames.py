"""Topics as DataFrames: which offsets a batch reads, and how a stream starts."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.readwriter import DataFrameReader
from pyspark.sql.streaming.readwriter import DataStreamReader

from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.sync.admin import Admin
from barnabas.config.clients import AdminConfig
from barnabas.errors import BrokerError, ErrorCode
from barnabas.spark.options.offsets import OffsetMap, offsets_to_json
from barnabas.types import TopicPartition

RECORD: Final = (
    "topic STRING, partition INT, offset LONG, timestamp TIMESTAMP, timestampType INT, "
    "key BINARY, value BINARY, headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
)
"""All that a topic keeps of a record, as columns."""

_Reader = TypeVar("_Reader", DataFrameReader, DataStreamReader)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAddress:
    """A cluster and how to talk to it.

    `bootstrap_servers`: host:port of one or more brokers. `client`: Kafka's client properties.
    `committed_only`: leave out records of transactions that were aborted or are still open.
    """

    bootstrap_servers: str
    client: Mapping[str, str] = field(default_factory=dict)
    committed_only: bool = True

    def options(self) -> dict[str, str]:
        """The options of `format("barnabas")`, for reading and writing."""
        properties = dict(self.client) | {"bootstrap.servers": self.bootstrap_servers}
        return {f"kafka.{name}": value for name, value in properties.items()}

    def admin(self) -> Admin:
        """A new admin client; close it."""
        known = {name: value for name, value in self.client.items() if AdminConfig.find(name)}
        usual = {"bootstrap.refused.timeout.ms": 10_000}
        return Admin(usual | known | {"bootstrap.servers": self.bootstrap_servers})

    def reading(self, reader: _Reader, topics: Iterable[str]) -> _Reader:
        """Give a reader of `spark.read` or `spark.readStream` its format, cluster and topics."""
        level = "read_committed" if self.committed_only else "read_uncommitted"
        made = reader.format("barnabas").options(**self.options())
        made = made.option("kafka.isolation.level", level)
        return made.option("subscribe", ",".join(sorted(topics)))


@dataclass(frozen=True, slots=True)
class TopicRanges:
    """The offsets [start, end) of each partition; both maps have the same keys."""

    starts: OffsetMap
    ends: OffsetMap

    def frame(self, spark: SparkSession, cluster: ClusterAddress, schema: str) -> DataFrame:
        """The records of the ranges with the columns of `schema`."""
        topics = {where.topic for where in self.ends}
        reader = cluster.reading(spark.read, topics).schema(schema)
        reader = reader.option("startingOffsets", json.dumps(offsets_to_json(self.starts)))
        return reader.option("endingOffsets", json.dumps(offsets_to_json(self.ends))).load()


def partitions_of(admin: Admin, topics: Iterable[str]) -> dict[str, int]:
    """The number of partitions of each topic.

    Raises:
        BrokerError: UNKNOWN_TOPIC_OR_PARTITION, one of them does not exist.
    """
    wanted = set(topics)
    missing = sorted(wanted.difference(admin.list_topics(internal=True)))
    if missing:
        raise BrokerError(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            f"there is no topic {', '.join(missing)}; `barnabas topics list` lists the topics",
        )
    found = admin.describe_topics(wanted)
    return {name: len(found[name].partitions) for name in sorted(wanted)}


def present_ranges(cluster: ClusterAddress, topics: Iterable[str]) -> TopicRanges:
    """The present records of the topics.

    Raises:
        BrokerError: UNKNOWN_TOPIC_OR_PARTITION, one of them does not exist.
    """
    with cluster.admin() as admin:
        counts = partitions_of(admin, topics)
        places = [TopicPartition(each, one) for each in counts for one in range(counts[each])]
        return TopicRanges(
            bounds(admin, places, EARLIEST, cluster), bounds(admin, places, LATEST, cluster)
        )


def bounds(
    admin: Admin, places: Iterable[TopicPartition], end: int, cluster: ClusterAddress
) -> OffsetMap:
    """The first (EARLIEST) or next (LATEST) offset of each partition."""
    found = admin.list_offsets(dict.fromkeys(places, end), committed_only=cluster.committed_only)
    return {where: row.offset for where, row in found.items()}
