"""The states of a member whose broker assigns, on its own side, and all moves between them.

Source: KIP-848, the client's state machine; Kafka's names where it has them.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class EpochState(Enum):
    """What this member is doing."""

    AWAY = auto()
    """No member, and nothing is under way."""
    JOINING = auto()
    """It says that it wants to be one."""
    RECONCILING = auto()
    """It is to have other partitions than it has."""
    ACKNOWLEDGING = auto()
    """It has what it was to have, and says so."""
    STABLE = auto()
    """The broker knows that."""


class EpochInput(Enum):
    """What moves it."""

    JOIN = auto()
    """The user wants to be a member, and polls."""
    TOLD = auto()
    """The broker said what it is to have, and that is not what it has."""
    RECONCILED = auto()
    """What goes was given up, what comes was taken."""
    KNOWN = auto()
    """The broker answered to all that it has."""
    FORGOTTEN = auto()
    """The group does not know it any more, or it left."""


_S, _I = EpochState, EpochInput

TRANSITIONS: Mapping[EpochState, Mapping[EpochInput, EpochState]] = MappingProxyType(
    {
        _S.AWAY: {_I.JOIN: _S.JOINING, _I.FORGOTTEN: _S.AWAY},
        _S.JOINING: {_I.TOLD: _S.RECONCILING, _I.FORGOTTEN: _S.AWAY},
        _S.RECONCILING: {
            _I.TOLD: _S.RECONCILING,
            _I.RECONCILED: _S.ACKNOWLEDGING,
            _I.FORGOTTEN: _S.AWAY,
        },
        _S.ACKNOWLEDGING: {
            _I.TOLD: _S.RECONCILING,
            _I.KNOWN: _S.STABLE,
            _I.FORGOTTEN: _S.AWAY,
        },
        _S.STABLE: {_I.TOLD: _S.RECONCILING, _I.FORGOTTEN: _S.AWAY},
    }
)
