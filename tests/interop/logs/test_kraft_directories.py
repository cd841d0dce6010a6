"""`barnabas serve` on the directory of a Kafka that was its own controller: topics keep their properties."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from barnabas import Admin, NewTopic, Producer, Resource
from barnabas.client.core.admin.descriptions import LATEST, ConfigSource
from barnabas.types import TopicPartition
from tests.commands.served import serving
from tests.interop.peers import generations
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

OWN: dict[str, dict[str, str]] = {
    "compacted": {
        "cleanup.policy": "compact",
        "max.message.bytes": "5000000",
        "message.timestamp.type": "LogAppendTime",
    },
    "changed": {"retention.ms": "7200000"},
    "plain": {},
}
"""What each topic has at the end."""


@contextmanager
def left_by_kafka(peer: MavenPeer, **properties: str) -> Iterator[Path]:
    """The directory of a Kafka that has made these topics, changed one, and deleted another."""
    try:
        with RealKafka(peer=peer, properties=properties) as kafka:
            with Admin({"bootstrap.servers": kafka.bootstrap_servers}) as admin:
                begun = {**OWN, "changed": {"segment.bytes": "2000000"}, "gone": OWN["compacted"]}
                admin.create_topics([NewTopic(name, 2, 1, own) for name, own in begun.items()])
                admin.alter_configs(
                    Resource.TOPIC, "changed", {**OWN["changed"], "segment.bytes": None}
                )
                admin.delete_topics(["gone"])
            with Producer({"bootstrap.servers": kafka.bootstrap_servers}) as producer:
                for name in OWN:
                    producer.send(name, "barks", key="rex", partition=0).result(30)
            with kafka.down() as data:
                yield data
    except PeerMissing as missing:
        give_up(missing)


def own_properties(admin: Admin, topic: str) -> dict[str, str | None]:
    return {
        name: entry.value
        for name, entry in admin.describe_configs(Resource.TOPIC, topic).items()
        if entry.source is ConfigSource.TOPIC
    }


@pytest.mark.parametrize("peer", [KAFKA_4, generations.KAFKA_3_9], ids=["4.3", "3.9"])
@pytest.mark.parametrize("bytes_between", ["1", "20971520"], ids=["snapshots", "log"])
def test_topics_have_the_properties_that_they_had(
    peer: MavenPeer, bytes_between: str, tmp_path: Path
) -> None:
    between = {"metadata.log.max.record.bytes.between.snapshots": bytes_between}
    with left_by_kafka(peer, **between) as left:
        data = shutil.copytree(left, tmp_path / "data")
    with (
        serving("--data-dir", str(data)) as served,
        Admin({"bootstrap.servers": served.servers}) as admin,
    ):
        assert OWN.keys() <= set(admin.list_topics())
        assert "gone" not in admin.list_topics()
        safe = {"retention.ms": "-1", "retention.bytes": "-1"}
        for name, own in OWN.items():
            assert own_properties(admin, name) == {**safe, **own}
            place = TopicPartition(name, 0)
            assert admin.list_offsets({place: LATEST})[place].offset == 1
