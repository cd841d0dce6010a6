"""The client-side states of a member whose broker assigns, and their transitions.

Source: KIP-848, the client's state machine; Kafka's names where it has them.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class EpochState(Enum):
    """The state of the member."""

    AWAY = auto()
    """Not a member, and nothing is pending."""
    JOINING = auto()
    """It requests membership."""
    RECONCILING = auto()
    """Its assignment differs from its partitions."""
    ACKNOWLEDGING = auto()
    """It has its assignment, and reports that."""
    STABLE = auto()
    """The broker knows that."""


class EpochInput(Enum):
    """Events."""

    JOIN = auto()
    """The user subscribed, and polls."""
    ASSIGNED = auto()
    """The broker sent an assignment that differs from the member's partitions."""
    RECONCILED = auto()
    """Partitions were revoked and adopted."""
    KNOWN = auto()
    """The broker acknowledged the report."""
    FORGOTTEN = auto()
    """The group removed the member, or it left."""


_S, _I = EpochState, EpochInput

TRANSITIONS: Mapping[EpochState, Mapping[EpochInput, EpochState]] = MappingProxyType(
    {
        _S.AWAY: {_I.JOIN: _S.JOINING, _I.FORGOTTEN: _S.AWAY},
        _S.JOINING: {_I.ASSIGNED: _S.RECONCILING, _I.FORGOTTEN: _S.AWAY},
        _S.RECONCILING: {
            _I.ASSIGNED: _S.RECONCILING,
            _I.RECONCILED: _S.ACKNOWLEDGING,
            _I.FORGOTTEN: _S.AWAY,
        },
        _S.ACKNOWLEDGING: {
            _I.ASSIGNED: _S.RECONCILING,
            _I.KNOWN: _S.STABLE,
            _I.FORGOTTEN: _S.AWAY,
        },
        _S.STABLE: {_I.ASSIGNED: _S.RECONCILING, _I.FORGOTTEN: _S.AWAY},
    }
)
