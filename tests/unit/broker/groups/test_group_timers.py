"""Alarms of groups whose partition is led here, there, and here again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.broker.groups.group_shards import Held
from barnabas.broker.groups.group_timers import GroupTimers
from tests.unit.broker.groups.test_offsets import Started
from tests.unit.runtime.manual_timers import ManualTimers


class Bell:
    """Alarms over a broker's groups, and what they have rung for."""

    def __init__(self, started: Started) -> None:
        self.groups = started.broker.groups
        self.groups.prepare()
        self.timers = ManualTimers()
        self.rung: list[tuple[Held, str]] = []
        self.alarms = GroupTimers(self.groups, self.timers, self._ring)

    def _ring(self, held: Held, group_id: str) -> bool:
        self.rung.append((held, group_id))
        return True

    def set(self, seconds: int) -> Held:
        held = self.groups.of("g")
        self.alarms.set(held, "g", self.groups.now_ms() + 1000 * seconds)
        return held


@pytest.fixture
def bell(tmp_path: Path) -> Iterator[Bell]:
    started = Started(tmp_path)
    yield Bell(started)
    started.stop()


def test_an_alarm_rings_for_a_shard_that_is_loaded(bell: Bell) -> None:
    held = bell.set(5)
    bell.timers.advance(6)
    assert bell.rung == [(held, "g")]


def test_an_alarm_of_a_shard_that_was_unloaded_does_not_ring(bell: Bell) -> None:
    held = bell.set(5)
    bell.groups.unload(held.partition)
    bell.timers.advance(6)
    assert bell.rung == []


def test_a_later_alarm_of_the_shard_loaded_again_takes_its_place(bell: Bell) -> None:
    before = bell.set(5)
    bell.groups.unload(before.partition)
    held = bell.set(10)
    assert held is not before
    bell.timers.advance(6)
    assert bell.rung == []
    bell.timers.advance(6)
    assert bell.rung == [(held, "g")]
