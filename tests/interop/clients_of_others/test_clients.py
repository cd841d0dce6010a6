"""Clients from PyPI, and ours: what one writes is stored as meant and read back by all."""

import pytest

from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.aiokafka_client import Aiokafka
from tests.interop.clients.client import Client
from tests.interop.clients.confluent import Confluent
from tests.interop.clients.kafka_python import KafkaPython
from tests.interop.clients.ours import Ours
from tests.interop.stored_log import stored_batches

pytestmark = pytest.mark.interop

CLIENTS: list[Client] = [Confluent(), KafkaPython(), Aiokafka(), Ours()]
BY_NAME = {client.name: client for client in CLIENTS}


@pytest.fixture(params=list(BY_NAME))
def writer(request: pytest.FixtureRequest) -> Client:
    return BY_NAME[request.param]


@pytest.fixture(params=list(BY_NAME))
def reader(request: pytest.FixtureRequest) -> Client:
    return BY_NAME[request.param]


@pytest.mark.parametrize("codec", samples.CODECS)
def test_every_codec_is_stored_as_sent_and_read_by_all(
    broker: InteropBroker, writer: Client, codec: str
) -> None:
    sent = samples.awkward() + samples.many(300)
    topic = broker.new_topic()
    assert writer.write(broker.bootstrap_servers, topic, sent, codec=codec) == list(range(311))
    stored = stored_batches(broker.data_dir, topic)
    assert {(batch.magic, batch.codec) for batch in stored} == {(2, samples.CODECS[codec])}
    for each in CLIENTS:
        assert each.read(broker.bootstrap_servers, topic, len(sent)) == sent, each.name


def test_an_idempotent_producer_has_an_id_and_unbroken_sequences(
    broker: InteropBroker, writer: Client
) -> None:
    sent = samples.many(2000)
    topic = broker.new_topic()
    writer.write(broker.bootstrap_servers, topic, sent, idempotent=True)
    stored = stored_batches(broker.data_dir, topic)
    assert len({batch.producer_id for batch in stored}) == 1
    assert stored[0].producer_id >= 0
    assert [batch.base_sequence for batch in stored] == [batch.base_offset for batch in stored]
    assert writer.read(broker.bootstrap_servers, topic, len(sent)) == sent


@pytest.mark.parametrize("sender", [Confluent(), Ours()], ids=lambda each: each.name)
def test_records_that_not_every_client_sends(
    broker: InteropBroker, sender: Client, reader: Client
) -> None:
    topic = broker.new_topic()
    sender.write(broker.bootstrap_servers, topic, samples.rare())
    assert reader.read(broker.bootstrap_servers, topic, 2) == samples.rare()


def test_records_of_a_megabyte(broker: InteropBroker, writer: Client, reader: Client) -> None:
    sent = samples.large()
    topic = broker.new_topic({"max.message.bytes": "2000000"})
    writer.write(broker.bootstrap_servers, topic, sent)
    assert reader.read(broker.bootstrap_servers, topic, len(sent)) == sent


def test_a_hundred_thousand_small_records(broker: InteropBroker, writer: Client) -> None:
    sent = samples.many(100_000, largest=20)
    topic = broker.new_topic()
    writer.write(broker.bootstrap_servers, topic, sent, codec="lz4")
    assert Confluent().read(broker.bootstrap_servers, topic, len(sent)) == sent
    assert writer.read(broker.bootstrap_servers, topic, 1000, start=99_000) == sent[99_000:]
