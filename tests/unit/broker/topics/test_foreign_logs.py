"""Directories found at the start: which are partitions, and nothing is written over."""

import logging
import shutil
import time
from pathlib import Path

import pytest

from barnabas import Admin, Consumer, Producer
from barnabas.broker.topics.topic_names import TopicNames
from barnabas.errors import LogDirFailed
from barnabas.log.directories.partition_metadata import encode_topic_id
from barnabas.log.file_names import (
    DELETED_DIRECTORY,
    has_directory,
    parse_partition_directory,
    renamed_directory,
)
from barnabas.log.recovery.opening import create_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.runtime.files.disk import RealDisk
from barnabas.testing import EmbeddedBroker
from barnabas.types import TopicPartition

CONTROLLERS = "__cluster_metadata"
REGISTRY = "barnabas.registry"


def left_by_a_broker(data: Path, *topics: str) -> None:
    """A directory with a record of each topic, as a broker that allows any name leaves it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TopicNames, "check_new", lambda _self, _name: None)
        with (
            EmbeddedBroker(data_dir=data) as broker,
            Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        ):
            for topic in topics:
                broker.create_topic(topic)
                producer.send(topic, topic.encode()).result(60)


def served(data: Path) -> dict[str, bytes]:
    """The first record of each topic that a broker serves."""
    found: dict[str, bytes] = {}
    with EmbeddedBroker(data_dir=data) as broker:
        servers = broker.bootstrap_servers
        with Admin(bootstrap_servers=servers) as admin:
            topics = admin.list_topics()
        with Consumer({"bootstrap.servers": servers, "auto.offset.reset": "earliest"}) as consumer:
            consumer.assign([TopicPartition(topic, 0) for topic in topics])
            while len(found) < len(topics):
                found |= {one.topic: one.value or b"" for one in consumer.poll(timeout_s=60)}
    return found


def test_a_topic_of_the_controllers_name_that_a_broker_here_made_keeps_its_records(
    tmp_path: Path,
) -> None:
    left_by_a_broker(tmp_path, CONTROLLERS)
    for _ in range(2):
        assert served(tmp_path) == {CONTROLLERS: CONTROLLERS.encode()}


@pytest.mark.parametrize("reported", [encode_topic_id((1).to_bytes(16)), b"torn", None])
def test_the_log_of_a_controller_is_left_alone(
    tmp_path: Path, reported: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    left_by_a_broker(tmp_path, CONTROLLERS, "dogs")
    metadata = tmp_path / f"{CONTROLLERS}-0" / "partition.metadata"
    if reported is None:
        metadata.unlink()
    else:
        metadata.write_bytes(reported)
    (file,) = metadata.parent.glob("*.log")
    before = file.read_bytes()
    for _ in range(2):
        assert served(tmp_path) == {"dogs": b"dogs"}
    assert file.read_bytes() == before
    assert {vars(one)["topic"] for one in caplog.records if one.levelno == logging.ERROR} == {
        CONTROLLERS
    }


@pytest.mark.parametrize(
    "name", ["dogs-00", "\udcff-0", "dogs-0.bak", "old-0.1-delete", "a.b-delete", "x"]
)
def test_what_is_no_partition_is_left_alone(tmp_path: Path, name: str) -> None:
    left_by_a_broker(tmp_path, "dogs")
    shutil.copytree(tmp_path / "dogs-0", tmp_path / name)
    assert served(tmp_path) == {"dogs": b"dogs"}
    assert list((tmp_path / name).glob("*.log"))


def test_what_was_deleted_is_removed(tmp_path: Path) -> None:
    left_by_a_broker(tmp_path, "dogs", "cats")
    gone = tmp_path / renamed_directory(TopicPartition("cats", 0), bytes(16), DELETED_DIRECTORY)
    shutil.copytree(tmp_path / "dogs-0", gone)
    deadline = time.monotonic() + 60
    with EmbeddedBroker(data_dir=tmp_path):
        while gone.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
    assert not gone.exists()
    assert served(tmp_path) == {"dogs": b"dogs", "cats": b"cats"}


def test_names_that_metrics_cannot_tell_apart_are_all_served(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = ("a.b", "a_b", "__consumer.offsets")
    left_by_a_broker(tmp_path, *names)
    for file in tmp_path.glob(f"{REGISTRY}*"):
        file.unlink()
    with caplog.at_level(logging.WARNING):
        assert served(tmp_path) == {name: name.encode() for name in names}
    reported = [one for one in caplog.records if "metrics cannot tell" in one.getMessage()]
    assert {vars(one)["other"] for one in reported} <= {*names, "__consumer_offsets"}
    assert len(reported) == 2
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        settings = {"bootstrap.servers": broker.bootstrap_servers, "group.id": "g"}
        with Consumer(settings) as consumer:
            consumer.commit({TopicPartition("a.b", 0): 1})


def test_a_log_is_not_made_over_another(tmp_path: Path) -> None:
    left_by_a_broker(tmp_path, "dogs")
    place = str(tmp_path / "dogs-0")
    with pytest.raises(LogDirFailed, match=r"has records in 0+\.log: move it away"):
        create_log(RealDisk(), TopicPartition("DOGS", 0), place, LogConfig(), bytes(16))


@pytest.mark.parametrize(
    ("name", "partition"),
    [
        ("x-0", TopicPartition("x", 0)),
        ("x-0-0", TopicPartition("x-0", 0)),
        ("--0", TopicPartition("-", 0)),
        ("x-2147483647", TopicPartition("x", 2**31 - 1)),
        ("x-2147483648", None),
        ("x-00", None),
        ("x-01", None),
        ("x-٣", None),
        ("-0", None),
        ("x-", None),
        ("0", None),
        ("\udcff-0", None),
        ("a\nb-0", TopicPartition("a\nb", 0)),
    ],
)
def test_the_partition_of_a_directory(name: str, partition: TopicPartition | None) -> None:
    assert parse_partition_directory(name) == partition


@pytest.mark.parametrize("topic", ["x" * 249, "狗" * 83, "𝄞" * 62])
def test_directories_have_names_of_255_bytes(topic: str) -> None:
    gone = renamed_directory(TopicPartition(topic, 0), bytes(16), DELETED_DIRECTORY)
    assert len(gone.encode("utf-8", "surrogateescape")) <= 255
    assert has_directory(TopicPartition(topic, 0))
    assert not has_directory(TopicPartition(topic, 10**6))
    assert not has_directory(TopicPartition("x", -1))
