"""ShareCoordinator: stores share group state for partition leaders; here this broker itself.

What a leader elsewhere would ask over the wire. A partition that is read here is read again from what is
kept when somebody else has changed that.
"""

from collections.abc import Callable
from typing import Final

from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.shares.partitions import SharePartitions
from barnabas.broker.shares.states import ShareStateShards
from barnabas.broker.topics.topics import Topics
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.share_state import leaders
from barnabas.coordinators.share_state.leaders import StateUpdate
from barnabas.coordinators.share_state.states import ShareState, StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock

RespondState = Callable[[ErrorCode, ShareState], None]
"""Receives the code of a request and, if requested, the stored state."""

NOTHING: Final = ShareState(start=0)
"""The state in the response to a failed request, or one that does not ask for it."""


class ShareCoordinator:
    """Of all partitions of __share_group_state. For one thread.

    Each call tells what became of it, or raises a BrokerError: that of `leaders`, or that there is no
    such partition.
    """

    def __init__(
        self, topics: Topics, kept: ShareStateShards, partitions: SharePartitions, clock: Clock
    ) -> None:
        self._topics = topics
        self._kept = kept
        self._partitions = partitions
        self._clock = clock

    def prepare(self) -> None:
        """Make the internal topic if it is not there.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be made.
        """
        self._kept.prepare()

    def prepare_in_steps(self) -> Steps[None]:
        """Like `prepare`, with the topic written beside the loop."""
        return self._kept.prepare_in_steps()

    def begin(self, key: StateKey, state_epoch: int, start: int, respond: RespondState) -> None:
        """See `leaders.begin`."""
        self._check_place(key)
        now = self._clock.time_ms()
        record = leaders.begin(self._kept.states(key), key, state_epoch, start, now)
        self._keep(key, record, respond)

    def read(self, key: StateKey, leader_epoch: int, respond: RespondState) -> None:
        """See `leaders.read`; responds when the new leader is stored."""
        states = self._kept.states(key)
        found, record = leaders.read(states, key, leader_epoch, self._clock.time_ms())
        self._check_place(key)
        if record is None:
            respond(ErrorCode.NONE, found)
        else:
            self._kept.keep(key, record, lambda code: respond(code, found))

    def write(self, key: StateKey, update: StateUpdate, respond: RespondState) -> None:
        """See `leaders.write`."""
        record = leaders.write(self._kept.states(key), key, update, self._clock.time_ms())
        self._check_place(key)
        self._keep(key, record, respond)

    def look(self, key: StateKey, respond: RespondState) -> None:
        """Tell what is kept; of what was never begun, that the start is not known."""
        self._check_place(key)
        respond(ErrorCode.NONE, self._kept.states(key).get(key) or ShareState())

    def end(self, key: StateKey, respond: RespondState) -> None:
        """Keep nothing any more; nothing may have been kept."""
        self._check_place(key)
        if self._kept.states(key).get(key) is None:
            respond(ErrorCode.NONE, NOTHING)
        else:
            self._partitions.stored.forget_here(key, lambda code: respond(code, NOTHING))

    def _keep(self, key: StateKey, record: CoordinatorRecord, respond: RespondState) -> None:
        self._partitions.read_anew(key)
        self._kept.keep(key, record, lambda code: respond(code, NOTHING))

    def _check_place(self, key: StateKey) -> None:
        topic = self._topics.by_id(key.topic_partition.topic_id)
        if topic is None or key.topic_partition.partition not in topic.partitions:
            raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
