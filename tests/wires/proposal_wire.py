"""A client of the proposal that sends what a test gives it, and takes replies as they come."""

from barnabas.dialects.proposal.frames import Asked, encode_request
from barnabas.dialects.proposal.messages import (
    FetchRequest,
    OffsetData,
    PartitionData,
    ProduceRequest,
    TopicData,
)
from tests.framed_socket import FramedSocket


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


class ProposalWire(FramedSocket):
    """One connection."""

    def send(self, asked: Asked | bytes, number: int = 0) -> None:
        self._socket.sendall(asked if isinstance(asked, bytes) else self.frame(asked, number))

    def frame(self, asked: Asked, number: int) -> bytes:
        """The bytes of a request."""
        return encode_request(asked, number, "t").joined()
