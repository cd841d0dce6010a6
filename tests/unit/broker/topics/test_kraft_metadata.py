"""What a metadata log says of topics: of Kafka 4.3, and made by hand for what is rare."""

import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from barnabas import Admin, Producer, Resource
from barnabas.broker.topics import kraft_metadata
from barnabas.broker.topics.foreign_logs import config_of_foreign
from barnabas.broker.topics.kraft_metadata import RecordedTopic, recorded_topics
from barnabas.errors import BrokerError, ErrorCode
from barnabas.log.directories.partition_metadata import encode_topic_id
from barnabas.log.file_names import PARTITION_METADATA
from barnabas.protocol.internal.access_records import ClientQuotaRecord, ConfigRecord, EntityData
from barnabas.protocol.internal.controller_records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
)
from barnabas.protocol.internal.record_types import METADATA_RECORDS
from barnabas.protocol.internal.topic_records import RemoveTopicRecord, TopicRecord
from barnabas.records.batches.batch import stamp
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.files.disk import RealDisk
from barnabas.testing import EmbeddedBroker
from barnabas.wire.compiler import Codec as MessageCodec
from tests.memory_disk import MemoryDisk

pytestmark = pytest.mark.kernels

VECTORS = Path(__file__).parents[3] / "vectors" / "kraft"
PLACE = "/d/__cluster_metadata-0"
DOGS, CATS = bytes(15) + b"\1", bytes(15) + b"\2"
_TYPES = {declared: kind for kind, declared in METADATA_RECORDS.items()}


def value(record: object) -> bytes:
    codec: MessageCodec[object] = MessageCodec.of(type(record), 0)
    return bytes((1, _TYPES[type(record)], 0)) + codec.encode(record)


def batch(first: int, records: Sequence[object]) -> bytes:
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    for record in records:
        builder.append(0, None, value(record))
    made = builder.build()
    stamp(memoryview(made), len(made), first, 1)
    return bytes(made)


def prop(name: str, text: str | None, topic: str = "dogs", kind: int = 2) -> ConfigRecord:
    return ConfigRecord(resource_type=kind, resource_name=topic, name=name, value=text)


def recorded(log: bytes, **snapshots: bytes) -> dict[str, RecordedTopic]:
    disk = MemoryDisk()
    disk.write_file(f"{PLACE}/{0:020d}.log", log)
    for name, data in snapshots.items():
        disk.write_file(f"{PLACE}/{name.removeprefix('at_').replace('_', '-')}.checkpoint", data)
    return recorded_topics(disk, ["/other", "/d"])


def test_a_log_is_played_in_its_order() -> None:
    found = recorded(
        batch(0, [TopicRecord(name="dogs", topic_id=DOGS), prop("retention.ms", "1")])
        + batch(2, [prop("retention.ms", "2"), prop("segment.ms", "3"), prop("flush.ms", "4")])
        + batch(5, [prop("segment.ms", None), TopicRecord(name="cats", topic_id=CATS)])
    )
    assert found == {
        "dogs": RecordedTopic(DOGS, {"retention.ms": "2", "flush.ms": "4"}),
        "cats": RecordedTopic(CATS, {}),
    }


def test_a_topic_made_again_has_nothing_of_the_one_before() -> None:
    found = recorded(
        batch(
            0,
            [
                TopicRecord(name="dogs", topic_id=DOGS),
                prop("retention.ms", "1"),
                RemoveTopicRecord(topic_id=DOGS),
                TopicRecord(name="dogs", topic_id=CATS),
            ],
        )
    )
    assert found == {"dogs": RecordedTopic(CATS, {})}


def test_what_was_aborted_or_has_not_ended_does_not_count() -> None:
    dogs, cats = TopicRecord(name="dogs", topic_id=DOGS), TopicRecord(name="cats", topic_id=CATS)
    begin, abort, end = BeginTransactionRecord(), AbortTransactionRecord(), EndTransactionRecord()
    assert recorded(batch(0, [begin, dogs, abort, begin, cats, end])).keys() == {"cats"}
    assert recorded(batch(0, [dogs, begin, cats])).keys() == {"dogs"}


def test_the_newest_snapshot_stands_for_what_is_before_it() -> None:
    log = batch(0, [prop("retention.ms", "old"), prop("flush.ms", "old")])
    log += batch(2, [prop("flush.ms", "new")])
    topic = TopicRecord(name="dogs", topic_id=DOGS)
    found = recorded(
        log,
        **{
            f"at_{1:020d}_{1:010d}": batch(0, [topic, prop("segment.ms", "older")]),
            f"at_{2:020d}_{1:010d}": batch(0, [topic, prop("flush.ms", "old")]),
        },
    )
    assert found == {"dogs": RecordedTopic(DOGS, {"flush.ms": "new"})}


def test_what_is_torn_is_not_there() -> None:
    log = batch(0, [TopicRecord(name="dogs", topic_id=DOGS)])
    assert recorded(log + batch(1, [TopicRecord(name="cats", topic_id=CATS)])[:-1]).keys() == {
        "dogs"
    }


def quota(value: float, *, remove: bool = False) -> ClientQuotaRecord:
    entity = EntityData(entity_type="user", entity_name="ann")
    return ClientQuotaRecord(entity=[entity], key="producer_byte_rate", value=value, remove=remove)


def test_what_is_not_taken_over_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    ours = prop("min.insync.replicas", "1", topic="", kind=4)
    of_node = prop("log.retention.ms", "7", topic="1", kind=4)
    recorded(batch(0, [ours, of_node, quota(5.0)]))
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().endswith(
        ": broker 1: log.retention.ms=7, user ann: producer_byte_rate=5.0"
    )


def test_nothing_is_reported_of_what_was_taken_back(caplog: pytest.LogCaptureFixture) -> None:
    of_node = [prop("log.retention.ms", text, topic="1", kind=4) for text in ("7", None)]
    recorded(batch(0, [*of_node, quota(5.0), quota(0.0, remove=True)]))
    assert not caplog.records


def test_a_directory_without_one_says_nothing() -> None:
    assert recorded_topics(MemoryDisk(), ["/d"]) == {}


@pytest.mark.parametrize("version", ["kafka-4.3.0-log", "kafka-4.3.0-snapshot"])
def test_a_log_of_kafka(version: str) -> None:
    found = recorded_topics(RealDisk(), [str(VECTORS / version)])
    assert {name: topic.config for name, topic in found.items()} == {
        "compacted": {
            "cleanup.policy": "compact",
            "max.message.bytes": "5000000",
            "message.timestamp.type": "LogAppendTime",
        },
        "changed": {"retention.ms": "7200000"},
        "plain": {},
    }
    assert all(any(topic.topic_id) for topic in found.values())


def test_a_broker_gives_topics_their_properties_once(tmp_path: Path) -> None:
    """At the first start; later ones ask the registry, in which they may have been changed."""
    shutil.copytree(VECTORS / "kafka-4.3.0-log", tmp_path, dirs_exist_ok=True)
    for name, topic in recorded_topics(RealDisk(), [str(tmp_path)]).items():
        folder = tmp_path / f"{name}-0"
        folder.mkdir()
        (folder / f"{0:020d}.log").touch()
        (folder / PARTITION_METADATA).write_bytes(encode_topic_id(topic.topic_id))
    for lag in ("0", "5"):
        with (
            EmbeddedBroker(data_dir=tmp_path) as broker,
            Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
        ):
            entries = admin.describe_configs(Resource.TOPIC, "compacted")
            assert entries["cleanup.policy"].value == "compact"
            assert entries["max.message.bytes"].value == "5000000"
            assert entries["min.compaction.lag.ms"].value == lag
            assert admin.list_topics() == ["changed", "compacted", "plain"]
            admin.alter_configs(Resource.TOPIC, "compacted", {"min.compaction.lag.ms": "5"})


def test_a_topic_keeps_segments_that_are_smaller_than_kafka_4_would_make_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its metadata log may be of a release that took any size; internal.segment.bytes is of any."""
    own = {"segment.bytes": "5000", "internal.segment.bytes": "300"}
    monkeypatch.setattr(
        kraft_metadata, "recorded_topics", lambda *_: {"dogs": RecordedTopic(DOGS, own)}
    )
    folder = tmp_path / "dogs-0"
    folder.mkdir()
    (folder / f"{0:020d}.log").touch()
    (folder / PARTITION_METADATA).write_bytes(encode_topic_id(DOGS))
    for _ in range(2):
        with (
            EmbeddedBroker(data_dir=tmp_path) as broker,
            Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
            Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        ):
            entries = admin.describe_configs(Resource.TOPIC, "dogs")
            assert {name: entries[name].value for name in own} == own
            for _ in range(3):
                producer.send("dogs", bytes(200)).result(30)
            admin.alter_configs(Resource.TOPIC, "dogs", {"flush.ms": "5"})
            with pytest.raises(BrokerError, match="at least 1048576"):
                admin.alter_configs(Resource.TOPIC, "dogs", {"segment.bytes": "4000"})
    assert len(list(folder.glob("*.log"))) == 6


SAFE = {"retention.bytes": "-1", "retention.ms": "-1"}


def config_of(
    topic: RecordedTopic | None, *ids: bytes, name: str = "dogs", internal: bool = False
) -> dict[str, str]:
    def check(config: Mapping[str, str]) -> None:
        if "remote.storage.enable" in config:
            raise BrokerError(ErrorCode.INVALID_CONFIG, "nothing is stored elsewhere")

    return config_of_foreign(topic, name, ids, internal=internal, check=check)


def test_what_is_reported_comes_before_what_is_safe() -> None:
    assert config_of(RecordedTopic(DOGS, {"retention.ms": "5"}), DOGS) == {
        **SAFE,
        "retention.ms": "5",
    }
    assert config_of(RecordedTopic(DOGS, {}), internal=True) == {"cleanup.policy": "compact"}
    assert config_of(None, DOGS) == SAFE


def test_changes_of_a_share_group_are_not_compacted_to_the_last() -> None:
    config = config_of(None, name="__share_group_state", internal=True)
    assert config == {**SAFE, "cleanup.policy": "delete"}


def test_a_property_that_no_topic_here_can_have_is_left_out_and_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic = RecordedTopic(DOGS, {"remote.storage.enable": "true", "flush.ms": "9"})
    assert config_of(topic, DOGS) == {**SAFE, "flush.ms": "9"}
    assert "property of a topic not taken over" in caplog.text


def test_another_topic_of_that_name_has_other_properties(caplog: pytest.LogCaptureFixture) -> None:
    assert config_of(RecordedTopic(DOGS, {"flush.ms": "9"}), CATS) == SAFE
    assert "another topic of that name" in caplog.text
