"""InSync: the ISR that the controller confirmed, and the one that the leader proposed.

Source: KIP-497; Kafka's PartitionState.
"""

from dataclasses import dataclass

from barnabas.types import NodeId


@dataclass(frozen=True, slots=True)
class InSync:
    """While a change is under way the leader does not know which of both ISRs holds.

    So the watermark waits for the union (`maximal`), and an append needs enough replicas in `isr`.
    """

    isr: frozenset[NodeId]
    partition_epoch: int
    proposed: frozenset[NodeId] | None = None

    @property
    def maximal(self) -> frozenset[NodeId]:
        """All that are in sync, or would be."""
        return self.isr if self.proposed is None else self.isr | self.proposed

    def propose(self, isr: frozenset[NodeId]) -> "InSync":
        """The same, with a change under way; there is one at a time."""
        assert self.proposed is None
        return InSync(self.isr, self.partition_epoch, isr)

    def withdraw(self) -> "InSync":
        """The same, after the controller has certainly not made the change."""
        return InSync(self.isr, self.partition_epoch)
