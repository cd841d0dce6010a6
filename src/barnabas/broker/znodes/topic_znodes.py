"""A topic's nodes in the registry: paths and JSON, as in Kafka's ZooKeeper."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from barnabas.broker.znodes.config_znodes import decode_config, encode_config, read_config
from barnabas.errors import RegistryConflict, StorageError
from barnabas.log.file_names import parse_uuid, uuid_text
from barnabas.ports import Registry
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NO_TOPIC_ID, NodeWrite, Topic

log = logging.getLogger(__name__)

TOPICS = "/brokers/topics"
CONFIGS = "/config/topics"
DELETIONS = "/admin/delete_topics"

_TRIES = 20
"""How often others may be quicker, one after the other."""


def encode_topic(topic: Topic) -> bytes:
    """The data of /brokers/topics/NAME: version 3 (KIP-516), or 2 where the topic has no id."""
    has_id = topic.topic_id != NO_TOPIC_ID
    return _dump(
        {
            "version": 3 if has_id else 2,
            **({"topic_id": uuid_text(topic.topic_id)} if has_id else {}),
            "partitions": {str(index): nodes for index, nodes in topic.partitions.items()},
            "adding_replicas": {},
            "removing_replicas": {},
        }
    )


def decode_topic(name: str, data: bytes, config: Mapping[str, str]) -> Topic:
    """A topic from its node and its own properties; its id may be missing.

    Raises:
        StorageError: the node is not what it should be.
    """
    try:
        node = json.loads(data)
        return Topic(
            name,
            parse_uuid(node["topic_id"]) if "topic_id" in node else NO_TOPIC_ID,
            {int(index): list(nodes) for index, nodes in sorted(node["partitions"].items())},
            config,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageError(
            f"the registry's node of topic {name} cannot be read: {error}"
        ) from error


def is_of(topic_id: bytes, data: bytes | None) -> bool:
    """Whether a log with this id may be one of the topic with this node; not, if both say what they are of."""
    try:
        return topic_id in (NO_TOPIC_ID, parse_uuid(json.loads(data or b"")["topic_id"]))
    except (ValueError, KeyError, TypeError, RecursionError, StorageError):
        return True


class TopicNodes(NamedTuple):
    """The topics in a registry at one time: the data of their nodes and of their properties, by name."""

    topics: Mapping[str, bytes]
    configs: Mapping[str, bytes]

    def config_of(self, name: str) -> Mapping[str, str]:
        """A topic's own properties; none where it has none.

        Raises:
            StorageError: the node is not what it should be.
        """
        data = self.configs.get(name)
        return {} if data is None else decode_config(data, f"{CONFIGS}/{name}")


def write_new(registry: Registry, topics: Sequence[Topic]) -> set[str]:
    """Write topics down, properties first; gives the names that somebody else has made meanwhile.

    Raises:
        StorageError: they cannot be written.
    """
    configs = {f"{CONFIGS}/{topic.name}": topic.config for topic in topics}
    paths = list(configs)
    # Those of topics whose creation was not gone on with. Most often there are none, and a registry
    # that is elsewhere is waited for twice, however many topics there are.
    left = {path for path, node in zip(paths, registry.get_all(paths), strict=True) if node}
    if stale := [path for path in left if not configs[path]]:
        registry.delete(*stale)
    configs_by_path = {path: encode_config(config) for path, config in configs.items() if config}
    if configs_by_path:
        left.update(
            registry.create_all(
                {path: configs_by_path[path] for path in configs_by_path if path not in left}
            )
        )
        if over := {path: data for path, data in configs_by_path.items() if path in left}:
            registry.set_all(over)
    nodes = {f"{TOPICS}/{topic.name}": encode_topic(topic) for topic in topics}
    return {path.rpartition("/")[2] for path in registry.create_all(nodes)}


class TransactionalRegistry(Protocol):
    """Of a SharedRegistry what `write_configs` needs."""

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        """As `Registry.get_all`."""
        ...

    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int] | None = None) -> None:
        """As `SharedRegistry.commit`."""
        ...


def write_configs(
    registry: TransactionalRegistry, configs: Mapping[str, Mapping[str, str]]
) -> set[str]:
    """Write the properties of topics that are there; gives the names of those that are not.

    A topic that somebody deletes at the same time gets no node that would stay: its own node has to be there
    when its properties are written, and is deleted before they are.

    Raises:
        StorageError: they cannot be written.
    """
    for _ in range(_TRIES):
        topics = registry.get_all([f"{TOPICS}/{name}" for name in configs])
        there = [name for name, node in zip(configs, topics, strict=True) if node is not None]
        paths = [f"{CONFIGS}/{name}" for name in there]
        writes = [
            NodeWrite(path, encode_config(configs[name]), ANY_VERSION if node else MUST_BE_NEW)
            for name, path, node in zip(there, paths, registry.get_all(paths), strict=True)
        ]
        try:
            if writes:
                registry.commit(writes, {f"{TOPICS}/{name}": ANY_VERSION for name in there})
        except RegistryConflict:
            continue  # One of them was deleted, or had no properties before and has now.
        return {name for name in configs if name not in there}
    raise StorageError("others change the properties of the same topics")


def written_in(registry: Registry) -> TopicNodes:
    """What it says now. Asking for each topic by itself takes its time in ZooKeeper.

    Raises:
        StorageError: the registry fails.
    """
    return TopicNodes(_data_below(registry, TOPICS), _data_below(registry, CONFIGS))


def _data_below(registry: Registry, path: str) -> dict[str, bytes]:
    names = registry.children(path)
    nodes = registry.get_all([f"{path}/{name}" for name in names])
    return {name: node[0] for name, node in zip(names, nodes, strict=True) if node is not None}


def config_of(registry: Registry, name: str) -> Mapping[str, str]:
    """A topic's own properties; none where the registry does not know the topic.

    Raises:
        StorageError: the node is not what it should be.
    """
    return read_config(registry, f"{CONFIGS}/{name}")


def configs_of(registry: Registry, names: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """As `config_of` for each, asked for together; those that cannot be read are left out.

    Raises:
        StorageError: the registry fails.
    """
    configs: dict[str, Mapping[str, str]] = {}
    paths = [f"{CONFIGS}/{name}" for name in names]
    for name, path, node in zip(names, paths, registry.get_all(paths), strict=True):
        try:
            configs[name] = decode_config(node[0], path) if node is not None and node[0] else {}
        except StorageError as error:
            log.warning("properties of a topic not read", extra={"topic": name, "error": error})
    return configs


def _dump(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
