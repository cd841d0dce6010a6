"""What groups take is charged when they grow, given back when they shrink, and refused near the limit."""

import logging

import pytest

from barnabas.broker.groups.memory import GroupMemory
from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.errors import BrokerError, ErrorCode
from tests.unit.broker.replicas.test_fetch_sessions import SetClock
from tests.unit.runtime.manual_timers import ManualTimers

LIMIT = 32_000
"""Of which 24,000 may last."""


class Groups:
    """Groups that weigh what a test says."""

    def __init__(self) -> None:
        self.timers = ManualTimers()
        self.clock = SetClock()
        self.memory = ClientMemory(LIMIT, self.clock)
        self.weights: dict[str, int] = {}
        self.weighed: list[str] = []
        self.groups = GroupMemory(self.memory, self.timers, self._weigh)

    def _weigh(self, group_id: str) -> int:
        self.weighed.append(group_id)
        return self.weights.get(group_id, 0)

    def change(self, group_id: str, weight: int) -> None:
        self.weights[group_id] = weight
        self.groups.changed(group_id)

    @property
    def held(self) -> int:
        return self.memory.lasting_bytes

    def look(self) -> None:
        self.timers.advance(1.0)
        self.timers.run_soon()


def test_what_is_admitted_counts_at_once_and_as_what_it_weighs_later() -> None:
    groups = Groups()
    groups.groups.admit("g", 1000, "member")
    assert groups.held == 1000
    groups.change("g", 1200)
    assert groups.held == 1000
    groups.look()
    assert groups.held == 1200
    groups.change("g", 0)
    groups.look()
    assert groups.held == 0


def test_a_group_is_weighed_once_for_all_that_happened() -> None:
    groups = Groups()
    for weight in range(100):
        groups.change("g", weight)
    groups.look()
    assert groups.weighed == ["g"]
    groups.look()
    assert groups.weighed == ["g"]


def test_much_that_is_written_is_weighed_at_once() -> None:
    groups = Groups()
    groups.weights["g"] = 20_000
    groups.groups.changed("g", 5000)
    assert groups.held == 20_000
    groups.groups.changed("g", 100)
    assert groups.weighed == ["g"]


def test_near_the_limit_only_small_ones_are_admitted(caplog: pytest.LogCaptureFixture) -> None:
    groups = Groups()
    groups.change("g", 16_000)
    groups.look()
    with caplog.at_level(logging.WARNING), pytest.raises(BrokerError) as refused:
        groups.groups.admit("h", 1001, "member")
    assert refused.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert "client.state.max.bytes" in caplog.text
    groups.groups.admit("h", 1000, "member")
    groups.groups.admit("h", 0, "member")
    with pytest.raises(BrokerError):
        groups.groups.admit("h", 1000, "member")
    groups.change("g", 0)
    groups.look()
    groups.groups.admit("h", 1001, "member")


def test_it_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    groups = Groups()
    for expected in (1, 1, 2):
        assert not groups.memory.admits(LIMIT, "member")
        assert len(caplog.records) == expected
        groups.clock.now_ms += 40_000


def test_many_are_weighed_while_others_are_served() -> None:
    groups = Groups()
    for number in range(1200):
        groups.change(str(number), 10)
    groups.timers.advance(1.0)
    assert 0 < len(groups.weighed) < 1200
    groups.groups.admit("late", 500, "member")
    groups.timers.run_soon()
    assert groups.held == 12_500
    groups.look()
    assert groups.held == 12_000


def test_groups_that_are_read_again_are_weighed_again() -> None:
    groups = Groups()
    groups.change("g", 100)
    groups.change("h", 100)
    groups.look()
    groups.weights["g"] = 0
    groups.groups.all_changed()
    groups.look()
    assert groups.held == 100


def test_there_may_be_no_limit() -> None:
    assert ClientMemory(-1, SetClock()).admits(2**50, "member")
    assert ClientMemory(-1, SetClock()).fits(2**50)
