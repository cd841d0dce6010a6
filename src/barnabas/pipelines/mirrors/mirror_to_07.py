"""Topics of a cluster of today to brokers of Kafka 0.7, each record once, and the groups' positions.

Partition n of the source becomes the nth partition of the target, by broker and number. Values alone
are kept: 0.7 has no keys, headers or timestamps. Needs no Spark.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.connection import Connection
from barnabas.client.sync.admin import Admin
from barnabas.client.sync.ranges import RangeReader
from barnabas.dialects.kafka07.offset_nodes import decode_offset, offsets_path
from barnabas.migration.broker_source import BrokerSource
from barnabas.migration.saved_offsets import saved_offsets
from barnabas.pipelines.comparisons.comparison import ComparedTopic
from barnabas.pipelines.errors import PipelineRefused, RecordsDiffer
from barnabas.pipelines.mirrors.group_positions import GroupPosition
from barnabas.pipelines.mirrors.mirror_07 import Kafka07Address, Mirror07
from barnabas.pipelines.mirrors.partition_to_07 import MatchingPosition, PartitionTo07
from barnabas.pipelines.running import OnProgress, PipelineProgress
from barnabas.pipelines.target_topics import reader
from barnabas.pipelines.topic_frames import ClusterAddress, bounds, partitions_of
from barnabas.ports import SharedRegistry
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition

_TIMEOUT_S = 30.0


@dataclass(slots=True)
class _Kept:
    """A topic's file: up to where both sides were found equal, by partition of the source."""

    path: str
    described: Mapping[str, object]
    equal: dict[int, MatchingPosition] = field(default_factory=dict)

    def load(self) -> None:
        """Read the file, if there is one.

        Raises:
            PipelineRefused: it is of another mirror.
        """
        if not RealDisk().exists(self.path):
            return
        found = json.loads(RealDisk().read_file(self.path))
        if wrong := [name for name, value in self.described.items() if found.get(name) != value]:
            raise PipelineRefused(
                f"{self.path} is of another mirror: its {wrong[0]} is {found.get(wrong[0])}, not "
                f"{self.described[wrong[0]]}. Name another directory with --work"
            )
        self.equal = {int(one): MatchingPosition(*pair) for one, pair in found["equal"].items()}

    def save(self, partition: int, place: MatchingPosition) -> None:
        """Keep that both are equal up to there."""
        self.equal[partition] = place
        text = json.dumps(dict(self.described) | {"equal": self.equal})
        RealDisk().replace_file(self.path, text.encode())


def mirror_to_07(
    source: ClusterAddress,
    target: Kafka07Address,
    names: Mapping[str, str],
    directory: str,
    groups: Collection[str] | None,
    on_progress: OnProgress,
) -> Mirror07:
    """Copy what the topics have now, read it back, compare it, and move the groups; resumes.

    `directory`: a path of this machine, for a file of each topic. Groups need a target with ZooKeeper.

    Raises:
        PipelineRefused: the target has too few partitions, or a record has no value.
        RecordsDiffer: both do not have the same.
        KafkaError: a broker does not answer, or does not take what it is sent.
    """
    disk, done = RealDisk(), Mirror07()
    disk.make_directory(directory)
    with ExitStack() as stack:
        registry = stack.enter_context(target.registry())
        if registry is None and (groups is None or groups):
            raise PipelineRefused("groups of Kafka 0.7 have their positions in ZooKeeper: name it")
        admin = stack.enter_context(source.admin())
        reading = stack.enter_context(closing(reader(source)))
        counts = partitions_of(admin, names)
        for topic, name in names.items():
            path = f"{directory.rstrip('/')}/{topic}.to-07"
            stack.enter_context(disk.lock(f"{path}.lock"))
            writing = stack.enter_context(closing(target.target(name, registry)))
            if len(writing.places) < counts[topic]:
                raise PipelineRefused(
                    f"{name} has {len(writing.places)} partitions in Kafka 0.7, and {counts[topic]} are "
                    "needed: set num.partitions or topic.partition.count.map of its brokers"
                )
            cluster = admin.describe_cluster().cluster_id
            places = [str(place) for place in writing.places[: counts[topic]]]
            kept = _Kept(path, {"from": cluster, "topic": topic, "to": name, "places": places})
            kept.load()
            parts = _parts(admin, source, reading, topic, writing, name)
            for part in parts:
                _copy(part, admin, source, target.addresses(registry), kept, done, on_progress)
            if registry is not None:
                _move(parts, admin, source, registry, groups, done)
    return done


def _parts(
    admin: Admin,
    source: ClusterAddress,
    reading: RangeReader,
    topic: str,
    writing: BrokerSource,
    name: str,
) -> list[PartitionTo07]:
    wheres = [TopicPartition(topic, one) for one in range(partitions_of(admin, [topic])[topic])]
    ends = bounds(admin, wheres, LATEST, source)
    return [
        PartitionTo07(reading, where, ends[where], writing, name, place)
        for where, place in zip(wheres, writing.places, strict=False)
    ]


def _copy(  # noqa: PLR0913, PLR0917 - one for each side
    part: PartitionTo07,
    admin: Admin,
    source: ClusterAddress,
    addresses: Mapping[int, Address],
    kept: _Kept,
    done: Mirror07,
    on_progress: OnProgress,
) -> None:
    where = part.where
    first = bounds(admin, [where], EARLIEST, source)[where]
    last = kept.equal.get(
        where.partition, MatchingPosition(first, part.target.bounds(part.place)[0])
    )
    if first > last.source:
        raise RecordsDiffer(
            f"{where.topic}-{where.partition} begins at offset {first}, and the mirror is at "
            f"{last.source}: retention was faster than the mirror. Begin with another --work and topic"
        )
    there, found = part.compare(last)
    with closing(Connection(addresses[part.place.broker], _TIMEOUT_S)) as connection:
        written = part.write(there, connection)
    now, compared = part.compare(there)
    if compared != written:
        raise RecordsDiffer(
            f"{part.topic} of Kafka 0.7, partition {part.place}, has {compared} of {written} messages "
            "that were written"
        )
    kept.save(where.partition, now)
    done.records += written
    total = found + compared
    done.parts.append(ComparedTopic(part.topic, where.partition, total, total, equal=True))
    on_progress(PipelineProgress("mirror", 0, done.records))


def _move(
    parts: list[PartitionTo07],
    admin: Admin,
    source: ClusterAddress,
    registry: SharedRegistry,
    groups: Collection[str] | None,
    done: Mirror07,
) -> None:
    """Leave as many records to each group as in the source; a position only moves forward."""
    chosen = groups if groups is not None else [each.group_id for each in admin.list_groups()]
    wanted = {group: saved_offsets(admin, group) for group in sorted(chosen)}
    for part in parts:
        at = {group: all_[part.where] for group, all_ in wanted.items() if part.where in all_}
        first = bounds(admin, [part.where], EARLIEST, source)[part.where]
        left = {group: part.left(max(first, offset)) for group, offset in at.items()}
        for group, byte in _bytes_with(part, left):
            done.groups.append(_save(part, registry, group, at[group], byte))


def _bytes_with(part: PartitionTo07, left: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """For each group the byte in the target behind which so many messages are left."""
    if not left:
        return
    start, end = part.target.bounds(part.place)
    starts = [start, *(message.next_offset for message in part.messages(start))]
    for group, count in left.items():
        yield group, starts[max(0, len(starts) - 1 - count)] if count else end


def _save(
    part: PartitionTo07, registry: SharedRegistry, group: str, old: int, byte: int
) -> GroupPosition:
    offsets = offsets_path(group)
    if offsets is None:
        return GroupPosition(group, part.topic, part.where.partition, old, byte, None, "refused")
    path = f"{offsets}/{part.topic}/{part.place}"
    node = registry.get(path)
    was = None if node is None else decode_offset(node[0])
    row = (group, part.topic, part.where.partition, old, byte, was)
    if registry.children(f"{offsets.rpartition('/')[0]}/ids"):
        return GroupPosition(*row, "refused")
    if was is not None and was >= byte:
        return GroupPosition(*row, "kept")
    registry.set(path, str(byte).encode())
    return GroupPosition(*row, "moved")
