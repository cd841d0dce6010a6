"""A fetch session with one broker: requests name only what changed. No I/O.

Source: KIP-227. Epoch 0 requests a new session, then each request has the next number. The broker
remembers the partitions, so a request names only changed and removed ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition

_LAST_EPOCH: Final = 0x7FFFFFFF
_FINAL_EPOCH: Final = -1

SESSION_ERRORS: Final = (
    ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
    ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.INCONSISTENT_TOPIC_ID,
)
"""Errors of a whole fetch after which a new session starts."""


@dataclass(frozen=True, slots=True)
class PartitionFetch:
    """What to fetch of one partition; `last_epoch`, if known, is that of the batch before `offset`."""

    topic_id: bytes
    offset: int
    leader_epoch: int
    max_bytes: int
    last_epoch: int = -1


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """The session part of a request: its id, changed partitions, removed ones."""

    session_id: int
    epoch: int
    changed: Mapping[TopicPartition, PartitionFetch]
    forgotten: Mapping[TopicPartition, PartitionFetch]


class ClientFetchSession:
    """The client's side of a session. One request is pending at a time."""

    __slots__ = ("_epoch", "_known", "_session_id")

    def __init__(self) -> None:
        self._session_id = 0
        self._epoch = 0
        self._known: dict[TopicPartition, PartitionFetch] = {}

    def request(self, wishes: Mapping[TopicPartition, PartitionFetch]) -> SessionRequest:
        """The session part of a request for exactly these partitions."""
        if self._epoch == 0:
            changed, forgotten = dict(wishes), {}
        else:
            changed = {key: wish for key, wish in wishes.items() if self._known.get(key) != wish}
            forgotten = {
                key: wish
                for key, wish in self._known.items()
                if key not in wishes or wishes[key].topic_id != wish.topic_id
            }
        self._known = dict(wishes)
        return SessionRequest(self._session_id, self._epoch, changed, forgotten)

    def answered(self, session_id: int) -> None:
        """The broker accepted the request; 0 means that it keeps no session."""
        if session_id == 0:
            self.begin_again()
            return
        self._session_id = session_id
        self._epoch = 1 if self._epoch == _LAST_EPOCH else self._epoch + 1

    def end(self) -> SessionRequest | None:
        """The session part of a request that ends the session; None without one."""
        session_id = self._session_id
        self.begin_again()
        return SessionRequest(session_id, _FINAL_EPOCH, {}, {}) if session_id else None

    def begin_again(self) -> None:
        """The session is lost: the next request names all partitions."""
        self._session_id = self._epoch = 0
        self._known = {}
