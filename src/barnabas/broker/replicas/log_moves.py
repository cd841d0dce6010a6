"""LogMoves: copies replicas to another log directory, a slice in each turn of the loop.

Clients and followers are served between two slices. Moves continue after a restart.

Source: KIP-113; Kafka's ReplicaAlterLogDirsManager.
"""

import logging
from collections.abc import Callable

from barnabas.config.broker import BrokerConfig
from barnabas.errors import KafkaError
from barnabas.log.manager import LogManager
from barnabas.ports import Clock, Timer, Timers
from barnabas.replication.throttle import ReplicationThrottle
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_EVERY = TopicPartition("", 0)
"""All moves share one throttle."""
_SLICE = 1 << 20
"""Bytes: a few milliseconds of work."""
_SYNC_SECONDS = 0.01
_THROTTLED_SECONDS = 0.1
_FAILED_SECONDS = 1.0


class LogMoves:
    """Which replica is copied next, and when. `write` has what is queued for logs written."""

    def __init__(
        self,
        config: BrokerConfig,
        logs: LogManager,
        clock: Clock,
        timers: Timers,
        write: Callable[[], object],
    ) -> None:
        self._logs, self._clock, self._timers, self._write = logs, clock, timers, write
        seconds = config.alter_log_dirs_replication_quota_window_size_seconds
        self._throttle = ReplicationThrottle(
            config.alter_log_dirs_replication_quota_window_num, seconds * 1000
        )
        self._throttle.throttle(_EVERY.topic, None)
        self.adopt(config)
        self._last: TopicPartition | None = None
        self._failed: set[TopicPartition] = set()
        """Of these a batch is damaged: they stay where they are."""
        self._timer: Timer | None = None

    def adopt(self, config: BrokerConfig) -> None:
        """Continue at this rate (`replica.alter.log.dirs.io.max.bytes.per.second`)."""
        self._throttle.rate = config.replica_alter_log_dirs_io_max_bytes_per_second

    def resume(self) -> None:
        """Continue the moves of the last run."""
        self._later(0)

    def begin(self, partition: TopicPartition, path: str) -> None:
        """Move the log of a partition, which is there, to a directory. Raises as `FutureLogs.begin`."""
        self._failed.discard(partition)
        self._logs.futures.begin(partition, path)
        self._later(0)

    def close(self) -> None:
        """Copy nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _later(self, seconds: float) -> None:
        self.close()
        self._timer = self._timers.after(seconds, self._turn)

    def _turn(self) -> None:
        self._timer = None
        waiting = sorted(one for one in self._logs.futures if one not in self._failed)
        if not waiting:
            if len(self._logs.futures):
                self._later(_FAILED_SECONDS)
            return
        # One after the other, so that none waits for a log that never ends to grow.
        after = [one for one in waiting if self._last is None or one > self._last]
        chosen = self._last = (after or waiting)[0]
        seconds = _FAILED_SECONDS
        try:
            seconds = self._go_on(chosen)
        except KafkaError as error:
            self._report(chosen, error)
        finally:
            self._later(seconds)

    def _go_on(self, partition: TopicPartition) -> float:
        """Copy a slice, or put the copy in its place; returns the seconds until there is more to do."""
        futures, now_ms = self._logs.futures, int(self._clock.monotonic() * 1000)
        if self._throttle.must_wait(_EVERY, now_ms, is_in_sync=False):
            return _THROTTLED_SECONDS
        size = futures.copy(partition, _SLICE)
        if size:
            self._throttle.record(_EVERY, size, now_ms)
            return 0
        if not futures.is_synced(partition):
            return _SYNC_SECONDS
        self._write()
        futures.swap(partition)
        log.info("replica moved to another log directory", extra=partition._asdict())
        return 0

    def _report(self, partition: TopicPartition, error: KafkaError) -> None:
        future = self._logs.futures.get(partition)
        log.error("replica not moved: %s", error, extra=partition._asdict())
        if future is not None and future.refusal is None:
            # A full disk gets room again; a log that cannot be read stays so.
            self._failed.add(partition)
