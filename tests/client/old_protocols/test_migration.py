"""Topics of a running broker of 0.7 into one of today, and their groups; ZooKeeper is simulated."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from barnabas import Admin, Consumer, Producer
from barnabas.cli.migrate.group_moves import KEPT, MOVED, SHOWN, move
from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address
from barnabas.errors import ConfigError
from barnabas.migration.broker_source import BrokerSource
from barnabas.migration.cluster_target import ClusterTarget
from barnabas.migration.errors import MigrationStopped
from barnabas.migration.migration import Migration, MigrationOptions
from barnabas.migration.offset_map import OffsetMap
from barnabas.migration.positions import stored, strays
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.encoding import EncodeOptions
from barnabas.records.messages07.message07 import encode_set
from barnabas.runtime.files.disk import RealDisk
from barnabas.testing import EmbeddedBroker
from barnabas.types import TopicPartition
from sim.world.zookeeper import SimulatedZooKeeper
from tests.migration_peers import Killed
from tests.wires.wire07 import Wire07

SENT = [b"dog %d" % index + b"x" * (index % 30) for index in range(900)]
ENCODE = EncodeOptions(Codec.ZSTD, batch_bytes=4000, sealed=False)


@pytest.fixture(scope="module")
def brokers() -> Iterator[tuple[EmbeddedBroker, EmbeddedBroker]]:
    config = {"num.partitions": "2", "log.file.size": "5000"}
    with (
        EmbeddedBroker(config, profile="0.7") as old,
        EmbeddedBroker({"offsets.topic.num.partitions": "1"}) as new,
    ):
        with Wire07(old.port) as wire:
            for first in range(0, 900, 30):
                codec = Codec(first // 30 % 3)
                partition = first // 30 % 2
                wire.produce("dogs", partition, encode_set(SENT[first : first + 30], codec=codec))
            wire.fetch("dogs", size=0)
        yield old, new


def source_of(old: EmbeddedBroker) -> BrokerSource:
    return BrokerSource({5: Address("127.0.0.1", old.port)}, "dogs")


def values(new: EmbeddedBroker, topic: str) -> list[list[bytes | None]]:
    found: list[list[bytes | None]] = [[], []]
    with Consumer(bootstrap_servers=new.bootstrap_servers) as consumer:
        consumer.assign([(topic, 0), (topic, 1)])
        consumer.seek_to_beginning()
        while sum(map(len, found)) < 900:
            records = consumer.poll(20.0)
            assert records
            for record in records:
                assert record.key is None
                assert record.offset == len(found[record.partition])
                found[record.partition].append(record.value)
    return found


def test_a_topic_and_its_groups_move(
    brokers: tuple[EmbeddedBroker, EmbeddedBroker], tmp_path: Path
) -> None:
    old, new = brokers
    new.create_topic("dogs", 2)
    config: dict[str, object] = {"bootstrap.servers": new.bootstrap_servers}
    keeper = SimulatedZooKeeper().session()
    with ExitStack() as stack:
        source = stack.enter_context(closing(source_of(old)))
        assert [str(place) for place in source.places] == ["5-0", "5-1"]
        target = stack.enter_context(closing(ClusterTarget(config, "dogs")))
        admin = stack.enter_context(Admin(config))
        file = RealDisk().open(str(tmp_path / "map"), create=True)
        options = MigrationOptions(ENCODE, block_bytes=3000)
        migration = Migration(source, target, OffsetMap(file, {}), options)
        until = 0
        for partition in (0, 1):
            until = migration.left(partition)[1]
            assert migration.copy(partition, until, lambda *_: None).messages == 450
            assert migration.verify(partition, lambda _: None) == (450, 0)
            assert migration.left(partition) == (until, until)
        one_set = 30 * 10 + sum(map(len, SENT[:30]))
        keeper.create("/consumers/kennel/offsets/dogs/5-0", str(one_set).encode())
        keeper.create("/consumers/kennel/offsets/dogs/5-1", str(until).encode())
        keeper.create("/consumers/farm/offsets/dogs/5-1", b"0")
        keeper.create("/consumers/farm/offsets/cats/5-0", b"1")
        keeper.create("/consumers/farm/offsets/dogs/7-0", b"1")
        assert list(strays(keeper, "dogs", source.places)) == [("farm", "7-0")]
        for execute, state in ((False, SHOWN), (True, MOVED), (True, KEPT)):
            found = list(move(admin, "dogs", migration.positions(keeper, "dogs"), execute=execute))
            was = (30, 450, 0) if state == KEPT else (None, None, None)
            assert found == [
                ("farm", "5-1", 1, 0, 0, was[2], state),
                ("kennel", "5-0", 0, one_set, 30, was[0], state),
                ("kennel", "5-1", 1, until, 450, was[1], state),
            ]
        saved = admin.list_group_offsets("kennel")
        assert {where: one.offset for where, one in saved.items()} == {
            TopicPartition("dogs", 0): 30, TopicPartition("dogs", 1): 450,
        }  # fmt: skip
        keeper.set("/consumers/farm/offsets/dogs/5-1", b"soon")
        assert [(one.group, one.old) for one in stored(keeper, "dogs", source.places)] == [
            ("farm", None), ("kennel", one_set), ("kennel", until),
        ]  # fmt: skip
        left = [one.group for one in migration.positions(keeper, "dogs")]
        assert left == ["kennel", "kennel"]
    sets = [SENT[first : first + 30] for first in range(0, 900, 30)]
    assert values(new, "dogs") == [
        [value for one in sets[partition::2] for value in one] for partition in (0, 1)
    ]


def test_every_process_goes_on_as_the_same_producer(
    brokers: tuple[EmbeddedBroker, EmbeddedBroker], tmp_path: Path
) -> None:
    """The last one has lost the map, and learns from the target which job wrote."""
    old, new = brokers
    new.create_topic("again", 2)
    config: dict[str, object] = {"bootstrap.servers": new.bootstrap_servers}
    producers = set()

    def die_after(blocks: int) -> Callable[[int, int], None]:
        left = iter(range(blocks))

        def count(*_: int) -> None:
            if next(left, None) is None:
                raise Killed

        return count

    for name, blocks in (("map", 3), ("map", 2), ("lost", 1000)):
        with closing(source_of(old)) as source, closing(ClusterTarget(config, "again")) as target:
            offsets = OffsetMap(RealDisk().open(str(tmp_path / name), create=True), {})
            migration = Migration(
                source, target, offsets, MigrationOptions(ENCODE, block_bytes=900)
            )
            with suppress(Killed):
                copied = migration.copy(0, migration.left(0)[1], die_after(blocks))
                assert (copied.found > 0, copied.found + copied.messages) == (True, 450)
                assert migration.verify(0, lambda _: None) == (450, 0)
            producers.add(offsets.producer)
    assert len(producers) == 1


def test_what_is_not_a_copy_is_left_alone(
    brokers: tuple[EmbeddedBroker, EmbeddedBroker], tmp_path: Path
) -> None:
    old, new = brokers
    new.create_topic("mine", 2)
    config: dict[str, object] = {"bootstrap.servers": new.bootstrap_servers}
    with Producer(config) as producer:
        producer.send("mine", SENT[0], key="a key", partition=0).result(20)
    with closing(source_of(old)) as source, closing(ClusterTarget(config, "mine")) as target:
        offsets = OffsetMap(RealDisk().open(str(tmp_path / "map"), create=True), {})
        migration = Migration(source, target, offsets, MigrationOptions(ENCODE))
        with pytest.raises(MigrationStopped, match="is not a copy: it has a key"):
            migration.copy(0, migration.left(0)[1], lambda *_: None)
        assert target.bounds(0) == (0, 1)


def test_a_topic_that_no_broker_has(brokers: tuple[EmbeddedBroker, EmbeddedBroker]) -> None:
    address = Address("127.0.0.1", brokers[0].port)
    with pytest.raises(ConfigError, match="topic dogs: broker 9 cannot be found"):
        BrokerSource({5: address}, "dogs", [BrokerPartition(9, 0)])
