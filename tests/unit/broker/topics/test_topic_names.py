"""Every way to make a topic asks the same: one table of names, and one of ways."""

from collections.abc import Callable
from typing import cast

import pytest

from barnabas.broker.apis import create_topics, metadata
from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.requests.streams_topics import create_missing
from barnabas.broker.requests.topics07 import to_write
from barnabas.broker.topics import internal_topic
from barnabas.broker.topics.registered_topics import host_registered, take_up
from barnabas.broker.topics.topic_names import TopicNames
from barnabas.broker.topics.topics import Topics
from barnabas.broker.znodes.topic_znodes import TOPICS
from barnabas.coordinators.streams_group.configuring import MissingTopic
from barnabas.errors import BrokerError, ErrorCode
from barnabas.log.manager import LogManager
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.internal.streams_group_records import TopicInfo
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from tests.unit.broker.in_memory import Counting, NoLogs, a_broker, answered, asked
from tests.unit.broker.some_memory import some_memory

ILLEGAL, RESERVED = ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.INVALID_REQUEST
UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
THERE = "dogs.of_rome"
MADE = b'{"version":1,"partitions":{"0":[1]}}'

REFUSED = {
    "": ILLEGAL,
    ".": ILLEGAL,
    "..": ILLEGAL,
    "a b": ILLEGAL,
    "a:b": ILLEGAL,
    "a\n": ILLEGAL,
    "hündin": ILLEGAL,
    "x" * 250: ILLEGAL,
    "dogs_of.rome": ILLEGAL,
    "dogs.of.rome": ILLEGAL,
    "__consumer.offsets": ILLEGAL,
    "__transaction.state": ILLEGAL,
    "_.share_group_state": ILLEGAL,
    "__cluster_metadata": RESERVED,
}
ALLOWED = (
    "x" * 249,
    "...",
    "-",
    "--0",
    "x-0",
    "x-delete",
    "x-0.0123456789abcdef0123456789abcdef-delete",
    "x-0.0123456789abcdef0123456789abcdef-future",
    "x-stray",
    "meta.properties",
    "recovery-point-offset-checkpoint",
    "__cluster_metadata-0",
    "__cluster_metadata.0",
    "__consumer_offsets-0",
)


def by_create_topics(broker: Broker, name: str) -> ErrorCode:
    topic = CreatableTopic(
        name=name, num_partitions=1, replication_factor=1, assignments=[], configs=[]
    )
    outcome = create_topics.handle(broker, asked(7), CreateTopicsRequest(topics=[topic]))
    (info,) = answered(broker, outcome, CreateTopicsResponse).topics
    return ErrorCode(info.error_code)


def by_metadata(broker: Broker, name: str) -> ErrorCode:
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=True
    )
    outcome = metadata.handle(broker, asked(12), request)
    (info,) = answered(broker, outcome, MetadataResponse).topics
    return ErrorCode(info.error_code)


def by_writing_as_07(broker: Broker, name: str) -> ErrorCode:
    """As clients of Kafka 0.7 and of the proposal do; a log would be made by more than is here."""
    broker.purgatory = Purgatory(broker.timers, lambda: 0.0, some_memory())
    code = to_write(broker, name, 0)
    assert isinstance(code, ErrorCode)
    return code


def by_a_streams_group(broker: Broker, name: str) -> ErrorCode | str:
    info = TopicInfo(name=name, partitions=0, replication_factor=0, topic_configs=[])
    return "".join(create_missing(broker, [MissingTopic(info, 1)]))


def by_a_coordinator(broker: Broker, name: str) -> ErrorCode | str:
    wanted = internal_topic.InternalTopic(name, 1, {}, 1)
    return refused_by(lambda: internal_topic.make_topic(broker.topics, wanted))


def by_who_has_the_broker_in_its_process(broker: Broker, name: str) -> ErrorCode | str:
    return refused_by(lambda: broker.topics.create(name, {0: [1]}, {}))


def by_a_tool_in_zookeeper(broker: Broker, name: str) -> ErrorCode | str:
    broker.registry.create(f"{TOPICS}/{name}", MADE)
    return refused_by(lambda: take_up(broker.topics, name))


def refused_by(make: Callable[[], object]) -> str:
    try:
        make()
    except BrokerError as error:
        return str(error)
    return ""


WAYS: tuple[Callable[[Broker, str], ErrorCode | str], ...] = (
    by_create_topics,
    by_metadata,
    by_writing_as_07,
    by_a_streams_group,
    by_a_coordinator,
    by_who_has_the_broker_in_its_process,
    by_a_tool_in_zookeeper,
)


def a_broker_with_dogs() -> Broker:
    broker = a_broker()
    broker.topics.create(THERE, {0: [1]}, {})
    return broker


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("way", WAYS)
def test_names_that_no_way_makes(way: Callable[[Broker, str], ErrorCode | str], name: str) -> None:
    broker = a_broker_with_dogs()
    info = way(broker, name)
    assert info, "the log says that nothing was made"
    assert [topic.name for topic in broker.topics] == [THERE]
    if way is by_create_topics:
        assert info is REFUSED[name]


@pytest.mark.parametrize("name", ALLOWED)
@pytest.mark.parametrize("way", WAYS)
def test_names_that_every_way_makes(
    way: Callable[[Broker, str], ErrorCode | str], name: str
) -> None:
    broker = a_broker_with_dogs()
    way(broker, name)
    assert broker.topics.get(name) is not None


@pytest.mark.parametrize("name", [name for name in REFUSED if name])
def test_what_a_tool_wrote_is_not_served_after_the_next_start_either(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    broker = a_broker_with_dogs()
    broker.registry.create(f"{TOPICS}/{name}", MADE)
    again = Topics(broker.registry, NoLogs(), Counting(), broker.config)
    # The log of the one that was there first is found.
    there = type("Log", (), {"topic_partition": (THERE, 0), "topic_id": bytes(15) + b"\x01"})()
    host_registered(again, cast("LogManager", type("Logs", (), {"logs": lambda _: [there]})()))
    assert [topic.name for topic in again] == [THERE]
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert vars(record)["topic"] == name


def test_metadata_answers_as_kafka_43_does() -> None:
    broker = a_broker_with_dogs()
    info = {name: by_metadata(broker, name) for name in REFUSED}
    legal = ("dogs", "__", "_.")
    assert info == {
        name: UNKNOWN if name.startswith(legal) else ErrorCode.INVALID_TOPIC_EXCEPTION
        for name in REFUSED
    }


def test_a_topic_that_is_there_is_named_as_kafka_names_it() -> None:
    info = refused_by(lambda: a_broker_with_dogs().topics.check_new(THERE, {}))
    assert info == "TOPIC_ALREADY_EXISTS: Topic 'dogs.of_rome' already exists."


def test_a_name_is_free_again_after_its_topic_went() -> None:
    names = TopicNames()
    for name in ("a.b", "a_b", "a.b"):
        names.add(name)
    names.remove("a.b")
    assert names.colliding("a.b") == "a_b"
    with pytest.raises(BrokerError, match=r"a\.b and a_b differ only"):
        names.check_new("a.b")
    names.remove("a_b")
    names.remove("a_b")
    names.check_new("a.b")


@pytest.mark.parametrize("name", ["__consumer_offsets", "__transaction_state"])
def test_nothing_is_in_the_way_of_the_topics_of_coordinators(name: str) -> None:
    names = TopicNames()
    names.add(name.replace("_", "."))
    names.check_new(name)


def test_a_partition_without_a_name_for_its_directory_is_not_made() -> None:
    broker = a_broker()
    name = "x" * 249
    broker.topics.create(name, {0: [1]}, {})
    with pytest.raises(BrokerError, match="must have at most 255 bytes"):
        broker.topics.add_partitions(name, {100_000: [1]})
    assert broker.registry.get(f"{TOPICS}/{name}") is not None
    (topic,) = broker.topics
    assert list(topic.partitions) == [0]


@pytest.mark.parametrize("index", ["-3", "2147483648"])
def test_partitions_that_a_tool_wrote_have_numbers_that_directories_can_have(index: str) -> None:
    broker = a_broker()
    broker.registry.create(f"{TOPICS}/x", b'{"version":1,"partitions":{"%s":[1]}}' % index.encode())
    with pytest.raises(BrokerError, match="INVALID_PARTITIONS"):
        take_up(broker.topics, "x")
