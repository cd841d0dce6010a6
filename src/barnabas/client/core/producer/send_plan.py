"""What a producer must send now: batches by broker, and when to plan again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.protocol.produce import PartitionProduceData
from barnabas.types import Buffer


@dataclass(slots=True)
class ProduceBatches:
    """Batches for one broker, at most one per partition, in one request."""

    node_id: int
    batches: list[ProducerBatch]
    size: int = 0

    def rows_by_topic(
        self, converted: Mapping[ProducerBatch, Buffer]
    ) -> dict[str, list[PartitionProduceData]]:
        """The rows of a Produce request, one per batch, by topic; `converted`: records in an old format."""
        topics: dict[str, list[PartitionProduceData]] = {}
        for batch in self.batches:
            records = converted.get(batch, batch.payload)
            row = PartitionProduceData(index=batch.where.partition, records=records)
            topics.setdefault(batch.where.topic, []).append(row)
        return topics


@dataclass(slots=True)
class SendPlan:
    """Requests to send now, and when to plan again (None: after the next event).

    `to_build` are batches that must be built on another thread before they can be sent.
    """

    outgoing: list[ProduceBatches] = field(default_factory=list)
    to_build: list[ProducerBatch] = field(default_factory=list)
    wake_at: float | None = None
    leaders_wanted: bool = False

    def wake(self, when: float) -> None:
        """Plan again at `when` or earlier."""
        if self.wake_at is None or when < self.wake_at:
            self.wake_at = when
