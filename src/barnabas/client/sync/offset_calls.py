"""The calls of Consumer that request topics and offsets from brokers, for threads.

See `client.aio.consumer.offset_calls`.
"""

from collections.abc import Iterable, Mapping

from barnabas.client.aio.consumer.consumer import Consumer as AsyncConsumer
from barnabas.client.core.admin.descriptions import OffsetAndTimestamp
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.sync.caller_client import CallerClient
from barnabas.types import TopicPartition


class CallerOffsetCalls:
    """Requests of a Consumer, whether it reads the partitions or not."""

    _hosted: CallerClient[AsyncConsumer]
    _consumer: AsyncConsumer

    def partitions_for(self, topic: str, *, timeout_s: float | None = None) -> list[TopicPartition]:
        """Return the partitions of a topic.

        Raises:
            BrokerError: UNKNOWN_TOPIC_OR_PARTITION, it does not exist and nobody creates it.
            RequestTimeout, ConnectionFailed: brokers did not answer in time.
        """
        return self._hosted.run(self._consumer.partitions_for(topic, timeout_s=timeout_s))

    def offsets_for_times(
        self, times: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Return the first offset at or after a time (ms since the epoch); None if there is none."""
        return self._hosted.run(self._consumer.offsets_for_times(times, timeout_s=timeout_s))

    def beginning_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the first existing offsets."""
        return self._hosted.run(self._consumer.beginning_offsets(partitions, timeout_s=timeout_s))

    def end_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the offsets after the last records that may be read."""
        return self._hosted.run(self._consumer.end_offsets(partitions, timeout_s=timeout_s))

    def commit(
        self, offsets: Mapping[Where, int] | None = None, *, timeout_s: float | None = None
    ) -> None:
        """Commit positions for the group (None: those of all partitions).

        A missing partition is waited for until the time limit.

        Raises:
            ConfigError: there is no group.id.
            InvalidArgument: an offset is negative.
        """
        self._hosted.run(self._consumer.commit(offsets, timeout_s=timeout_s))

    def committed(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the group's committed positions; partitions without one are omitted.

        Raises:
            ConfigError: there is no group.id.
        """
        return self._hosted.run(self._consumer.committed(partitions, timeout_s=timeout_s))
