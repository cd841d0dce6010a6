"""Clients that look which release of Kafka they talk to, and that know no newer one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from kafka import KafkaProducer

from barnabas.testing import EmbeddedBroker
from tests.interop.clients.client import READ_SECONDS
from tests.interop.clients.confluent import consumer_settings, take
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.wheels import wheel

pytestmark = pytest.mark.interop

TOPIC = "dogs"
PROBING = Path(__file__).parents[1] / "probing.py"


@pytest.mark.parametrize(
    ("profile", "found"),
    [
        ("0.8.0", "0.8.0"),
        ("0.8.1", "0.8.1"),
        ("0.8.2", "0.8.2"),
        ("0.9.0", "0.9"),
    ],
)
def test_a_client_that_probes_finds_the_release(profile: str, found: str) -> None:
    """kafka-python 2.0 tells brokers apart by what they close the connection for.

    It says of Kafka 0.8.2.2 and 0.9.0.1 themselves what it says here; version 3 cannot tell them.
    """
    try:
        old = wheel("kafka-python", "2.0.2")
    except PeerMissing as missing:
        give_up(missing)
    with EmbeddedBroker(profile=profile) as broker:
        ended = subprocess.run(
            [sys.executable, str(PROBING), broker.bootstrap_servers, TOPIC],
            capture_output=True,
            text=True,
            timeout=READ_SECONDS + 60,
            check=False,
            env={**os.environ, "PYTHONPATH": str(old)},
        )
    assert ended.stdout.split() == [found, "hello"], ended.stderr


@pytest.mark.parametrize(
    ("profile", "found"),
    [
        ("0.10.0", (0, 10, 0)),
        ("0.10.1", (0, 10, 1)),
        ("0.10.2", (0, 10, 2)),
        ("0.11.0", (0, 11)),
        ("1.1", (1, 1)),
        ("2.0", (2, 0)),
        ("2.4", (2, 4)),
        ("2.8", (2, 8)),
        ("3.9", (3, 9)),
        ("4.0", (4, 0)),
        ("4.3", (4, 3)),
    ],
)
def test_a_client_that_asks_finds_the_release(profile: str, found: tuple[int, ...]) -> None:
    with EmbeddedBroker(profile=profile) as broker:
        producer = KafkaProducer(
            bootstrap_servers=broker.bootstrap_servers, enable_idempotence=False
        )
        assert producer.config["api_version"] == found
        assert producer.send(TOPIC, b"hello").get(READ_SECONDS).offset == 0
        producer.close(10)


@pytest.mark.parametrize(
    ("profile", "magic"),
    [
        ("0.8.2", 0),
        ("0.9.0", 0),
        ("0.10.0", 1),
        ("0.10.2", 1),
        ("0.11.0", 2),
        ("2.8", 2),
        ("4.3", 2),
    ],
)
def test_librdkafka_writes_and_reads_what_the_release_stores(profile: str, magic: int) -> None:
    with EmbeddedBroker(profile=profile) as broker:
        broker.create_topic(TOPIC)
        broker_settings: dict[str, str | int | bool] = {
            "bootstrap.servers": broker.bootstrap_servers
        }
        if magic == 0:
            broker_settings["api.version.request"] = False
            broker_settings["broker.version.fallback"] = profile
        refused: list[object] = []
        producer = Producer({**broker_settings, "compression.type": "gzip", "linger.ms": 50})
        for index in range(100):
            producer.produce(
                TOPIC,
                b"%d" % index,
                b"key",
                on_delivery=lambda error, _message: refused.append(error) if error else None,
            )
        assert producer.flush(READ_SECONDS) == 0
        assert not refused
        (log,) = broker.data_dir.glob(f"{TOPIC}-0/*.log")
        assert log.read_bytes()[16] == magic
        consumer = Consumer({**consumer_settings(broker.bootstrap_servers), **broker_settings})
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        try:
            assert [each.value() for each in take(consumer, 100)] == [
                b"%d" % at for at in range(100)
            ]
        finally:
            consumer.close()
