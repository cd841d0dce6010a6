"""The fixtures for users' tests, with the release of Kafka that a test asks for."""

import pytest

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

pytest_plugins = ["barnabas.testing.fixtures"]


def newest_metadata(broker: EmbeddedBroker) -> int:
    with RawClient(broker.port) as client:
        answer = client.ask(ApiVersionsRequest(), 0, ApiVersionsResponse)
    return {row.api_key: row.max_version for row in answer.api_keys}[ApiKey.METADATA]


def test_a_broker_is_everything_at_once(broker: EmbeddedBroker) -> None:
    assert newest_metadata(broker) == 13


@pytest.mark.parametrize(("kafka_release", "newest"), [("0.10.0", 1), ("2.8", 11)])
def test_a_broker_of_the_release_that_a_test_names(broker: EmbeddedBroker, newest: int) -> None:
    assert newest_metadata(broker) == newest


@pytest.mark.parametrize("kafka_release", ["1.1"], scope="module")
def test_a_broker_of_a_module_too(module_broker: EmbeddedBroker) -> None:
    assert newest_metadata(module_broker) == 5
