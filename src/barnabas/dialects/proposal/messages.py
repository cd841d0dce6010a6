"""The requests and replies of the proposal, declared as repaired (docs/proposal.md lists the repairs).

Lists have an int16 before them, message sets their size as in Kafka 0.7. Source: seed 001 "Request
Details".
"""

from enum import IntEnum

from barnabas.wire.encoding import SHORT_LISTS
from barnabas.wire.schema import Array, Int8, Int16, Int32, Int64, Records, String, message, struct

VERSION = 0
BAD_FETCH = 5
"""The error of a fetch whose lists do not fit, or that names a topic twice: what the unreleased 0.8
called InvalidFetchRequestFormat in March 2012."""


class RequestType(IntEnum):
    """Seed 001 gives no numbers. OFFSETS, which it does not touch, has that of Kafka 0.7."""

    PRODUCE = 0
    FETCH = 1
    OFFSETS = 4


@message(versions="0", lengths=SHORT_LISTS)
class RequestHeader:
    """Seed 001 "Request Fields", in the order of that table."""

    request_type_id: Int16
    version_id: Int16
    correlation_id: Int32
    client_id: String


@message(versions="0", lengths=SHORT_LISTS)
class ResponseHeader:
    """Seed 001 "Response Fields"; `error` is that of the request as a whole."""

    correlation_id: Int32
    version_id: Int16
    error: Int16


@struct
class PartitionData:
    """The message set of one partition."""

    partition: Int32
    messages: Records


@struct
class TopicData:
    """The message sets of one topic, whose name is given once."""

    topic: String
    partition_data: Array[PartitionData]


@message(versions="0", lengths=SHORT_LISTS)
class ProduceRequest:
    """`required_acks`: 0 no reply, 1 the broker's, n that of so many replicas in `ack_timeout` ms."""

    required_acks: Int8
    ack_timeout: Int32
    data: Array[TopicData]


@message(versions="0", lengths=SHORT_LISTS)
class ProduceResponse:
    """For each set, in the order of the request: its error, and its first byte's offset or -1."""

    errors: Array[Int16]
    offsets: Array[Int64]


@struct
class OffsetData:
    """From where to read the partitions of one topic: the nth offset is that of the nth partition."""

    topic: String
    partitions: Array[Int32]
    offsets: Array[Int64]


@message(versions="0", lengths=SHORT_LISTS)
class FetchRequest:
    """Wait up to `max_wait` ms for `min_bytes` in all; `replica_id` is -1 for clients."""

    replica_id: Int32
    max_wait: Int32
    min_bytes: Int32
    topic_offsets: Array[OffsetData]


@message(versions="0", lengths=SHORT_LISTS)
class FetchResponse:
    """The data in the order of the request; of a partition that has an error, an empty set."""

    data: Array[TopicData]


@message(versions="0", lengths=SHORT_LISTS)
class OffsetsRequest:
    """As Kafka 0.7's."""

    topic: String
    partition: Int32
    time: Int64
    max_number: Int32


@message(versions="0", lengths=SHORT_LISTS)
class OffsetsResponse:
    """Greatest first."""

    offsets: Array[Int64]
