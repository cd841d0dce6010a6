"""A broker whose files may not grow any more (ulimit -f): it serves them, and continues when they may."""

import resource
import sys

import pytest

from barnabas import Consumer, Producer, TopicPartition
from barnabas.errors import KafkaError
from tests.interop.peers.brokers.our_broker import OurBroker

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit of another process")

SECONDS = 60.0
LIMIT_BYTES = 15_000
NOT_MUCH = {"delivery.timeout.ms": 2000, "request.timeout.ms": 1000, "linger.ms": 0}


def limit(broker: OurBroker, size: int) -> None:
    resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def offsets(broker: OurBroker) -> list[int]:
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        consumer.assign([TopicPartition("t", 0)])
        end = consumer.end_offsets([("t", 0)])[TopicPartition("t", 0)]
        consumer.seek_to_beginning()
        found: list[int] = []
        while len(found) < end:
            found += [record.offset for record in consumer.poll(timeout_s=SECONDS)]
        return found


def test_what_is_there_is_read_and_more_is_taken_later() -> None:
    with OurBroker() as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for _ in range(10):
                producer.send("t", bytes(1000)).result(SECONDS)
        limit(broker, LIMIT_BYTES)
        with Producer(NOT_MUCH, bootstrap_servers=broker.bootstrap_servers) as producer:
            refused = producer.send("t", bytes(10_000))
            with pytest.raises(KafkaError, match="File too large"):
                refused.result(SECONDS)
        assert offsets(broker) == [*range(10)]
        limit(broker, resource.RLIM_INFINITY)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            stored = producer.send("t", bytes(10_000)).result(SECONDS).offset
        assert stored == 10
        assert "offline" not in broker.child.log.read_text()
