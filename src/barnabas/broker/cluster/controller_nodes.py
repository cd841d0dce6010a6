"""Reads the cluster from ZooKeeper's nodes, for the controller."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from barnabas.broker.topics.topic_names import problem_of_name
from barnabas.broker.znodes.broker_znodes import BROKERS
from barnabas.broker.znodes.topic_znodes import DELETIONS, TOPICS, TopicNodes, written_in
from barnabas.cluster.image import (
    Broker,
    ClusterImage,
    ImageDelta,
    PartitionState,
    Topic,
    TopicDelta,
)
from barnabas.cluster.replica_states import ReplicaPhase
from barnabas.cluster.view import View
from barnabas.cluster.znodes import (
    decode_broker,
    decode_state,
    decode_topic,
    state_path,
    topic_path,
)
from barnabas.errors import StorageError
from barnabas.ports import SharedRegistry
from barnabas.types import NodeId, TopicPartition
from barnabas.wire.schema import NO_UUID

log = logging.getLogger(__name__)

_UNCLEAN = "unclean.leader.election.enable"


class FoundNodes(NamedTuple):
    """What a new controller starts from; `written` is for `Elected`."""

    view: View
    written: Mapping[TopicPartition, int]


def read_view(registry: SharedRegistry, node_id: NodeId, epoch: int, listener: str) -> FoundNodes:
    """Read all nodes. Brokers come before states, so that a broker that registers meanwhile counts as new.

    Raises:
        StorageError: the registry does not answer.
    """
    topics = read_topics(registry, registry.children(TOPICS), {})
    image = ClusterImage(controller=node_id, controller_epoch=epoch).apply(
        ImageDelta(
            brokers=read_brokers(registry),
            topics={
                name: TopicDelta(topic.topic_id, topic.partitions) for name, topic in topics.items()
            },
        )
    )
    partitions = [partition for partition, _ in image.partitions()]
    nodes = registry.get_dated([*map(state_path, partitions)])
    image = _with_nodes(
        image, zip(partitions, (node and (node[0], node[1]) for node in nodes), strict=True)
    )
    written = {one: node[2] for one, node in zip(partitions, nodes, strict=True) if node}
    deletions = {
        name: {
            (number, replica): ReplicaPhase.OFFLINE
            for number, state in image.topics[name].partitions.items()
            for replica in state.replicas
        }
        for name in registry.children(DELETIONS)
        if name in image.topics
    }
    topic_nodes = written_in(registry)
    unclean = with_unclean({}, _readable_configs(topic_nodes))
    return FoundNodes(View(image, deletions=deletions, unclean=unclean, listener=listener), written)


def read_brokers(registry: SharedRegistry) -> dict[NodeId, Broker]:
    """The registered brokers, except those whose node cannot be read."""
    names = [name for name in registry.children(BROKERS) if name.isascii() and name.isdecimal()]
    paths = [f"{BROKERS}/{name}" for name in names]
    brokers: dict[NodeId, Broker] = {}
    for name, path, node in zip(names, paths, registry.get_all(paths), strict=True):
        epoch = registry.created_at(path) if node is not None else -1
        if node is None or epoch < 0:
            continue
        node_id = NodeId(int(name))
        try:
            brokers[node_id] = decode_broker(node_id, node[0], epoch)
        except StorageError as error:
            log.error("node of a broker cannot be read", extra={"node": name, "error": error})  # noqa: TRY400 - it says why
    return brokers


def read_topics(
    registry: SharedRegistry, names: Iterable[str], known: Mapping[bytes, str]
) -> dict[str, Topic]:
    """Those of these topics that exist and can be served, without the leaders of their partitions.

    An id belongs to the topic that is `known` by it, or was created first: requests name topics by their ids.
    """
    asked = [*names]
    nodes = registry.get_all([topic_path(name) for name in asked])
    topics: dict[str, Topic] = {}
    for name, node in zip(asked, nodes, strict=True):
        try:
            if node is not None and node[0]:
                topics[name] = _decode_named(name, node[0])
        except StorageError as error:
            log.error("node of a topic cannot be read", extra={"topic": name, "error": error})  # noqa: TRY400 - it says why
    by_id: dict[bytes, list[str]] = {}
    for name, topic in topics.items():
        by_id.setdefault(topic.topic_id, []).append(name)
    for topic_id in by_id.keys() - {NO_UUID}:
        owner = known.get(topic_id) or _oldest(registry, by_id[topic_id])
        for name in by_id[topic_id]:
            if name != owner:
                del topics[name]
                fields = {"topic": name, "other": owner}
                log.error("topic ignored: it has the id of another one", extra=fields)
    return topics


def _decode_named(name: str, data: bytes) -> Topic:
    problem = problem_of_name(name)
    if problem:
        raise StorageError(problem)
    return decode_topic(name, data)


def _oldest(registry: SharedRegistry, names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return min(names, key=lambda name: registry.created_at(topic_path(name)))


def with_states(
    registry: SharedRegistry, image: ClusterImage, partitions: Iterable[TopicPartition]
) -> ClusterImage:
    """The image with the leaders and ISRs in the nodes of these partitions.

    A partition whose node cannot be read is left out: it has no leader until the node is repaired.
    """
    asked = [*partitions]
    return _with_nodes(image, zip(asked, registry.get_all([*map(state_path, asked)]), strict=True))


def _with_nodes(
    image: ClusterImage, nodes: Iterable[tuple[TopicPartition, tuple[bytes, int] | None]]
) -> ClusterImage:
    changes: dict[str, dict[int, PartitionState | None]] = {}
    for partition, node in nodes:
        known = image.partition(partition)
        if node is None or known is None:
            continue
        state: PartitionState | None = None
        try:
            state = decode_state(*node, replace(known))
        except StorageError as error:
            fields = {**partition._asdict(), "error": error}
            log.error("state of a partition cannot be read", extra=fields)  # noqa: TRY400 - it says why
        changes.setdefault(partition.topic, {})[partition.partition] = state
    topics: Mapping[str, TopicDelta | None] = {
        name: TopicDelta(image.topics[name].topic_id, rows) for name, rows in changes.items()
    }
    return image.apply(ImageDelta(topics=topics))


def _readable_configs(nodes: TopicNodes) -> dict[str, Mapping[str, str]]:
    configs: dict[str, Mapping[str, str]] = {}
    for name in nodes.configs:
        try:
            configs[name] = nodes.config_of(name)
        except StorageError as error:
            log.error("properties of a topic not read", extra={"topic": name, "error": error})  # noqa: TRY400 - it says why
    return configs


def with_unclean(
    known: Mapping[str, bool], configs: Mapping[str, Mapping[str, str]]
) -> dict[str, bool]:
    """`unclean.leader.election.enable` of each topic that sets it, updated with these properties."""
    own = {
        name: config[_UNCLEAN] == "true" for name, config in configs.items() if _UNCLEAN in config
    }
    return {name: one for name, one in known.items() if name not in configs} | own
