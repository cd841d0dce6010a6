"""The states of a member of a group, on its own side, and all moves between them.

Source: Kafka's AbstractCoordinator.MemberState, with joining and its answer told apart as there.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class MemberState(Enum):
    """What this member is doing."""

    AWAY = auto()
    """No member, and nothing is under way."""
    JOINING = auto()
    """It asks to be one; the broker waits for the others. Nothing expires it meanwhile."""
    SYNCING = auto()
    """A generation has begun; what its leader hands out is waited for."""
    STABLE = auto()
    """It has its partitions, and heartbeats."""


class MemberInput(Enum):
    """What moves it."""

    JOIN = auto()
    """JoinGroup is sent, for the first time or again."""
    JOINED = auto()
    """The broker named the generation."""
    SYNCED = auto()
    """The broker handed out the partitions."""
    FORGOTTEN = auto()
    """The group does not know it any more, or it left."""


_S, _I = MemberState, MemberInput

TRANSITIONS: Mapping[MemberState, Mapping[MemberInput, MemberState]] = MappingProxyType(
    {
        _S.AWAY: {_I.JOIN: _S.JOINING, _I.FORGOTTEN: _S.AWAY},
        _S.JOINING: {_I.JOIN: _S.JOINING, _I.JOINED: _S.SYNCING, _I.FORGOTTEN: _S.AWAY},
        _S.SYNCING: {_I.JOIN: _S.JOINING, _I.SYNCED: _S.STABLE, _I.FORGOTTEN: _S.AWAY},
        _S.STABLE: {_I.JOIN: _S.JOINING, _I.FORGOTTEN: _S.AWAY},
    }
)
