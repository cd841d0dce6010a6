"""ProducerIds: unused producer ids, in blocks that are stored before use."""

import json
import logging
from contextlib import suppress
from functools import partial

from barnabas.errors import ErrorCode, RegistryConflict, StorageError
from barnabas.ports import Registry, SharedRegistry

log = logging.getLogger(__name__)

PATH = "/latest_producer_id_block"
BLOCK = 1000
_LAST = 2**63 - 1
_TRIES = 5
_FEW = BLOCK // 10
"""With this many ids left the next block is requested, as by Kafka's brokers."""


class ProducerIdPending(StorageError):
    """A block of ids was requested and has not come; the client retries, as with Kafka since 3.0."""

    code = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


class ProducerIds:
    """Gives ids out. What is left of a block when the broker stops is never used.

    With a registry elsewhere (`shared`) the next block is there before it is needed, the first one at the
    start, so that nobody waits for it.

    Source: Kafka's ZkProducerIdManager (node, JSON, size of a block) and RPCProducerIdManager.
    """

    __slots__ = ("_ahead", "_end", "_is_asking", "_next", "_node_id", "_registry", "_shared")

    def __init__(
        self, registry: Registry, node_id: int, shared: SharedRegistry | None = None
    ) -> None:
        self._registry = registry
        self._node_id = node_id
        self._shared = shared
        self._next = 0
        self._end = 0
        self._ahead: tuple[int, int] | None = None
        self._is_asking = False
        if shared is not None:
            self._ask(shared)

    def next(self) -> int:
        """An id for a new producer.

        Raises:
            StorageError: there is none yet (`ProducerIdPending`), or the registry's node of blocks
                cannot be written or read.
        """
        if self._shared is not None and self._end - self._next <= _FEW:
            self._ask(self._shared)
        if self._next == self._end:
            self._next, self._end = self._block()
        given, self._next = self._next, self._next + 1
        return given

    def _block(self) -> tuple[int, int]:
        if self._shared is None:
            return claim_block(self._registry, self._node_id)
        if self._ahead is None:
            raise ProducerIdPending("the next producer ids are asked for")
        ahead, self._ahead = self._ahead, None
        return ahead

    def _ask(self, shared: SharedRegistry) -> None:
        if self._is_asking or self._ahead is not None:
            return
        self._is_asking = True
        shared.later(partial(claim_block, shared, self._node_id), self._asked)

    def _asked(self, outcome: tuple[int, int] | Exception) -> None:
        self._is_asking = False
        if isinstance(outcome, Exception):
            log.warning("no producer ids: the next request asks again", extra={"error": outcome})
        else:
            self._ahead = outcome


def claim_block(registry: Registry, node_id: int) -> tuple[int, int]:
    """The first id of a block that only this broker has, and the id after its last.

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
