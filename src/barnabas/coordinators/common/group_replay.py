"""GroupReplay: what the records of one kind of groups do to them: the one place where they change."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from barnabas.coordinators.common.record_kinds import Layouts, Said, read_record
from barnabas.coordinators.common.undo import WayBack
from barnabas.types import Buffer


class Changing(Protocol):
    """A group, of which `changes` moves with each record that it takes in."""

    changes: int


GroupT = TypeVar("GroupT", bound=Changing)


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
        remove: Callable[[dict[str, GroupT], GroupT, Any], None],
        way_back: Callable[[GroupT, Any], WayBack | None],
    ) -> None:
        """`new` makes a group from its id; `remove` does what a key without a value says.

        `way_back` has members, and what else has a name in a group, be again what they are before a
        record with that key. None: it says what the group has but once.
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
        said = read_record(key, value, self._layouts)
        if said is None:
            return False
        group_id: str = said.key.group_id
        group = groups.get(group_id)
        if ways is not None:
            self._note(ways, groups, group, said)
        if said.value is not None:
            if group is None:
                group = groups[group_id] = self._new(group_id)
            self._effects[said.kind].apply(group, said.key, said.value)
        elif group is not None:
            self._remove(groups, group, said.key)
        if group is not None:
            group.changes += 1
        return True

    def _note(
        self,
        ways: list[WayBack],
        groups: dict[str, GroupT],
        group: GroupT | None,
        said: Said,
    ) -> None:
        group_id: str = said.key.group_id
        if group is None:
            ways.append(partial(groups.pop, group_id, None))
            return
        if said.value is None:
            ways.append(partial(groups.__setitem__, group_id, group))
        way = self._way_back(group, said.key)
        if way is not None:
            ways.append(way)
