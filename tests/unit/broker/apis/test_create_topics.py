from collections.abc import Mapping
from typing import Any

import pytest

from barnabas.broker.apis.create_topics import handle
from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending
from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from tests.unit.broker.in_memory import MemoryRegistry, NoLogs, a_broker, answered, asked, slowly
from tests.unit.runtime.manual_timers import ManualTimers


def topic(
    name: str,
    partitions: int = 2,
    replicas: int = 1,
    *,
    config: dict[str, str | None] | None = None,
    assigned: list[tuple[int, list[int]]] | None = None,
) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replicas,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=ids)
            for index, ids in assigned or []
        ],
        configs=[
            CreatableTopicConfig(name=key, value=value) for key, value in (config or {}).items()
        ],
    )


def create(
    broker: Broker, *topics: CreatableTopic, validate: bool = False
) -> list[CreatableTopicResult]:
    request = CreateTopicsRequest(topics=list(topics), validate_only=validate)
    return answered(broker, handle(broker, asked(7), request), CreateTopicsResponse).topics


def test_a_topic_is_made_with_partitions_and_properties() -> None:
    broker = a_broker()
    (made,) = create(broker, topic("dogs", 3, config={"retention.ms": "5000"}))
    assert (made.error_code, made.num_partitions, made.replication_factor) == (0, 3, 1)
    kept = broker.topics.get("dogs")
    assert kept is not None
    assert (kept.topic_id, len(kept.partitions)) == (made.topic_id, 3)
    retention = next(one for one in made.configs or [] if one.name == "retention.ms")
    assert (retention.value, retention.config_source) == ("5000", 1)


def test_minus_one_is_the_brokers_default() -> None:
    (made,) = create(a_broker({"num.partitions": 7}), topic("dogs", -1, -1))
    assert (made.num_partitions, made.replication_factor) == (7, 1)


def test_partitions_can_be_assigned() -> None:
    (made,) = create(a_broker(), topic("dogs", -1, -1, assigned=[(1, [1]), (0, [1])]))
    assert (made.error_code, made.num_partitions) == (0, 2)


def test_validation_makes_nothing() -> None:
    broker = a_broker()
    (made,) = create(broker, topic("dogs"), validate=True)
    assert (made.error_code, made.num_partitions, made.topic_id) == (0, 2, bytes(16))
    assert list(broker.topics) == []


@pytest.mark.parametrize(
    ("wanted", "code", "why"),
    [
        (topic("a b"), ErrorCode.INVALID_TOPIC_EXCEPTION, "letters"),
        (topic(".."), ErrorCode.INVALID_TOPIC_EXCEPTION, "no name"),
        (topic("x" * 250), ErrorCode.INVALID_TOPIC_EXCEPTION, "249"),
        (topic("there"), ErrorCode.TOPIC_ALREADY_EXISTS, "exists"),
        (topic("the_re"), ErrorCode.INVALID_TOPIC_EXCEPTION, "the.re"),
        (topic("t", 0), ErrorCode.INVALID_PARTITIONS, "not 0"),
        (topic("t", 1, 0), ErrorCode.INVALID_REPLICATION_FACTOR, "not 0"),
        (topic("t", 1, 3), ErrorCode.INVALID_REPLICATION_FACTOR, "3 cannot be reached"),
        (topic("t", config={"nope": "1"}), ErrorCode.INVALID_CONFIG, "nope"),
        (topic("t", config={"retention.ms": None}), ErrorCode.INVALID_CONFIG, "retention.ms"),
        (topic("t", config={"retention.ms": "x"}), ErrorCode.INVALID_CONFIG, "retention.ms=x"),
        (topic("t", 2, -1, assigned=[(0, [1])]), ErrorCode.INVALID_REQUEST, "-1"),
        (topic("t", -1, -1, assigned=[(1, [1])]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "gap"),
        (topic("t", -1, -1, assigned=[(0, [])]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "empty"),
        (topic("t", -1, -1, assigned=[(0, [2])]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "broker 2"),
        (topic("t", -1, -1, assigned=[(0, [1, 1])]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "once"),
        (
            topic("t", -1, -1, assigned=[(0, [1]), (0, [1])]),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "more than once",
        ),
    ],
)
def test_what_cannot_be_made_is_refused_with_code_and_reason(
    wanted: CreatableTopic, code: ErrorCode, why: str
) -> None:
    broker = a_broker()
    create(broker, topic("there"), topic("the.re"))
    (refused,) = create(broker, wanted)
    assert refused.error_code == code
    assert why in (refused.error_message or "")
    assert [one.name for one in broker.topics] == ["the.re", "there"]


def test_a_topic_that_is_there_twice_is_answered_once() -> None:
    broker = a_broker()
    first, twice = create(broker, topic("a"), topic("b"), topic("a"))
    assert (first.name, first.error_code) == ("b", 0)
    assert (twice.name, twice.error_code) == ("a", ErrorCode.INVALID_REQUEST)
    assert broker.topics.get("a") is None


@pytest.mark.parametrize("validate", [True, False])
@pytest.mark.parametrize(
    "over",
    [
        topic("over", 2**31 - 1),
        topic("over", 10_000),
        topic("over", -1, -1, assigned=[(index, [1]) for index in range(10_000)]),
    ],
)
def test_a_request_for_too_many_partitions_makes_no_topic(
    over: CreatableTopic, *, validate: bool
) -> None:
    broker = a_broker()
    wanted = topic("fits", 1), over, topic("a b", 0), topic("twice"), topic("twice")
    refused = create(broker, *wanted, validate=validate)
    assert [one.name for one in refused] == ["fits", "over", "a b", "twice"]
    assert {one.error_code for one in refused} == {ErrorCode.POLICY_VIOLATION}
    assert "10000" in (refused[0].error_message or "")
    assert list(broker.topics) == []


def test_ten_thousand_partitions_are_not_too_many() -> None:
    broker = a_broker({"num.partitions": 4000})
    made = create(broker, topic("given", 6000), topic("default", -1), topic("none", -5))
    codes = [one.error_code for one in made]
    assert codes == [0, 0, ErrorCode.INVALID_PARTITIONS]


def test_the_brokers_default_counts() -> None:
    (refused,) = create(a_broker({"num.partitions": 10_001}), topic("default", -1))
    assert refused.error_code == ErrorCode.POLICY_VIOLATION


def in_steps(broker: Broker, *topics: CreatableTopic) -> list[object]:
    """Begin to make topics; the answer comes into what this returns."""
    outcome = handle(broker, asked(7), CreateTopicsRequest(topics=list(topics)))
    assert isinstance(outcome, Pending)
    answers: list[object] = []
    outcome.on_done(answers.append)
    return answers


def hosted(broker: Broker, name: str) -> int:
    logs = broker.topics.hosting
    assert isinstance(logs, NoLogs)
    return len(logs.hosted.get(name, ()))


def test_thousands_of_partitions_are_made_in_steps_between_which_others_are_served() -> None:
    timers = ManualTimers()
    broker = slowly(a_broker(timers=timers))
    answers = in_steps(broker, topic("cats", 10), topic("dogs", 1000))
    assert hosted(broker, "cats") == 10
    assert 0 < hosted(broker, "dogs") < 100
    (meanwhile,) = create(broker, topic("dogs"))
    assert meanwhile.error_code == ErrorCode.TOPIC_ALREADY_EXISTS
    timers.run_soon()
    (answer,) = answers
    assert isinstance(answer, CreateTopicsResponse)
    assert [(one.error_code, one.num_partitions) for one in answer.topics] == [(0, 10), (0, 1000)]
    assert hosted(broker, "dogs") == 1000


def test_who_deletes_a_topic_while_it_is_made_ends_its_making() -> None:
    timers = ManualTimers()
    broker = slowly(a_broker(timers=timers))
    answers = in_steps(broker, topic("dogs", 1000))
    broker.topics.delete("dogs")
    timers.run_soon()
    assert len(answers) == 1
    assert (broker.topics.get("dogs"), hosted(broker, "dogs")) == (None, 0)


def test_properties_that_change_while_a_topic_is_made_hold_for_all_its_partitions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timers = ManualTimers()
    broker = slowly(a_broker(timers=timers))
    in_steps(broker, topic("dogs", 1000))
    reported = []
    host = broker.topics.hosting.host

    def listens(*row: Any) -> None:
        reported.append(row[3])
        host(*row)

    monkeypatch.setattr(broker.topics.hosting, "host", listens)
    broker.topics.configure("dogs", {"retention.ms": "5"})
    timers.run_soon()
    assert reported
    assert all(own == {"retention.ms": "5"} for own in reported)


def test_a_broker_that_stops_makes_no_more_of_a_topic() -> None:
    timers = ManualTimers()
    broker = slowly(a_broker(timers=timers))
    in_steps(broker, topic("dogs", 1000))
    before = hosted(broker, "dogs")
    broker.topics.close()
    timers.run_soon()
    assert hosted(broker, "dogs") == before
    assert broker.registry.get("/brokers/topics/dogs") is not None  # made at the next start


class Counted(MemoryRegistry):
    """Counts its writes, and fails at them when a test wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.fails_from = 1 << 30

    def create_all(self, nodes: Mapping[str, bytes]) -> list[str]:
        self._count(nodes)
        return super().create_all(nodes)

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        self._count(nodes)
        super().set_all(nodes)

    def _count(self, nodes: Mapping[str, bytes]) -> None:
        if nodes and self.writes >= self.fails_from:
            raise StorageError("the disk is full")
        self.writes += bool(nodes)


def test_many_topics_are_written_together() -> None:
    registry = Counted()
    broker = a_broker(registry=registry)
    names = [f"t{number}" for number in range(80)]
    wanted = [topic(name, 1, config={"retention.ms": "5"}) for name in names]
    made = create(broker, *wanted[:40], topic("a b"), *wanted[40:])
    assert [(one.name, one.error_code) for one in made if one.error_code] == [
        ("a b", ErrorCode.INVALID_TOPIC_EXCEPTION)
    ]
    assert [one.name for one in made] == [*names[:40], "a b", *names[40:]]
    assert len({one.topic_id for one in made if not one.error_code}) == 80
    assert registry.writes == 2 * 3
    assert sorted(registry.children("/config/topics")) == sorted(names)
    assert [hosted(broker, name) for name in names] == [1] * 80


def test_topics_that_metrics_cannot_tell_apart_are_so_in_one_request_too() -> None:
    made = create(a_broker(), topic("a.b"), topic("c"), topic("a_b"))
    assert [one.error_code for one in made] == [0, 0, ErrorCode.INVALID_TOPIC_EXCEPTION]


def test_what_cannot_be_written_is_not_there_and_what_was_is() -> None:
    registry = Counted()
    broker = a_broker(registry=registry)
    registry.fails_from = 1
    made = create(broker, *(topic(f"t{number}", 1) for number in range(40)))
    codes = [one.error_code for one in made]
    assert codes == [0] * 32 + [ErrorCode.KAFKA_STORAGE_ERROR] * 8
    assert len(list(broker.topics)) == 32
    assert made[-1].error_message == "the disk is full"


def test_a_topic_that_somebody_else_makes_meanwhile_is_theirs() -> None:
    registry = MemoryRegistry()
    broker = a_broker(registry=registry)
    registry.create("/brokers/topics/dogs", b"theirs")
    cats, dogs = create(broker, topic("cats"), topic("dogs"))
    assert (cats.error_code, dogs.error_code) == (0, ErrorCode.TOPIC_ALREADY_EXISTS)
    assert registry.get("/brokers/topics/dogs") == (b"theirs", 0)
    assert broker.topics.get("dogs") is None


def test_a_topic_whose_logs_cannot_be_made_is_taken_back_alone() -> None:
    broker = a_broker()
    logs = broker.topics.hosting
    assert isinstance(logs, NoLogs)
    logs.no_room_for.add("dogs")
    cats, dogs, cows = create(broker, topic("cats"), topic("dogs"), topic("cows"))
    codes = (cats.error_code, dogs.error_code, cows.error_code)
    assert codes == (0, ErrorCode.KAFKA_STORAGE_ERROR, 0)
    assert [one.name for one in broker.topics] == ["cats", "cows"]
    assert broker.registry.children("/brokers/topics") == ["cats", "cows"]
