"""Machine: the state machine of a group member, as its driver on the loop uses it."""

from collections.abc import Iterable
from typing import Protocol

from barnabas.client.core.group.membership_results import Change
from barnabas.client.core.group.options import GroupOptions


class Machine(Protocol):
    """The state machine of either kind of member."""

    options: GroupOptions
    topics: frozenset[str]
    member_id: str
    generation: int

    @property
    def due(self) -> bool:
        """Whether a poll has something to start."""
        ...

    def subscribe(self, topics: Iterable[str]) -> None:
        """Subscribe to these topics from now on."""
        ...

    def before_join(self) -> Change | None:
        """Partitions to revoke before joining, if any; `gave_up` must follow."""
        ...

    def before_leave(self) -> Change | None:
        """Partitions to revoke by leaving, if any."""
        ...

    def gave_up(self, change: Change) -> None:
        """The listener was notified of the revocation; the partitions are gone."""
        ...
