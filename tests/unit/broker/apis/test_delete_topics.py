from collections.abc import Mapping
from typing import cast

import pytest

from barnabas.broker.apis.delete_topics import handle
from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.topics.registered_topics import host_registered, take_up
from barnabas.errors import BrokerError, ErrorCode
from barnabas.log.manager import LogManager
from barnabas.protocol.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from barnabas.wire.schema import NO_UUID
from tests.unit.broker.in_memory import MemoryRegistry, a_broker, answered, asked, slowly
from tests.unit.runtime.manual_timers import ManualTimers


def with_topics(*names: str, **config: object) -> Broker:
    broker = a_broker({name.replace("_", "."): value for name, value in config.items()})
    for name in names:
        broker.topics.create(name, {0: [1]}, {})
    return broker


def by_name(broker: Broker, *names: str, version: int = 5) -> list[tuple[str | None, int]]:
    request = DeleteTopicsRequest(topic_names=list(names), timeout_ms=1)
    outcome = handle(broker, asked(version), request)
    answers = answered(broker, outcome, DeleteTopicsResponse).responses
    return [(one.name, one.error_code) for one in answers]


def test_topics_are_deleted_by_name() -> None:
    broker = with_topics("a", "b")
    assert by_name(broker, "a", "zz") == [
        ("a", 0),
        ("zz", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert [one.name for one in broker.topics] == ["b"]


def test_topics_are_deleted_by_id() -> None:
    broker = with_topics("a", "b")
    topic = broker.topics.get("b")
    assert topic is not None
    states = [
        DeleteTopicState(topic_id=topic.topic_id),
        DeleteTopicState(topic_id=b"\7" * 16),
        DeleteTopicState(name="a", topic_id=topic.topic_id),
        DeleteTopicState(topic_id=NO_UUID),
    ]
    outcome = handle(broker, asked(6), DeleteTopicsRequest(topics=states, timeout_ms=1))
    answers = answered(broker, outcome, DeleteTopicsResponse).responses
    assert [(one.name, one.error_code) for one in answers] == [
        ("b", 0),
        (None, ErrorCode.UNKNOWN_TOPIC_ID),
        ("a", ErrorCode.INVALID_REQUEST),
        (None, ErrorCode.INVALID_REQUEST),
    ]
    assert [one.name for one in broker.topics] == ["a"]


def test_a_topic_that_is_there_twice_stays() -> None:
    broker = with_topics("a")
    assert {code for _, code in by_name(broker, "a", "a")} == {ErrorCode.INVALID_REQUEST}
    assert broker.topics.get("a") is not None


@pytest.mark.parametrize(
    ("version", "code"),
    [(2, ErrorCode.INVALID_REQUEST), (3, ErrorCode.TOPIC_DELETION_DISABLED)],
)
def test_deletion_can_be_disabled(version: int, code: ErrorCode) -> None:
    broker = with_topics("a", delete_topic_enable=False)
    assert by_name(broker, "a", version=version) == [("a", code)]
    assert broker.topics.get("a") is not None


def test_a_topic_named_twice_is_refused_in_one_answer() -> None:
    broker = with_topics("a")
    topic = broker.topics.get("a")
    assert topic is not None
    name, number = DeleteTopicState(name="a", topic_id=NO_UUID), DeleteTopicState(topic_id=topic[1])
    for states in ([name, name], [number, number], [name, number]):
        request = DeleteTopicsRequest(topics=states, timeout_ms=1)
        outcome = handle(broker, asked(6), request)
        (answer,) = answered(broker, outcome, DeleteTopicsResponse).responses
        assert answer.error_code == ErrorCode.INVALID_REQUEST
    assert broker.topics.get("a") is not None


def test_thousands_of_partitions_go_in_steps_between_which_nobody_takes_their_place() -> None:
    timers = ManualTimers()
    broker = slowly(a_broker(timers=timers))
    broker.topics.create("dogs", {index: [1] for index in range(1000)}, {})
    outcome = handle(broker, asked(5), DeleteTopicsRequest(topic_names=["dogs"], timeout_ms=1))
    assert isinstance(outcome, Pending)
    assert broker.topics.get("dogs") is None
    with pytest.raises(BrokerError, match="TOPIC_ALREADY_EXISTS"):
        broker.topics.create("dogs", {0: [1]}, {})
    # Whatever looks for deletions in ZooKeeper meanwhile must not take this one to be over.
    broker.topics.deletions.end("dogs")
    take_up(broker.topics, "dogs")
    assert broker.topics.get("dogs") is None
    assert broker.registry.get("/admin/delete_topics/dogs") is not None
    (answer,) = answered(broker, outcome, DeleteTopicsResponse).responses
    assert (answer.name, answer.error_code) == ("dogs", 0)
    assert broker.registry.get("/admin/delete_topics/dogs") is None
    broker.topics.create("dogs", {0: [1]}, {})


def test_many_topics_go_in_steps_with_two_writes_each() -> None:
    registry = Mortal()
    timers = ManualTimers()
    broker = slowly(a_broker(registry=registry, timers=timers), steps=1)
    names = [f"t{number}" for number in range(120)]
    for name in names:
        broker.topics.create(name, {0: [1]}, {"retention.ms": "5"})
    gone: list[str] = []
    broker.topics.deletions.on_deleted.append(
        lambda topics: gone.extend(topic.name for topic in topics)
    )
    request = DeleteTopicsRequest(topic_names=[*names, "zz"], timeout_ms=1)
    registry.writes = 0
    outcome = handle(broker, asked(5), request)
    assert isinstance(outcome, Pending)
    while not gone:
        timers.next.pop(0)()
    assert gone == names[:50]
    broker.topics.delete("t119")  # Somebody else is quicker.
    answers = answered(broker, outcome, DeleteTopicsResponse).responses
    codes = {one.name: one.error_code for one in answers}
    missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert codes == dict.fromkeys(names, 0) | {"t119": missing, "zz": missing}
    assert [one.name for one in answers] == [*names, "zz"]
    assert registry.writes == 2 * (3 + 1)
    assert sorted(gone) == sorted(names)
    for path in ("/brokers/topics", "/config/topics", "/admin/delete_topics"):
        assert registry.children(path) == []


class Killed(Exception):
    """The process is gone."""


class Mortal(MemoryRegistry):
    """Ends the process at one of its writes."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.last = 1 << 30

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        self._live()
        super().set_all(nodes)

    def delete(self, *paths: str) -> None:
        if any(path in self.nodes for path in paths):
            self._live()
        super().delete(*paths)

    def _live(self) -> None:
        if self.writes == self.last:
            raise Killed
        self.writes += 1


@pytest.mark.parametrize("writes", range(5))
def test_after_a_kill_each_topic_is_whole_or_gone(writes: int) -> None:
    """Of two steps, each with a write at its beginning and one at its end."""
    registry = Mortal()
    broker = a_broker(registry=registry)
    names = [f"t{number}" for number in range(60)]
    for name in names:
        broker.topics.create(name, {0: [1]}, {"retention.ms": "5"})
    registry.writes, registry.last = 0, writes
    if writes < 4:
        with pytest.raises(Killed):
            by_name(broker, *names)
    else:
        by_name(broker, *names)
    registry.last = 1 << 30
    again = a_broker(registry=registry)
    host_registered(again.topics, cast("LogManager", NoLogsThere()))
    left = [topic.name for topic in again.topics]
    assert sorted(left) == sorted(names[{0: 0, 1: 50, 2: 50}.get(writes, 60) :])
    assert all(topic.config == {"retention.ms": "5"} for topic in again.topics)
    assert registry.children("/brokers/topics") == sorted(left)
    assert registry.children("/config/topics") == sorted(left)
    assert registry.children("/admin/delete_topics") == []


class NoLogsThere:
    """A broker's directories without a log."""

    def logs(self) -> list[object]:
        return []

    def sync_directories(self) -> None:
        pass
