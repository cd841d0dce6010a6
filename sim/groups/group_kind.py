"""GroupKind: which protocols the members of a simulated group speak."""

from enum import Enum, auto


class GroupKind(Enum):
    """Of all the lives of all of its members."""

    CLASSIC = auto()
    """JoinGroup."""
    CONSUMER = auto()
    """Heartbeats (KIP-848)."""
    MIXED = auto()
    """Each life its own: the group goes from one protocol to the other and back."""
