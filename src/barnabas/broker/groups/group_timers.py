"""GroupTimers: one timer per group, for its next deadline."""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.replicas.partition import Partition
from barnabas.ports import Timer, Timers

_AGAIN_MS = 500
"""Source: what Kafka's CoordinatorTimer waits."""


class _GroupTimer(NamedTuple):
    held: Held
    at_ms: int
    timer: Timer


class GroupTimers:
    """The alarms of all groups of one kind. For one thread."""

    def __init__(
        self, shards: GroupShards, timers: Timers, ring: Callable[[Held, str], bool]
    ) -> None:
        """`ring` does what is due and sets the next alarm; False: it could not be written."""
        self._shards = shards
        self._timers = timers
        self._ring = ring
        self._alarms: dict[tuple[Partition, str], _GroupTimer] = {}

    def set(self, held: Held, group_id: str, due: int | None) -> None:
        """Ring at that time or, if nothing happens until then, never.

        An alarm that is set for an earlier time stays: its handler sets the next one. One of a shard
        that was unloaded since does not: the shard has no say any more.
        """
        place = held.partition, group_id
        alarm = self._alarms.get(place)
        if alarm is not None and (alarm.held is not held or due is None or due < alarm.at_ms):
            alarm.timer.cancel()
            del self._alarms[place]
            alarm = None
        if due is not None and alarm is None:
            seconds = max(due - self._shards.now_ms(), 0) / 1000
            timer = self._timers.after(seconds, lambda: self._on_alarm(held, place))
            self._alarms[place] = _GroupTimer(held, due, timer)

    def _on_alarm(self, held: Held, place: tuple[Partition, str]) -> None:
        del self._alarms[place]
        if not self._shards.is_loaded(held):
            return
        if not self._ring(held, place[1]):
            self.set(held, place[1], self._shards.now_ms() + _AGAIN_MS)
        self._shards.write()
