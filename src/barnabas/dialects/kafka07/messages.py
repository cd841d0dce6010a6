"""The requests and replies of Kafka 0.7, declared. What they mean is not here.

A frame is its size, the type of the request or an error code, then one of these. Source: seed 000
"Basic Objects" and "Interactions".
"""

from enum import IntEnum

from barnabas.wire.encoding import SHORT_LISTS
from barnabas.wire.schema import Array, Int32, Int64, Records, String, message

ANY_PARTITION = -1
"""The partition of a produce request where the broker is to choose (`broker.list` producers)."""


class RequestType(IntEnum):
    """Which request a frame holds."""

    PRODUCE = 0
    FETCH = 1
    MULTIFETCH = 2
    MULTIPRODUCE = 3
    OFFSETS = 4


@message(versions="0")
class ProduceRequest:
    """Messages for one partition; -1 leaves it to the broker which. There is no reply."""

    topic: String
    partition: Int32
    messages: Records


@message(versions="0", lengths=SHORT_LISTS)
class MultiProduceRequest:
    """Several at once. There is no reply."""

    produces: Array[ProduceRequest]


@message(versions="0")
class FetchRequest:
    """Up to `max_size` bytes of a log from the byte `offset` on.

    The reply is an error code and, up to the end of the frame, bytes of the log.
    """

    topic: String
    partition: Int32
    offset: Int64
    max_size: Int32


@message(versions="0", lengths=SHORT_LISTS)
class MultiFetchRequest:
    """Several at once. The reply is an error code, always 0, and the frame of each one's reply."""

    fetches: Array[FetchRequest]


@message(versions="0")
class OffsetsRequest:
    """Offsets of segments that were last changed by `time` (ms), greatest first; -1 latest, -2 earliest."""

    topic: String
    partition: Int32
    time: Int64
    max_number: Int32


@message(versions="0")
class OffsetsReply:
    """What follows the error code, which is always 0."""

    offsets: Array[Int64]
