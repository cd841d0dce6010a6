"""Producer: message sets to partitions of a broker of the proposal, with the result of each.

Source: seed 001 "ProduceRequest", "ProduceResponse".
"""

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from barnabas.client.proposal.connection import Connection, check, named
from barnabas.client.proposal.pending_response import Pending
from barnabas.dialects.proposal.messages import (
    PartitionData,
    ProduceRequest,
    ProduceResponse,
    TopicData,
)
from barnabas.errors import BrokerError, DecodeError, ErrorCode, LocalProtocolError
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_set

_CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY)


class MessageSet(NamedTuple):
    """Messages for one partition; -1: the broker chooses one."""

    topic: str
    partition: int
    payloads: Sequence[bytes]


class Stored(NamedTuple):
    """The result of one set: the offset of its first byte, or -1 and the error."""

    offset: int
    error: ErrorCode


class Producer:
    """Over a connection that others may share. From any thread."""

    def __init__(
        self,
        connection: Connection,
        *,
        required_acks: int = 1,
        ack_timeout_ms: int = 1000,
        codec: Codec = Codec.NONE,
    ) -> None:
        """`required_acks`: 0 for no response, 1 for one, n for one once n replicas have the set.

        Raises:
            LocalProtocolError: 0.7's messages have no such codec.
        """
        if codec not in _CODECS:
            raise LocalProtocolError(
                f"messages of Kafka 0.7 cannot be compressed with {codec.name}"
            )
        self._connection = connection
        self._acks = required_acks
        self._timeout_ms = ack_timeout_ms
        self._codec = codec

    def send(self, topic: str, partition: int, *payloads: bytes) -> int:
        """Send messages as one set and wait; return the offset of the first, -1 without acknowledgements.

        Raises:
            BrokerError: the broker refuses them.
            ConnectionFailed, RequestTimeout, DecodeError: the result is unknown.
        """
        pending = self.begin(MessageSet(topic, partition, payloads))
        if pending is None:
            return -1
        ((offset, error),) = pending.result()
        if error:
            raise BrokerError(error, f"{topic}-{partition}")
        return offset

    def begin(self, *sets: MessageSet) -> Pending[list[Stored]] | None:
        """Send sets in one request; return their results, in order. None without acknowledgements.

        Adjacent sets of one topic share its name in the request.

        Raises:
            ConnectionFailed, RequestTimeout: they were not sent completely.
        """
        data = [
            TopicData(topic=topic, partition_data=[self._partition(one) for one in group])
            for topic, group in groupby(sets, lambda one: one.topic)
        ]
        asked = ProduceRequest(required_acks=self._acks, ack_timeout=self._timeout_ms, data=data)
        if not self._acks:
            self._connection.tell(asked)
            return None
        read = partial(_stored, len(sets))
        return self._connection.ask(asked, ProduceResponse, read, self._timeout_ms / 1000)

    def _partition(self, one: MessageSet) -> PartitionData:
        messages = encode_set(one.payloads, codec=self._codec)
        return PartitionData(partition=one.partition, messages=messages)


def _stored(count: int, error: ErrorCode, answer: ProduceResponse) -> list[Stored]:
    check(error, "the broker does not process the request")
    if not len(answer.errors) == len(answer.offsets) == count:
        got = f"{len(answer.errors)} and {len(answer.offsets)}"
        raise DecodeError("errors, offsets", 0, f"{count} of each, not {got}")
    pairs = zip(answer.offsets, answer.errors, strict=True)
    return [Stored(offset, named(code)) for offset, code in pairs]
