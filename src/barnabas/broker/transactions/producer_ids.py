"""ProducerIds: ids that no producer has had, in blocks that are written down before they are used."""

import json
from contextlib import suppress

from barnabas.errors import RegistryConflict, StorageError
from barnabas.ports import Registry

PATH = "/latest_producer_id_block"
BLOCK = 1000
_LAST = 2**63 - 1
_TRIES = 5


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
        self._next, self._end = claim_block(self._registry, self._node_id)


def claim_block(registry: Registry, node_id: int) -> tuple[int, int]:
    """The first id of a block that nobody else has, and the one behind its last.

    Raises:
        StorageError: it cannot be written down, or what is written cannot be read.
        RegistryConflict: other brokers were quicker, again and again.
    """
    for _ in range(_TRIES - 1):
        with suppress(RegistryConflict):
            return _claim_once(registry, node_id)
    return _claim_once(registry, node_id)


def _claim_once(registry: Registry, node_id: int) -> tuple[int, int]:
    node = registry.get(PATH)
    data, version = node if node is not None else (b"", -1)
    # Kafka's brokers make the node without a block before anybody needs one.
    start = _block_end(data) + 1 if data else 0
    end = start + BLOCK
    if end > _LAST:
        raise StorageError(f"there are no producer ids left after {start - 1}")
    block = {
        "version": 1,
        "broker": node_id,
        "block_start": str(start),
        "block_end": str(end - 1),
    }
    data = json.dumps(block, separators=(",", ":")).encode()
    if node is None:
        registry.create(PATH, data)
    else:
        registry.set(PATH, data, version)
    return start, end


def _block_end(data: bytes) -> int:
    try:
        return int(json.loads(data)["block_end"])
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(f"the registry's node {PATH} cannot be read: {error}") from error
