"""Consumer: fetch requests to a broker of the proposal; the caller keeps the offsets.

Source: seed 001 "FetchRequest", "FetchResponse"; offsets as in seed 000 "Offsets".
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, cast

from barnabas.client.driver07.simple_consumer import LATEST, Fetched
from barnabas.client.proposal.connection import Connection, check
from barnabas.client.proposal.pending_response import Pending
from barnabas.dialects.proposal.messages import (
    FetchRequest,
    FetchResponse,
    OffsetData,
    OffsetsRequest,
    OffsetsResponse,
)
from barnabas.errors import DecodeError, ErrorCode
from barnabas.records.messages07.message07 import read_messages

_NO_REPLICA = -1


class FetchStart(NamedTuple):
    """The byte from which to read a partition."""

    topic: str
    partition: int
    offset: int


class FetchedSets(NamedTuple):
    """The result for each requested place, in that order: whole messages, and the next offset.

    `error` is the first error of a place, which has no result. The proposal does not say which
    place: fetch those without a result one by one.
    """

    parts: list[Fetched]
    error: ErrorCode


class Consumer:
    """Over a connection that others may share. From any thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def fetch(self, *places: FetchStart, max_wait_ms: int = 0, min_bytes: int = 0) -> FetchedSets:
        """Fetch messages of several partitions, at once or when `min_bytes` are available in total.

        It waits at most `max_wait_ms`. The broker decides how much it returns of a partition.

        Raises:
            BrokerError: the only requested place has an error, or the whole request.
            InvalidMessage: the bytes are not a message; the offset may be inside one.
            ConnectionFailed, RequestTimeout, DecodeError: there is no valid response.
        """
        return self.begin(*places, max_wait_ms=max_wait_ms, min_bytes=min_bytes).result()

    def begin(
        self, *places: FetchStart, max_wait_ms: int = 0, min_bytes: int = 0
    ) -> Pending[FetchedSets]:
        """Like `fetch`, without waiting for the response.

        Raises:
            ConnectionFailed, RequestTimeout: it was not sent completely.
        """
        topics: dict[str, list[FetchStart]] = {}
        for place in places:
            topics.setdefault(place.topic, []).append(place)
        asked = FetchRequest(
            replica_id=_NO_REPLICA,
            max_wait=max_wait_ms,
            min_bytes=min_bytes,
            topic_offsets=[
                OffsetData(
                    topic=topic,
                    partitions=[place.partition for place in group],
                    offsets=[place.offset for place in group],
                )
                for topic, group in topics.items()
            ],
        )
        read = partial(_fetched, places)
        return self._connection.ask(asked, FetchResponse, read, max_wait_ms / 1000)

    def offsets(
        self, topic: str, partition: int, time: int = LATEST, max_number: int = 1
    ) -> list[int]:
        """Return start offsets of segments last changed by `time` (ms), and the end; greatest first.

        Raises:
            BrokerError: there is no such partition.
            ConnectionFailed, RequestTimeout, DecodeError: there is no valid response.
        """
        asked = OffsetsRequest(topic=topic, partition=partition, time=time, max_number=max_number)
        read = partial(_offsets, f"{topic}-{partition}")
        return self._connection.ask(asked, OffsetsResponse, read).result()


def _offsets(what: str, error: ErrorCode, answer: OffsetsResponse) -> list[int]:
    check(error, what)
    return answer.offsets


def _fetched(places: Sequence[FetchStart], error: ErrorCode, answer: FetchResponse) -> FetchedSets:
    sets = {
        (topic.topic, one.partition): cast("memoryview", one.messages)
        for topic in answer.data
        for one in topic.partition_data
    }
    if len(places) < 2 or not sets:
        check(error, ", ".join(f"{one.topic}-{one.partition}" for one in places))
    parts = []
    for topic, partition, offset in places:
        if (topic, partition) not in sets:
            raise DecodeError("data", 0, f"something of {topic}-{partition}")
        parts.append(Fetched(*read_messages(sets[topic, partition], offset)))
    return FetchedSets(parts, error)
