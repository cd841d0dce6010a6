"""FollowerSession: a follower's fetch session with one leader; requests contain only changes.

The leader keeps the partitions of a session with their offsets. It leaves out of a response what has nothing
new. Source: KIP-227; Kafka's FetchSessionHandler.
"""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import FetchResponse
from barnabas.replication.requests import FetchNext
from barnabas.types import TopicPartition

_NO_SESSION = 0
_FIRST_EPOCH, _NO_EPOCH = 0, -1
_LAST_EPOCH = 2**31 - 1


class SessionFetch(NamedTuple):
    """The part of a Fetch that the session decides."""

    session_id: int
    epoch: int
    changed: Mapping[TopicPartition, FetchNext]
    forgotten: Mapping[TopicPartition, bytes]
    """Partitions that are not fetched any more, with the topic ids that the leader knows."""


class _Known(NamedTuple):
    request: FetchNext
    topic_id: bytes


def without_session(asked: Mapping[TopicPartition, FetchNext]) -> SessionFetch:
    """All partitions, as before Fetch 7."""
    return SessionFetch(_NO_SESSION, _NO_EPOCH, asked, {})


class FollowerSession:
    """The session with one leader; there is one request at a time. It begins with a request for everything."""

    def __init__(self) -> None:
        self._session_id = _NO_SESSION
        self._epoch = _FIRST_EPOCH
        self._is_over = False
        self._by_id = False
        self._known: dict[TopicPartition, _Known] = {}

    @property
    def is_incremental(self) -> bool:
        """Whether the request that was made last is for what changed alone."""
        return self._epoch != _FIRST_EPOCH

    def next_request(
        self, asked: Mapping[TopicPartition, FetchNext], ids: Mapping[str, bytes], *, by_id: bool
    ) -> SessionFetch:
        """What to send so that `asked` is fetched; `by_id`: topics are given by their ids."""
        if self._is_over or by_id != self._by_id:
            self._epoch, self._known = _FIRST_EPOCH, {}
            self._is_over, self._by_id = False, by_id
        coming = {one: _Known(request, ids[one.topic]) for one, request in asked.items()}
        before, self._known = self._known, coming
        if not self.is_incremental:
            return SessionFetch(self._session_id, self._epoch, asked, {})
        changed = {one: known.request for one, known in coming.items() if before.get(one) != known}
        forgotten = {
            one: known.topic_id
            for one, known in before.items()
            if one not in coming or (by_id and coming[one].topic_id != known.topic_id)
        }
        return SessionFetch(self._session_id, self._epoch, changed, forgotten)

    def take(self, response: FetchResponse) -> bool:
        """Go on after a response; False: the leader has lost the session, and all has to be asked again."""
        if response.error_code:
            if response.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
                self._session_id = _NO_SESSION
            self.begin_anew()
            return not self.is_incremental
        if response.session_id == _NO_SESSION:
            self._session_id = _NO_SESSION
            self.begin_anew()
        elif not self.is_incremental:
            self._session_id, self._epoch = response.session_id, 1
        else:
            self._epoch = 1 if self._epoch == _LAST_EPOCH else self._epoch + 1
        return True

    def begin_anew(self) -> None:
        """Ask for everything next, and let the leader end the session that there was."""
        self._is_over = True
