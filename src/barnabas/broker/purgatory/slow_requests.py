"""Slow requests that cannot run in steps: one per turn of the loop.

Most of them unpack far more than they contain: a batch of 3 KB may decompress to 32 MB of zeros, in one call
of a decoder. Each takes some 50 ms, and hundreds of connections may send one at the same time.
"""

from collections.abc import Callable
from typing import cast

from barnabas.dialects.dialect import Request
from barnabas.ports import Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchRequest
from barnabas.protocol.list_offsets import ListOffsetsRequest
from barnabas.protocol.produce import ProduceRequest
from barnabas.records.batches.packed_checks import packed_bytes, unpacks_to_much
from barnabas.types import READ_COMMITTED

_OLD_FETCHES = 4
"""Below this version of Fetch, records are unpacked and packed again in an old format."""
_NEWEST_RECORD = -3
MANY_PARTITIONS = 200
"""Partitions of a Produce, or of a Fetch of old dialects. Each takes 20 to 50 µs, 5,000 of them 0.1 s."""
_LONG_BYTES = 256 << 10
"""Bytes of compressed records in a Produce: at the usual ratio they unpack to 4 MiB, which may take 10 ms."""


class SlowRequests:
    """The slow requests of all connections of a loop. For one thread.

    `crowded`: this turn had its slow request, or others wait. Waiting requests are handled in order of
    arrival, one in each turn.
    """

    __slots__ = ("_chosen", "_timers", "_waiting", "crowded")

    def __init__(self, timers: Timers) -> None:
        self.crowded = False
        self._timers = timers
        self._chosen: Callable[[], None] | None = None
        self._waiting: dict[Callable[[], None], None] = {}

    def handled(self) -> None:
        """Note that a slow request was handled: the next one waits for another turn."""
        if not self.crowded:
            self.crowded = True
            self._timers.soon(self._on_turn_over)

    def must_wait(self, come_again: Callable[[], None]) -> bool:
        """Whether a slow request must wait; if so, `come_again` is called once when its turn has come."""
        if not self.crowded:
            return False
        if self._chosen == come_again:
            self._chosen = None
            return False
        self._waiting[come_again] = None
        return True

    def forget(self, come_again: Callable[[], None]) -> None:
        """Remove a waiting connection, which has closed."""
        self._waiting.pop(come_again, None)

    def _on_turn_over(self) -> None:
        self._chosen = next(iter(self._waiting), None)
        if self._chosen is None:
            self.crowded = False
            return
        del self._waiting[self._chosen]
        # The next turn of the loop belongs to it: it may call `must_wait` before another one is chosen.
        self._chosen()
        self._timers.soon(self._on_turn_over)


def may_be_slow(dialect: str, request: Request) -> bool:
    """Whether a request may unpack much: a cheap estimate."""
    match request.body:
        case ProduceRequest() as produce:
            every = [
                cast("memoryview", one.records)
                for topic in produce.topic_data
                for one in topic.partition_data
                if one.records is not None
            ]
            return (
                dialect != "kafka"
                or len(every) > MANY_PARTITIONS
                or sum(map(packed_bytes, every)) > _LONG_BYTES
                or any(map(unpacks_to_much, every))
            )
        case FetchRequest() as fetch:
            is_old = request.api_version < _OLD_FETCHES
            # A read_committed response lists aborted transactions, of which there may be thousands.
            return dialect != "kafka" or is_old or fetch.isolation_level == READ_COMMITTED
        case ListOffsetsRequest() as lookup:
            return any(
                one.timestamp >= 0 or one.timestamp == _NEWEST_RECORD
                for topic in lookup.topics
                for one in topic.partitions
            )
        case _:
            return request.api_key == ApiKey.PUSH_TELEMETRY
