"""RegistryOffsets: the offsets that groups committed in version 0, which Kafka kept in ZooKeeper.

They are apart from those in the topic, as there: who commits so must fetch so. Metadata is not kept.
Source: seed 002 "Offset Commit/Fetch API"; Kafka's ZKGroupTopicDirs.
"""

from urllib.parse import quote

from barnabas.dialects.kafka07.offset_nodes import decode_offset
from barnabas.errors import StorageError
from barnabas.ports import Registry

_CONSUMERS = "/consumers"


class RegistryOffsets:
    """Offsets by group and partition, durable when `commit` returns. Group names are not empty."""

    __slots__ = ("_registry",)

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def commit(self, group: str, topic: str, partition: int, offset: int) -> None:
        """Keep one offset.

        Raises:
            StorageError: it cannot be written.
        """
        self._registry.set(f"{_of(group)}/{topic}/{partition}", str(offset).encode())

    def fetch(self, group: str, topic: str, partition: int) -> int | None:
        """The offset that was kept, if any.

        Raises:
            StorageError: it cannot be read.
        """
        path = f"{_of(group)}/{topic}/{partition}"
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
        for name in self._registry.children(_CONSUMERS):
            self._registry.delete(f"{_CONSUMERS}/{name}/offsets/{topic}")


_AS_IT_IS = "".join(map(chr, range(33, 127))).replace("/", "").replace("%", "")
"""What a name of a node may hold. Groups of old clients have their own names there, whatever they are."""


def _of(group: str) -> str:
    name = quote(group, safe=_AS_IT_IS)
    return f"{_CONSUMERS}/{name.replace('.', '%2E') if name in {'.', '..'} else name}/offsets"
