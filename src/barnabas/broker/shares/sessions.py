"""ShareSessions: the partitions that each member of a share group reads, from request to request."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.errors import BrokerError, ErrorCode

OPENS, CLOSES = 0, -1
_SESSION_BYTES, _PLACE_BYTES = 1000, 250
_LAST_EPOCH = 2**31 - 1


@dataclass(slots=True)
class ShareSession:
    """One member's. `epoch`: of the next request. `places` are in the order in which they are read."""

    epoch: int = 1
    connection: int = -1
    places: dict[TopicIdPartition, None] = field(default_factory=dict)
    held_bytes: int = _SESSION_BYTES

    def rotate(self) -> None:
        """Begin with another partition the next time."""
        if self.places:
            first = next(iter(self.places))
            del self.places[first]
            self.places[first] = None


class ShareSessions:
    """All sessions of this broker, as many as there may be and while there is memory for them."""

    def __init__(self, most: int, memory: ClientMemory) -> None:
        self._most = most
        self._memory = memory
        self._sessions: dict[tuple[str, str], ShareSession] = {}

    def begin(self, group_id: str, member_id: str, epoch: int, connection: int) -> ShareSession:
        """The session that a request belongs to; closing it is the caller's.

        Raises:
            BrokerError: there is none, it is at another epoch, or there are too many.
        """
        who = group_id, member_id
        session = self._sessions.get(who)
        if epoch == OPENS:
            if session is None and len(self._sessions) >= self._most:
                raise BrokerError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)
            self.close(group_id, member_id)
            self._charge(_SESSION_BYTES)
            session = self._sessions[who] = ShareSession(connection=connection)
            return session
        if session is None:
            raise BrokerError(ErrorCode.SHARE_SESSION_NOT_FOUND)
        if epoch == CLOSES:
            return session
        if epoch != session.epoch:
            raise BrokerError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
        session.epoch = 1 if epoch == _LAST_EPOCH else epoch + 1
        return session

    def change(
        self,
        session: ShareSession,
        added: Collection[TopicIdPartition],
        forgotten: Iterable[TopicIdPartition],
    ) -> None:
        """Add partitions, then drop those forgotten.

        Raises:
            BrokerError: SHARE_SESSION_LIMIT_REACHED: there is no memory for them. Nothing is added then.
        """
        if added:
            new = [place for place in dict.fromkeys(added) if place not in session.places]
            self._charge(len(new) * _PLACE_BYTES)
            session.held_bytes += len(new) * _PLACE_BYTES
            session.places.update(dict.fromkeys(new))
        for place in forgotten:
            if session.places.pop(place, self) is None:
                session.held_bytes -= _PLACE_BYTES
                self._memory.passing_bytes -= _PLACE_BYTES

    def _charge(self, size: int) -> None:
        if not self._memory.fits(size):
            raise BrokerError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)
        self._memory.passing_bytes += size

    def close(self, group_id: str, member_id: str) -> None:
        """There is no session any more."""
        session = self._sessions.pop((group_id, member_id), None)
        if session is not None:
            self._memory.passing_bytes -= session.held_bytes

    def goes_on(self, member: tuple[str, str], session: ShareSession) -> bool:
        """Whether a session has neither ended nor begun again."""
        return self._sessions.get(member) is session

    def has(self, group_id: str) -> bool:
        """Whether a member of a group has a session here."""
        return any(group == group_id for group, _ in self._sessions)

    def of_connection(self, connection: int) -> list[tuple[str, str]]:
        """Groups and members whose sessions were opened on a connection."""
        return [who for who, one in self._sessions.items() if one.connection == connection]
