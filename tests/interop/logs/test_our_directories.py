"""Kafka of each generation starts on what this broker wrote under its profile, and reads all of it."""

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import KafkaException

from barnabas.config.releases import is_before
from barnabas.testing import EmbeddedBroker
from tests.interop import samples
from tests.interop.clients.client import READ_SECONDS
from tests.interop.clients.confluent import Confluent
from tests.interop.peers import generations
from tests.interop.peers.brokers.old_kafka import OldKafka
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.maven import KAFKA_4
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.samples import Sample

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

TOPIC = "dogs"
KEEP = {"log.retention.ms": "-1"}  # the samples' timestamps are years old
RELEASES: dict[str, Callable[[], OldKafka | RealKafka]] = {
    "0.8.2": partial(OldKafka, generations.KAFKA_0_8_2),
    "0.9.0": partial(OldKafka, generations.KAFKA_0_9),
    "0.10.2": partial(OldKafka, generations.KAFKA_0_10, KEEP),
    "0.11.0": partial(OldKafka, generations.KAFKA_0_11, KEEP),
    "1.1": partial(OldKafka, generations.KAFKA_1, KEEP),
    "2.8": partial(OldKafka, generations.KAFKA_2_8, KEEP),
    "3.9": partial(RealKafka, peer=generations.KAFKA_3_9, properties=KEEP),
    "4.3": partial(RealKafka, peer=KAFKA_4, properties=KEEP),
}
FILES = ("*.log", "*.index", "*.timeindex", "*.txnindex", "*.snapshot", "leader-epoch-checkpoint")


def sent_to(release: str) -> list[Sample]:
    """What the record format of that time has a place for."""
    return [
        replace(
            each,
            headers=() if is_before(release, "0.11.0") else each.headers,
        )
        for each in samples.awkward() + samples.many(300)
    ]


def ends_once_led(client: Confluent, address: str) -> tuple[int, int]:
    """Kafka is registered before its partitions are led again: ask until they are."""
    deadline = time.monotonic() + READ_SECONDS
    while True:
        try:
            return client.ends(address, TOPIC)
        except KafkaException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@pytest.mark.parametrize("release", RELEASES)
def test_kafka_reads_all_that_we_wrote(release: str, tmp_path: Path) -> None:
    client = Confluent(f"{release}.1" if is_before(release, "0.10.0") else None)
    sent = sent_to(release)
    codecs = ["none", "gzip", "snappy", "lz4", *([] if is_before(release, "2.1") else ["zstd"])]
    config = {**KEEP, "log.segment.bytes": 100_000 if is_before(release, "4.0") else 1_048_576}
    with EmbeddedBroker(config, profile=release, data_dir=tmp_path) as ours:
        ours.create_topic(TOPIC)
        for codec in codecs:
            client.write(ours.bootstrap_servers, TOPIC, sent, codec=codec)
    timeless = is_before(release, "0.10.0")
    written = [replace(each, timestamp=-1) if timeless else each for each in sent] * len(codecs)
    try:
        with RELEASES[release]() as kafka:
            client.write(kafka.bootstrap_servers, TOPIC, sent[:1])  # which makes the topic
            with kafka.down() as data:
                for pattern in FILES:
                    for file in data.glob(f"{TOPIC}-0/{pattern}"):
                        file.unlink()
                    for file in tmp_path.glob(f"{TOPIC}-0/{pattern}"):
                        shutil.copy2(file, data / f"{TOPIC}-0")
            assert ends_once_led(client, kafka.bootstrap_servers) == (0, len(written))
            assert client.read(kafka.bootstrap_servers, TOPIC, len(written)) == written
            assert client.write(kafka.bootstrap_servers, TOPIC, sent[:1]) == [len(written)]
    except PeerMissing as missing:
        give_up(missing)
