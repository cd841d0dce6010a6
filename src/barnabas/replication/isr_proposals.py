"""IsrProposals: the ISR of a leader, and the change of it that the controller has not answered yet.

Source: KIP-497, KIP-903.
"""

from collections.abc import Mapping

from barnabas.errors import ErrorCode
from barnabas.replication.effects import IsrProposal
from barnabas.replication.in_sync import InSync
from barnabas.types import NodeId

NOT_MADE = frozenset({ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA})
"""Answers to a proposal that say that the ISR is as it was."""

NEWER_STATE_COMES = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.NEW_LEADER_ELECTED,
    }
)
"""Answers after which the leader waits for a state from the controller; after others it sends again."""


class IsrProposals:
    """`pending` is what was proposed and neither confirmed nor withdrawn: one change at a time."""

    __slots__ = ("_outgoing", "_resend", "in_sync", "pending")

    def __init__(self, isr: frozenset[NodeId], partition_epoch: int) -> None:
        self.in_sync = InSync(isr, partition_epoch)
        self.pending: IsrProposal | None = None
        self._resend = False
        """Whether it is to be sent again."""
        self._outgoing: IsrProposal | None = None
        """What this step sends."""

    def propose(
        self, isr: frozenset[NodeId], broker_epochs: Mapping[NodeId, int], leader_epoch: int
    ) -> None:
        """Send this ISR to the controller; none is pending."""
        self.in_sync = self.in_sync.propose(isr)
        self._outgoing = self.pending = IsrProposal(
            tuple((node_id, broker_epochs[node_id]) for node_id in sorted(isr)),
            leader_epoch,
            self.in_sync.partition_epoch,
        )

    def send_again(self) -> None:
        """Send the pending one again, if its answer was an error that may pass."""
        self._outgoing = self.pending if self._resend else None
        self._resend = False

    def take_outgoing(self) -> IsrProposal | None:
        """Return what is to be sent, once."""
        outgoing, self._outgoing = self._outgoing, None
        return outgoing

    def confirm(self, isr: frozenset[NodeId], partition_epoch: int) -> None:
        """Take the controller's state: nothing is pending any more."""
        self.in_sync = InSync(isr, partition_epoch)
        self.pending = None
        self._resend = False

    def refuse(self, error: ErrorCode, partition_epoch: int) -> None:
        """The controller refused a proposal on this epoch: withdraw it, wait, or send it again."""
        if self.pending is None or partition_epoch != self.in_sync.partition_epoch:
            return
        if error in NOT_MADE:
            self.in_sync = self.in_sync.withdraw()
            self.pending = None
        elif error not in NEWER_STATE_COMES:
            self._resend = True
