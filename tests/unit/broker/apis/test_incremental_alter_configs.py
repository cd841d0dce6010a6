import pytest

from barnabas.broker.apis.incremental_alter_configs import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tests.unit.broker.in_memory import a_broker, asked

SET, DELETE, APPEND, SUBTRACT = range(4)
TOPIC, BROKER = 2, 4

Change = tuple[str, int, str | None]


@pytest.fixture
def broker() -> Broker:
    made = a_broker()
    made.topics.create("dogs", {0: [1]}, {"retention.ms": "5000"})
    return made


def alter(
    broker: Broker, *changes: Change, kind: int = TOPIC, name: str = "dogs", validate: bool = False
) -> int:
    resource = AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            AlterableConfig(name=key, config_operation=operation, value=value)
            for key, operation, value in changes
        ],
    )
    request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=validate)
    return handle(broker, asked(1), request).responses[0].error_code


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
