"""How large a producer's records may be, and its batches. Sizes are in bytes."""

from collections.abc import Sequence

from barnabas.client.core.arguments.record_input import GivenRecord
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.errors import BrokerError, ErrorCode

_BATCH_OVERHEAD = 61
_RECORD_OVERHEAD = 40
_HEADER_OVERHEAD = 10
_SHARE = 4  # share of buffer.memory for a topic's open batches: a quarter
_SMALLEST_SHARE = 16_384
_UNBOUNDED = 2**31 - 1


class BatchSizes:
    """The limits of the options, and what brokers have refused."""

    def __init__(self, options: ProducerOptions) -> None:
        self._options = options
        self._largest: dict[str, int] = {}
        """By topic: as large as the parts of a batch that brokers refused."""

    def checked(self, topic: str, record: GivenRecord) -> int:
        """Return the largest size that a record (timestamp, key, value, headers) may take with its batch.

        Raises:
            BrokerError: MESSAGE_TOO_LARGE, it is above max.request.size or buffer.memory.
        """
        _, key, value, headers = record
        size = _BATCH_OVERHEAD + _RECORD_OVERHEAD + len(key or b"") + len(value or b"")
        for name, content in headers:
            size += len(name) * 4 + len(content or b"") + _HEADER_OVERHEAD
        limits = (
            ("max.request.size", self._options.max_request_size),
            ("buffer.memory", self._options.buffer_memory),
        )
        for name, limit in limits:
            if size > limit:
                what = f"a record for {topic} takes up to {size} bytes, {name} is {limit}"
                raise BrokerError(ErrorCode.MESSAGE_TOO_LARGE, what)
        return size

    def of_batch(self, topic: TopicView) -> int:
        """The size limit of batches: open ones leave most of the memory to batches in flight."""
        wished = min(self._options.batch_size, self._largest.get(topic.name, _UNBOUNDED))
        share = self._options.buffer_memory // (_SHARE * len(topic.partitions))
        return min(wished, max(share, _SMALLEST_SHARE))

    def shrink(self, topic: str, parts: Sequence[ProducerBatch]) -> None:
        """Build batches no larger than these, into which one was split that brokers refused."""
        most = max(len(part.payload or b"") for part in parts)
        self._largest[topic] = min(most, self._largest.get(topic, most))
