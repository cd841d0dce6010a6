"""One member of a share group: heartbeats and their responses. No I/O. Source: KIP-932."""

from collections.abc import Iterable

from barnabas.client.core.group.epoch_membership import JOINS, LEAVES, TopicIdIndex
from barnabas.client.core.group.membership_results import COORDINATOR_STEPS, NextStep
from barnabas.errors import ErrorCode
from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)

_STEPS = {
    **COORDINATOR_STEPS,
    ErrorCode.FENCED_MEMBER_EPOCH: NextStep.REJOIN,
    ErrorCode.UNKNOWN_MEMBER_ID: NextStep.REJOIN,
}
"""All other errors are raised to the user."""


class ShareMembership:
    """`assigned`: the partitions to read. `interval_ms`: between heartbeats, set by the broker."""

    def __init__(self, group_id: str, member_id: str, rack: str) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.interval_ms = 0
        self.assigned: frozenset[TopicIdIndex] = frozenset()
        self.topics: frozenset[str] = frozenset()
        self._rack = rack
        self._epoch = JOINS
        self._reported: frozenset[str] | None = None

    @property
    def joined(self) -> bool:
        """Whether the group knows this member."""
        return self._epoch > JOINS

    @property
    def has_news(self) -> bool:
        """Whether to send a heartbeat now, and not only when the next one is due."""
        return self._reported != self.topics

    def subscribe(self, topics: Iterable[str]) -> None:
        """Read these topics from now on."""
        self.topics = frozenset(topics)

    def heartbeat_request(self) -> ShareGroupHeartbeatRequest:
        """A heartbeat with everything that the broker does not know yet."""
        joins = not self.joined
        return ShareGroupHeartbeatRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            member_epoch=self._epoch,
            rack_id=self._rack or None if joins else None,
            subscribed_topic_names=sorted(self.topics) if joins or self.has_news else None,
        )

    def leave_request(self) -> ShareGroupHeartbeatRequest:
        """The last heartbeat."""
        return ShareGroupHeartbeatRequest(
            group_id=self.group_id, member_id=self.member_id, member_epoch=LEAVES
        )

    def handle_response(
        self, topics: frozenset[str], response: ShareGroupHeartbeatResponse
    ) -> NextStep:
        """Handle the response to a heartbeat that reported these topics."""
        code = ErrorCode.of(response.error_code)
        if code:
            step = _STEPS.get(code, NextStep.FAIL)
            if step in {NextStep.REJOIN, NextStep.FAIL}:
                self.forgotten()
            return step
        self._epoch = response.member_epoch
        self.interval_ms = response.heartbeat_interval_ms
        self._reported = topics
        if response.assignment is not None:
            self.assigned = frozenset(
                TopicIdIndex(bytes(row.topic_id), partition)
                for row in response.assignment.topic_partitions
                for partition in row.partitions
            )
        return NextStep.CONTINUE

    def forgotten(self) -> None:
        """The group does not know this member any more: the next heartbeat joins."""
        self._epoch = JOINS
        self._reported = None
        self.assigned = frozenset()
