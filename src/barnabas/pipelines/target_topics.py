"""The target topics of a pipeline: created if missing, and empty before the first record."""

import logging
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from threading import Event
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as f

from barnabas.client.core.admin.descriptions import (
    EARLIEST,
    LATEST,
    ConfigSource,
    NewTopic,
    Resource,
)
from barnabas.client.sync.admin import Admin
from barnabas.client.sync.ranges import RangeReader
from barnabas.config.clients import ConsumerConfig
from barnabas.errors import BrokerError, ErrorCode
from barnabas.pipelines.errors import PipelineRefused, RecordsDiffer
from barnabas.pipelines.topic_frames import ClusterAddress, TopicRanges, bounds, partitions_of
from barnabas.records.columns.columns import ColumnSelection
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_COPIED: Final = frozenset(
    {
        *("cleanup.policy", "retention.bytes", "max.message.bytes"),
        *("compression.type", "segment.bytes", "segment.ms", "delete.retention.ms"),
        *("min.compaction.lag.ms", "max.compaction.lag.ms", "min.cleanable.dirty.ratio"),
    }
)
"""The properties of a topic that every Kafka since 0.11 supports or ignores."""

_RETENTION: Final = "retention.ms"
_TIMESTAMPS: Final = "message.timestamp.type"
_NOT_REPORTED: Final = (ErrorCode.UNSUPPORTED_VERSION, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
_LOOKS: Final = 300
_PAUSE_S: Final = 0.1


def target_names(topics: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """The name of each topic in the target: its own, unless `names` has another.

    Raises:
        PipelineRefused: `names` has a topic that is not among them, or two would become one.
    """
    found = {topic: names.get(topic, topic) for topic in sorted(topics)}
    if unknown := sorted(set(names) - set(found)):
        raise PipelineRefused(
            f"{unknown[0]} was given another name, but the topics are {', '.join(found)}"
        )
    for topic, name in found.items():
        if other := [one for one in found if one != topic and found[one] == name]:
            raise PipelineRefused(
                f"{topic} and {other[0]} would both be {name}: rename one of them"
            )
    return found


def renamed(names: Mapping[str, str]) -> Column:
    """The column topic with the new names; all topics have one."""
    pairs = [f.lit(text) for pair in names.items() for text in pair]
    return f.create_map(*pairs)[f.col("topic")].alias("topic")


def ensure_topics(
    admin: Admin, wanted: Mapping[str, int], configs: Mapping[str, Mapping[str, str | None]]
) -> dict[str, int]:
    """Make the topics that are missing, with so many partitions; how many each has.

    Raises:
        PipelineRefused: an existing one has fewer partitions than are needed, or would give records
            the time of the copy where `configs` has them keep theirs.
    """
    there = set(admin.list_topics())
    for name in sorted(there.intersection(wanted)):
        if configs[name].get(_TIMESTAMPS) == "CreateTime":
            _check_timestamps(admin, name)
    made = [NewTopic(name, wanted[name], configs=configs[name]) for name in sorted(wanted)]
    admin.create_topics([topic for topic in made if topic.name not in there])
    counts = partitions_of(admin, wanted)
    for name, count in counts.items():
        if count < wanted[name]:
            raise PipelineRefused(
                f"{name} has {count} partitions, and {wanted[name]} are needed: add partitions, or "
                "name another topic"
            )
    return counts


def _check_timestamps(admin: Admin, topic: str) -> None:
    try:
        found = admin.describe_configs(Resource.TOPIC, topic).get(_TIMESTAMPS)
    except BrokerError as error:
        if error.code not in _NOT_REPORTED:
            raise
        return
    if found is not None and found.value == "LogAppendTime":
        raise PipelineRefused(
            f"{topic} gives records the time of the copy ({_TIMESTAMPS}=LogAppendTime), but they keep "
            f"theirs: `barnabas topics config {topic} --set {_TIMESTAMPS}=CreateTime`, or name another "
            "topic"
        )


def check_empty(cluster: ClusterAddress, admin: Admin, counts: Mapping[str, int]) -> None:
    """Refuse topics that have records; what was aborted does not count.

    Raises:
        PipelineRefused: one has; `counts` are their numbers of partitions.
    """
    places = [TopicPartition(topic, each) for topic in counts for each in range(counts[topic])]
    starts = admin.list_offsets(dict.fromkeys(places, EARLIEST))
    ends = admin.list_offsets(dict.fromkeys(places, LATEST))
    with closing(reader(cluster)) as reading:
        for where in places:
            parts = reading.read(
                *where, starts[where].offset, ends[where].offset, ColumnSelection(0)
            )
            if any(part.count for part in parts):
                raise PipelineRefused(
                    f"{where.topic} has records that this pipeline did not write, in partition "
                    f"{where.partition}: name another topic, or delete it and start again"
                )


def written_ranges(
    admin: Admin, places: Collection[TopicPartition], cluster: ClusterAddress
) -> TopicRanges:
    """All that partitions have, once what was committed is visible: brokers mark it a little later.

    Raises:
        RecordsDiffer: a transaction of somebody else stays open.
    """
    starts = bounds(admin, places, EARLIEST, cluster)
    wanted = dict.fromkeys(places, LATEST)
    hidden: list[TopicPartition] = []
    for _ in range(_LOOKS):
        ends = {where: row.offset for where, row in admin.list_offsets(wanted).items()}
        seen = admin.list_offsets(wanted, committed_only=True)
        hidden = sorted(where for where in ends if seen[where].offset < ends[where])
        if not hidden:
            return TopicRanges(starts, ends)
        Event().wait(_PAUSE_S)
    raise RecordsDiffer(
        f"{hidden[0].topic}-{hidden[0].partition} has an open transaction, so that not all of it can be "
        "read: `barnabas transactions list` shows it. Run again once it has ended"
    )


def reader(cluster: ClusterAddress) -> RangeReader:
    """A reader of committed records; close it."""
    known = {name: value for name, value in cluster.client.items() if ConsumerConfig.find(name)}
    level = "read_committed" if cluster.committed_only else "read_uncommitted"
    ours = {"bootstrap.servers": cluster.bootstrap_servers, "isolation.level": level}
    return RangeReader(known | ours)


def copied_properties(admin: Admin, topics: Iterable[str]) -> dict[str, dict[str, str | None]]:
    """The properties of new topics, from the properties that are set for each of these.

    Timestamps are those of the records. New topics keep records for as long as the source does,
    whether its topic or its brokers set the retention. Kafka before 0.11 does not report it: new topics
    then keep records for ever, because the target's default would delete old records.
    """
    found: dict[str, dict[str, str | None]] = {}
    for topic in topics:
        try:
            entries = admin.describe_configs(Resource.TOPIC, topic)
        except BrokerError as error:
            if error.code not in _NOT_REPORTED:
                raise
            log.warning(
                "%s: the source does not report its properties; the new topic gets retention.ms=-1 "
                "and keeps all records until you change that", topic,
            )  # fmt: skip
            found[topic] = {_RETENTION: "-1"}
        else:
            found[topic] = {
                name: entry.value
                for name, entry in entries.items()
                if name == _RETENTION or (entry.source is ConfigSource.TOPIC and name in _COPIED)
            }
        found[topic][_TIMESTAMPS] = "CreateTime"
    return found
