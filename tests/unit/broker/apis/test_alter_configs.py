import pytest

from barnabas.broker.apis.alter_configs import handle
from barnabas.broker.broker import Broker
from barnabas.broker.profiles import profile_of
from barnabas.errors import ErrorCode
from barnabas.protocol.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResponse,
)
from tests.unit.broker.in_memory import a_broker, answered, asked


def replace(broker: Broker, config: dict[str, str | None], *, validate: bool = False) -> int:
    resource = AlterConfigsResource(
        resource_type=2,
        resource_name="dogs",
        configs=[AlterableConfig(name=name, value=value) for name, value in config.items()],
    )
    request = AlterConfigsRequest(resources=[resource], validate_only=validate)
    outcome = handle(broker, asked(2), request)
    return answered(broker, outcome, AlterConfigsResponse).responses[0].error_code


def test_all_properties_are_replaced_or_none() -> None:
    broker = a_broker()
    broker.topics.create("dogs", {0: [1]}, {"retention.ms": "5000"})

    def config() -> dict[str, str]:
        topic = broker.topics.get("dogs")
        assert topic is not None
        return dict(topic.config)

    assert replace(broker, {"segment.ms": "100"}, validate=True) == 0
    assert replace(broker, {"segment.ms": "100", "nope": "1"}) == ErrorCode.INVALID_CONFIG
    assert replace(broker, {"segment.ms": None}) == ErrorCode.INVALID_REQUEST
    assert config() == {"retention.ms": "5000"}
    assert replace(broker, {"segment.ms": "100"}) == 0
    assert config() == {"segment.ms": "100"}


@pytest.mark.parametrize(("release", "code"), [("3.2", 42), ("3.3", 40), ("", 40)])
def test_before_kraft_a_value_that_cannot_be_is_a_request_that_cannot_be(
    release: str, code: int
) -> None:
    broker = a_broker()
    broker.profile = profile_of(release)
    broker.topics.create("dogs", {0: [1]}, {})
    assert replace(broker, {"segment.ms": "soon"}) == code
    assert replace(broker, {"nope": "1"}) == ErrorCode.INVALID_CONFIG
