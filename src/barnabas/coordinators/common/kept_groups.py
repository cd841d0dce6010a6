"""GroupTable: the groups of one kind in one partition of __consumer_offsets, by id.

A call that changes something returns the records for it, already applied. If the caller cannot write
them, it must undo them; without an undo, it must load the groups from the log again.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from barnabas.coordinators.common.draft import RecordDraft, Replay
from barnabas.coordinators.common.group_replay import GroupReplay
from barnabas.coordinators.common.undo import Undo, restore_attributes
from barnabas.types import Buffer


class _Group(Protocol):
    @property
    def parts(self) -> tuple[Any, ...]:
        """The objects that have its attributes."""
        ...


GroupT = TypeVar("GroupT", bound=_Group)


class GroupTable(Generic[GroupT]):
    """Groups of a broker. `replay_any` applies records of all kinds, of other groups too."""

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

    def replay(self, key: Buffer | None, value: Buffer | None, undo_log: list[Undo] | None) -> bool:
        """Apply one record and add its undo to `undo_log`; False if it is of another kind.

        Raises:
            DecodeError: it is damaged.
        """
        return self._replay_own(self._groups, key, value, undo_log)

    def _draft(self, group: GroupT | None) -> RecordDraft:
        draft = RecordDraft(self._replay_any)
        if group is not None:
            draft.note(restore_attributes(*group.parts))
        return draft

    def _begun(self, draft: RecordDraft, group_id: str, group: GroupT) -> GroupT:
        """Create a group without records."""
        draft.note(lambda: self._groups.pop(group_id, None))
        return self._groups.setdefault(group_id, group)
