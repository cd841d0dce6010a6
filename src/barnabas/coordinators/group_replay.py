"""GroupReplay: what the records of one kind of groups do to them: the one place where they change."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from barnabas.coordinators.kinds import Layouts, read_record
from barnabas.types import Buffer

GroupT = TypeVar("GroupT")


class Effect(NamedTuple):
    """The layouts of a kind of records, and what one with a value does to its group.

    The function takes the group, a key and a value of these layouts.
    """

    layouts: Layouts
    apply: Callable[[Any, Any, Any], None]


class GroupReplay(Generic[GroupT]):
    """Reads records and has groups become what they say."""

    def __init__(
        self,
        new: Callable[[str], GroupT],
        effects: Mapping[int, Effect],
        undo: Callable[[dict[str, GroupT], GroupT, Any], None],
    ) -> None:
        """`new` makes a group from its id; `undo` does what a key without a value says."""
        self._new = new
        self._effects = effects
        self._layouts = {kind: effect.layouts for kind, effect in effects.items()}
        self._undo = undo

    def __call__(self, groups: dict[str, GroupT], key: Buffer | None, value: Buffer | None) -> bool:
        """Take in one record; False if it is of another kind.

        Raises:
            DecodeError: it is damaged, or of a version that came later.
        """
        said = read_record(key, value, self._layouts)
        if said is None:
            return False
        group_id: str = said.key.group_id
        group = groups.get(group_id)
        if said.value is not None:
            if group is None:
                group = groups[group_id] = self._new(group_id)
            self._effects[said.kind].apply(group, said.key, said.value)
        elif group is not None:
            self._undo(groups, group, said.key)
        return True
