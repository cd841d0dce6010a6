from collections.abc import Callable

import pytest

from barnabas.broker.apis import describe_configs
from barnabas.broker.apis.describe_configs import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from tests.unit.broker.changes import change_properties
from tests.unit.broker.in_memory import a_broker, asked

TOPIC, BROKER = 2, 4


def describe(
    broker: Broker, kind: int, name: str, *keys: str, sent: bool = False
) -> DescribeConfigsResult:
    resource = DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=list(keys) or None
    )
    request = DescribeConfigsRequest(
        resources=[resource], include_synonyms=sent, include_documentation=sent
    )
    response: DescribeConfigsResponse = handle(broker, asked(4), request)
    return response.results[0]


def only(result: DescribeConfigsResult) -> DescribeConfigsResourceResult:
    (entry,) = result.configs
    return entry


def test_a_topics_own_property_comes_first() -> None:
    broker = a_broker({"log.retention.hours": 2})
    broker.topics.create("dogs", {0: [1]}, {"retention.ms": "5000"})
    entry = only(describe(broker, TOPIC, "dogs", "retention.ms", sent=True))
    assert (entry.value, entry.config_source, entry.config_type) == ("5000", 1, 5)
    assert (entry.read_only, entry.is_default) == (False, False)
    assert [(one.name, one.value, one.source) for one in entry.synonyms] == [
        ("retention.ms", "5000", 1),
        ("log.retention.hours", "7200000", 4),
    ]
    assert "milliseconds" in (entry.documentation or "")


def test_what_a_topic_does_not_say_the_broker_decides() -> None:
    broker = a_broker({"log.retention.hours": 2})
    broker.topics.create("dogs", {0: [1]}, {})
    whole = {one.name: one for one in describe(broker, TOPIC, "dogs").configs}
    assert (whole["retention.ms"].value, whole["retention.ms"].config_source) == ("7200000", 4)
    assert (whole["segment.bytes"].config_source, whole["segment.bytes"].is_default) == (5, True)
    assert whole["retention.ms"].synonyms == []
    assert whole["retention.ms"].documentation is None


def test_a_brokers_properties_can_be_read_only() -> None:
    broker = a_broker({"num.partitions": 7})
    entry = only(describe(broker, BROKER, "1", "num.partitions"))
    assert (entry.value, entry.config_source, entry.read_only) == ("7", 4, True)
    assert describe(broker, BROKER, "").configs == []


def test_inert_properties_are_described_only_where_they_are_set() -> None:
    name = "producer.id.expiration.check.interval.ms"
    assert describe(a_broker(), BROKER, "1", name).configs == []
    entry = only(describe(a_broker({name: 7}), BROKER, "1", name))
    assert (entry.value, entry.config_source, entry.read_only) == ("7", 4, True)


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [
        (TOPIC, "cats", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, "a b", ErrorCode.INVALID_TOPIC_EXCEPTION),
        (BROKER, "2", ErrorCode.INVALID_REQUEST),
        (BROKER, "x", ErrorCode.INVALID_REQUEST),
        (8, "1", ErrorCode.INVALID_REQUEST),
    ],
)
def test_what_is_not_there_is_refused(kind: int, name: str, code: ErrorCode) -> None:
    refused = describe(a_broker(), kind, name)
    assert (refused.error_code, refused.configs) == (code, [])
    assert refused.error_message


def test_the_same_properties_are_read_once_and_changed_ones_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counted(name: str) -> Callable[..., object]:
        really = getattr(describe_configs, name)

        def read_and_count(*given: object) -> object:
            read.append(name)
            return really(*given)

        return read_and_count

    for name in ("broker_entries", "topic_entries"):
        monkeypatch.setattr(describe_configs, name, counted(name))
    for cached in (describe_configs._of_broker, describe_configs._of_topic):
        cached.cache_clear()
    broker = a_broker()
    for name in ("dogs", "cats"):
        broker.topics.create(name, {0: [1]}, {"retention.ms": "5000"})
    for _ in range(3):
        describe(broker, BROKER, "1")
        describe(broker, TOPIC, "dogs")
        describe(broker, TOPIC, "cats")
    assert read == ["broker_entries", "topic_entries"]
    change_properties(broker, BROKER, "1", {"log.retention.ms": "77"})
    entry = only(describe(broker, BROKER, "1", "log.retention.ms"))
    assert (entry.value, entry.config_source) == ("77", 2)
    broker.topics.create("birds", {0: [1]}, {"retention.ms": "6000"})
    assert only(describe(broker, TOPIC, "birds", "retention.ms")).value == "6000"
    assert only(describe(broker, TOPIC, "dogs", "retention.ms")).value == "5000"
    assert len(read) == 5
