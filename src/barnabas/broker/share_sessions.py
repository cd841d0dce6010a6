"""ShareSessions: which partitions each member of a share group reads, from request to request."""

from dataclasses import dataclass, field

from barnabas.coordinators.consumer_group.places import Place
from barnabas.errors import BrokerError, ErrorCode

OPENS, CLOSES = 0, -1
_LAST_EPOCH = 2**31 - 1


@dataclass(slots=True)
class ShareSession:
    """One member's. `epoch`: of the next request. `places` are in the order in which they are read."""

    epoch: int = 1
    connection: int = -1
    places: dict[Place, None] = field(default_factory=dict)

    def rotate(self) -> None:
        """Begin with another partition the next time."""
        if self.places:
            first = next(iter(self.places))
            del self.places[first]
            self.places[first] = None


class ShareSessions:
    """All sessions of this broker. For one thread."""

    def __init__(self, most: int) -> None:
        self._most = most
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

    def close(self, group_id: str, member_id: str) -> None:
        """There is no session any more."""
        self._sessions.pop((group_id, member_id), None)

    def of_connection(self, connection: int) -> list[tuple[str, str]]:
        """Groups and members whose sessions were opened on a connection."""
        return [who for who, one in self._sessions.items() if one.connection == connection]
