"""KeptGroups: the groups of one kind in one partition of __consumer_offsets, by their ids.

A call that changes something gives the records that say so. They are replayed already: who cannot write
them must read the groups from the log again.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from barnabas.coordinators.consumer_group.draft import Replay
from barnabas.types import Buffer

GroupT = TypeVar("GroupT")


class KeptGroups(Generic[GroupT]):
    """Some groups of a broker. `replay_any` takes in records of all kinds, those of other groups too."""

    def __init__(
        self,
        replay_own: Callable[[dict[str, GroupT], Buffer | None, Buffer | None], bool],
        replay_any: Replay,
    ) -> None:
        self._replay_own = replay_own
        self._replay_any = replay_any
        self.become({})

    def all(self) -> Iterator[GroupT]:
        """All groups."""
        return iter(tuple(self._groups.values()))

    def by_id(self) -> dict[str, GroupT]:
        """All groups by their ids: an argument of `become`."""
        return dict(self._groups)

    def become(self, groups: dict[str, GroupT]) -> None:
        """Have the groups that were read from the log again."""
        self._groups = groups
        self.get: Callable[[str], GroupT | None] = groups.get
        """A group, also one without members. Asked for each request of a member: no method around it."""

    def replay(self, key: Buffer | None, value: Buffer | None) -> bool:
        """Take in one record; False if it is of another kind.

        Raises:
            DecodeError: it is damaged.
        """
        return self._replay_own(self._groups, key, value)
