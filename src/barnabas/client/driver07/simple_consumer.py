"""SimpleConsumer: requests to a 0.7 broker; the caller keeps the offsets."""

from collections.abc import Sequence
from typing import NamedTuple

from barnabas.client.closing import Closing
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.connection import Connection
from barnabas.dialects.kafka07.frames import (
    FetchReply,
    decode_fetch_reply,
    decode_multi_fetch_reply,
    decode_offsets_reply,
)
from barnabas.dialects.kafka07.messages import FetchRequest, MultiFetchRequest, OffsetsRequest
from barnabas.errors import BrokerError, DecodeError, ErrorCode
from barnabas.records.messages07.message07 import Message, read_messages

LATEST, EARLIEST = -1, -2
"""Times that request the end of a log, and its beginning."""

_HEAD = 6  # Of a reply to a fetch, and of each part of one: size and error code.
_OFFSET_SIZE = 8


class FetchStart07(NamedTuple):
    """The offset from which to fetch a partition, and the maximum size in bytes."""

    topic: str
    partition: int
    offset: int
    max_size: int


class Fetched(NamedTuple):
    """Whole messages in order, and the offset after them."""

    messages: list[Message]
    next_offset: int


class SimpleConsumer(Closing):
    """One broker, by its address. Use it from one thread."""

    def __init__(self, host: str, port: int, *, socket_timeout_ms: int = 30_000) -> None:
        self._connection = Connection(Address(host, port), socket_timeout_ms / 1000)

    def fetch(self, topic: str, partition: int, offset: int, max_size: int = 1 << 20) -> Fetched:
        """Return the whole messages in up to `max_size` bytes from `offset` on; none at the end of the log.

        Continue at `next_offset`: it is the end of a whole message, never inside a compressed one.

        Raises:
            BrokerError: the broker refuses: OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC_OR_PARTITION ...
            FetchTooSmall: the first message is larger than `max_size` bytes.
            InvalidMessage: the bytes are not a message; the offset may be inside one.
            ConnectionFailed, RequestTimeout, DecodeError: there is no valid reply.
        """
        request = FetchRequest(topic=topic, partition=partition, offset=offset, max_size=max_size)
        reply = self._connection.ask(request, max_size + _HEAD)
        return opened(decode_fetch_reply(reply), offset)

    def multi_fetch(self, asked: Sequence[FetchStart07]) -> list[FetchReply]:
        """Fetch from several partitions at once, in the given order; `opened` decodes each reply.

        Raises:
            ConnectionFailed, RequestTimeout, DecodeError: there is no valid reply.
        """
        request = MultiFetchRequest(
            fetches=[
                FetchRequest(topic=topic, partition=partition, offset=offset, max_size=size)
                for topic, partition, offset, size in asked
            ]
        )
        most = _HEAD + sum(one.max_size + _HEAD for one in asked)
        parts = decode_multi_fetch_reply(self._connection.ask(request, most))
        if len(parts) != len(asked):
            self._connection.close()
            raise DecodeError("parts", 0, f"{len(asked)} replies, not {len(parts)}")
        return parts

    def offsets(
        self, topic: str, partition: int, time: int = LATEST, max_number: int = 1
    ) -> list[int]:
        """Return start offsets of segments last changed by `time` (ms), and the end; greatest first.

        Raises:
            BrokerError: the broker refuses.
            ConnectionFailed: it is gone, or closed the connection, as for a missing partition.
            RequestTimeout, DecodeError: there is no valid reply.
        """
        request = OffsetsRequest(topic=topic, partition=partition, time=time, max_number=max_number)
        most = _HEAD + max(max_number, 1) * _OFFSET_SIZE
        code, found = decode_offsets_reply(self._connection.ask(request, most))
        check_code(code)
        return found

    def interrupt(self) -> None:
        """Interrupt another thread's request, which fails with ConnectionFailed."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def opened(reply: FetchReply, offset: int) -> Fetched:
    """Decode the messages in the reply to a fetch at `offset`.

    Raises:
        BrokerError, FetchTooSmall, InvalidMessage: as `SimpleConsumer.fetch`.
    """
    check_code(reply.error)
    return Fetched(*read_messages(reply.messages, offset))


_CODES = {code.value: code for code in ErrorCode if -1 <= code <= 4}
"""The codes of 0.7 have kept their numbers."""


def check_code(code: int) -> None:
    """Raise an error code of 0.7.

    Raises:
        BrokerError: it is not 0.
    """
    if code:
        raise BrokerError(_CODES.get(code, ErrorCode.UNKNOWN_SERVER_ERROR), f"code {code}")
