"""Resting: a member of a group whose broker shares out, that has nothing to do and is told nothing."""

from collections.abc import Mapping
from typing import Any, Protocol

from barnabas.coordinators.kept_groups import KeptGroups


class _Group(Protocol):
    """What groups of all kinds have."""

    @property
    def group_id(self) -> str: ...
    @property
    def epoch(self) -> int: ...
    @property
    def assignment_epoch(self) -> int: ...
    @property
    def members(self) -> Mapping[str, object]: ...


class Resting:
    """Hears a member that was idle a moment ago, for as long as nothing happens to it or its group.

    A member is a value: while the very one that was looked at is in its group, what it is and has is
    the same. That topics and what the group obeys are the same is for the caller to see.
    """

    __slots__ = ("_epoch", "_group", "_kept", "_member", "_member_id", "_session_ms", "_sessions")

    def __init__(
        self,
        kept: KeptGroups[Any],
        group: _Group,
        member_id: str,
        sessions: dict[str, int],
        session_ms: int,
    ) -> None:
        """`sessions`: until when something must be heard of each member of the group."""
        self._kept = kept
        self._group = group
        self._epoch = group.epoch
        self._member_id = member_id
        self._member = group.members[member_id]
        self._sessions = sessions
        self._session_ms = session_ms

    def hear(self, now: int) -> bool:
        """Put the end of its session off; False: something has happened, and it is not heard."""
        group, epoch, member_id = self._group, self._epoch, self._member_id
        if (
            group.members.get(member_id) is not self._member
            or group.epoch != epoch
            or group.assignment_epoch != epoch
            or self._kept.get(group.group_id) is not group
        ):
            return False
        self._sessions[member_id] = now + self._session_ms
        return True
