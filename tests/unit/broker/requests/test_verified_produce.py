"""Transactions of version 2 (KIP-890) in a cluster: each end bumps the epoch, and producing adds partitions.

The partitions have other leaders than the coordinator; leaders ask it before they take records.
"""

from collections.abc import Iterator, Sequence

import pytest

from barnabas import (
    Admin,
    Consumer,
    GroupMetadata,
    NewTopic,
    Producer,
    TopicPartition,
)
from barnabas.client.core.admin.transaction_descriptions import TransactionDescription
from barnabas.coordinators.offsets.partitioning import partition_for
from barnabas.errors import ErrorCode
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.end_txn import EndTxnRequest, EndTxnResponse
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.testing import EmbeddedCluster
from tests.unit.broker.raw_client import Answer, RawClient

BROKERS = (1, 2, 3)
SECONDS = 30.0
OLDER = {"inter.broker.protocol.version": "3.9"}


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(3) as made:
        yield made


def create(cluster: EmbeddedCluster, topic: str) -> None:
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.create_topics([NewTopic(topic, partitions=3, replication_factor=3)])


def committed(cluster: EmbeddedCluster, topic: str, index: int, count: int) -> list[bytes | None]:
    """The first committed records of a partition."""
    with Consumer(
        bootstrap_servers=cluster.bootstrap_servers,
        isolation_level="read_committed",
        auto_offset_reset="earliest",
    ) as consumer:
        consumer.assign([TopicPartition(topic, index)])
        found: list[bytes | None] = []
        while len(found) < count:
            polled = consumer.poll(SECONDS)
            assert polled, found
            found += [one.value for one in polled]
        return found


def epoch_of(cluster: EmbeddedCluster, transactional_id: str) -> int:
    return described(cluster, transactional_id).producer_epoch


def described(cluster: EmbeddedCluster, transactional_id: str) -> TransactionDescription:
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        return admin.describe_transactions([transactional_id])[transactional_id]


def features(cluster: EmbeddedCluster) -> dict[str, int]:
    with RawClient(cluster.port(2)) as client:
        asked = ApiVersionsRequest(client_software_name="a", client_software_version="1")
        response = client.ask(asked, 3, ApiVersionsResponse)
    return {one.name: one.max_version_level for one in response.finalized_features}


def send_to_all(producer: Producer, topic: str, value: str) -> None:
    for index in range(3):
        producer.send(topic, value.encode(), partition=index)


def test_each_end_has_an_epoch_and_all_partitions_have_it_whole(cluster: EmbeddedCluster) -> None:
    assert features(cluster) == {
        "group.version": 1, "share.version": 1, "streams.version": 1, "transaction.version": 2
    }  # fmt: skip
    create(cluster, "dogs")
    assert sorted(cluster.leader("dogs", index) for index in range(3)) == [1, 2, 3]
    with Producer(bootstrap_servers=cluster.bootstrap_servers, transactional_id="pack") as producer:
        producer.init_transactions()
        begun = epoch_of(cluster, "pack")
        for number in range(6):
            producer.begin_transaction()
            send_to_all(producer, "dogs", str(number))
            producer.flush()
            if number % 2:
                producer.abort_transaction()
            else:
                producer.commit_transaction()
        assert epoch_of(cluster, "pack") == begun + 6
    for index in range(3):
        assert committed(cluster, "dogs", index, 3) == [b"0", b"2", b"4"]


def test_each_broker_is_killed_within_a_transaction(cluster: EmbeddedCluster) -> None:
    create(cluster, "dogs")
    with Producer(bootstrap_servers=cluster.bootstrap_servers, transactional_id="pack") as producer:
        producer.init_transactions()
        for number, broker in enumerate(BROKERS):
            producer.begin_transaction()
            send_to_all(producer, "dogs", f"before-{number}")
            producer.flush()
            cluster.kill(broker)
            send_to_all(producer, "dogs", f"after-{number}")
            producer.commit_transaction()
            cluster.start(broker)
            wait_for_isr(cluster)
    expected = [f"{when}-{number}".encode() for number in range(3) for when in ("before", "after")]
    for index in range(3):
        assert committed(cluster, "dogs", index, 6) == expected


def wait_for_isr(cluster: EmbeddedCluster) -> None:
    places = [("dogs", one) for one in range(3)] + [
        ("__transaction_state", one) for one in range(3)
    ]
    for place in places:
        while cluster.in_sync(*place) != [*BROKERS]:
            cluster.leader(*place)


def test_offsets_of_a_group_coordinated_elsewhere_count_with_the_transaction(
    cluster: EmbeddedCluster,
) -> None:
    create(cluster, "dogs")
    servers = cluster.bootstrap_servers
    with Producer(bootstrap_servers=servers, transactional_id="pack") as producer:
        producer.init_transactions()
        place = TopicPartition("dogs", 0)
        # Some of these groups have another coordinator than the transaction.
        groups = [f"readers-{number}" for number in range(6)]
        for group in groups:
            for offset, commits in ((5, True), (7, False)):
                producer.begin_transaction()
                producer.send("dogs", b"one", partition=1)
                producer.send_offsets_to_transaction({place: offset}, GroupMetadata(group))
                if commits:
                    producer.commit_transaction()
                else:
                    producer.abort_transaction()
        coordinators = {coordinator(cluster, 0, group) for group in groups}
        assert coordinators - {coordinator(cluster, 1, "pack")}
        with Admin(bootstrap_servers=servers) as admin:
            for group in groups:
                assert admin.list_group_offsets(group)[place].offset == 5


def coordinator(cluster: EmbeddedCluster, key_type: int, key: str) -> int:
    with RawClient(cluster.port(cluster.running[0])) as client:
        asked = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
        while True:
            (found,) = client.ask(asked, 6, FindCoordinatorResponse).coordinators
            if not found.error_code:
                return found.node_id


class RawProducer:
    """A producer of one transaction, that adds partitions only when it is asked to."""

    def __init__(self, cluster: EmbeddedCluster, name: str) -> None:
        self._cluster = cluster
        self._name = name
        asked = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=60_000)
        self.id = -1
        while self.id < 0:
            self.id = self._coordinator(asked, 4, InitProducerIdResponse).producer_id

    def _coordinator(self, asked: object, version: int, kind: type[Answer]) -> Answer:
        node_id = coordinator(self._cluster, 1, self._name)
        with RawClient(self._cluster.port(node_id)) as client:
            return client.ask(asked, version, kind)

    def add(self, index: int) -> None:
        asked = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self._name,
            v3_and_below_producer_id=self.id,
            v3_and_below_producer_epoch=0,
            v3_and_below_topics=[AddPartitionsToTxnTopic(name="dogs", partitions=[index])],
        )
        while True:
            response = self._coordinator(asked, 3, AddPartitionsToTxnResponse)
            (topic,) = response.results_by_topic_v3_and_below
            if topic.results_by_partition[0].partition_error_code == ErrorCode.NONE:
                return

    def ask_to_end(self, *, committed: bool) -> ErrorCode:
        asked = EndTxnRequest(
            transactional_id=self._name, producer_id=self.id, producer_epoch=0, committed=committed
        )
        return ErrorCode.of(self._coordinator(asked, 3, EndTxnResponse).error_code)

    def end(self) -> None:
        while self.ask_to_end(committed=False):
            pass
        # It is over when the markers are written.
        while described(self._cluster, self._name).state != "CompleteAbort":
            pass

    def produce(self, index: int, sequence: int, version: int) -> ErrorCode:
        builder = BatchBuilder(Codec.NONE, 1000)
        builder.append(1_700_000_000_000, None, b"a record")
        records = builder.build(self.id, 0, sequence, transactional=True)
        part = PartitionProduceData(index=index, records=records)
        asked = ProduceRequest(
            transactional_id=self._name,
            acks=-1,
            timeout_ms=5000,
            topic_data=[TopicProduceData(name="dogs", partition_data=[part])],
        )
        leader = self._cluster.leader("dogs", index)
        with RawClient(self._cluster.port(leader)) as client:
            while True:
                response = client.ask(asked, version, ProduceResponse)
                code = ErrorCode.of(response.responses[0].partition_responses[0].error_code)
                if code not in {ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.CONCURRENT_TRANSACTIONS}:
                    return code


@pytest.mark.parametrize("config", [{}, OLDER], ids=["newest", "3.9"])
def test_a_leader_asks_the_coordinator_whether_a_partition_is_in_the_transaction(
    config: dict[str, object],
) -> None:
    with EmbeddedCluster(3, config) as cluster:
        create(cluster, "dogs")
        producer = RawProducer(cluster, "pack")
        indexes: Sequence[int] = range(3)
        for index in indexes:
            assert producer.produce(index, 0, 9) == ErrorCode.INVALID_TXN_STATE
            assert producer.produce(index, 0, 11) == ErrorCode.TRANSACTION_ABORTABLE
            producer.add(index)
            assert producer.produce(index, 0, 9) == ErrorCode.NONE
        producer.end()
        # What comes late would leave a transaction open that nobody ends.
        for index in indexes:
            assert producer.produce(index, 1, 9) == ErrorCode.INVALID_TXN_STATE


def test_where_kafka_3_9_may_take_part_there_is_no_version_2_and_no_share_group() -> None:
    with EmbeddedCluster(2, OLDER) as cluster:
        assert features(cluster) == {}
        with RawClient(cluster.port(1)) as client:
            response = client.ask(ApiVersionsRequest(), 2, ApiVersionsResponse)
        keys = {one.api_key for one in response.api_keys}
        assert not keys & {76, 77, 78, 79, 88, 89}


def test_what_was_decided_is_ended_by_the_next_coordinator() -> None:
    """At once: nobody asks it, and it looks after its transactions only much later."""
    rarely = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": "600000"}
    with EmbeddedCluster(3, rarely) as cluster:
        create(cluster, "dogs")
        producer = RawProducer(cluster, "pack")
        for index in range(3):
            producer.add(index)
            assert producer.produce(index, 0, 9) == ErrorCode.NONE
        before = coordinator(cluster, 1, "pack")
        assert producer.ask_to_end(committed=True) == ErrorCode.NONE
        cluster.kill(before)
        for index in range(3):
            assert committed(cluster, "dogs", index, 1) == [b"a record"]


def test_each_kind_of_key_has_the_leader_of_its_partition_as_coordinator(
    cluster: EmbeddedCluster,
) -> None:
    create(cluster, "dogs")
    topics = {0: "__consumer_offsets", 1: "__transaction_state", 2: "__share_group_state"}
    for key_type, topic in topics.items():
        names = [f"key-{number}" for number in range(8)]
        keys = [f"{name}:AAAAAAAAAAAAAAAAAAAAAQ:0" if key_type == 2 else name for name in names]
        found = [coordinator(cluster, key_type, key) for key in keys]
        leaders = [cluster.leader(topic, index) for index in range(3)]
        assert found == [leaders[partition_for(key, 3)] for key in keys]
        assert len({*found}) > 1
