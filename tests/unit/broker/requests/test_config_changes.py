"""Properties of a running broker changed by a client, and what comes of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.errors import ErrorCode
from barnabas.protocol.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.batches import batch
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels

TOPIC, BROKER = 2, 4
EVERY = ""


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(data_dir=tmp_path) as embedded:
        embedded.create_topic("t", 1)
        yield embedded


def asked(kind: int, resource: str, name: str, value: str | None) -> AlterConfigsResource:
    one = AlterableConfig(name=name, config_operation=1 if value is None else 0, value=value)
    return AlterConfigsResource(resource_type=kind, resource_name=resource, configs=[one])


def answers(
    client: RawClient, *resources: AlterConfigsResource
) -> list[AlterConfigsResourceResponse]:
    request = IncrementalAlterConfigsRequest(resources=list(resources), validate_only=False)
    return list(client.ask(request, 1, IncrementalAlterConfigsResponse).responses)


def change(client: RawClient, scope: str, name: str, value: str | None) -> None:
    (answer,) = answers(client, asked(BROKER, scope, name, value))
    assert answer.error_code == 0, answer.error_message


def described(client: RawClient, kind: int, resource: str, name: str) -> tuple[str | None, int]:
    asked = DescribeConfigsResource(
        resource_type=kind, resource_name=resource, configuration_keys=[name]
    )
    request = DescribeConfigsRequest(resources=[asked])
    (result,) = client.ask(request, 4, DescribeConfigsResponse).results
    (entry,) = result.configs
    return entry.value, entry.config_source


def produced(client: RawClient, size: int) -> int:
    part = PartitionProduceData(index=0, records=batch(b"x" * size))
    data = [TopicProduceData(name="t", partition_data=[part])]
    request = ProduceRequest(acks=1, timeout_ms=1000, topic_data=data)
    return client.ask(request, 9, ProduceResponse).responses[0].partition_responses[0].error_code


def test_a_change_holds_for_topics_at_once_and_after_a_restart(broker: EmbeddedBroker) -> None:
    with RawClient(broker.port) as client:
        assert produced(client, 5000) == 0
        change(client, EVERY, "message.max.bytes", "1000")
        assert produced(client, 5000) == ErrorCode.MESSAGE_TOO_LARGE
        assert described(client, TOPIC, "t", "max.message.bytes") == ("1000", 3)
    broker.stop()
    broker.start()
    with RawClient(broker.port) as client:
        assert produced(client, 5000) == ErrorCode.MESSAGE_TOO_LARGE
        change(client, "1", "message.max.bytes", "9000")
        assert described(client, BROKER, "1", "message.max.bytes") == ("9000", 2)
        assert produced(client, 5000) == 0
        change(client, EVERY, "message.max.bytes", None)
        change(client, "1", "message.max.bytes", None)
        assert described(client, TOPIC, "t", "max.message.bytes") == ("1048588", 5)


def test_what_a_topic_could_not_go_on_with_is_refused_and_not_kept(broker: EmbeddedBroker) -> None:
    broker.create_topic("old", 1, {"message.format.version": "0.10.0"})
    with RawClient(broker.port) as client:
        (answer,) = answers(client, asked(BROKER, EVERY, "compression.type", "zstd"))
        assert answer.error_code == ErrorCode.INVALID_REQUEST
        assert "topic old: compression.type=zstd" in (answer.error_message or "")
        assert described(client, BROKER, "1", "compression.type") == ("producer", 5)
        change(client, EVERY, "compression.type", "gzip")
    broker.stop()
    broker.start()
    with RawClient(broker.port) as client:
        assert described(client, TOPIC, "old", "compression.type") == ("gzip", 3)


def test_a_broker_starts_with_what_a_topic_cannot_go_on_with(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        broker.create_topic("t", 2, {"message.format.version": "0.10.0"})
    caplog.clear()
    settings = {"compression.type": "zstd"}
    with EmbeddedBroker(settings, data_dir=tmp_path) as broker, RawClient(broker.port) as client:
        reported = [
            record
            for record in caplog.records
            if "contradict those of its broker" in record.message
        ]
        assert [record.topic for record in reported] == ["t"]  # type: ignore[attr-defined]
        assert produced(client, 5000) == 0
        (answer,) = answers(client, asked(BROKER, EVERY, "log.retention.ms", "5000"))
        assert answer.error_code == ErrorCode.INVALID_REQUEST
        change(client, EVERY, "compression.type", "gzip")
        assert described(client, TOPIC, "t", "compression.type") == ("gzip", 3)


def test_what_topics_get_in_the_same_request_counts(broker: EmbeddedBroker) -> None:
    with RawClient(broker.port) as client:
        codes = [
            answer.error_code
            for answer in answers(
                client,
                asked(TOPIC, "t", "message.format.version", "0.10.0"),
                asked(BROKER, EVERY, "compression.type", "zstd"),
            )
        ]
        assert codes == [ErrorCode.NONE, ErrorCode.INVALID_REQUEST]
        assert described(client, BROKER, "1", "compression.type") == ("producer", 5)


def test_the_number_of_connections_can_be_bounded_while_it_runs(broker: EmbeddedBroker) -> None:
    with RawClient(broker.port) as client:
        change(client, "1", "max.connections", "1")
        with RawClient(broker.port) as another, pytest.raises((ConnectionError, AssertionError)):
            change(another, "1", "max.connections", "9")
        change(client, "1", "max.connections", "9")
        with RawClient(broker.port) as another:
            assert described(another, BROKER, "1", "max.connections") == ("9", 2)
