"""RegistryOffsets: offsets committed with version 0, which Kafka keeps in ZooKeeper.

They are apart from those in the topic, as there: a client that commits so must fetch so. Metadata is not kept.
Source: seed 002 "Offset Commit/Fetch API"; Kafka's ZKGroupTopicDirs.
"""

from barnabas.dialects.kafka07.offset_nodes import (
    decode_offset,
    groups_with_offsets,
    offsets_path,
)
from barnabas.errors import StorageError
from barnabas.ports import Registry


class RegistryOffsets:
    """Offsets by group and partition, durable when `commit` returns.

    Topics are those that there are: only names of groups are looked at.
    """

    __slots__ = ("_registry",)

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def commit(self, group: str, topic: str, partition: int, offset: int) -> None:
        """Keep one offset.

        Raises:
            StorageError: it cannot be written, or the group cannot have one.
        """
        self._registry.set(_path(group, topic, partition), str(offset).encode())

    def fetch(self, group: str, topic: str, partition: int) -> int | None:
        """The offset that was kept, if any.

        Raises:
            StorageError: it cannot be read, or the group cannot have one.
        """
        path = _path(group, topic, partition)
        found = self._registry.get(path)
        if found is None:
            return None
        offset = decode_offset(found[0])
        if offset is None:
            raise StorageError(f"the registry's node {path} is no offset: {found[0][:40]!r}")
        return offset

    def forget_topic(self, topic: str) -> None:
        """Remove all offsets of a topic that is deleted.

        Raises:
            StorageError: one cannot be removed.
        """
        groups = groups_with_offsets(self._registry.children)
        nodes = [f"{offsets}/{topic}" for _, offsets in groups]
        found = zip(nodes, self._registry.get_all(nodes), strict=True)
        self._registry.delete(*(node for node, there in found if there is not None))


def _path(group: str, topic: str, partition: int) -> str:
    """Where an offset is.

    Raises:
        StorageError: nowhere.
    """
    offsets = offsets_path(group)
    if offsets is None:
        raise StorageError(f"the registry has no place for a group of this name: {group[:40]!r}")
    return f"{offsets}/{topic}/{partition}"
