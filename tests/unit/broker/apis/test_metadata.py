from typing import cast

import pytest

from barnabas.broker.apis.metadata import handle
from barnabas.broker.broker import Broker
from barnabas.broker.profiles import profile_of
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.requests.authorized_operations import NOT_ASKED, ON_TOPICS
from barnabas.errors import ErrorCode
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import NO_UUID
from tests.unit.broker.in_memory import Led, NoLogs, Replicas, a_broker, answered, asked, slowly
from tests.unit.runtime.manual_timers import ManualTimers

STRANGE = b"\7" * 16


@pytest.fixture
def broker() -> Broker:
    made = a_broker({"auto.create.topics.enable": False})
    made.topics.create("a", {0: [1]}, {})
    cast("Replicas", made.replicas)["a", 0] = Led()
    return made


def ask(
    broker: Broker, *topics: tuple[str | None, bytes], version: int = 12, operations: bool = False
) -> MetadataResponse:
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=name, topic_id=number) for name, number in topics],
        include_topic_authorized_operations=operations,
    )
    response = answered(broker, handle(broker, asked(version), request), MetadataResponse)
    Codec.of(MetadataResponse, version).encode(response)
    return response


def test_a_topic_that_is_asked_for_twice_is_answered_once(broker: Broker) -> None:
    assert [one.name for one in ask(broker, ("a", NO_UUID), ("a", NO_UUID)).topics] == ["a"]


@pytest.mark.parametrize("version", [10, 11])
@pytest.mark.parametrize("topic", [(None, STRANGE), ("a", STRANGE), (None, NO_UUID)])
def test_ids_are_refused_before_version_12(
    broker: Broker, version: int, topic: tuple[str | None, bytes]
) -> None:
    (answer,) = ask(broker, topic, version=version).topics
    assert (answer.error_code, answer.name) == (ErrorCode.INVALID_REQUEST, topic[0] or "")


def test_operations_are_returned_for_every_name(broker: Broker) -> None:
    asked_for = ("a", NO_UUID), ("gone", NO_UUID), (None, STRANGE)
    answers = ask(broker, *asked_for, operations=True).topics
    assert [(one.error_code, one.topic_authorized_operations) for one in answers] == [
        (0, ON_TOPICS),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ON_TOPICS),
        (ErrorCode.UNKNOWN_TOPIC_ID, NOT_ASKED),
    ]


def test_a_topic_is_described_once_until_it_changes(broker: Broker) -> None:
    (first,), (again,) = (ask(broker, ("a", NO_UUID)).topics for _ in range(2))
    assert first is again
    broker.topics.configure("a", {"retention.ms": "1"})
    assert ask(broker, ("a", NO_UUID)).topics[0] is not first


def test_a_lost_log_and_its_return_are_reported_at_once(broker: Broker) -> None:
    def leader() -> int:
        return ask(broker, ("a", NO_UUID)).topics[0].partitions[0].leader_id

    led = cast("Replicas", broker.replicas)["a", 0]
    assert leader() == 1
    led.log.failure = Exception("the disk is gone")
    assert leader() == -1
    led.log.failure = None
    assert leader() == 1


def test_a_new_partition_is_reported(broker: Broker) -> None:
    assert len(ask(broker, ("a", NO_UUID)).topics[0].partitions) == 1
    broker.topics.add_partitions("a", {1: [1]})
    cast("Replicas", broker.replicas)["a", 1] = Led()
    assert len(ask(broker, ("a", NO_UUID)).topics[0].partitions) == 2


def test_operations_stay_with_those_who_asked(broker: Broker) -> None:
    for operations, reported in [(False, NOT_ASKED), (True, ON_TOPICS), (False, NOT_ASKED)]:
        (answer,) = ask(broker, ("a", NO_UUID), operations=operations).topics
        assert answer.topic_authorized_operations == reported


def test_what_is_kept_of_deleted_topics_goes(broker: Broker) -> None:
    for number in range(300):
        broker.topics.create(f"t{number}", {0: [1]}, {})
        cast("Replicas", broker.replicas)[f"t{number}", 0] = Led()
        ask(broker, (f"t{number}", NO_UUID))
        broker.topics.delete(f"t{number}")
    assert len(broker.descriptions) < 110


def test_wide_topics_are_made_in_steps_and_then_described() -> None:
    timers = ManualTimers()
    broker = slowly(a_broker({"num.partitions": 100}, timers=timers))
    asked_for = [MetadataRequestTopic(name=name) for name in ("cats", "dogs", "a b")]
    outcome = handle(broker, asked(9), MetadataRequest(topics=asked_for))
    assert isinstance(outcome, Pending)
    answers: list[MetadataResponse] = []
    outcome.on_done(lambda answer: answers.append(cast("MetadataResponse", answer)))
    (meanwhile,) = ask(broker, ("cats", NO_UUID)).topics
    assert {one.error_code for one in meanwhile.partitions} == {ErrorCode.LEADER_NOT_AVAILABLE}
    assert len(meanwhile.partitions) == 100
    logs = broker.topics.hosting
    assert isinstance(logs, NoLogs)
    assert logs.hosted.keys() == {"cats"}
    timers.run_soon()
    (answer,) = answers
    assert [(one.error_code, len(one.partitions)) for one in answer.topics] == [
        (ErrorCode.NONE, 100),
        (ErrorCode.NONE, 100),
        (ErrorCode.INVALID_TOPIC_EXCEPTION, 0),
    ]


def test_a_topic_that_is_made_is_answered_as_its_profile_does() -> None:
    broker = a_broker()
    broker.profile = profile_of("0.9.0")
    for code in (ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.NONE):
        assert [one.error_code for one in ask(broker, ("dogs", NO_UUID), version=1).topics] == [
            code
        ]
