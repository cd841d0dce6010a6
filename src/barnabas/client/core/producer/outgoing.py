"""What a producer is to send now: batches by broker, and when to look again. Decides nothing."""

from dataclasses import dataclass, field

from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.protocol.produce import PartitionProduceData


@dataclass(slots=True)
class Outgoing:
    """Batches for one broker, one per partition, that go in one request."""

    node_id: int
    batches: list[ProducerBatch]
    size: int = 0

    def rows_by_topic(self) -> dict[str, list[PartitionProduceData]]:
        """The rows of a Produce request, one for each batch, by topic."""
        topics: dict[str, list[PartitionProduceData]] = {}
        for batch in self.batches:
            row = PartitionProduceData(index=batch.where.partition, records=batch.payload)
            topics.setdefault(batch.where.topic, []).append(row)
        return topics


@dataclass(slots=True)
class Plan:
    """What to do now: requests to send, and when to look again (None: when something happens).

    `to_build` are batches that `build` must be called for, on another thread, before they can go.
    """

    outgoing: list[Outgoing] = field(default_factory=list)
    to_build: list[ProducerBatch] = field(default_factory=list)
    wake_at: float | None = None
    leaders_wanted: bool = False

    def wake(self, when: float) -> None:
        """Look again at `when` or earlier."""
        if self.wake_at is None or when < self.wake_at:
            self.wake_at = when
