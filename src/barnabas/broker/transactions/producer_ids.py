"""ProducerIds: ids that no producer has had, in blocks that are written down before they are used."""

import json

from barnabas.errors import StorageError
from barnabas.ports import Registry

PATH = "/latest_producer_id_block"
BLOCK = 1000
_LAST = 2**63 - 1


class ProducerIds:
    """Gives ids out. What is left of a block when the broker stops is never used.

    Source: Kafka's ZkProducerIdManager (node, JSON, size of a block).
    """

    __slots__ = ("_end", "_next", "_node_id", "_registry")

    def __init__(self, registry: Registry, node_id: int) -> None:
        self._registry = registry
        self._node_id = node_id
        self._next = 0
        self._end = 0

    def next(self) -> int:
        """An id for a new producer.

        Raises:
            StorageError: the next block cannot be written down, or what is written cannot be read.
        """
        if self._next == self._end:
            self._claim()
        given, self._next = self._next, self._next + 1
        return given

    def _claim(self) -> None:
        node = self._registry.get(PATH)
        data, version = node if node is not None else (b"", -1)
        # Kafka's brokers make the node without a block before anybody needs one.
        start = _block_end(data) + 1 if data else 0
        end = start + BLOCK
        if end > _LAST:
            raise StorageError(f"there are no producer ids left after {start - 1}")
        block = {
            "version": 1,
            "broker": self._node_id,
            "block_start": str(start),
            "block_end": str(end - 1),
        }
        self._registry.set(PATH, json.dumps(block, separators=(",", ":")).encode(), version)
        self._next, self._end = start, end


def _block_end(data: bytes) -> int:
    try:
        return int(json.loads(data)["block_end"])
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(f"the registry's node {PATH} cannot be read: {error}") from error
