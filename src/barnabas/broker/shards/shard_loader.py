"""ShardLoader: loads a coordinator's shards from the partitions of its internal topic.

A shard is loaded when it is first requested. Where its partition is large, loading takes many steps, and
requests for it are refused meanwhile: the loop serves others between two steps.
"""

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.coordinators.common.shard import CoordinatorShard
from barnabas.errors import BrokerError, DecodeError, ErrorCode, StorageError
from barnabas.ports import Clock, Timers

log = logging.getLogger(__name__)

_AT_ONCE = 16
"""Steps that the first request for a shard makes, 4 MiB: few shards need more. After a start all shards are
requested at once."""
_LONG_SECONDS = 0.01
"""When loading has taken so long in a turn of the loop, the next shard makes one step only."""
_LOOK_SECONDS = 0.05
"""How often a new leader checks whether it knows what is committed."""

ShardT = TypeVar("ShardT", bound=CoordinatorShard)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedShard(Generic[ShardT]):
    """A shard and its partition."""

    partition: Partition
    shard: ShardT


class ShardLoader(Generic[ShardT]):
    """The loaded shards of one internal topic, and those that are being loaded. For one thread."""

    def __init__(
        self,
        replicas: ReplicaManager,
        clock: Clock,
        timers: Timers,
        topic: str,
        new_shard: Callable[[], ShardT],
        replay: Callable[[Partition, ShardT], Iterator[None]],
    ) -> None:
        """`new_shard` makes an empty shard; `replay` replays a partition's log into it, in steps."""
        self.on_loaded: list[Callable[[LoadedShard[ShardT]], None]] = []
        self._replicas = replicas
        self._clock = clock
        self._timers = timers
        self._topic = topic
        self._new_shard = new_shard
        self._replay = replay
        self._loaded: dict[Partition, LoadedShard[ShardT]] = {}
        self._loading: dict[Partition, tuple[ShardT, Iterator[None]]] = {}
        """The shards that are being loaded, with the steps that are left."""
        self._spent_seconds = 0.0
        """The time that loading has taken in this turn of the loop."""

    def loaded(self) -> list[LoadedShard[ShardT]]:
        """All loaded shards."""
        return list(self._loaded.values())

    def find(self, partition: Partition) -> LoadedShard[ShardT] | None:
        """The loaded shard of a partition, or None."""
        return self._loaded.get(partition)

    def at(self, index: int) -> LoadedShard[ShardT]:
        """The shard of a partition, by its number; it is loaded first if need be.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be loaded; COORDINATOR_LOAD_IN_PROGRESS:
                loading it takes more steps, or this leader does not know yet how far records are
                committed; NOT_COORDINATOR.
        """
        name = self._topic
        partition = self._replicas.find(name, index)
        if partition is None:
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, f"{name}-{index}")
        if partition.role is not None and not partition.role.leads:
            raise BrokerError(ErrorCode.NOT_COORDINATOR, f"another broker leads {name}-{index}")
        if partition in self._loaded:
            return self._loaded[partition]
        # The previous leader may have acknowledged records beyond the high watermark known here.
        is_known = partition.role is None or partition.role.knows_committed_end
        if not is_known or partition in self._loading:
            raise BrokerError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"{name}-{index}")
        shard = self._new_shard()
        self._loading[partition] = shard, self._replay(partition, shard)
        if not self._load_first(partition):
            self._timers.soon(partial(self._load_later, partition, self._loading[partition]))
            raise BrokerError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"{name}-{index}")
        return self._loaded[partition]

    def at_in_steps(self, index: int) -> Generator[None, None, LoadedShard[ShardT]]:
        """Like `at`, but makes all steps of loading itself. Raises as `at`."""
        try:
            return self.at(index)
        except BrokerError:
            partition = self._replicas.find(self._topic, index)
            if partition not in self._loading:
                raise
        while partition in self._loading and not self._load_on(partition, 1):
            yield
        return self.at(index)

    def load_soon(self, partition: Partition) -> None:
        """Load a partition's shard before it is requested, as soon as its committed end is known."""

        def attempt() -> None:
            topic, index = partition.log.topic_partition
            if self._replicas.find(topic, index) is not partition or partition in self._loaded:
                return
            try:
                self.at(index)
            except BrokerError as error:
                # Other errors were logged; the next request for the shard tries again.
                if error.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                    self._timers.after(_LOOK_SECONDS, attempt)
            self._replicas.write()

        self._timers.soon(attempt)

    def unload(self, partition: Partition) -> bool:
        """Forget the shard of a partition, which another broker may lead now; whether it was loaded."""
        self._loading.pop(partition, None)
        return self._loaded.pop(partition, None) is not None

    def replay_all(self, partition: Partition, shard: ShardT) -> None:
        """Replay a partition's log into another shard at once.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: the log cannot be read.
        """
        self._advance(partition, self._replay(partition, shard), None)

    def _load_first(self, partition: Partition) -> bool:
        """Make the first steps of loading a shard: fewer if others took long in this turn of the loop.

        Returns and raises as `_load_on`.
        """
        began = self._clock.monotonic()
        try:
            return self._load_on(partition, 1 if self._spent_seconds > _LONG_SECONDS else _AT_ONCE)
        finally:
            if not self._spent_seconds:
                self._timers.soon(self._on_turn_over)
            self._spent_seconds += self._clock.monotonic() - began

    def _on_turn_over(self) -> None:
        self._spent_seconds = 0.0

    def _load_on(self, partition: Partition, count: int) -> bool:
        """Make some steps of loading; whether the shard is loaded now.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be loaded.
        """
        shard, steps = self._loading[partition]
        try:
            if not self._advance(partition, steps, count):
                return False
        except BrokerError:
            del self._loading[partition]
            raise
        del self._loading[partition]
        held = self._loaded[partition] = LoadedShard(partition, shard)
        for begin in self.on_loaded:
            begin(held)
        return True

    def _advance(self, partition: Partition, steps: Iterator[None], count: int | None) -> bool:
        """Make some steps, or all (None); whether none is left. Raises as `_load_on`."""
        try:
            made = sum(1 for _ in islice(steps, count))
        except (StorageError, DecodeError) as error:
            topic, index = partition.log.topic_partition
            log.error(  # noqa: TRY400 - a trace says nothing about a disk
                "shard not loaded", extra={"topic": topic, "partition": index, "error": error}
            )
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(error)) from error
        return made != count

    def _load_later(self, partition: Partition, loading: tuple[ShardT, Iterator[None]]) -> None:
        """Make the next step, unless the shard was loaded or forgotten meanwhile."""
        if self._loading.get(partition) is not loading:
            return
        with suppress(BrokerError):  # It was logged; the next request for the shard starts again.
            if not self._load_on(partition, 1):
                self._timers.soon(partial(self._load_later, partition, loading))
            self._replicas.write()
