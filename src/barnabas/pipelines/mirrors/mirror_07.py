"""Topics of Kafka 0.7 to a cluster of today, exactly once, with the positions of their groups.

The package `migration` copies and compares, without Spark: 0.7 has no partitions across brokers, no keys
and offsets that are bytes. Partition n of the target holds the nth partition of the source, by broker
and number.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field

from barnabas.client.core.cluster.bootstrap import parse_address
from barnabas.client.driver07.cluster import Address, read_brokers, read_partitions
from barnabas.client.driver07.zookeeper import open_zookeeper
from barnabas.client.sync.admin import Admin
from barnabas.config.driver07 import DriverConfig07
from barnabas.migration import new_topic
from barnabas.migration.broker_source import BrokerSource
from barnabas.migration.cluster_target import ClusterTarget
from barnabas.migration.errors import TopicNotThere
from barnabas.migration.migration import Migration, MigrationOptions
from barnabas.migration.offset_map import OffsetMap
from barnabas.pipelines.comparisons.comparison import ComparedTopic
from barnabas.pipelines.errors import PipelineRefused
from barnabas.pipelines.mirrors.group_positions import GroupPosition, save_forward
from barnabas.pipelines.running import OnProgress, PipelineProgress
from barnabas.pipelines.target_topics import ensure_topics
from barnabas.pipelines.topic_frames import ClusterAddress
from barnabas.ports import SharedRegistry
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True, kw_only=True)
class Kafka07Address:
    """Brokers of Kafka 0.7: host:port by number, or the ZooKeeper where they are registered.

    Groups have their positions in ZooKeeper only.
    """

    brokers: Mapping[int, str] = field(default_factory=dict)
    zookeeper: str | None = None

    @contextmanager
    def registry(self) -> Iterator[SharedRegistry | None]:
        """ZooKeeper, if there is one."""
        if self.zookeeper is None:
            yield None
            return
        config = DriverConfig07.load({"zk.connect": self.zookeeper})
        with closing(open_zookeeper(config, lambda _: None)) as registry:
            yield registry

    def addresses(self, registry: SharedRegistry | None) -> Mapping[int, Address]:
        """The addresses of the brokers, by number.

        Raises:
            PipelineRefused: neither brokers nor ZooKeeper are named.
        """
        if self.brokers:
            return {one: Address(*parse_address(at)) for one, at in self.brokers.items()}
        if registry is None:
            raise PipelineRefused("name the brokers of Kafka 0.7, or their ZooKeeper")
        return read_brokers(registry)

    def target(self, topic: str, registry: SharedRegistry | None) -> BrokerSource:
        """One topic, which may be empty, with all partitions that the brokers have for it.

        Raises:
            PipelineRefused: as `addresses`.
        """
        return BrokerSource(self.addresses(registry), topic, may_be_empty=True)

    def source(self, topic: str, registry: SharedRegistry | None) -> BrokerSource:
        """One topic.

        Raises:
            TopicNotThere: no broker has data of it.
            PipelineRefused: neither brokers nor ZooKeeper are named.
        """
        addresses = self.addresses(registry)
        if self.brokers or registry is None:
            return BrokerSource(addresses, topic)
        places = read_partitions(registry, topic)
        if not places:
            raise TopicNotThere(f"no broker has registered topic {topic} in ZooKeeper")
        return BrokerSource(addresses, topic, places)


@dataclass(slots=True)
class Mirror07:
    """The results of a run so far."""

    records: int = 0
    parts: list[ComparedTopic] = field(default_factory=list)
    groups: list[GroupPosition] = field(default_factory=list)


def mirror_07(
    source: Kafka07Address,
    target: ClusterAddress,
    names: Mapping[str, str],
    directory: str,
    groups: Sequence[str] | None,
    on_progress: OnProgress,
) -> Mirror07:
    """Copy what the topics have now, compare all of it, and move the groups; resumes.

    `directory`: a path of this machine, for a map of offsets of each topic.

    Raises:
        TopicNotThere: no broker has data of one.
        MigrationStopped: source, target and map do not fit, or a message cannot be read.
        KafkaError: a broker does not answer.
    """
    disk, done = RealDisk(), Mirror07()
    disk.make_directory(directory)
    with source.registry() as registry, target.admin() as admin:
        for topic, name in names.items():
            path = f"{directory.rstrip('/')}/{topic}.migration"
            with ExitStack() as stack:
                stack.enter_context(disk.lock(f"{path}.lock"))
                origin = stack.enter_context(closing(source.source(topic, registry)))
                migration = _migration(stack, origin, topic, target, admin, name, path)
                _copy(migration, name, done, on_progress)
                if registry is not None:
                    done.groups += _groups(migration, registry, topic, admin, name, groups)
    return done


def _migration(  # noqa: PLR0913, PLR0917 - one for each side
    stack: ExitStack,
    origin: BrokerSource,
    topic: str,
    target: ClusterAddress,
    admin: Admin,
    name: str,
    path: str,
) -> Migration:
    described = {
        "topic": topic,
        "target": name,
        "cluster": admin.describe_cluster().cluster_id,
        "places": [str(place) for place in origin.places],
    }
    # Before the topic is created: the map may belong to another mirror.
    offsets = OffsetMap(RealDisk().open(path, create=True), described)
    if name not in admin.list_topics():
        new_topic.create(admin, name, len(origin.places))
    ensure_topics(admin, {name: len(origin.places)}, {name: {}})
    settings = dict(target.client) | {"bootstrap.servers": target.bootstrap_servers}
    writing = stack.enter_context(closing(ClusterTarget(settings, name)))
    codec = Codec[target.client.get("compression.type", "none").upper()]
    options = MigrationOptions(new_topic.encode_options(admin, name, codec))
    return Migration(origin, writing, offsets, options)


def _copy(migration: Migration, name: str, done: Mirror07, on_progress: OnProgress) -> None:
    for partition, _ in enumerate(migration.places):
        _, until = migration.left(partition)

        def copied(_size: int, messages: int) -> None:
            done.records += messages
            on_progress(PipelineProgress("mirror", 0, done.records))

        found = migration.copy(partition, until, copied)
        done.records -= found.found
        compared = migration.verify(partition, lambda _count: None)
        there = sum(compared)
        done.parts.append(ComparedTopic(name, partition, there, there, equal=True))


def _groups(
    migration: Migration,
    registry: SharedRegistry,
    topic: str,
    admin: Admin,
    name: str,
    groups: Sequence[str] | None,
) -> list[GroupPosition]:
    positions: dict[str, list[tuple[TopicPartition, int, int]]] = {}
    for one in migration.positions(registry, topic):
        if groups is None or one.group in groups:
            row = (TopicPartition(name, one.partition), one.old, one.new)
            positions.setdefault(one.group, []).append(row)
    return [
        moved for group, rows in positions.items() for moved in save_forward(admin, group, rows)
    ]
