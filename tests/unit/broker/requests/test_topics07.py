"""Partition numbers have no gap, however the topic was created: modern clients rely on it."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas import Admin
from barnabas.broker.topics.foreign_logs import foreign_partitions
from barnabas.broker.znodes.topic_znodes import TOPICS, decode_topic, encode_topic
from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.testing import EmbeddedBroker
from barnabas.types import TopicPartition
from tests.wires.golden07 import M1
from tests.wires.wire07 import Wire07

pytestmark = pytest.mark.kernels

CONFIG = {
    "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
    "listener.dialect.map": "OLD:kafka-0.7",
    "num.partitions": "4",
}


def numbers(admin: Admin, topic: str) -> list[int]:
    return [one.partition for one in admin.describe_topics([topic])[topic].partitions]


def test_a_topic_of_admins_keeps_its_count() -> None:
    with (
        EmbeddedBroker(CONFIG) as broker,
        Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
    ):
        broker.create_topic("two", 2, {"message.format.version": "0.7"})
        with Wire07(broker.port_of("OLD")) as wire:
            for _ in range(32):
                wire.produce("two", -1, M1)
            assert all(wire.fetch("two", index)[1] for index in (0, 1))
            assert wire.fetch("two", 2) == (3, b"")
            wire.produce("two", 3, M1)
            assert wire.is_closed()
        assert numbers(admin, "two") == [0, 1]
        with pytest.raises(BrokerError) as refused:
            admin.create_partitions({"two": 2})
        assert refused.value.code is ErrorCode.INVALID_PARTITIONS
        admin.create_partitions({"two": 4})
        assert numbers(admin, "two") == [0, 1, 2, 3]
        with Wire07(broker.port_of("OLD")) as wire:
            wire.produce("two", 3, M1)
            assert wire.fetch("two", 3) == (0, M1)


@pytest.mark.parametrize(
    ("there", "configured", "count"), [((1, 5), "dogs:2", 6), ((0,), "dogs:3", 3), ((2,), "", 4)]
)
def test_a_directory_of_0_7_gets_the_partitions_that_nobody_wrote_to(
    there: tuple[int, ...], configured: str, count: int, tmp_path: Path
) -> None:
    for index in there:
        directory = tmp_path / f"dogs-{index}"
        directory.mkdir()
        (directory / "00000000000000000000.kafka").write_bytes(M1)
    config = {**CONFIG, "topic.partition.count.map": configured}
    for _ in range(2):
        with (
            EmbeddedBroker(config, data_dir=tmp_path) as broker,
            Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
            Wire07(broker.port_of("OLD")) as wire,
        ):
            assert numbers(admin, "dogs") == list(range(count))
            for index in range(count):
                assert wire.fetch("dogs", index) == (0, M1 if index in there else b"")
            assert wire.fetch("dogs", count) == (3, b"")


def test_a_name_that_is_not_allowed_today_is_served_to_clients_of_0_7(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory = tmp_path / "sp ace-0"
    directory.mkdir()
    (directory / "0.kafka").write_bytes(M1)
    for start in range(2):
        with (
            EmbeddedBroker(CONFIG, data_dir=tmp_path) as broker,
            Wire07(broker.port_of("OLD")) as wire,
        ):
            assert wire.fetch("sp ace", 0) == (0, M1 * (start + 1))
            assert wire.fetch("sp ace", 3) == (0, b"")
            wire.produce("sp ace", 0, M1)
            assert wire.fetch("sp ace", 0) == (0, M1 * (start + 2))
            assert wire.fetch("no ne", 0) == (-1, b"")
            wire.produce("no ne", 0, M1)
            assert wire.is_closed()
    (given,) = [one for one in caplog.records if "refuse the name" in one.getMessage()]
    assert given.topic == "sp ace"  # type: ignore[attr-defined]


def test_holes_that_are_written_down_are_filled_at_the_start(tmp_path: Path) -> None:
    with EmbeddedBroker(CONFIG, data_dir=tmp_path) as broker:
        broker.create_topic("two", 2, {"message.format.version": "0.7"})
        broker.create_topic("dense", 1)
    registry = EmbeddedRegistry(RealDisk(), str(tmp_path / "barnabas.registry"))
    for name, parts in (("two", {0: [1], 1: [1], 3: [1]}), ("dense", {0: [1], 2: [1]})):
        node = registry.get(f"{TOPICS}/{name}")
        assert node is not None
        topic = decode_topic(name, node[0], {})._replace(partitions=parts)
        registry.set(f"{TOPICS}/{name}", encode_topic(topic))
    registry.close()
    for _ in range(2):
        with (
            EmbeddedBroker(CONFIG, data_dir=tmp_path) as broker,
            Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
            Wire07(broker.port_of("OLD")) as wire,
        ):
            assert numbers(admin, "two") == [0, 1, 2, 3]
            assert numbers(admin, "dense") == [0, 2]
            assert wire.fetch("two", 2) == (0, b"")


def test_a_directory_that_ends_in_a_date_is_no_partition() -> None:
    one = SimpleNamespace(
        topic_partition=TopicPartition("access", 20111121),
        config=SimpleNamespace(byte_positions=True),
    )
    with pytest.raises(StorageError, match="access-20111121: move it away"):
        foreign_partitions([cast("PartitionLog", one)], BrokerConfig())
