"""A migration whose target goes away on the way: brokers that are killed, partitions that change leaders."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas.migration.cluster_target import ClusterTarget
from barnabas.migration.directory_source import DirectorySource
from barnabas.migration.migration import Migration, MigrationOptions
from barnabas.migration.offset_map import OffsetMap
from barnabas.records.columns.encoding import EncodeOptions
from barnabas.records.messages07.message07 import encode_set
from barnabas.runtime.files.disk import RealDisk
from tests.interop.brokers import wait_until_led
from tests.interop.peers.brokers.more_kafka import MoreKafka
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = pytest.mark.interop

SECONDS = 60
COUNT = 30_000
VALUES = [[b"%d-%d " % (one, n) + b"x" * (n % 90) for n in range(COUNT)] for one in (0, 1)]
SOON = 0.01
ENCODE = EncodeOptions(batch_bytes=16_000, sealed=False)


class Target:
    """Where to: `disturb` has the broker killed that leads a partition, and it comes back by itself."""

    def __init__(self, bootstrap_servers: str, pool: Executor) -> None:
        """`pool` outlives the brokers, which end with the thread that started them."""
        self.bootstrap_servers = bootstrap_servers
        self.pool = pool
        self.under_way: list[Future[None]] = []

    def disturb(self, partition: int) -> None:
        """In a moment, while the caller continues."""
        self.settle()
        kill = self.killer(partition)

        def soon() -> None:
            time.sleep(SOON)
            kill()

        self.under_way.append(self.pool.submit(soon))

    def settle(self) -> None:
        """Wait until all is as before."""
        while self.under_way:
            self.under_way.pop().result(SECONDS)

    def killer(self, partition: int) -> Callable[[], None]:
        raise NotImplementedError

    def changes(self) -> int:
        """How often something was taken away."""
        raise NotImplementedError


class Ours(Target):
    """One broker, killed and started again."""

    def __init__(self, broker: OurBroker, pool: Executor) -> None:
        super().__init__(broker.bootstrap_servers, pool)
        self.broker = broker
        self.kills = 0
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        admin.create_topics([NewTopic("dogs", 2, 1)])["dogs"].result(SECONDS)

    def killer(self, partition: int) -> Callable[[], None]:
        def kill() -> None:
            self.broker.child.kill()
            self.broker.start()
            self.kills += 1

        return kill

    def changes(self) -> int:
        return self.kills


class Cluster(Target):
    """Two brokers that have both partitions, and a node that only elects leaders."""

    def __init__(self, first: RealKafka, brokers: dict[int, MoreKafka], pool: Executor) -> None:
        super().__init__(first.bootstrap_servers, pool)
        self.brokers = brokers
        self.admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        self.leaders: list[int] = []
        topic = NewTopic("dogs", num_partitions=2, replica_assignment=[[2, 3], [3, 2]])
        self.admin.create_topics([topic])["dogs"].result(SECONDS)
        wait_until_led(self.admin, "dogs", 2)

    def killer(self, partition: int) -> Callable[[], None]:
        self._wait_until_in_sync()
        leader = self.leader(partition)
        self.leaders.append(leader)
        return self.brokers[leader].restart

    def leader(self, partition: int) -> int:
        found = self.admin.list_topics("dogs", SECONDS).topics["dogs"].partitions[partition]
        return int(found.leader)

    def changes(self) -> int:
        return len(set(self.leaders))

    def _wait_until_in_sync(self) -> None:
        deadline = time.monotonic() + SECONDS
        while True:
            topic = self.admin.list_topics("dogs", SECONDS).topics["dogs"]
            if all(len(one.isrs) == 2 for one in topic.partitions.values()):
                return
            assert time.monotonic() < deadline, "the brokers do not come into sync again"
            time.sleep(0.1)


@pytest.fixture(
    params=[
        "ours",
        pytest.param("kafka", marks=[pytest.mark.java, pytest.mark.long, pytest.mark.timeout(600)]),
    ]
)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    if request.param == "ours":
        with ThreadPoolExecutor(1) as pool, OurBroker() as broker:
            yield Ours(broker, pool)
        return
    quick = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}
    try:
        with (
            ThreadPoolExecutor(1) as pool,
            RealKafka(heap="256m", properties=quick) as first,
            MoreKafka(first, 2, quick) as second,
            MoreKafka(first, 3, quick) as third,
        ):
            yield Cluster(first, {2: second, 3: third}, pool)
    except PeerMissing as missing:
        give_up(missing)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a broker of 0.7 left."""
    made = tmp_path_factory.mktemp("old")
    for partition, values in enumerate(VALUES):
        folder = made / f"dogs-{partition}"
        folder.mkdir()
        sets = [encode_set(values[first : first + 200]) for first in range(0, COUNT, 200)]
        (folder / "00000000000000000000.kafka").write_bytes(b"".join(sets))
    return made


def copied(target: Target) -> list[list[bytes]]:
    """What librdkafka reads of each partition."""
    found: list[list[bytes]] = [[], []]
    settings: dict[str, str | int | bool] = {
        "bootstrap.servers": target.bootstrap_servers, "group.id": "nobody",
    }  # fmt: skip
    with closing(Consumer(settings)) as consumer:
        consumer.assign([TopicPartition("dogs", one, 0) for one in (0, 1)])
        deadline = time.monotonic() + SECONDS
        while sum(map(len, found)) < 2 * COUNT:
            assert time.monotonic() < deadline, [len(one) for one in found]
            for message in consumer.consume(1000, 0.2):
                assert not message.error(), message.error()
                found[message.partition() or 0].append(message.value() or b"")
    return found


def test_every_message_once_and_in_order(target: Target, directory: Path, tmp_path: Path) -> None:
    blocks = 0

    def disturbing(partition: int) -> Callable[[int, int], None]:
        def on_progress(_bytes: int, _messages: int) -> None:
            nonlocal blocks
            blocks += 1
            if blocks in (5, 25, 45):
                target.disturb(partition)

        return on_progress

    disk = RealDisk()
    with ExitStack() as stack:
        source = stack.enter_context(closing(DirectorySource(disk, {0: str(directory)}, "dogs")))
        config = {"bootstrap.servers": target.bootstrap_servers}
        cluster = stack.enter_context(closing(ClusterTarget(config, "dogs")))
        offsets = OffsetMap(disk.open(str(tmp_path / "map"), create=True), {})
        options = MigrationOptions(ENCODE, block_bytes=64_000)
        migration = Migration(source, cluster, offsets, options)
        stack.callback(target.settle)
        for partition in (0, 1):
            until = migration.left(partition)[1]
            copy = migration.copy(partition, until, disturbing(partition))
            assert copy.messages + copy.found == COUNT
        target.disturb(1)
        for partition in (0, 1):
            assert migration.verify(partition, lambda _: None) == (COUNT, 0)
    assert blocks > 45
    assert target.changes() >= 2
    assert copied(target) == VALUES
