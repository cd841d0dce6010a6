"""Our driver saves and asks for offsets by the ids of topics where it knows them; both brokers."""

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from barnabas import Admin, Consumer, NewTopic, Producer, TopicPartition
from barnabas.client.core.cluster.connection import Connection
from barnabas.protocol.api_keys import ApiKey
from barnabas.wire.send import Send
from tests.interop.brokers import InteropBroker

pytestmark = pytest.mark.interop

SECONDS = 30.0
BY_ID = 10

Asked = list[tuple[ApiKey, int]]


@pytest.fixture(
    params=[
        pytest.param("real_kafka", marks=[pytest.mark.java, pytest.mark.long], id="kafka"),
        pytest.param("quick_broker", id="barnabas"),
    ]
)
def broker(request: pytest.FixtureRequest) -> InteropBroker:
    return InteropBroker(request.getfixturevalue(request.param))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What is asked about offsets of groups, and in which version."""
    seen: Asked = []
    encode = Connection.request

    def request(
        self: Connection, api: ApiKey, message: object, version: int, *, answered: bool = True
    ) -> tuple[int, Send]:
        if api in (ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH):
            seen.append((api, version))
        return encode(self, api, message, version, answered=answered)

    monkeypatch.setattr(Connection, "request", request)
    return seen


def theirs(address: str, group: str) -> dict[tuple[str, int], int]:
    """What librdkafka gets for a group, by name."""
    admin = AdminClient({"bootstrap.servers": address})
    (future,) = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]).values()
    found = future.result(SECONDS).topic_partitions
    return {(row.topic, row.partition): row.offset for row in found}


@pytest.mark.parametrize("protocol", ["classic", pytest.param("consumer", marks=pytest.mark.long)])
def test_a_member_saves_and_goes_on_by_id(
    broker: InteropBroker, asked: Asked, protocol: str
) -> None:
    address, topic = broker.bootstrap_servers, broker.new_topic()
    group = f"of-{topic}"
    mine = {
        "bootstrap.servers": address, "group.id": group, "group.protocol": protocol,
        "auto.offset.reset": "earliest", "enable.auto.commit": False,
    }  # fmt: skip
    with Producer(bootstrap_servers=address) as producer:
        for number in range(4):
            producer.send(topic, b"%d" % number, partition=0)
    for expected in (b"0", b"1"):
        with Consumer(mine, max_poll_records=1) as consumer:
            consumer.subscribe([topic])
            (record,) = consumer.poll(SECONDS)
            assert record.value == expected
            consumer.commit()
    assert theirs(address, group) == {(topic, 0): 2}
    assert set(asked) == {(ApiKey.OFFSET_COMMIT, BY_ID), (ApiKey.OFFSET_FETCH, BY_ID)}


def test_a_topic_made_again_and_one_that_nobody_described(
    broker: InteropBroker, asked: Asked
) -> None:
    """The id that was known is refused, the new one is asked for; without one it goes by name."""
    address, topic = broker.bootstrap_servers, broker.new_topic()
    where, group = TopicPartition(topic, 0), f"of-{topic}"
    mine = {"bootstrap.servers": address, "group.id": group, "allow.auto.create.topics": False}
    with Consumer(mine) as consumer, Admin(bootstrap_servers=address) as admin:
        consumer.commit({where: 1})
        assert set(asked) == {(ApiKey.OFFSET_COMMIT, BY_ID - 1)}
        consumer.beginning_offsets([where])  # So it has the metadata of the topic.
        asked.clear()
        consumer.commit({where: 2})
        admin.delete_topics([topic])
        admin.create_topics([NewTopic(topic, 1, 1)])
        consumer.commit({where: 3})
        assert consumer.committed([where]) == {where: 3}
        commits = [version for api, version in asked if api is ApiKey.OFFSET_COMMIT]
        assert commits[:2] == [BY_ID, BY_ID]
        assert len(commits) > 2, "no id was refused"
    assert theirs(address, group) == {(topic, 0): 3}
