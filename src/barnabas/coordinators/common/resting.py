"""Resting: a member of a group whose broker shares out, that has nothing to do and is told nothing."""

from barnabas.coordinators.common.group_replay import Changing


class Resting:
    """Hears a member that was idle a moment ago, for as long as its group takes in no record.

    Nothing else changes a group; one that is no longer there has changed, too. That topics and what
    the group obeys are the same is for the caller to see.
    """

    __slots__ = ("_changes", "_group", "_member_id", "_session_ms", "_sessions")

    def __init__(
        self, group: Changing, member_id: str, sessions: dict[str, int], session_ms: int
    ) -> None:
        """`sessions`: until when something must be heard of each member of the group."""
        self._group = group
        self._changes = group.changes
        self._member_id = member_id
        self._sessions = sessions
        self._session_ms = session_ms

    def hear(self, now: int) -> bool:
        """Put the end of its session off; False: something has happened, and it is not heard."""
        if self._group.changes != self._changes:
            return False
        self._sessions[self._member_id] = now + self._session_ms
        return True
