"""ReplicaRole: the role of a cluster member in a partition of which it has a replica."""

from typing import Protocol

from barnabas.errors import ErrorCode


class ReplicaRole(Protocol):
    """Leader, follower, or neither. A broker that is alone has no roles: it leads everything."""

    leads: bool
    """Whether clients are served."""
    serves_readers: bool
    """Whether consumers that may read from a follower are served (KIP-392)."""

    @property
    def is_alone(self) -> bool:
        """Whether it leads and there is no other replica: what is written is committed."""
        ...

    @property
    def knows_committed_end(self) -> bool:
        """Whether consumers may get the end of the log."""
        ...

    def __hash__(self) -> int: ...

    def refuse_append(self, acks: int) -> ErrorCode:
        """Why a produce request with these acks is refused before anything is appended."""
        ...

    def end(self) -> None:
        """Let go of the log: another role follows."""
        ...


def keep_watermark(_end: int) -> None:
    """What counts as written on this broker moves no high watermark: that is another one's matter."""


class Offline:
    """A replica that has no leader to follow, or waits for its controller."""

    __slots__ = ()

    leads = False
    serves_readers = False
    is_alone = False
    knows_committed_end = False

    def refuse_append(self, acks: int) -> ErrorCode:
        """Refuse: only a leader appends."""
        del acks
        return ErrorCode.NOT_LEADER_OR_FOLLOWER

    def end(self) -> None:
        """Nothing is held."""


OFFLINE = Offline()
