"""A broker whose answers help nobody is asked again with back-off, and not with each answer."""

from collections.abc import Callable

import pytest

from barnabas import BrokerError, Consumer, ErrorCode, KafkaError, Producer
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.metadata import MetadataResponse
from tests.client.scripted_broker import TOPIC, Call, ScriptedBroker, offsets_at

WITHOUT_END = 1_000_000
FEW = 30
"""More requests than back-off from 100 ms on leaves in the time of a test; there were 9,000 a second."""


def without_leader(right: MetadataResponse) -> None:
    right.topics[0].partitions[0].leader_id = -1


def led_by_a_stranger(right: MetadataResponse) -> None:
    right.topics[0].partitions[0].leader_id = 77


def without_the_topic(right: MetadataResponse) -> None:
    right.topics.clear()


def about_another_topic(right: MetadataResponse) -> None:
    right.topics[0].name = "another"


UNHELPFUL = (without_leader, led_by_a_stranger, without_the_topic, about_another_topic)


@pytest.mark.parametrize("change", UNHELPFUL, ids=lambda each: each.__name__)
def test_metadata_that_helps_nobody(change: Callable[[MetadataResponse], None]) -> None:
    def answer(call: Call) -> None:
        change(call.right)
        call.reply(call.right)

    with ScriptedBroker({ApiKey.METADATA: [answer] * WITHOUT_END}) as broker:
        servers = broker.address
        with (
            Producer(
                bootstrap_servers=servers,
                max_block_ms=1500,
                delivery_timeout_ms=1500,
                request_timeout_ms=1000,
                linger_ms=0,
            ) as producer,
            pytest.raises(KafkaError),
        ):
            producer.send(TOPIC, b"value").result(20)
        assert 3 <= broker.count(ApiKey.METADATA) < FEW


def test_a_leader_is_found_once_there_is_one() -> None:
    def answer(call: Call) -> None:
        without_leader(call.right)
        call.reply(call.right)

    with ScriptedBroker({ApiKey.METADATA: [answer] * 3}) as broker:
        with Producer(bootstrap_servers=broker.address) as producer:
            assert producer.send(TOPIC, b"value").result(20).offset == 0
        assert broker.count(ApiKey.METADATA) == 4


def test_ends_without_an_offset() -> None:
    broker = ScriptedBroker(
        {ApiKey.LIST_OFFSETS: [lambda call: call.reply(offsets_at(-7))] * WITHOUT_END}
    )
    with (
        broker,
        Consumer(
            bootstrap_servers=broker.address,
            auto_offset_reset="earliest",
            default_api_timeout_ms=1000,
        ) as consumer,
    ):
        consumer.assign([(TOPIC, 0)])
        with pytest.raises(BrokerError, match="the answer has no offset") as caught:
            consumer.poll(timeout_s=20)
        assert caught.value.code is ErrorCode.OFFSET_NOT_AVAILABLE
        assert 3 <= broker.count(ApiKey.LIST_OFFSETS) < FEW
        with pytest.raises(BrokerError, match="the answer has no offset"):
            consumer.end_offsets([(TOPIC, 0)])
