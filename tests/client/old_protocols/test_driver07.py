"""The driver of Kafka 0.7 on a broker of ours that speaks it; ZooKeeper is simulated."""

import time
from collections.abc import Iterator
from itertools import count, islice

import pytest

from barnabas.driver07 import (
    EARLIEST,
    BrokerPartition,
    Chunk,
    Consumer,
    Producer,
    SimpleConsumer,
)
from barnabas.errors import (
    BrokerError,
    ConfigError,
    ConnectionFailed,
    ErrorCode,
    LocalProtocolError,
    RegistryUnavailable,
    StorageError,
)
from barnabas.records.messages07.message07 import FetchTooSmall, InvalidMessage
from barnabas.testing import EmbeddedBroker
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper

TOPIC = "dogs"
GROUP = {"groupid": "kennel", "fetcher.backoff.ms": 10, "rebalance.backoff.ms": 0}
SENT = [b"dog %d" % index + b"x" * (index % 30) for index in range(500)]


NUMBERS = count()


class Cluster:
    """Brokers of 0.7 with two partitions each, and the nodes that they would have."""

    def __init__(self, brokers: list[EmbeddedBroker]) -> None:
        self.brokers = brokers
        self.keeper = SimulatedZooKeeper()
        self.session = self.keeper.session()
        for number, broker in enumerate(brokers):
            place = f"x-1:127.0.0.1:{broker.port}"
            self.session.create_ephemeral(f"/brokers/ids/{number}", place.encode())
        self._names = count()
        self._simple: dict[int, SimpleConsumer] = {}

    def tell_of(self, topic: str, partitions: int = 2) -> None:
        for number in range(len(self.brokers)):
            path = f"/brokers/topics/{topic}/{number}"
            self.session.create_ephemeral(path, str(partitions).encode())

    def producer(self, **config: object) -> Producer:
        session = self.keeper.session(lambda call: call())
        named = {name.replace("_", "."): value for name, value in config.items()}
        return Producer(named, registry=session)

    def consumer(self, **config: object) -> Consumer:
        named = {name.replace("_", "."): value for name, value in config.items()}
        return Consumer(
            [TOPIC],
            {**GROUP, "consumerid": f"c{next(self._names)}", **named},
            registry=self.keeper.session,
        )

    def simple(self, broker: int = 0) -> SimpleConsumer:
        if broker not in self._simple:
            self._simple[broker] = SimpleConsumer("127.0.0.1", self.brokers[broker].port)
        return self._simple[broker]

    def close(self) -> None:
        for one in self._simple.values():
            one.close()

    def ends(self, topic: str) -> list[int]:
        """Where the logs of the four partitions end."""
        return [
            self.simple(broker).offsets(topic, index)[0] for broker in (0, 1) for index in (0, 1)
        ]

    def read(self, topic: str, number: int) -> list[bytes]:
        """All messages, partition by partition, once there are so many: no response says when."""
        found: list[bytes] = []
        for _ in patiently():
            found = []
            for broker in (0, 1):
                for index in (0, 1):
                    messages, _ = self.simple(broker).fetch(topic, index, 0)
                    found += [bytes(message.payload) for message in messages]
            if len(found) >= number:
                break
        return found


def patiently() -> Iterator[None]:
    """For as long as a broker may take for what it does not answer."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        yield
        time.sleep(0.01)


def payloads(chunks: list[Chunk]) -> list[bytes]:
    return [bytes(message.payload) for chunk in chunks for message in chunk.messages]


def drained(consumer: Consumer, number: int) -> list[bytes]:
    found: list[bytes] = []
    for _ in range(600):
        found += payloads(consumer.poll(0.1))
        if len(found) >= number:
            return found
    return found


@pytest.fixture(scope="module")
def brokers() -> Iterator[list[EmbeddedBroker]]:
    config = {"num.partitions": "2"}
    with (
        EmbeddedBroker(config, profile="0.7") as first,
        EmbeddedBroker(config, profile="0.7") as second,
    ):
        yield [first, second]


@pytest.fixture
def cluster(brokers: list[EmbeddedBroker]) -> Iterator[Cluster]:
    cluster = Cluster(brokers)
    yield cluster
    cluster.close()


@pytest.mark.parametrize("codec", [0, 1, 2], ids=["none", "gzip", "snappy"])
def test_what_is_sent_is_there_in_order(cluster: Cluster, codec: int) -> None:
    topic = f"sent-{codec}"
    cluster.tell_of(topic, 1)
    with cluster.producer(compression_codec=codec) as producer:
        for first in range(0, 500, 50):
            producer.send(topic, *SENT[first : first + 50], key="always the same")
    assert cluster.read(topic, 500) == SENT
    for broker in (0, 1):
        offset = cluster.simple(broker).offsets(topic, 0, EARLIEST)[0]
        found = []
        while (fetched := cluster.simple(broker).fetch(topic, 0, offset, 5000)).messages:
            found += fetched.messages
            offset = fetched.next_offset
        assert cluster.simple(broker).offsets(topic, 0) == [offset]
        assert len(found) in {0, 500}


def test_a_compressed_message_is_left_only_as_a_whole(cluster: Cluster) -> None:
    with cluster.producer(compression_codec=1) as producer:
        producer.send("whole", *SENT[:3], key="k")
        producer.send("whole", *SENT[3:5], key="k")
    assert cluster.read("whole", 5) == SENT[:5]
    consumer = cluster.simple(cluster.ends("whole").index(max(cluster.ends("whole"))) // 2)
    messages, end = consumer.fetch("whole", 0, 0)
    first = messages[2].next_offset
    assert [each.next_offset for each in messages] == [0, 0, first, first, end]
    # A fetch that ends within the second one gives the first.
    assert consumer.fetch("whole", 0, 0, end - 1) == (messages[:3], first)


def test_what_a_broker_refuses_has_the_names_of_today(cluster: Cluster) -> None:
    cluster.tell_of("refused", 1)
    with cluster.producer() as producer:
        producer.send("refused", bytes(100))
    cluster.read("refused", 1)
    consumer = cluster.simple(cluster.ends("refused").index(max(cluster.ends("refused"))) // 2)
    for partition, offset, code in (
        (0, 10**6, ErrorCode.OFFSET_OUT_OF_RANGE),
        (7, 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ):
        with pytest.raises(BrokerError) as refused:
            consumer.fetch("refused", partition, offset)
        assert refused.value.code == code
    with pytest.raises(FetchTooSmall):
        consumer.fetch("refused", 0, 0, 50)
    with pytest.raises(InvalidMessage):
        consumer.fetch("refused", 0, 10)
    with pytest.raises(ConnectionFailed, match="closed the connection"):
        consumer.offsets("refused", 7)
    assert len(consumer.fetch("refused", 0, 0).messages) == 1, "it connects again"


def test_a_new_topic_goes_to_partition_0_and_spreads_when_it_is_registered(
    cluster: Cluster,
) -> None:
    with cluster.producer() as producer:
        for each in SENT[:20]:
            producer.send("new", each)
        cluster.read("new", 20)
        ends = cluster.ends("new")
        assert ends[0] + ends[2] > 0
        assert (ends[1], ends[3]) == (0, 0)
        cluster.tell_of("new")
        for each in SENT[:60]:
            producer.send("new", each)
        cluster.read("new", 80)
        assert min(cluster.ends("new")) > 0


def test_a_producer_goes_where_brokers_are_now_and_writes_no_nodes(cluster: Cluster) -> None:
    """Seed 000: brokers may come back "under a different IP/port", or leave; and more partitions."""
    cluster.tell_of("moving", 1)
    before = dict(cluster.keeper.nodes)
    keys = [str(number) for number in range(20)]
    with cluster.producer() as producer:
        for key in keys:
            producer.send("moving", b"1", key=key)
        cluster.read("moving", 20)
        assert dict(cluster.keeper.nodes) == before
        ends = cluster.ends("moving")
        assert min(ends[0], ends[2]) > 0
        place = cluster.session.get("/brokers/ids/1")
        assert place is not None
        cluster.session.delete("/brokers/ids/0")
        cluster.session.create_ephemeral("/brokers/ids/0", place[0])
        for key in keys:
            producer.send("moving", b"2", key=key)
        cluster.read("moving", 40)
        moved = cluster.ends("moving")
        assert (moved[0], moved[2] - ends[2]) == (ends[0], 20 * 11)
        for path in ("/brokers/ids/0", "/brokers/topics/moving/0"):
            cluster.session.delete(path)
        for key in keys:
            producer.send("moving", b"3", key=key)
        cluster.read("moving", 60)
        assert cluster.ends("moving")[0] == ends[0]
        # Brokers of ours, and Jafka, make the node anew.
        cluster.session.delete("/brokers/topics/moving/1")
        cluster.session.create_ephemeral("/brokers/topics/moving/1", b"2")
        for key in keys:
            producer.send("moving", b"4", key=key)
        cluster.read("moving", 80)
        assert cluster.ends("moving")[3] > 0


def test_a_partitioner_of_ones_own_sees_all_partitions_in_order(cluster: Cluster) -> None:
    cluster.tell_of("chosen")
    seen = []

    def last(key: object, number: int) -> int:
        seen.append((key, number))
        return number - 1

    session = cluster.keeper.session(lambda call: call())
    with Producer({}, partitioner=last, registry=session) as producer:
        producer.send("chosen", b"a", b"b", key=("any", "thing"))
    assert seen == [(("any", "thing"), 4)]
    assert cluster.read("chosen", 2) == [b"a", b"b"]
    assert cluster.ends("chosen")[:3] == [0, 0, 0]


def test_async_collects_and_flush_waits(cluster: Cluster) -> None:
    cluster.tell_of("async", 1)
    config: dict[str, object] = {"producer_type": "async", "queue_time": 60_000, "batch_size": 1000}
    with cluster.producer(**config) as producer:
        for each in SENT:
            producer.send("async", each)
        assert cluster.ends("async") == [0, 0, 0, 0], "they wait for more"
        assert producer.flush(20)
        assert sorted(cluster.read("async", 500)) == sorted(SENT)
        assert producer.given_up == 0


def test_what_a_partitioner_cannot_place_is_given_up_and_the_rest_goes_out(
    cluster: Cluster,
) -> None:
    cluster.tell_of("placed", 1)
    session = cluster.keeper.session(lambda call: call())
    config = {"producer.type": "async", "queue.time": 0, "batch.size": 1}
    with Producer(config, partitioner=lambda key, _: {"b": 0}[str(key)], registry=session) as one:
        one.send("placed", b"1", b"2", key="a")
        assert one.flush(20)
        assert one.given_up == 2
        one.send("placed", b"3", key="b")
        assert one.flush(20)
        assert one.given_up == 2
    assert cluster.read("placed", 1) == [b"3"]


def test_a_full_queue_is_an_error_at_once(cluster: Cluster) -> None:
    config: dict[str, object] = {"producer_type": "async", "queue_time": 60_000, "queue_size": 3}
    with cluster.producer(**config) as producer:
        for each in SENT[:3]:
            producer.send("full", each)
        with pytest.raises(LocalProtocolError, match=r"3 messages wait .*queue.size=3"):
            producer.send("full", b"one more")


def test_without_zookeeper_the_brokers_are_listed_and_pick_the_partition(cluster: Cluster) -> None:
    listed = f"0:127.0.0.1:{cluster.brokers[0].port}"
    with Producer({"broker.list": listed}) as producer:
        for each in SENT[:50]:
            producer.send("listed", each, key="ignored")
    assert len(cluster.read("listed", 50)) == 50
    ends = cluster.ends("listed")
    assert min(ends[:2]) > 0
    assert ends[2:] == [0, 0]
    for config in ({"broker.list": "here"}, {"broker.list": listed, "zk.connect": "a:1"}):
        with pytest.raises(ConfigError, match="broker.list"):
            Producer(config)


def test_a_zookeeper_that_is_not_there_is_named_by_0_7s_properties() -> None:
    pytest.importorskip("kazoo")
    nobody = {"zk.connect": "127.0.0.1:1", "zk.connectiontimeout.ms": "100"}
    with pytest.raises(RegistryUnavailable, match=r"\(zk\.connect, zk\.connectiontimeout\.ms\)"):
        Producer(nobody)


def test_a_message_over_the_limit_is_refused_before_it_goes_out(cluster: Cluster) -> None:
    with (
        cluster.producer(max_message_size=100) as producer,
        pytest.raises(LocalProtocolError, match="exceeds max.message.size=100"),
    ):
        producer.send("large", b"x" * 101)


@pytest.mark.parametrize("topic", ["../x", "a/b", "", ".", "..", "a\0b"])
def test_a_topic_that_no_broker_can_have_is_an_error_at_once(topic: str) -> None:
    keeper = SimulatedZooKeeper()
    with (
        Producer({}, registry=keeper.session(lambda call: call())) as producer,
        pytest.raises(LocalProtocolError, match="topic="),
    ):
        producer.send(topic, b"x")
    with pytest.raises(LocalProtocolError, match="topics="):
        Consumer(["dogs", topic], GROUP, registry=keeper.session)
    assert keeper.nodes == {}


def test_a_consumer_needs_a_group_and_topics() -> None:
    keeper = SimulatedZooKeeper()
    for config, name in (
        ({}, "groupid="),
        ({"groupid": "a/b"}, "groupid=a/b"),
        ({"groupid": ".."}, "groupid="),
        ({**GROUP, "consumerid": "a/b"}, "consumerid=a/b"),
    ):
        with pytest.raises(ConfigError, match=name):
            Consumer(["dogs"], config, registry=keeper.session)
    for topics in ((), "dogs"):
        with pytest.raises(LocalProtocolError, match="topics="):
            Consumer(topics, GROUP, registry=keeper.session)
    assert keeper.nodes == {}


class TestGroup:
    """Consumers that share the four partitions of `dogs`."""

    @pytest.fixture
    def dogs(self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
        """A topic of its own for each test, written to all partitions."""
        self.topic = f"dogs-{next(NUMBERS)}"
        monkeypatch.setattr("tests.client.old_protocols.test_driver07.TOPIC", self.topic)
        cluster.tell_of(self.topic)
        self.send(cluster, SENT)
        assert len(cluster.read(self.topic, len(SENT))) == len(SENT)
        return cluster

    def send(self, cluster: Cluster, sent: list[bytes]) -> None:
        with cluster.producer(compression_codec=1) as producer:
            for first in range(0, len(sent), 10):
                producer.send(self.topic, *sent[first : first + 10], key=str(first))

    def place(self, text: str) -> tuple[str, BrokerPartition]:
        broker, _, partition = text.partition("-")
        return self.topic, BrokerPartition(int(broker), int(partition))

    def test_one_alone_reads_everything_once(self, dogs: Cluster) -> None:
        with dogs.consumer() as consumer:
            assert sorted(drained(consumer, 500)) == sorted(SENT)
            assert consumer.owned == {self.place(each) for each in ("0-0", "0-1", "1-0", "1-1")}
            assert payloads(consumer.poll(0.05)) == []
        with dogs.consumer() as later:
            assert payloads(later.poll(0.05)) == []
        assert dogs.keeper.session().children("/consumers/kennel/ids") == []
        assert dogs.keeper.session().children(f"/consumers/kennel/owners/{self.topic}") == []

    def test_two_share_and_the_second_takes_all_when_the_first_leaves(self, dogs: Cluster) -> None:
        first = dogs.consumer()
        found = drained(first, 500)
        second = dogs.consumer()
        handed_over = {self.place("1-0"), self.place("1-1")}
        for _ in patiently():
            found += payloads(first.poll(0.01)) + payloads(second.poll(0.01))
            if second.owned == handed_over:
                break
        assert first.owned == {self.place("0-0"), self.place("0-1")}
        assert second.owned == handed_over
        assert sorted(found) == sorted(SENT), "what was handed over is not read twice"
        first.close()
        more = [b"more %d" % index for index in range(40)]
        self.send(dogs, more)
        assert sorted(drained(second, 40)) == sorted(more)
        assert len(second.owned) == 4
        second.close()

    def test_what_a_killed_consumer_was_handed_comes_again(self, dogs: Cluster) -> None:
        killed = dogs.consumer()
        got = drained(killed, 1)
        assert got
        session = killed._registry
        assert isinstance(session, SimulatedSession)
        session.close()
        killed._fetcher.close()
        with dogs.consumer() as other:
            assert sorted(drained(other, 500)) == sorted(SENT)

    def test_nodes_above_the_groups_name_who_made_them(self, dogs: Cluster) -> None:
        """Seed 000: "the value that should be stored at an intermediate node is the ID"."""
        with dogs.consumer(consumerid="first"), dogs.consumer(consumerid="second"):
            for path in ("", "/kennel", "/kennel/ids", "/kennel/owners", "/kennel/offsets"):
                assert dogs.session.get(f"/consumers{path}") == (b"kennel_first", 0)
            for kind in ("owners", "offsets"):
                path = f"/consumers/kennel/{kind}/{self.topic}"
                assert dogs.session.get(path) == (b"kennel_first", 0)

    def test_by_hand_nothing_is_committed_until_commit_is_called(self, dogs: Cluster) -> None:
        manual = {"autocommit_enable": False}
        with dogs.consumer(**manual) as consumer:
            assert len(drained(consumer, 500)) == 500
        with dogs.consumer(**manual) as consumer:
            assert len(drained(consumer, 500)) == 500
            consumer.commit()
        with dogs.consumer(**manual) as consumer:
            assert payloads(consumer.poll(0.05)) == []

    def test_a_loop_that_ends_leaves_the_rest_to_the_next_consumer(self, dogs: Cluster) -> None:
        with dogs.consumer() as consumer:
            found = [bytes(message.payload) for message in islice(consumer, 10)]
        with dogs.consumer(autocommit_enable=False) as consumer:
            for number, message in enumerate(consumer):
                found.append(bytes(message.payload))
                if number == 19:
                    consumer.commit()
                    break
        with dogs.consumer() as consumer:
            left = drained(consumer, 500 - 30)
            assert {*found, *left} == set(SENT)
            # Of two compressed messages that were begun all comes again, at most.
            assert len(left) < 500

    def test_who_has_iterated_may_poll_and_iterate_again(self, dogs: Cluster) -> None:
        with dogs.consumer() as consumer:
            found = [bytes(next(iter(consumer)).payload) for _ in range(3)]
            for message in consumer:
                found.append(bytes(message.payload))
                break
            assert sorted(found + drained(consumer, 500 - 4)) == sorted(SENT)

    def test_after_an_error_what_was_handed_out_last_comes_again(self, dogs: Cluster) -> None:
        lost: list[bytes] = []

        def fail_on_the_way() -> None:
            with dogs.consumer() as consumer:
                lost.extend(payloads(consumer.poll(20)))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail_on_the_way()
        with dogs.consumer() as consumer:
            again = drained(consumer, 500)
        assert lost
        assert set(lost) <= set(again)

    def test_a_message_larger_than_a_fetch_is_asked_for_with_more(self, dogs: Cluster) -> None:
        with dogs.consumer(fetch_size=60) as consumer:
            assert sorted(drained(consumer, 500)) == sorted(SENT)

    def test_an_offset_that_is_gone_starts_where_the_group_is_configured(
        self, dogs: Cluster
    ) -> None:
        dogs.session.create(f"/consumers/kennel/offsets/{self.topic}/0-0", b"9999999")
        dogs.session.create(f"/consumers/kennel/offsets/{self.topic}/0-1", b"-1")
        with dogs.consumer() as consumer:
            assert sorted(drained(consumer, 500)) == sorted(SENT)

    def test_what_is_no_offset_is_an_error_until_it_is_put_right(self, dogs: Cluster) -> None:
        path = f"/consumers/kennel/offsets/{self.topic}/0-1"
        dogs.session.create(path, b"1_000")
        with dogs.consumer(autooffset_reset="largest") as consumer:
            for _ in range(2):
                with pytest.raises(StorageError, match=f"{path} in ZooKeeper is not an offset"):
                    consumer.poll(0.01)
            assert dogs.session.get(path) == (b"1_000", 0)
            dogs.session.set(path, b"0")
            first_of_all = dogs.simple().fetch(self.topic, 1, 0)[0][0].payload
            assert payloads(consumer.poll(20))[0] == bytes(first_of_all)

    def test_zookeeper_away_and_a_session_lost(self, dogs: Cluster) -> None:
        with dogs.consumer(autocommit_interval_ms=0) as consumer:
            found = drained(consumer, 500)
            session = consumer._registry
            assert isinstance(session, SimulatedSession)
            session.reachable = False
            self.send(dogs, [b"meanwhile"])
            found += drained(consumer, 1)
            session.reachable = True
            session.expire()
            owners: list[str] = []
            for _ in patiently():
                found += payloads(consumer.poll(0.1))
                owners = dogs.session.children(f"/consumers/kennel/owners/{self.topic}")
                if len(owners) == 4:
                    break
            assert set(found) == {*SENT, b"meanwhile"}
            assert len(consumer.owned) == 4
            assert owners == ["0-0", "0-1", "1-0", "1-1"]
