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
    """A generation has begun; what its leader hands out is waited for."""
    STABLE = "Stable"
    """Each member has its assignment."""
    DEAD = "Dead"
    """The group is deleted or this broker lets go of it."""


EMPTY = GroupState.EMPTY
PREPARING_REBALANCE = GroupState.PREPARING_REBALANCE
COMPLETING_REBALANCE = GroupState.COMPLETING_REBALANCE
STABLE = GroupState.STABLE
"""Each by itself: to look one up in its class takes as long as three calls (in Python 3.11)."""


class GroupInput(Enum):
    """What moves a group."""

    REBALANCE_NEEDED = auto()
    """Somebody joined, left or changed what it can."""
    MEMBERS_JOINED = auto()
    """All that there are have joined, or no more are waited for."""
    NOBODY_JOINED = auto()
    """The rebalance ended without a member."""
    ASSIGNED = auto()
    """What the leader handed out is kept."""
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
