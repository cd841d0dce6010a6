"""Transactions that one process writes and another one ends, on real Kafka and on ours."""

import pickle
import subprocess
import sys
from collections.abc import Iterator

import pytest

from barnabas import Admin, BrokerError, CommittedOffset, ErrorCode, GroupMetadata, Producer
from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.types import TopicPartition
from tests.interop.brokers import InteropBroker
from tests.interop.clients_of_others.test_transactions import read_committed

pytestmark = pytest.mark.interop

RECORD = TopicPartition("__consumer_offsets", 0)
"""A partition that is on every cluster with groups, for positions that mean something else."""

ENDING = """
import pickle, sys
from barnabas import Admin
prepared = pickle.load(sys.stdin.buffer)
with Admin(bootstrap_servers=sys.argv[1]) as admin:
    admin.end_transactions(prepared, commit=sys.argv[2] == "commit")
"""


@pytest.fixture
def admin(broker: InteropBroker) -> Iterator[Admin]:
    with Admin(bootstrap_servers=broker.bootstrap_servers) as found:
        yield found


def prepared(broker: InteropBroker, topic: str, values: list[bytes]) -> PreparedTransaction:
    """Write values as a producer that is gone afterwards."""
    with Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id=topic) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        for value in values:
            producer.send(topic, value, partition=0)
        producer.send_offsets_to_transaction({RECORD: len(values)}, GroupMetadata(topic), "why")
        return producer.prepare_transaction()


@pytest.mark.parametrize("outcome", ["commit", "abort"])
def test_another_process_ends_it(broker: InteropBroker, admin: Admin, outcome: str) -> None:
    topics = [broker.new_topic() for _ in range(3)]
    open_ones = [prepared(broker, topic, [b"a", b"b"]) for topic in topics]
    for _ in range(2):
        subprocess.run(
            [sys.executable, "-c", ENDING, broker.bootstrap_servers, outcome],
            input=pickle.dumps(open_ones),
            check=True,
            timeout=60,
        )
        if outcome == "abort":
            break  # To abort again what is aborted is an error of brokers.
    kept = outcome == "commit"
    for topic in topics:
        assert read_committed(broker.bootstrap_servers, topic, 2 * kept) == [b"a", b"b"][: 2 * kept]
        expected = {RECORD: CommittedOffset(2, -1, "why")} if kept else {}
        assert admin.list_group_offsets(topic) == expected


def test_the_next_producer_of_the_name_aborts_it(broker: InteropBroker, admin: Admin) -> None:
    topic = broker.new_topic()
    old = prepared(broker, topic, [b"lost"])
    new = prepared(broker, topic, [b"kept"])
    with pytest.raises(BrokerError) as raised:
        admin.end_transactions([old], commit=True)
    assert raised.value.code in (ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH)
    admin.end_transactions([new], commit=True)
    assert read_committed(broker.bootstrap_servers, topic, 1) == [b"kept"]


def test_one_producer_prepares_one_after_another(broker: InteropBroker, admin: Admin) -> None:
    topic = broker.new_topic()
    with Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id=topic) as producer:
        for number in range(5):
            producer.init_transactions()
            producer.begin_transaction()
            producer.send(topic, b"%d" % number, partition=0)
            one = producer.prepare_transaction()
            admin.end_transactions([one], commit=number % 2 == 0)
        producer.init_transactions()
        producer.begin_transaction()
        nothing = producer.prepare_transaction()
        admin.end_transactions([nothing], commit=True)
        assert not nothing.begun
    assert read_committed(broker.bootstrap_servers, topic, 3) == [b"0", b"2", b"4"]
