"""GroupReplay: applies records to groups of one kind. Groups change nowhere else."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from barnabas.coordinators.common.record_kinds import DecodedRecord, Layouts, read_record
from barnabas.coordinators.common.undo import Undo
from barnabas.types import Buffer

GroupT = TypeVar("GroupT")


class Effect(NamedTuple):
    """The layouts of a kind of record, and the function that applies one with a value.

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
        undo_of: Callable[[GroupT, Any], Undo | None],
    ) -> None:
        """`new` creates a group from its id; `remove` handles a key without a value.

        `undo_of` returns what restores the members, and other named parts of a group, that a record
        with that key changes. None: it changes only attributes of the group itself.
        """
        self._new = new
        self._effects = effects
        self._layouts = {kind: effect.layouts for kind, effect in effects.items()}
        self._remove = remove
        self._undo_of = undo_of

    def __call__(
        self,
        groups: dict[str, GroupT],
        key: Buffer | None,
        value: Buffer | None,
        undo_log: list[Undo] | None = None,
    ) -> bool:
        """Apply one record and add its undo to `undo_log`; False if it is of another kind.

        Raises:
            DecodeError: it is damaged, or of a later version.
        """
        record = read_record(key, value, self._layouts)
        if record is None:
            return False
        group_id: str = record.key.group_id
        group = groups.get(group_id)
        if undo_log is not None:
            self._note(undo_log, groups, group, record)
        if record.value is not None:
            if group is None:
                group = groups[group_id] = self._new(group_id)
            self._effects[record.kind].apply(group, record.key, record.value)
        elif group is not None:
            self._remove(groups, group, record.key)
        return True

    def _note(
        self,
        undo_log: list[Undo],
        groups: dict[str, GroupT],
        group: GroupT | None,
        record: DecodedRecord,
    ) -> None:
        group_id: str = record.key.group_id
        if group is None:
            undo_log.append(partial(groups.pop, group_id, None))
            return
        if record.value is None:
            undo_log.append(partial(groups.__setitem__, group_id, group))
        undo = self._undo_of(group, record.key)
        if undo is not None:
            undo_log.append(undo)
