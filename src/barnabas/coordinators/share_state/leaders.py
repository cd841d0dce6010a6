"""Requests of partition leaders to a share coordinator: create, read, write, delete states (KIP-932).

Each function reads the states and returns responses and records; nothing changes before those are
applied. Source: Kafka's ShareCoordinatorShard.
"""

from typing import Final, NamedTuple

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.share_partition.spans import Span
from barnabas.coordinators.share_state.combining import combined
from barnabas.coordinators.share_state.states import UNKNOWN, ShareState, ShareStates, StateKey
from barnabas.errors import BrokerError, ErrorCode

AS_BEFORE: Final = -1
"""An epoch, or an offset, that a leader omits."""


class StateUpdate(NamedTuple):
    """A partition's state as its leader reports it."""

    state_epoch: int
    leader_epoch: int
    start: int
    done: int
    spans: tuple[Span, ...]


def begin(
    states: ShareStates, key: StateKey, state_epoch: int, start: int, now_ms: int
) -> CoordinatorRecord:
    """Start, or restart, reading of a partition at an offset.

    Raises:
        BrokerError: FENCED_STATE_EPOCH: it was initialised again since.
    """
    was = states.get(key)
    if was is not None and was.state_epoch > state_epoch:
        raise BrokerError(ErrorCode.FENCED_STATE_EPOCH, f"the state epoch is {was.state_epoch}")
    done = UNKNOWN if start == UNKNOWN else 0
    return states.snapshot(key, ShareState(start, state_epoch=state_epoch, done=done), now_ms)


def read(
    states: ShareStates, key: StateKey, leader_epoch: int, now_ms: int
) -> tuple[ShareState, CoordinatorRecord | None]:
    """Return a state to a leader, with the record of its leadership if that is new.

    Raises:
        BrokerError: INVALID_REQUEST: there is none; FENCED_LEADER_EPOCH: there is a newer leader.
    """
    was = _known(states, key)
    _check_leader(was, leader_epoch)
    if leader_epoch in {AS_BEFORE, was.leader_epoch}:
        return was, None
    return was, states.snapshot(key, was._replace(leader_epoch=leader_epoch), now_ms)


def write(
    states: ShareStates, key: StateKey, update: StateUpdate, now_ms: int
) -> CoordinatorRecord:
    """Store a leader's state over the old one. Only `begin` and `read` raise epochs.

    Raises:
        BrokerError: INVALID_REQUEST: there is none; FENCED_LEADER_EPOCH, FENCED_STATE_EPOCH: an
            epoch is newer.
    """
    was = _known(states, key)
    if update.leader_epoch != AS_BEFORE:
        _check_leader(was, update.leader_epoch)
    if update.state_epoch != AS_BEFORE and was.state_epoch > update.state_epoch:
        raise BrokerError(ErrorCode.FENCED_STATE_EPOCH, f"the state epoch is {was.state_epoch}")
    start = was.start if update.start == UNKNOWN else update.start
    spans = combined((*was.spans, *update.spans), start)
    state = was._replace(start=start, spans=spans, done=update.done)
    return states.snapshot(key, state, now_ms)


def _known(states: ShareStates, key: StateKey) -> ShareState:
    found = states.get(key)
    if found is None:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "nothing was begun for this partition")
    return found


def _check_leader(was: ShareState, leader_epoch: int) -> None:
    if was.leader_epoch > leader_epoch:
        raise BrokerError(ErrorCode.FENCED_LEADER_EPOCH, f"the leader epoch is {was.leader_epoch}")
