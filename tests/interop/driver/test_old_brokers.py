"""Our driver with Apache Kafka before 0.11, beside librdkafka: records, positions, groups, bulk reads.

Before 0.10 brokers do not respond to ApiVersions: 0.8 closes the connection, 0.9 stays silent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import pytest
from confluent_kafka import OFFSET_BEGINNING
from confluent_kafka import Consumer as TheirConsumer
from confluent_kafka import Producer as TheirProducer
from confluent_kafka import TopicPartition as TheirPartition

from barnabas import Admin, BrokerError, ColumnSelection, Consumer, ErrorCode, Producer, RangeReader
from tests.interop.peers.brokers.old_kafka import OldKafka
from tests.interop.peers.generations import (
    KAFKA_0_8_0,
    KAFKA_0_8_1,
    KAFKA_0_8_2,
    KAFKA_0_9,
    KAFKA_0_10,
)
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.timeout(300)]

SECONDS = 30
RECORDS: list[tuple[bytes | None, bytes | None]] = [
    (None, b"no key"), (b"tombstone", None), (b"", b""), (None, None), (b"large", bytes(70_000)),
    *((b"%d" % number, b"value %d" % number) for number in range(600)),
]  # fmt: skip
CODECS = ("none", "gzip", "snappy", "lz4")
_numbers = count(1)


@dataclass(frozen=True)
class Old:
    """A broker of that release, with what our clients and librdkafka's need for it."""

    release: str
    servers: str

    @property
    def ours(self) -> dict[str, object]:
        mine: dict[str, object] = {"bootstrap_servers": self.servers}
        if not self.release.startswith("0.10"):
            mine["broker_version_fallback"] = self.release
        if self.release.startswith("0.9"):
            mine["api_version_request"] = False  # It would stay silent for ten seconds.
        return mine

    def producer(self, **more: object) -> Producer:
        """Ours; brokers of 0.10 respond to ApiVersions, and know no idempotent producer."""
        return Producer(**{"enable_idempotence": False, **self.ours, **more})

    @property
    def theirs(self) -> dict[str, object]:
        found: dict[str, object] = {"bootstrap.servers": self.servers}
        if "broker_version_fallback" in self.ours:
            found |= {"api.version.request": False, "broker.version.fallback": self.release}
        return found

    @property
    def codecs(self) -> tuple[str, ...]:
        return CODECS if self.release >= "0.8.2" else CODECS[:3]

    def new_topic(self) -> str:
        """A topic that is created by being asked for."""
        name = f"topic-{next(_numbers)}"
        with self.producer() as producer:
            producer.send(name, b"first").result(SECONDS)
        return name


@pytest.fixture(
    scope="module",
    params=[KAFKA_0_8_0, KAFKA_0_8_1, KAFKA_0_8_2, KAFKA_0_9, KAFKA_0_10],
    ids=lambda release: release.version,
)
def old(request: pytest.FixtureRequest) -> Iterator[Old]:
    try:
        with OldKafka(request.param) as kafka:
            yield Old(request.param.version, kafka.bootstrap_servers)
    except PeerMissing as missing:
        give_up(missing)


def theirs(old: Old, topic: str, wanted: int) -> list[tuple[bytes | None, bytes | None]]:
    consumer = TheirConsumer({**old.theirs, "group.id": "unused", "enable.auto.commit": False})
    try:
        consumer.assign([TheirPartition(topic, 0, OFFSET_BEGINNING)])
        found: list[tuple[bytes | None, bytes | None]] = []
        while len(found) < wanted:
            messages = consumer.consume(wanted - len(found), timeout=SECONDS)
            assert messages, f"{len(found)} of {wanted} records"
            for each in messages:
                assert each.error() is None
                found.append((each.key(), each.value()))
        return found
    finally:
        consumer.close()


def ours(consumer: Consumer, wanted: int) -> list[tuple[bytes | None, bytes | None]]:
    found: list[tuple[bytes | None, bytes | None]] = []
    while len(found) < wanted:
        records = consumer.poll(timeout_s=SECONDS)
        assert records, f"{len(found)} of {wanted} records"
        found += [(each.key, each.value) for each in records]
    return found


def test_librdkafka_reads_what_we_write(old: Old) -> None:
    for codec in old.codecs:
        topic = old.new_topic()
        with old.producer(compression_type=codec, linger_ms=200) as producer:
            sent = [producer.send(topic, value, key=key) for key, value in RECORDS]
        assert [each.result().offset for each in sent] == list(range(1, len(RECORDS) + 1))
        assert theirs(old, topic, len(RECORDS) + 1)[1:] == RECORDS


def test_we_read_what_librdkafka_writes(old: Old) -> None:
    for codec in old.codecs:
        topic = old.new_topic()
        producer = TheirProducer({**old.theirs, "compression.type": codec, "linger.ms": 200})
        for key, value in RECORDS:
            producer.produce(topic, value, key, 0)
        assert producer.flush(SECONDS) == 0
        with Consumer(**old.ours, auto_offset_reset="earliest") as consumer:
            consumer.assign([(topic, 0)])
            assert ours(consumer, len(RECORDS) + 1)[1:] == RECORDS
            assert consumer.end_offsets([(topic, 0)]) == {(topic, 0): len(RECORDS) + 1}
            consumer.seek_to_beginning()
            table = consumer.fetch_arrow(timeout_s=SECONDS)
            assert table["offset"].to_pylist()[:3] == [0, 1, 2]
        properties = {name.replace("_", "."): value for name, value in old.ours.items()}
        parts = list(RangeReader(properties).read(topic, 0, 2, 600, ColumnSelection.VALUE))
        assert sum(part.count for part in parts) == 598
        values = b"".join(bytes(part.value.data) for part in parts if part.value is not None)
        assert values == b"".join(value or b"" for _, value in RECORDS[1:599])


def test_positions_of_a_group(old: Old) -> None:
    topic = old.new_topic()
    with Consumer(**old.ours, group_id="g", auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        if old.release == "0.8.0":
            with pytest.raises(BrokerError, match="which needs Kafka 0.8.1") as refused:
                consumer.poll(timeout_s=SECONDS)
            assert refused.value.code is ErrorCode.UNSUPPORTED_VERSION
            return
        assert ours(consumer, 1) == [(None, b"first")]
        consumer.commit()
    with Consumer(**old.ours, group_id="g") as consumer:
        assert consumer.committed([(topic, 0)]) == {(topic, 0): 1}


def test_a_group_with_librdkafka(old: Old) -> None:
    topic = old.new_topic()
    with Consumer(**old.ours, group_id="members", auto_offset_reset="earliest") as consumer:
        consumer.subscribe([topic])
        if old.release.startswith("0.8"):
            with pytest.raises(BrokerError, match="which needs Kafka 0.9.0"):
                consumer.poll(timeout_s=SECONDS)
            return
        assert ours(consumer, 1) == [(None, b"first")]
        consumer.commit()
        with Admin(**old.ours) as admin:  # Kafka 0.9 lists groups with members only.
            saved = admin.survey_offsets(admin.survey_groups())["members"]
    assert {where: each.offset for where, each in saved.items()} == {(topic, 0): 1}
    follower = TheirConsumer({**old.theirs, "group.id": "members", "session.timeout.ms": 10_000})
    try:
        (found,) = follower.committed([TheirPartition(topic, 0)], SECONDS)
        assert found.offset == 1
    finally:
        follower.close()


def test_what_an_old_broker_cannot_do_is_an_error(old: Old) -> None:
    topic = old.new_topic()
    with old.producer() as producer:
        refused = producer.send(topic, b"with a header", headers=[("a", b"b")])
        with pytest.raises(BrokerError, match="headers") as error:
            refused.result()
        assert error.value.code is ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT
        assert producer.send(topic, b"without").result().offset == 1
    if old.release != KAFKA_0_10.version:
        with Consumer(**old.ours) as consumer, pytest.raises(BrokerError, match=r"0\.10\.1"):
            consumer.offsets_for_times({(topic, 0): 1_000})


def test_topics_are_listed(old: Old) -> None:
    topic = old.new_topic()
    with Admin(**old.ours) as admin:
        assert topic in admin.list_topics()
        (broker,) = admin.describe_cluster().brokers
    assert f"{broker.host}:{broker.port}" == old.servers
