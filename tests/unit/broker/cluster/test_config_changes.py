"""Properties that one broker changes, and the others learn of: by notifications, as Kafka's brokers do."""

import json
from collections.abc import Callable
from typing import cast

import pytest

from barnabas.broker.cluster.config_changes import ConfigChanges
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.znodes.config_reports import ReportedConfigs
from barnabas.errors import RegistryUnavailable, StorageError
from barnabas.ports import SharedRegistry
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper
from tests.unit.runtime.manual_timers import ManualTimers


class Two:
    """A broker that changes properties, and one that applies them."""

    def __init__(self) -> None:
        keeper = SimulatedZooKeeper()
        self.session: SimulatedSession = keeper.session()
        self.writer = ReportedConfigs(cast("SharedRegistry", keeper.session()))
        self.timers = ManualTimers()
        self.taken: list[str] = []
        self.changes = ConfigChanges(cast("SharedRegistry", self.session), self.timers)

    def begin(self, take: Callable[[str], None] | None = None) -> None:
        def in_steps(name: str) -> Steps[None]:
            yield
            (take or self.taken.append)(name)

        self.changes.on_change("topics", in_steps)
        self.changes.begin()

    def notify(self, data: object) -> None:
        self.session.create_sequential("/config/changes/config_change_", json.dumps(data).encode())


def test_only_what_changed_is_read_and_once() -> None:
    two = Two()
    two.writer.create("/config/topics/old", b"{}")
    two.begin()
    two.writer.set("/config/topics/dogs", b"{}")
    two.writer.set_all({"/config/topics/cats": b"{}", "/brokers/topics/cats": b"{}"})
    two.writer.delete("/config/topics/dogs")
    two.session.deliver()
    assert two.taken == ["dogs", "cats"]
    two.session.deliver()
    assert two.taken == ["dogs", "cats"]


def test_what_was_reported_during_the_start_is_read_too() -> None:
    two = Two()
    two.writer.set("/config/topics/dogs", b"{}")
    two.begin()
    assert two.taken == ["dogs"]
    two.writer.set("/config/topics/cats", b"{}")
    two.session.deliver()
    assert two.taken == ["dogs", "cats"]


def test_what_is_reported_while_the_registry_does_not_answer_is_read_after_its_answer() -> None:
    two = Two()
    two.begin()
    two.session.withheld = []
    two.writer.set("/config/topics/dogs", b"{}")
    two.session.deliver()
    two.writer.set("/config/topics/cats", b"{}")
    two.session.deliver()
    # The calls that brought the news have returned; one question is out.
    assert (two.taken, len(two.session.withheld)) == ([], 1)
    two.session.answer()
    assert two.taken == ["dogs", "cats"]


def test_what_others_report_in_either_version_is_taken_up() -> None:
    two = Two()
    two.begin()
    two.notify({"version": 1, "entity_type": "topics", "entity_name": "dogs"})
    two.notify({"version": 2, "entity_path": "topics/cats"})
    two.notify({"version": 2, "entity_path": "users/rex/clients/c"})
    two.session.deliver()
    assert two.taken == ["dogs", "cats"]


def test_a_notification_that_cannot_be_read_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    two = Two()
    two.begin()
    two.notify([])
    two.notify({"version": 2, "entity_path": "topics/dogs"})
    two.session.deliver()
    assert two.taken == ["dogs"]
    assert [one.msg for one in caplog.records] == ["notification ignored"]


def test_while_the_registry_does_not_answer_what_is_left_is_tried_again() -> None:
    two, fails = Two(), [True]

    def take(name: str) -> None:
        if fails:
            raise RegistryUnavailable("it does not answer")
        two.taken.append(name)

    two.begin(take)
    two.writer.set("/config/topics/dogs", b"{}")
    two.session.deliver()
    two.changes.read_later("topics/cats")
    two.timers.advance(1)
    assert two.taken == []
    fails.clear()
    two.timers.advance(1)
    assert two.taken == ["dogs", "cats"]
    two.timers.advance(10)
    assert two.taken == ["dogs", "cats"]


def test_properties_that_cannot_be_adopted_stop_no_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    two = Two()

    def take(name: str) -> None:
        if name == "dogs":
            raise StorageError("the properties are no JSON")
        two.taken.append(name)

    two.begin(take)
    two.writer.set("/config/topics/dogs", b"?")
    two.writer.set("/config/topics/cats", b"{}")
    two.session.deliver()
    assert two.taken == ["cats"]
    assert [one.msg for one in caplog.records] == ["changed properties not applied"]


def test_old_notifications_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("barnabas.broker.znodes.config_reports._MOST_KEPT", 3)
    two = Two()
    for _ in range(5):
        two.writer.set("/config/topics/dogs", b"{}")
    assert len(two.session.children("/config/changes")) == 3
