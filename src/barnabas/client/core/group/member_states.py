"""The client-side states of a classic group member, and their transitions.

Source: Kafka's AbstractCoordinator.MemberState, with separate states for joining and syncing.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class MemberState(Enum):
    """The state of the member."""

    AWAY = auto()
    """Not a member, and nothing is pending."""
    JOINING = auto()
    """It has sent JoinGroup; the broker waits for the others.

    The membership cannot expire meanwhile.
    """
    SYNCING = auto()
    """A generation has started; the member waits for its assignment."""
    STABLE = auto()
    """It has its partitions, and sends heartbeats."""


class MemberInput(Enum):
    """Events."""

    JOIN = auto()
    """JoinGroup is sent, for the first time or again."""
    JOINED = auto()
    """The broker returned the generation."""
    SYNCED = auto()
    """The broker returned the assignment."""
    FORGOTTEN = auto()
    """The group removed the member, or it left."""


_S, _I = MemberState, MemberInput

TRANSITIONS: Mapping[MemberState, Mapping[MemberInput, MemberState]] = MappingProxyType(
    {
        _S.AWAY: {_I.JOIN: _S.JOINING, _I.FORGOTTEN: _S.AWAY},
        _S.JOINING: {_I.JOIN: _S.JOINING, _I.JOINED: _S.SYNCING, _I.FORGOTTEN: _S.AWAY},
        _S.SYNCING: {_I.JOIN: _S.JOINING, _I.SYNCED: _S.STABLE, _I.FORGOTTEN: _S.AWAY},
        _S.STABLE: {_I.JOIN: _S.JOINING, _I.FORGOTTEN: _S.AWAY},
    }
)
