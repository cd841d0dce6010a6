"""What a member's machine returns: how to continue, and changes of which its listener is notified."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition

_E = ErrorCode


class NextStep(Enum):
    """How to continue after a response."""

    CONTINUE = auto()
    """Nothing is wrong."""
    REJOIN = auto()
    """Rejoin at once."""
    RETRY_LATER = auto()
    """Repeat the request later."""
    FIND_COORDINATOR = auto()
    """Find the coordinator, and repeat the request."""
    FAIL = auto()
    """Raise the error to the user."""


class ChangeKind(Enum):
    """Kinds of notifications to a listener."""

    REVOKED = auto()
    """Partitions are revoked; their positions may still be committed."""
    LOST = auto()
    """Other members may have them already; a commit would be refused."""
    ASSIGNED = auto()
    """Partitions are assigned to this member."""


@dataclass(frozen=True, slots=True)
class Change:
    """One notification to a listener."""

    kind: ChangeKind
    partitions: tuple[TopicPartition, ...]


COORDINATOR_STEPS: Final = {
    _E.NONE: NextStep.CONTINUE,
    _E.COORDINATOR_LOAD_IN_PROGRESS: NextStep.RETRY_LATER,
    _E.COORDINATOR_NOT_AVAILABLE: NextStep.FIND_COORDINATOR,
    _E.NOT_COORDINATOR: NextStep.FIND_COORDINATOR,
}
"""Of every kind of group: how to continue after these errors."""
