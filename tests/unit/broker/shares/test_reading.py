"""Share groups that read committed records: up to the oldest open transaction, nothing aborted."""

import threading
from collections.abc import Iterator

import pytest

from barnabas import Admin, Producer, Resource
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.shares.test_partitions import CONFIG, Member, Span, Topic, group_of, topic

__all__ = ["topic"]

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(CONFIG) as one:
        yield one


@pytest.fixture
def writer(broker: EmbeddedBroker, topic: Topic) -> Iterator[Producer]:
    """Of what the topic's group reads when it is committed."""
    group, only = group_of(topic.topic_id), {"share.isolation.level": "read_committed"}
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.alter_configs(Resource.GROUP, group, only)
    with Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="w") as producer:
        producer.init_transactions()
        yield producer


def begin(writer: Producer, topic: Topic) -> None:
    writer.begin_transaction()
    for _ in range(2):
        writer.send(topic.name, b"x", partition=0)
    writer.flush()


def test_what_was_aborted_is_left_out_and_what_is_open_is_waited_for(
    broker: EmbeddedBroker, topic: Topic, writer: Producer
) -> None:
    begin(writer, topic)
    writer.commit_transaction()
    begin(writer, topic)
    writer.abort_transaction()
    begin(writer, topic)
    topic.fill(1)
    with Member(broker, "a", topic.topic_id) as a:
        assert a.fetch() == [(0, 2, 1), (5, 5, 1)], "with the markers, which are gaps"
        assert a.fetch() == []
        got: list[Span] = []
        waits = threading.Thread(target=lambda: got.extend(a.fetch(wait_ms=20_000)))
        waits.start()
        topic.fill(1)  # It is behind what is open, and ends no waiting.
        writer.commit_transaction()
        waits.join()
        assert got == [(6, 10, 1)]


def test_where_all_was_aborted_the_next_records_are_found_at_once(
    broker: EmbeddedBroker, topic: Topic, writer: Producer
) -> None:
    for _ in range(3):
        begin(writer, topic)
        writer.abort_transaction()
    topic.fill(1)
    with Member(broker, "a", topic.topic_id) as a:
        assert a.fetch(most=1) == [(2, 2, 1)]
        assert a.say(2, 2, [0]) == 0
        assert a.fetch(most=2) == [(5, 5, 1), (8, 8, 1)]
        assert a.fetch() == [(9, 9, 1)]
