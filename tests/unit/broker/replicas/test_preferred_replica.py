"""A leader names a follower in a consumer's rack, and that follower serves what is committed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Consumer, Producer
from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from tests.local_cluster import SECONDS, LocalCluster
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels

LEADER, FOLLOWER = 1, 2
A_MINUTE_MS = 60_000


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    """Two brokers, in rack-1 and rack-2; the first one leads ten records."""
    found = LocalCluster(tmp_path)
    try:
        found.create("dogs", LEADER, FOLLOWER)
        found.wait_for_isr("dogs", LEADER, FOLLOWER)
        produce(found, 0, 10)
        yield found
    finally:
        found.close()


def produce(cluster: LocalCluster, first: int, count: int) -> None:
    """Each is on both brokers."""
    with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="all") as producer:
        sent = [
            producer.send("dogs", str(number).encode(), partition=0)
            for number in range(first, first + count)
        ]
        producer.flush()
        for one in sent:
            one.result()


def request(offset: int, rack: str = "", *, epoch: int = -1, wait_ms: int = 0) -> FetchRequest:
    asked = FetchPartition(
        partition=0, fetch_offset=offset, current_leader_epoch=epoch, partition_max_bytes=1 << 20
    )
    topics = [FetchTopic(topic="dogs", partitions=[asked])]
    return FetchRequest(max_wait_ms=wait_ms, min_bytes=1, topics=topics, rack_id=rack)


def fetch(
    cluster: LocalCluster, node_id: int, asked: FetchRequest, version: int = 11
) -> PartitionData:
    with RawClient(cluster.ports[node_id]) as client:
        return only(client.ask(asked, version, FetchResponse))


def only(response: FetchResponse) -> PartitionData:
    (found,) = response.responses[0].partitions
    return found


def test_a_leader_names_the_follower_in_the_consumers_rack(cluster: LocalCluster) -> None:
    # It answers at once, though the consumer would wait.
    named = fetch(cluster, LEADER, request(0, "rack-2", wait_ms=A_MINUTE_MS))
    assert (named.preferred_read_replica, named.error_code) == (FOLLOWER, ErrorCode.NONE)
    assert not named.records
    assert named.high_watermark == 10
    at_follower = fetch(cluster, FOLLOWER, request(0, "rack-2", wait_ms=A_MINUTE_MS))
    assert at_follower.preferred_read_replica == -1
    assert at_follower.records


@pytest.mark.parametrize("rack", ["", "rack-1", "rack-3"])
def test_a_leader_serves_who_has_no_nearer_replica(cluster: LocalCluster, rack: str) -> None:
    found = fetch(cluster, LEADER, request(0, rack))
    assert found.preferred_read_replica == -1
    assert found.records


def test_a_follower_that_is_not_in_sync_or_gone_is_not_named(cluster: LocalCluster) -> None:
    cluster.cut(FOLLOWER)
    with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="1") as producer:
        producer.send("dogs", b"10", partition=0).result()
    cluster.wait_for_isr("dogs", LEADER)
    assert fetch(cluster, LEADER, request(0, "rack-2")).preferred_read_replica == -1
    cluster.heal(FOLLOWER)
    cluster.wait_for_isr("dogs", LEADER, FOLLOWER)
    assert fetch(cluster, LEADER, request(0, "rack-2")).preferred_read_replica == FOLLOWER
    cluster.stop(FOLLOWER)
    assert fetch(cluster, LEADER, request(0, "rack-2")).preferred_read_replica == -1


def test_a_follower_refuses_what_kafkas_refuses(cluster: LocalCluster) -> None:
    cluster.stop(FOLLOWER)
    cluster.start(FOLLOWER)
    cluster.wait_for_isr("dogs", LEADER, FOLLOWER)
    epoch = cluster.partition(FOLLOWER, "dogs").leader_epoch
    assert epoch > 0
    refused = [
        (request(0), 10, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (request(0, epoch=epoch - 1), 11, ErrorCode.FENCED_LEADER_EPOCH),
        (request(0, epoch=epoch + 1), 11, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (request(11), 11, ErrorCode.OFFSET_OUT_OF_RANGE),
        (request(10, epoch=epoch), 11, ErrorCode.NONE),
    ]
    for asked, version, code in refused:
        assert fetch(cluster, FOLLOWER, asked, version).error_code == code
    # Offsets are the leader's matter.
    end = ListOffsetsPartition(partition_index=0, timestamp=-1)
    topics = [ListOffsetsTopic(name="dogs", partitions=[end])]
    offsets = ListOffsetsRequest(replica_id=-1, topics=topics)
    with RawClient(cluster.ports[FOLLOWER]) as client:
        (found,) = client.ask(offsets, 5, ListOffsetsResponse).topics[0].partitions
    assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_who_waits_at_a_follower_is_answered_when_more_is_committed(cluster: LocalCluster) -> None:
    with RawClient(cluster.ports[FOLLOWER]) as client:
        client.send(client.frame(request(10, "rack-2", wait_ms=100 * A_MINUTE_MS), 11))
        produce(cluster, 10, 1)
        found = only(client.receive(FetchResponse))
    assert (found.error_code, found.high_watermark) == (ErrorCode.NONE, 11)
    assert found.records


def test_who_waits_at_a_follower_is_answered_when_that_leads(cluster: LocalCluster) -> None:
    with RawClient(cluster.ports[FOLLOWER]) as client:
        client.send(client.frame(request(10, wait_ms=100 * A_MINUTE_MS), 11))
        cluster.stop(LEADER)
        found = only(client.receive(FetchResponse))
    assert not found.records
    assert found.error_code in {ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER}


def test_our_consumer_reads_in_its_rack(cluster: LocalCluster) -> None:
    follower = cluster.servers[FOLLOWER]._broker
    assert follower is not None
    with Consumer({"client.rack": "rack-2"}, bootstrap_servers=cluster.bootstrap_servers) as reader:
        reader.assign([("dogs", 0)])
        reader.seek_to_beginning(("dogs", 0))
        found: list[bytes] = []
        for count in (10, 20):
            while len(found) < count:
                found += [record.value or b"" for record in reader.poll(SECONDS)]
            # The follower leads nothing: nobody but this consumer fetches there.
            assert len(follower.fetch_sessions) == 1
            if count == 10:
                produce(cluster, 10, 10)
    assert found == [str(number).encode() for number in range(20)]
