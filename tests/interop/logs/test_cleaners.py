"""The same log cleaned by Kafka and by us: what is left is the same, and Kafka reads ours."""

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import DELETE_HORIZON
from barnabas.records.codecs.compression import Codec
from tests.interop.brokers import wait_for
from tests.interop.clients_of_others.test_transactions import ends
from tests.interop.compacting import (
    SECONDS,
    SOON,
    Left,
    TwiceCleaned,
    batches_of_keys,
    last_of_a_segment,
    left,
)
from tests.interop.peers import generations
from tests.interop.peers.brokers.old_kafka import OldKafka
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.missing import PeerMissing, give_up
from tests.message_sets import message, wrapper

pytestmark = [pytest.mark.interop, pytest.mark.java]

TOMBSTONES_MS = 1500
CONFIG = LogConfig(
    cleanup_policy=frozenset({"compact"}),
    delete_retention_ms=TOMBSTONES_MS,
    min_cleanable_dirty_ratio=0.0,
    segment_ms=1000,
)


def assert_same(ours: Path, theirs: Path) -> list[Left]:
    """What is left in both, which must be the same, also in the same segments."""
    (our_bases, our_batches), (bases, batches) = left(ours), left(theirs)
    for our_batch, batch in zip_longest(our_batches, batches):
        assert our_batch == batch
    assert our_bases == bases
    return batches


@pytest.fixture
def kafka() -> Iterator[RealKafka]:
    try:
        with RealKafka(properties=SOON) as running:
            yield running
    except PeerMissing as missing:
        give_up(missing)


def transactions(address: str, start_ms: int) -> None:
    """Two that end in either way, over keys that others write too; markers bear the time of now."""
    producer = Producer({"bootstrap.servers": address, "transactional.id": "one"})
    producer.init_transactions(SECONDS)
    for number, end in enumerate((producer.commit_transaction, producer.abort_transaction) * 2):
        producer.begin_transaction()
        for at in range(6):
            value = None if at == 4 else b"of %d" % number
            key = b"key-%d" % (at + 6 * (number // 2))
            producer.produce("t", value, key, 0, timestamp=start_ms + number)
        producer.flush(SECONDS)
        end(SECONDS)
    # A broker answers who ends a transaction before its markers are written.
    wait_for(lambda: len(set(ends(address, "t"))) == 1)


def values(address: str, end: int) -> dict[int, tuple[bytes | None, bytes | None]]:
    """All records of the topic by their offsets, aborted ones too, as librdkafka reads them."""
    consumer = Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "g",
            "isolation.level": "read_uncommitted",
            "enable.partition.eof": True,
            "check.crcs": True,
        }
    )
    consumer.assign([TopicPartition("t", 0, 0)])
    found: dict[int, tuple[bytes | None, bytes | None]] = {}
    while True:
        record = consumer.poll(SECONDS)
        assert record is not None
        if record.error():
            if consumer.position([TopicPartition("t", 0)])[0].offset >= end:
                break
            continue
        found[record.offset()] = record.key(), record.value()
    consumer.close()
    return found


def test_what_is_left_is_what_kafka_leaves(kafka: RealKafka, tmp_path: Path) -> None:
    now = int(time.time() * 1000)
    topic = TwiceCleaned(kafka, tmp_path, **{"delete.retention.ms": str(TOMBSTONES_MS)})
    for batch in batches_of_keys(now - 600_000):
        topic.send(7, batch)
    transactions(kafka.bootstrap_servers, now - 300_000)
    time.sleep(1.1)  # markers bear the time of now, and segment.ms is a second
    topic.send(7, last_of_a_segment(int(time.time() * 1000)))
    bases, everything = left(topic.folder)
    assert len(bases) > 10

    theirs, ours = topic.clean(CONFIG, bases[-1])
    first = assert_same(ours, theirs)
    assert len(first) < len(everything)
    assert any(batch.attributes & DELETE_HORIZON for batch in first), "there are tombstones"

    # Once more over what Kafka has cleaned, when the time of the tombstones is over.
    time.sleep(TOMBSTONES_MS / 1000 + 0.2)
    for batch in batches_of_keys(int(time.time() * 1000)):
        topic.send(7, batch)
    time.sleep(1.1)
    late = int(time.time() * 1000) + 40_000
    topic.send(7, last_of_a_segment(late))
    bases, _ = left(topic.folder)
    theirs, ours = topic.clean(replace(CONFIG, delete_retention_ms=60_000), bases[-1])
    second = assert_same(ours, theirs)

    # Kafka starts on ours as after a power cut, and reads all of it.
    kafka.child.kill()
    shutil.rmtree(theirs)
    shutil.copytree(ours, theirs)
    kafka.restart()
    expected = {row[0]: row[2:4] for batch in second for row in batch.records}
    assert values(kafka.bootstrap_servers, second[-1].offsets[1] + 1) == expected


@pytest.mark.long
@pytest.mark.parametrize(("version", "magic"), [("0.9.0", 0), ("0.10.2", 1)])
def test_messages_of_old_formats(tmp_path: Path, version: str, magic: int) -> None:
    """As Kafka 2.8, the last but for 3.x that writes them, cleans them."""
    try:
        with OldKafka(generations.KAFKA_2_8, SOON) as kafka:
            topic = TwiceCleaned(
                kafka,
                tmp_path,
                **{
                    "message.format.version": version,
                    "segment.bytes": "600",
                    "segment.ms": "600000",
                },
            )
            for number in range(40):
                messages = [
                    message(
                        at,
                        b"key-%d" % ((number * 5 + at * 3) % 23),
                        None if (number + at) % 6 == 0 else b"%d-%d" % (number, at),
                        timestamp=1_600_000_000_000 + number if magic else None,
                    )
                    for at in range(1 + number % 5)
                ]
                codec = (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4)[number % 4]
                time_ms = 1_600_000_000_000 + number if magic else None
                whole = wrapper(len(messages) - 1, messages, codec, timestamp=time_ms)
                topic.send(2 if magic else 1, b"".join(messages) if codec == 0 else whole)
            bases, everything = left(topic.folder)
            config = replace(CONFIG, segment_bytes=600, magic=magic, delete_retention_ms=86_400_000)
            theirs, ours = topic.clean(config, bases[-1])
            found = assert_same(ours, theirs)
            assert len(found) < len(everything)
            assert {batch.magic for batch in found} == {magic}
    except PeerMissing as missing:
        give_up(missing)
