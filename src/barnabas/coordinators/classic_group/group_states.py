"""The states of a classic group, and their transitions.

Source: Kafka's ClassicGroupState, whose names clients see in DescribeGroups and ListGroups.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class GroupState(Enum):
    """What a group is doing; the values are Kafka's names."""

    EMPTY = "Empty"
    """No members. There may be offsets; the first join starts a rebalance."""
    PREPARING_REBALANCE = "PreparingRebalance"
    """The group waits for members. Joins wait; heartbeat responses tell members to rejoin."""
    COMPLETING_REBALANCE = "CompletingRebalance"
    """A generation has begun, and waits for the assignments of its leader."""
    STABLE = "Stable"
    """Each member has its assignment."""
    DEAD = "Dead"
    """The group is deleted, or this broker is no longer its coordinator."""


EMPTY = GroupState.EMPTY
PREPARING_REBALANCE = GroupState.PREPARING_REBALANCE
COMPLETING_REBALANCE = GroupState.COMPLETING_REBALANCE
STABLE = GroupState.STABLE
"""Each by itself: to look one up in its class takes as long as three calls (in Python 3.11)."""


class GroupInput(Enum):
    """The events that change the state of a group."""

    REBALANCE_NEEDED = auto()
    """A member joined, left or changed its protocols."""
    MEMBERS_JOINED = auto()
    """All members have joined, or the time for that is over."""
    NOBODY_JOINED = auto()
    """The rebalance ended without a member."""
    ASSIGNED = auto()
    """The assignments of the leader are written."""
    ENDED = auto()
    """The group is deleted, or the broker stops."""


_S, _I = GroupState, GroupInput

TRANSITIONS: Mapping[GroupState, Mapping[GroupInput, GroupState]] = MappingProxyType(
    {
        _S.EMPTY: {_I.REBALANCE_NEEDED: _S.PREPARING_REBALANCE, _I.ENDED: _S.DEAD},
        _S.PREPARING_REBALANCE: {
            _I.MEMBERS_JOINED: _S.COMPLETING_REBALANCE,
            _I.NOBODY_JOINED: _S.EMPTY,
            _I.ENDED: _S.DEAD,
        },
        _S.COMPLETING_REBALANCE: {
            _I.REBALANCE_NEEDED: _S.PREPARING_REBALANCE,
            _I.ASSIGNED: _S.STABLE,
            _I.ENDED: _S.DEAD,
        },
        _S.STABLE: {_I.REBALANCE_NEEDED: _S.PREPARING_REBALANCE, _I.ENDED: _S.DEAD},
        _S.DEAD: {},
    }
)
