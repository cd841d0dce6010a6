"""Resting: a member of a group with broker-side assignment that has nothing to do or to receive."""

from barnabas.coordinators.common.group_replay import Changing


class Resting:
    """Accepts heartbeats of a member that was idle before, while its group applies no record.

    Nothing else changes a group; a removed group has changed, too. The caller checks that topics
    and settings are the same.
    """

    __slots__ = ("_changes", "_group", "_member_id", "_session_ms", "_sessions")

    def __init__(
        self, group: Changing, member_id: str, sessions: dict[str, int], session_ms: int
    ) -> None:
        """`sessions`: when the session of each member of the group ends."""
        self._group = group
        self._changes = group.changes
        self._member_id = member_id
        self._sessions = sessions
        self._session_ms = session_ms

    def hear(self, now: int) -> bool:
        """Extend its session; False if something has happened, and the heartbeat was not accepted."""
        if self._group.changes != self._changes:
            return False
        self._sessions[self._member_id] = now + self._session_ms
        return True
