"""A client of the proposal that says what a test tells it, and takes replies as they come."""

import socket
from types import TracebackType
from typing import Self

from barnabas.dialects.proposal.frames import Asked, encode_request
from barnabas.dialects.proposal.messages import (
    FetchRequest,
    OffsetData,
    PartitionData,
    ProduceRequest,
    TopicData,
)


def produce(acks: int, *sets: tuple[str, int, bytes], timeout: int = 0) -> ProduceRequest:
    """Sets in the order given, the topic of each named once for neighbours of one topic."""
    data: list[TopicData] = []
    for topic, partition, messages in sets:
        if not data or data[-1].topic != topic:
            data.append(TopicData(topic=topic, partition_data=[]))
        data[-1].partition_data.append(PartitionData(partition=partition, messages=messages))
    return ProduceRequest(required_acks=acks, ack_timeout=timeout, data=data)


def fetch(*wanted: tuple[str, list[int], list[int]], wait: int = 0, least: int = 0) -> FetchRequest:
    """Topics, each with partitions and offsets."""
    return FetchRequest(
        replica_id=-1,
        max_wait=wait,
        min_bytes=least,
        topic_offsets=[
            OffsetData(topic=topic, partitions=partitions, offsets=offsets)
            for topic, partitions, offsets in wanted
        ],
    )


class ProposalWire:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def send(self, asked: Asked | bytes, number: int = 0) -> None:
        self._socket.sendall(asked if isinstance(asked, bytes) else self.frame(asked, number))

    def frame(self, asked: Asked, number: int) -> bytes:
        """The bytes of a request."""
        return encode_request(asked, number, "t").joined()

    def reply(self) -> memoryview:
        size = int.from_bytes(self._read(4), "big")
        return memoryview(self._read(size))

    def _read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            part = self._socket.recv(size - len(found))
            assert part, f"closed after {len(found)} of {size} bytes"
            found += part
        return found

    def is_closed(self) -> bool:
        """Whether the other side closes, without another word."""
        try:
            return not self._socket.recv(1)
        except ConnectionResetError:
            return True
