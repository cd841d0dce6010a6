from collections.abc import Mapping

import pytest

from barnabas.broker.apis.incremental_alter_configs import handle
from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.registry_calls import RegistryCalls
from barnabas.broker.znodes.config_znodes import read_config
from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from sim.world.zookeeper import SimulatedZooKeeper
from tests.unit.broker.in_memory import MemoryRegistry, a_broker, answered, asked
from tests.unit.runtime.manual_timers import ManualTimers

SET, DELETE, APPEND, SUBTRACT = range(4)
TOPIC, BROKER = 2, 4

Change = tuple[str, int, str | None]


@pytest.fixture
def broker() -> Broker:
    made = a_broker()
    made.topics.create("dogs", {0: [1]}, {"retention.ms": "5000"})
    return made


def changing(
    *changes: Change, kind: int = TOPIC, name: str = "dogs", validate: bool = False
) -> IncrementalAlterConfigsRequest:
    resource = AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            AlterableConfig(name=key, config_operation=operation, value=value)
            for key, operation, value in changes
        ],
    )
    return IncrementalAlterConfigsRequest(resources=[resource], validate_only=validate)


def alter(
    broker: Broker, *changes: Change, kind: int = TOPIC, name: str = "dogs", validate: bool = False
) -> int:
    request = changing(*changes, kind=kind, name=name, validate=validate)
    outcome = handle(broker, asked(1, ApiKey.INCREMENTAL_ALTER_CONFIGS), request)
    return answered(broker, outcome, IncrementalAlterConfigsResponse).responses[0].error_code


def config(broker: Broker) -> dict[str, str]:
    topic = broker.topics.get("dogs")
    assert topic is not None
    return dict(topic.config)


def test_properties_are_set_and_deleted_one_by_one(broker: Broker) -> None:
    assert alter(broker, ("segment.ms", SET, "100")) == 0
    assert config(broker) == {"retention.ms": "5000", "segment.ms": "100"}
    assert alter(broker, ("retention.ms", DELETE, None), ("segment.ms", SET, "200")) == 0
    assert config(broker) == {"segment.ms": "200"}


def test_lists_are_appended_to_and_subtracted_from(broker: Broker) -> None:
    assert alter(broker, ("cleanup.policy", APPEND, "compact,delete")) == 0
    assert config(broker)["cleanup.policy"] == "delete,compact"
    assert alter(broker, ("cleanup.policy", SUBTRACT, "delete")) == 0
    assert config(broker)["cleanup.policy"] == "compact"


def test_a_list_does_not_grow_for_ever(broker: Broker) -> None:
    """As in Kafka no value is longer than a text of most requests can be."""
    name = "leader.replication.throttled.replicas"
    most = ",".join(f"{number}:1" for number in range(4000))
    assert alter(broker, (name, SET, most)) == 0
    more = ",".join(f"{number}:2" for number in range(4000))
    assert alter(broker, (name, APPEND, more)) == ErrorCode.INVALID_CONFIG
    assert config(broker)[name] == most


def test_validation_changes_nothing(broker: Broker) -> None:
    assert alter(broker, ("segment.ms", SET, "100"), validate=True) == 0
    assert config(broker) == {"retention.ms": "5000"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("nope", SET, "1"), ErrorCode.INVALID_CONFIG),
        (("retention.ms", SET, "x"), ErrorCode.INVALID_CONFIG),
        (("retention.ms", SET, None), ErrorCode.INVALID_REQUEST),
        (("retention.ms", APPEND, "1"), ErrorCode.INVALID_CONFIG),
        (("retention.ms", 9, "1"), ErrorCode.INVALID_REQUEST),
    ],
)
def test_what_cannot_be_changed_is_refused(broker: Broker, change: Change, code: int) -> None:
    assert alter(broker, ("segment.ms", SET, "100"), change) == code
    assert config(broker) == {"retention.ms": "5000"}


def test_only_topics_that_are_there_can_be_changed(broker: Broker) -> None:
    change = ("segment.ms", SET, "100")
    assert alter(broker, change, kind=BROKER, name="1") == ErrorCode.INVALID_REQUEST
    assert alter(broker, change, name="cats") == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert alter(broker, change, change) == ErrorCode.INVALID_REQUEST


def alter_all(broker: Broker, *names: str) -> dict[str, int]:
    """The codes by topic, all in one request."""
    resources = [
        AlterConfigsResource(
            resource_type=TOPIC,
            resource_name=name,
            configs=[AlterableConfig(name="segment.ms", config_operation=SET, value="100")],
        )
        for name in names
    ]
    request = IncrementalAlterConfigsRequest(resources=resources, validate_only=False)
    outcome = handle(broker, asked(1, ApiKey.INCREMENTAL_ALTER_CONFIGS), request)
    answers = answered(broker, outcome, IncrementalAlterConfigsResponse).responses
    return {one.resource_name: one.error_code for one in answers}


class Failing(MemoryRegistry):
    """Counts how often many nodes are written; fails where a test wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.full = False

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        self.writes += 1
        if self.full:
            raise StorageError("the disk is full")
        super().set_all(nodes)


def test_topics_of_one_request_are_written_together_each_answered_for_itself() -> None:
    registry = Failing()
    broker = a_broker(registry=registry)
    names = [f"t{number}" for number in range(20)]
    for name in names:
        broker.topics.create(name, {0: [1]}, {})
    codes = alter_all(broker, *names, "never-there")
    assert codes.pop("never-there") == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert codes == dict.fromkeys(names, 0)
    assert registry.writes == 1
    assert {topic.config["segment.ms"] for topic in broker.topics} == {"100"}

    registry.full = True
    broker.topics.create("late", {0: [1]}, {})
    codes = alter_all(broker, "late", "never-there")
    assert codes == {
        "late": ErrorCode.KAFKA_STORAGE_ERROR,
        "never-there": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    late = broker.topics.get("late")
    assert late is not None
    assert late.config == {}


def test_many_topics_are_changed_in_steps() -> None:
    broker = a_broker()
    names = [f"t{number}" for number in range(200)]
    for name in names:
        broker.topics.create(name, {0: [1]}, {})
    assert alter_all(broker, *names) == dict.fromkeys(names, 0)
    assert isinstance(broker.timers, ManualTimers)
    assert not broker.timers.next
    assert {topic.config["segment.ms"] for topic in broker.topics} == {"100"}


def test_with_a_shared_registry_a_topic_is_changed_in_order_and_an_answer_means_written() -> None:
    session, timers = SimulatedZooKeeper().session(), ManualTimers()
    broker = a_broker(registry=session, timers=timers)
    broker.registry_calls = RegistryCalls(session)
    broker.topics.create("dogs", {0: [1]}, {})
    session.withheld = []
    codes: list[int] = []

    def take(outcome: object) -> None:
        codes.append(
            answered(broker, outcome, IncrementalAlterConfigsResponse).responses[0].error_code
        )

    for change in (("segment.ms", SET, "100"), ("retention.ms", SET, "5000")):
        outcome = handle(broker, asked(1, ApiKey.INCREMENTAL_ALTER_CONFIGS), changing(change))
        outcome.on_done(take)
        timers.run_soon()
    assert (len(session.withheld), codes, config(broker)) == (1, [], {})
    session.answer()
    timers.run_soon()
    assert codes == [0, 0]
    wanted = {"segment.ms": "100", "retention.ms": "5000"}
    assert config(broker) == read_config(session, "/config/topics/dogs") == wanted


def test_a_topic_that_is_gone_when_its_properties_are_written_is_left_alone() -> None:
    session, timers = SimulatedZooKeeper().session(), ManualTimers()
    broker = a_broker(registry=session, timers=timers)
    broker.registry_calls = RegistryCalls(session)
    broker.topics.create("dogs", {0: [1]}, {})
    session.withheld = []
    change = changing(("segment.ms", SET, "100"))
    outcome = handle(broker, asked(1, ApiKey.INCREMENTAL_ALTER_CONFIGS), change)
    broker.topics.delete("dogs")
    session.answer()
    assert answered(broker, outcome, IncrementalAlterConfigsResponse).responses[0].error_code == 0
    assert broker.topics.get("dogs") is None
