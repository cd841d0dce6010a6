"""A cluster that is a dictionary, and a clock that moves on request."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from barnabas.spark.options.offsets import OffsetMap
from barnabas.spark.options.selection import Partitions, Selection
from barnabas.types import TopicPartition


@dataclass
class FakeCluster:
    """`logs` has the first and the end offset of each partition."""

    logs: dict[TopicPartition, tuple[int, int]]
    times: dict[TopicPartition, list[tuple[int, int]]] = field(default_factory=dict)
    saved: list[tuple[str, OffsetMap]] = field(default_factory=list)

    def partitions(self, selection: Selection) -> set[TopicPartition]:
        if isinstance(selection, Partitions):
            return set(selection.partitions & self.logs.keys())
        topics = selection.matching({each.topic for each in self.logs})
        return {each for each in self.logs if each.topic in topics}

    def earliest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        return {each: self.logs[each][0] for each in partitions if each in self.logs}

    def latest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        return {each: self.logs[each][1] for each in partitions if each in self.logs}

    def at_times(
        self, timestamps_ms: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int | None]:
        return {
            each: next((at for at, ms in self.times.get(each, []) if ms >= wanted), None)
            for each, wanted in timestamps_ms.items()
        }

    def save(self, group: str, offsets: Mapping[TopicPartition, int]) -> None:
        self.saved.append((group, dict(offsets)))

    def close(self) -> None:
        pass


@dataclass
class FakeClock:
    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time_ms(self) -> int:
        return int(self.now * 1000)

    def time_ns(self) -> int:
        return int(self.now * 1e9)
