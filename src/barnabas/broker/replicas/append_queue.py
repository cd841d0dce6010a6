"""What was appended to partitions and is not written yet: one write for all of a turn.

The broker's own records are gathered into batches on the way.
"""

import logging
from collections.abc import Callable, Sequence
from functools import partial

from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.own_batch import OwnBatch
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.partition_table import PartitionTable
from barnabas.broker.replicas.slow_rolls import rolled_slowly
from barnabas.errors import ErrorCode, StorageError
from barnabas.ports import Clock
from barnabas.protocol.produce import PartitionProduceResponse
from barnabas.records.codecs.compression import Codec

log = logging.getLogger(__name__)


def _nobody() -> None:
    """The callback where nothing depends on the result."""


class AppendQueue(PartitionTable):
    """Appends of this turn, and requests that wait for their write. For one thread."""

    __slots__ = (
        "_clock", "_dirty", "_own", "_own_ms", "_purgatory", "_uncommitted", "on_slow", "writes",
    )  # fmt: skip

    def __init__(self, clock: Clock, purgatory: Purgatory) -> None:
        super().__init__()
        self._clock = clock
        self._purgatory = purgatory
        self._dirty: dict[Partition, None] = {}
        self._own: dict[Partition, OwnBatch] = {}
        """What is still gathered of the broker's own; these partitions are dirty too."""
        self._own_ms = 0
        """When the first of these was begun: all batches of a turn have the same time."""
        self.writes = 0
        """How often something was written: another number means that there is more to read."""
        self._uncommitted: dict[Partition, None] = {}
        self.on_slow: Callable[[], None] = _nobody
        """Called when the records of a request took long to unpack."""

    def _await_write(self, partition: Partition, answer: PartitionProduceResponse) -> None:
        partition.unanswered.append(answer)
        self._dirty[partition] = None
        if rolled_slowly(partition, answer):
            self.on_slow()

    def append_own(
        self, partition: Partition, batch: bytearray, on_written: Callable[[ErrorCode], None]
    ) -> None:
        """Queue a batch that the broker made itself; `write` tells what became of it."""
        self.seal(partition)
        partition.append_own(batch, self._clock.time_ms(), on_written)
        self._dirty[partition] = None

    def gathering(self, partition: Partition, codec: Codec = Codec.NONE) -> OwnBatch:
        """Return the current batch of the broker's own records for a partition; add to it at once.

        All records until the next write are one batch, and all of a partition have one codec.
        """
        own = self._own.get(partition)
        if own is None or own.is_full:
            if own is not None:
                self.seal(partition)
            if not self._own:
                self._own_ms = self._clock.time_ms()
            own = self._own[partition] = OwnBatch(self._own_ms, codec)
            self._dirty[partition] = None
        return own

    def join_own(self, partition: Partition, on_written: Callable[[ErrorCode], None]) -> bool:
        """Call with the result of what is queued or uncommitted; False if there is nothing of that kind."""
        own = self._own.get(partition)
        if own is None:
            return partition.join_own(on_written)
        own.join(on_written)
        return True

    def is_written(self, partition: Partition) -> bool:
        """Whether `join_own` has nothing to join."""
        return (
            not partition.queued_bytes and not partition.uncommitted and partition not in self._own
        )

    def seal(self, partition: Partition) -> None:
        """Queue the gathered records as one batch; further records come after it."""
        own = self._own.pop(partition, None)
        if own is not None:
            partition.append_gathered(own)

    def write(self) -> bool:
        """Write what was queued since the last call, then complete the requests that wait for it.

        A failing disk turns the responses of the lost appends into errors, and is logged. Returns whether
        all is committed.
        """
        while self._dirty:
            # A listener notified of a write may queue more records.
            dirty, self._dirty = self._dirty, {}
            for partition in dirty:
                self._write(partition)
        return not self._uncommitted

    def _write(self, partition: Partition) -> None:
        if self._own:
            self.seal(partition)
        try:
            written = partition.write()
        except StorageError as error:
            topic, index = partition.log.topic_partition
            log.error(  # noqa: TRY400 - a trace says nothing about a disk
                "append failed", extra={"topic": topic, "partition": index, "error": error}
            )
            if partition.role is not None:
                self._purgatory.happened(partition.role, -1)
            return
        self.writes += 1
        # Followers copy uncommitted records too, and no response waits for them: it may be their fetch's.
        has_role = partition.role is not None
        if has_role:
            # Each of them gets at once what all requests of this turn have brought.
            self._purgatory.happened_in_turn(partition, written)
        elif not partition.uncommitted:
            self._purgatory.happened(partition, written)
        if partition.uncommitted:
            partition.when_committed(
                partial(self._committed, partition, 0 if has_role else written)
            )
            if not has_role:
                self._uncommitted[partition] = None

    def _committed(self, partition: Partition, written: int) -> None:
        self._purgatory.happened(partition, written)
        self.write()

    def take_uncommitted(self) -> Sequence[Partition]:
        """The partitions written since the last call with uncommitted appends."""
        if not self._uncommitted:
            return ()
        uncommitted, self._uncommitted = self._uncommitted, {}
        return [partition for partition in uncommitted if not partition.is_committed]
