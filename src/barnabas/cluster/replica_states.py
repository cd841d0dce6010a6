"""The states of a replica whose topic is being deleted, and their transitions.

Other replicas need no state of their own: they are online where their broker is alive and their log
directory works.

Source: Kafka's ReplicaStateMachine and TopicDeletionManager.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class ReplicaPhase(Enum):
    """How far the deletion of a replica is; the values are Kafka's names."""

    OFFLINE = "OfflineReplica"
    """It takes no part any more."""
    DELETION_STARTED = "ReplicaDeletionStarted"
    """Its broker was asked to delete the log."""
    DELETION_SUCCESSFUL = "ReplicaDeletionSuccessful"
    """The log is gone."""
    DELETION_INELIGIBLE = "ReplicaDeletionIneligible"
    """Its broker is down, or could not delete the log."""


class ReplicaInput(Enum):
    """What moves it."""

    REQUESTED = auto()
    """StopReplica is sent."""
    DELETED = auto()
    """The broker has answered: done."""
    FAILED = auto()
    """It has answered with an error, or is gone."""
    RETURNED = auto()
    """The broker is back."""


_P, _I = ReplicaPhase, ReplicaInput

TRANSITIONS: Mapping[ReplicaPhase, Mapping[ReplicaInput, ReplicaPhase]] = MappingProxyType(
    {
        _P.OFFLINE: {_I.REQUESTED: _P.DELETION_STARTED, _I.FAILED: _P.DELETION_INELIGIBLE},
        _P.DELETION_STARTED: {
            _I.DELETED: _P.DELETION_SUCCESSFUL,
            _I.FAILED: _P.DELETION_INELIGIBLE,
            _I.RETURNED: _P.OFFLINE,  # In another life: what it was asked may be lost.
        },
        _P.DELETION_INELIGIBLE: {_I.FAILED: _P.DELETION_INELIGIBLE, _I.RETURNED: _P.OFFLINE},
        _P.DELETION_SUCCESSFUL: {
            # Nothing of it can fail, or needs to be done again.
            _I.FAILED: _P.DELETION_SUCCESSFUL,
            _I.RETURNED: _P.DELETION_SUCCESSFUL,
            _I.DELETED: _P.DELETION_SUCCESSFUL,
        },
    }
)
"""The next phase by phase and input. What is not here cannot happen."""
