"""The calls of Consumer about its partitions and positions, for threads.

See `client.aio.consumer.position_calls`.
"""

from collections.abc import Iterable

from barnabas.client.aio.consumer.consumer import Consumer as AsyncConsumer
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.sync.caller_client import CallerClient
from barnabas.types import TopicPartition


class CallerPositionCalls:
    """The partitions that a Consumer reads, and where it is in each."""

    _hosted: CallerClient[AsyncConsumer]
    _consumer: AsyncConsumer

    def assign(self, partitions: Iterable[Where]) -> None:
        """Read exactly these partitions from now on; those already assigned keep their positions.

        Raises:
            LocalProtocolError: the consumer is subscribed, so its group assigns the partitions.
        """
        with self._hosted.undisturbed:
            self._consumer.assign(partitions)

    def assignment(self) -> list[TopicPartition]:
        """Return the partitions that are read."""
        with self._hosted.undisturbed:
            return self._consumer.assignment()

    def seek(self, where: Where, offset: int) -> None:
        """Continue at `offset`. Fetched records are dropped."""
        with self._hosted.undisturbed:
            self._consumer.seek(where, offset)

    def seek_to_beginning(self, *partitions: Where) -> None:
        """Continue at the start offset (None: of all partitions)."""
        with self._hosted.undisturbed:
            self._consumer.seek_to_beginning(*partitions)

    def seek_to_end(self, *partitions: Where) -> None:
        """Continue after the last record (None: of all partitions)."""
        with self._hosted.undisturbed:
            self._consumer.seek_to_end(*partitions)

    def position(self, where: Where, *, timeout_s: float | None = None) -> int:
        """Return the offset of the next record that `poll` returns from a partition."""
        return self._hosted.run(self._consumer.position(where, timeout_s=timeout_s))

    def lag(self, where: Where) -> int | None:
        """Return the distance from a partition's position to its end, in offsets, as of the last fetch.

        None if nothing was fetched yet, or the position is unknown.
        """
        with self._hosted.undisturbed:
            return self._consumer.lag(where)

    def pause(self, *partitions: Where) -> None:
        """Stop returning records of these partitions."""
        with self._hosted.undisturbed:
            self._consumer.pause(*partitions)

    def resume(self, *partitions: Where) -> None:
        """Return records of these partitions again."""
        with self._hosted.undisturbed:
            self._consumer.resume(*partitions)

    def paused(self) -> list[TopicPartition]:
        """Return the paused partitions."""
        with self._hosted.undisturbed:
            return self._consumer.paused()
