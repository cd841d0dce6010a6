"""FollowerSession: a follower's fetch session with one leader; requests contain only changes.

The leader keeps the partitions of a session with their offsets, and leaves partitions without news out of its
responses. Source: KIP-227; Kafka's FetchSessionHandler.
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
    """The fields of a Fetch that depend on the session."""

    session_id: int
    epoch: int
    changed: Mapping[TopicPartition, FetchNext]
    forgotten: Mapping[TopicPartition, bytes]
    """Partitions to remove from the session, with the topic ids that the leader knows."""
    hurries: bool = False
    """The next request adds some of them again, so the leader should answer at once."""


class _Known(NamedTuple):
    request: FetchNext
    topic_id: bytes


def without_session(asked: Mapping[TopicPartition, FetchNext]) -> SessionFetch:
    """Fetch all partitions without a session, as before Fetch 7."""
    return SessionFetch(_NO_SESSION, _NO_EPOCH, asked, {})


class FollowerSession:
    """The session with one leader, one request at a time. The first request is for all partitions."""

    def __init__(self) -> None:
        self._session_id = _NO_SESSION
        self._epoch = _FIRST_EPOCH
        self._is_over = False
        self._by_id = False
        self._known: dict[TopicPartition, _Known] = {}
        self._renewed: set[TopicPartition] = set()
        """What the leader has to forget before it is fetched again."""

    @property
    def is_incremental(self) -> bool:
        """Whether the last request contains changes only."""
        return self._epoch != _FIRST_EPOCH

    def next_request(
        self, asked: Mapping[TopicPartition, FetchNext], ids: Mapping[str, bytes], *, by_id: bool
    ) -> SessionFetch:
        """Return the next request, which fetches `asked`; `by_id`: topics are named by their ids."""
        if self._is_over or by_id != self._by_id:
            self._epoch, self._known = _FIRST_EPOCH, {}
            self._is_over, self._by_id = False, by_id
        renewed, self._renewed = self._renewed & self._known.keys(), set()
        coming = {
            one: _Known(request, ids[one.topic])
            for one, request in asked.items()
            if one not in renewed
        }
        before, self._known = self._known, coming
        if not self.is_incremental:
            return SessionFetch(self._session_id, self._epoch, asked, {})
        changed = {one: known.request for one, known in coming.items() if before.get(one) != known}
        forgotten = {
            one: known.topic_id
            for one, known in before.items()
            if one not in coming or (by_id and coming[one].topic_id != known.topic_id)
        }
        return SessionFetch(self._session_id, self._epoch, changed, forgotten, bool(renewed))

    def take(self, response: FetchResponse) -> bool:
        """Take a response; False: the leader has lost the session, so repeat the request for all partitions."""
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

    def renew(self, partition: TopicPartition) -> None:
        """Have the leader send all of a partition, also what it has sent before: another role asks now."""
        self._renewed.add(partition)

    def begin_anew(self) -> None:
        """Request all partitions next, which makes the leader end the present session."""
        self._is_over = True
