"""TransactionMarkers: the control batches that end a transaction in a partition."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.coordinators.internal_topics import OFFSETS_TOPIC
from barnabas.errors import ErrorCode
from barnabas.log.segments.log_config import TODAYS_MAGIC
from barnabas.ports import Clock
from barnabas.records.batches.control import Marker, encode_marker
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.types import TopicPartition


class Ending(NamedTuple):
    """How a producer's transaction ends. `bumped`: its epoch is a new one (KIP-890, KIP-1228)."""

    producer_id: int
    epoch: int
    marker: Marker
    bumped: bool = False


class OffsetsInTransactions(Protocol):
    """The offsets that groups have sent in transactions."""

    def end_transaction(self, partition: Partition, producer_id: int, *, committed: bool) -> None:
        """Let a producer's offsets count, or not: its marker is written."""
        ...


class TransactionMarkers:
    """Writes markers to partitions of this broker; groups learn which offsets count."""

    def __init__(
        self, replicas: ReplicaManager, groups: OffsetsInTransactions, clock: Clock
    ) -> None:
        self._replicas = replicas
        self._groups = groups
        self._clock = clock

    def is_written(self, place: TopicPartition, ending: Ending) -> bool:
        """Whether a partition surely has the marker, of before a restart."""
        partition = self._replicas.find(*place)
        return (
            ending.bumped
            and partition is not None
            and partition.log.producers.has_ended(ending.producer_id, ending.epoch)
        )

    def write(
        self, place: TopicPartition, ending: Ending, on_written: Callable[[ErrorCode], None]
    ) -> None:
        """Queue a marker; `on_written` receives its result."""
        partition = self._replicas.find(*place)
        if partition is None:
            on_written(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            return
        if partition.log.config.magic < TODAYS_MAGIC:
            on_written(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT)
            return
        if min(ending.producer_id, ending.epoch) < 0:
            on_written(ErrorCode.INVALID_REQUEST)
            return
        try:
            partition.log.producers.check_marker(
                ending.producer_id,
                ending.epoch,
                ending.marker.coordinator_epoch,
                bumped=ending.bumped,
            )
        except RefusedRecords as refused:
            on_written(refused.code)
            return
        now_ms = self._clock.time_ms()
        batch = encode_marker(ending.marker, ending.producer_id, ending.epoch, now_ms)
        of_group = place.topic == OFFSETS_TOPIC

        def written(code: ErrorCode) -> None:
            if not code and of_group:
                self._groups.end_transaction(
                    partition, ending.producer_id, committed=ending.marker.committed
                )
            on_written(code)

        self._replicas.append_own(partition, batch, written)

    def flush(self) -> None:
        """Write what was queued outside of a request."""
        self._replicas.write()
