"""KeptGroups: the groups of one kind in one partition of __consumer_offsets, by id.

A call that changes something returns the records for it, already applied. A caller that must not
write them has to undo that; one that cannot undo must read the groups from the log again.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from barnabas.coordinators.common.draft import Draft, Replay
from barnabas.coordinators.common.group_replay import GroupReplay
from barnabas.coordinators.common.undo import WayBack, to_values
from barnabas.types import Buffer


class _Group(Protocol):
    @property
    def parts(self) -> tuple[Any, ...]:
        """The objects that have its attributes."""
        ...


GroupT = TypeVar("GroupT", bound=_Group)


class KeptGroups(Generic[GroupT]):
    """Some groups of a broker. `replay_any` takes in records of all kinds, those of other groups too."""

    def __init__(
        self,
        replay_own: GroupReplay[GroupT],
        replay_any: Replay,
    ) -> None:
        self._replay_own = replay_own
        self._replay_any = replay_any
        self._groups: dict[str, GroupT] = {}
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
        """A group, possibly without members.

        Called for each member's request, so no method wraps it.
        """

    def replay(self, key: Buffer | None, value: Buffer | None, ways: list[WayBack] | None) -> bool:
        """Take in one record, noting the way back; False if it is of another kind.

        Raises:
            DecodeError: it is damaged.
        """
        return self._replay_own(self._groups, key, value, ways)

    def _draft(self, group: GroupT | None) -> Draft:
        draft = Draft(self._replay_any)
        if group is not None:
            draft.note(to_values(*group.parts))
        return draft

    def _begun(self, draft: Draft, group_id: str, group: GroupT) -> GroupT:
        """Create a group without records."""
        draft.note(lambda: self._groups.pop(group_id, None))
        return self._groups.setdefault(group_id, group)
