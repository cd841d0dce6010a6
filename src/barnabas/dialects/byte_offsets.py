"""Shared code of the dialects of Kafka 0.7 and of the proposal, whose offsets are byte positions."""

from typing import ClassVar

from barnabas.dialects.dialect import ErrorWithoutResponse, too_large
from barnabas.errors import ErrorCode
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from barnabas.protocol.produce import ProduceResponse
from barnabas.types import Buffer
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.send import FileSlice, RecordData


class ByteOffsetDialect:
    """Frames that begin with the type of their request, two bytes."""

    __slots__ = ("_most_bytes",)

    types_with_messages: ClassVar[frozenset[int]]

    def __init__(self, most_bytes: int = MOST_REQUEST_BYTES) -> None:
        """`most_bytes`: the memory that a request may take."""
        self._most_bytes = most_bytes

    def has_records(self, frame: memoryview) -> bool:
        """See `Dialect.has_records`."""
        return int.from_bytes(frame[:2], "big") in self.types_with_messages

    def check_large(self, head: memoryview, size: int) -> None:
        """See `Dialect.check_large`."""
        if not self.has_records(head):
            kind = int.from_bytes(head[:2], "big")
            raise too_large(f"request of type {kind}", size)


def list_offsets_request(topic: str, partition: int, time: int, most: int) -> ListOffsetsRequest:
    """Up to `most` offsets of segments that are older than `time`, in milliseconds."""
    wanted = ListOffsetsPartition(partition_index=partition, timestamp=time, max_num_offsets=most)
    return ListOffsetsRequest(
        replica_id=-1, topics=[ListOffsetsTopic(name=topic, partitions=[wanted])]
    )


def region(records: RecordData | None) -> Buffer | FileSlice:
    """The records of one partition in a response, which are one region of memory or of a file."""
    assert isinstance(records, bytes | bytearray | memoryview | FileSlice)
    return records


def check_stored(response: ProduceResponse) -> None:
    """Check the response to a produce request that gets none: an error closes the connection.

    Source: Kafka 0.7.2 ignores a message that is too large, and closes the connection for all else.

    Raises:
        ErrorWithoutResponse: something else failed.
    """
    for topic in response.responses:
        for one in topic.partition_responses:
            if one.error_code and one.error_code != ErrorCode.MESSAGE_TOO_LARGE:
                name = ErrorCode(one.error_code).name
                raise ErrorWithoutResponse(f"produce: {name}: {one.error_message}")
