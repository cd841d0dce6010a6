"""RangeReader: the offsets [start, end) of a partition as decoded columns. For batch readers.

It fetches the next response while it decodes one. Connections are kept per thread and configuration
as long as the process runs, because a batch reader reads many ranges in succession; a forked
process opens its own.
"""

import os
import threading
from collections.abc import Iterator, Mapping

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.fetching.ranges import RangeFetches, RangeOptions
from barnabas.config.clients import ConsumerConfig
from barnabas.records.columns.columns import ColumnSelection, RecordColumns, decode_columns
from barnabas.runtime.loops.caller_loop import CallerLoop
from barnabas.types import Offset, OffsetRange

_Key = tuple[tuple[str, str], ...]


class _Kept:
    """The loop and connections of one configuration on one thread."""

    def __init__(self, config: ConsumerConfig) -> None:
        self.pid = os.getpid()
        self.loop = CallerLoop("a range reader")
        self.cluster = Cluster(config, ClientEnvironment.real(self.loop.loop))

    def close(self) -> None:
        if self.pid == os.getpid():
            self.cluster.close()
            self.loop.close()


class _Threads(threading.local):
    def __init__(self) -> None:
        self.kept: dict[_Key, _Kept] = {}
        # Never touch what a fork inherited, not even by garbage collection: closing it would remove
        # descriptors from the parent's epoll set.
        self.inherited: list[_Kept] = []


_THREADS = _Threads()


class RangeReader:
    """Reads ranges of offsets. Holds no connection itself, so you may pickle and fork it.

    Args:
        config: Kafka's consumer properties ("bootstrap.servers", "isolation.level", "check.crcs",
            "fetch.max.wait.ms", "default.api.timeout.ms" as the time limit without progress, ...).
        fetch_bytes: the size of one fetch, in bytes; two are in memory at a time.
    """

    def __init__(self, config: Mapping[str, object], *, fetch_bytes: int = 4 * 1024 * 1024) -> None:
        self._given = dict(config)
        self._config = ConsumerConfig.load(self._given)
        self._options = RangeOptions(
            fetch_bytes,
            self._config.fetch_max_wait_ms / 1000,
            self._config.request_timeout_ms / 1000,
            self._config.default_api_timeout_ms / 1000,
            self._config.isolation_level == "read_committed",
        )

    def read(
        self, topic: str, partition: int, start: int, end: int, wanted: ColumnSelection
    ) -> Iterator[RecordColumns]:
        """Yield the records of [start, end) in order: the columns `wanted` of one fetch at a time.

        With `ColumnSelection(0)` only the counts are correct: it reads headers of batches, not records. It
        skips offsets left empty by compaction or transaction markers. A part may hold no record.

        Raises:
            BrokerError: OFFSET_OUT_OF_RANGE if records of the range are gone; any other error
                that a retry does not fix.
            CorruptRecord: a batch contradicts its header; the message names the batch's offset.
            RequestTimeout, ConnectionFailed: no progress for default.api.timeout.ms.
        """
        if start >= end:
            return
        kept = self._connected()
        asked = OffsetRange(topic, partition, Offset(start), Offset(end))
        fetches = RangeFetches(kept.cluster, asked, self._options)
        try:
            while (fetched := kept.loop.run(fetches.next())) is not None:
                yield decode_columns(
                    [fetched.records],
                    wanted=wanted,
                    start=fetched.start,
                    end=end,
                    check_crcs=self._config.check_crcs,
                    aborted=fetched.aborted,
                )
        finally:
            if not kept.loop.closed:
                fetches.close()

    def count(self, topic: str, partition: int, start: int, end: int) -> int:
        """Return the number of records in [start, end), from the headers of batches where possible."""
        parts = self.read(topic, partition, start, end, ColumnSelection(0))
        return sum(columns.count for columns in parts)

    def close(self) -> None:
        """Close this thread's connections for this configuration."""
        kept = _THREADS.kept.pop(self._key(), None)
        if kept is not None:
            kept.close()

    def _connected(self) -> _Kept:
        key = self._key()
        kept = _THREADS.kept.get(key)
        if kept is not None and kept.pid != os.getpid():
            _THREADS.inherited.append(_THREADS.kept.pop(key))
            kept = None
        if kept is None or kept.loop.closed:
            kept = _Kept(self._config)
            _THREADS.kept[key] = kept
        return kept

    def _key(self) -> _Key:
        return tuple(sorted((name, str(value)) for name, value in self._given.items()))

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self._given, self._options.fetch_bytes)


def _again(config: Mapping[str, object], fetch_bytes: int) -> RangeReader:
    return RangeReader(config, fetch_bytes=fetch_bytes)


def close_kept_connections() -> None:
    """Close all connections of this thread's range readers; the next read opens new ones."""
    for kept in _THREADS.kept.values():
        kept.close()
    _THREADS.kept.clear()
