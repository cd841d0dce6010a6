"""GroupReplay: what the records of one kind of groups do to them: the one place where they change."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from barnabas.coordinators.common.record_kinds import DecodedRecord, Layouts, read_record
from barnabas.coordinators.common.undo import WayBack
from barnabas.types import Buffer

GroupT = TypeVar("GroupT")


class Effect(NamedTuple):
    """The layouts of a kind of records, and what one with a value does to its group.

    The function takes the group, a key and a value of these layouts.
    """

    layouts: Layouts
    apply: Callable[[Any, Any, Any], None]


class GroupReplay(Generic[GroupT]):
    """Applies records to groups."""

    def __init__(
        self,
        new: Callable[[str], GroupT],
        effects: Mapping[int, Effect],
        remove: Callable[[dict[str, GroupT], GroupT, Any], None],
        way_back: Callable[[GroupT, Any], WayBack | None],
    ) -> None:
        """`new` creates a group from its id; `remove` handles a key without a value.

        `way_back` restores members, and other named parts of a group, to their state before a
        record with that key. None: the record has a part that exists only once.
        """
        self._new = new
        self._effects = effects
        self._layouts = {kind: effect.layouts for kind, effect in effects.items()}
        self._remove = remove
        self._way_back = way_back

    def __call__(
        self,
        groups: dict[str, GroupT],
        key: Buffer | None,
        value: Buffer | None,
        ways: list[WayBack] | None = None,
    ) -> bool:
        """Take in one record, noting the way back; False if it is of another kind.

        Raises:
            DecodeError: it is damaged, or of a version that came later.
        """
        record = read_record(key, value, self._layouts)
        if record is None:
            return False
        group_id: str = record.key.group_id
        group = groups.get(group_id)
        if ways is not None:
            self._note(ways, groups, group, record)
        if record.value is not None:
            if group is None:
                group = groups[group_id] = self._new(group_id)
            self._effects[record.kind].apply(group, record.key, record.value)
        elif group is not None:
            self._remove(groups, group, record.key)
        return True

    def _note(
        self,
        ways: list[WayBack],
        groups: dict[str, GroupT],
        group: GroupT | None,
        record: DecodedRecord,
    ) -> None:
        group_id: str = record.key.group_id
        if group is None:
            ways.append(partial(groups.pop, group_id, None))
            return
        if record.value is None:
            ways.append(partial(groups.__setitem__, group_id, group))
        way = self._way_back(group, record.key)
        if way is not None:
            ways.append(way)
