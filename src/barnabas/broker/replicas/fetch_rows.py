"""The partitions of a Fetch, by topic or in the order of a session.

Named tuples, as one is made for each partition of each request.
"""

from collections.abc import Iterable
from typing import NamedTuple

from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from barnabas.types import new_tuple
from barnabas.wire.schema import maker

MANY_LISTED, MOST_LISTED = 1000, 5000
"""Aborted transactions of a response: it is a slow one; or the rest of its partitions give no records.

One partition may be named 1,000 times, and lists all that overlap what is read each time.
"""

_data = maker(PartitionData)
_topic = maker(FetchableTopicResponse)
_response = maker(FetchResponse)


class Read(NamedTuple):
    """From where to read a partition, and how much. The topic is given by name or by id."""

    topic: str
    topic_id: bytes
    asked: FetchPartition


class Fetched(NamedTuple):
    """What was read of a partition; without records they are empty, and never null.

    librdkafka and others read a null record set as a protocol error.
    """

    topic: str
    topic_id: bytes
    data: PartitionData


def reads_of(request: FetchRequest) -> list[Read]:
    """The partitions of a request, in their order."""
    return [
        new_tuple(Read, (topic.topic, topic.topic_id, one))
        for topic in request.topics
        for one in topic.partitions
    ]


def failed(read: Read, code: ErrorCode) -> Fetched:
    """What is answered for a partition that cannot be read."""
    data = _data(
        partition_index=read.asked.partition, error_code=code, high_watermark=-1, records=b""
    )
    return Fetched(read.topic, read.topic_id, data)


def response_of(fetched: Iterable[Fetched], session_id: int = 0) -> FetchResponse:
    """The response, in the order of what was read."""
    topics: list[FetchableTopicResponse] = []
    place = None
    for name, topic_id, data in fetched:
        if (name, topic_id) != place:
            place = name, topic_id
            topics.append(_topic(topic=name, topic_id=topic_id, partitions=[]))
        topics[-1].partitions.append(data)
    return _response(session_id=session_id, responses=topics)
