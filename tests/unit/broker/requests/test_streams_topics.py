"""Internal topics of streams groups, also wide ones and such that cannot be made."""

import pytest

from barnabas.broker.broker import Broker
from barnabas.broker.requests.streams_topics import create_missing
from barnabas.coordinators.streams_group.configuring import MissingTopic
from barnabas.protocol.internal.streams_group_records import TopicInfo
from tests.unit.broker.in_memory import NoLogs, a_broker, slowly
from tests.unit.runtime.manual_timers import ManualTimers


def new(name: str, partitions: int = 2, replicas: int = 0) -> MissingTopic:
    info = TopicInfo(name=name, partitions=0, replication_factor=replicas, topic_configs=[])
    return MissingTopic(info, partitions)


def logs_of(broker: Broker) -> NoLogs:
    logs = broker.topics.hosting
    assert isinstance(logs, NoLogs)
    return logs


def test_a_few_partitions_are_there_at_once() -> None:
    timers = ManualTimers()
    broker = a_broker(timers=timers)
    assert create_missing(broker, [new("one", 3), new("two", 40)]) == []
    assert {name: len(there) for name, there in logs_of(broker).hosted.items()} == {
        "one": 3,
        "two": 40,
    }
    assert timers.next == []
    assert create_missing(broker, [new("one", 3)]) == []


def test_wide_ones_are_known_at_once_and_made_in_steps() -> None:
    timers = ManualTimers()
    broker = slowly(a_broker(timers=timers))
    assert create_missing(broker, [new("wide", 1000), new("also", 1000)]) == []
    hosted = logs_of(broker).hosted
    assert 0 < len(hosted["wide"]) < 100
    assert "also" not in hosted
    assert [(one.name, len(one.partitions)) for one in broker.topics] == [
        ("also", 1000),
        ("wide", 1000),
    ]
    timers.run_soon()
    assert (len(hosted["wide"]), len(hosted["also"])) == (1000, 1000)


@pytest.mark.parametrize(
    ("topic", "why"),
    [
        (new("a b"), "INVALID_TOPIC_EXCEPTION"),
        (new("many", 2**31 - 1), "POLICY_VIOLATION"),
        (new("three", replicas=3), "INVALID_REPLICATION_FACTOR"),
    ],
)
def test_one_that_cannot_be_made_is_reported_and_others_are_made(
    topic: MissingTopic, why: str
) -> None:
    broker = a_broker()
    (failure,) = create_missing(broker, [new("first"), topic, new("zoo")])
    assert failure.startswith(f"{topic.info.name} (")
    assert why in failure
    assert [one.name for one in broker.topics] == ["first", "zoo"]


def test_one_whose_logs_cannot_be_made_is_missing_again() -> None:
    timers = ManualTimers()
    broker = slowly(a_broker(timers=timers))
    logs_of(broker).no_room_for.add("full")
    (failure,) = create_missing(broker, [new("full")])
    assert failure.startswith("full (")
    assert create_missing(broker, [new("wide", 1000), new("full", 1000)]) == []
    timers.run_soon()
    assert [one.name for one in broker.topics] == ["wide"]


def test_of_two_that_metrics_cannot_tell_apart_the_second_is_reported_the_next_time() -> None:
    broker = a_broker()
    both = [new("a.b"), new("a_b")]
    assert create_missing(broker, both) == []
    (failure,) = create_missing(broker, both[1:])
    assert "a_b and a.b differ only in . and _" in failure
