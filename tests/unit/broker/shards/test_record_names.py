"""Names that no record can keep: an error in each API, and nothing is changed."""

from collections.abc import Callable, Iterator

import pytest

from barnabas.broker.shards.record_names import check_kept
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
    AlterShareGroupOffsetsResponse,
)
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from barnabas.protocol.list_groups import ListGroupsRequest, ListGroupsResponse
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from barnabas.protocol.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    Topology,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

REFUSED = ErrorCode.UNKNOWN_SERVER_ERROR
LONG = "ö" * 16_384  # a byte too many


@pytest.fixture(scope="module")
def client() -> Iterator[RawClient]:
    with EmbeddedBroker() as broker:
        broker.create_topic("dogs")
        with RawClient(broker.port) as one:
            yield one


def join(
    client: RawClient, group: str = "g", instance: str = "i", kind: str = "k", name: str = "n"
) -> int:
    asked = JoinGroupRequest(
        group_id=group, session_timeout_ms=10_000, rebalance_timeout_ms=10_000, member_id="",
        group_instance_id=instance, protocol_type=kind,
        protocols=[JoinGroupRequestProtocol(name=name, metadata=b"")],
    )  # fmt: skip
    return client.ask(asked, 9, JoinGroupResponse).error_code


def beat(client: RawClient, group: str = "g", member: str = "m", regex: str | None = None) -> int:
    asked = ConsumerGroupHeartbeatRequest(
        group_id=group, member_id=member, member_epoch=0, rebalance_timeout_ms=10_000,
        subscribed_topic_names=["dogs"], subscribed_topic_regex=regex, topic_partitions=[],
    )  # fmt: skip
    return client.ask(asked, 1, ConsumerGroupHeartbeatResponse).error_code


def share(client: RawClient) -> int:
    asked = ShareGroupHeartbeatRequest(
        group_id=LONG, member_id="m", member_epoch=0, subscribed_topic_names=["dogs"]
    )
    return client.ask(asked, 1, ShareGroupHeartbeatResponse).error_code


def move_share(client: RawClient) -> int:
    place = AlterShareGroupOffsetsRequestPartition(partition_index=0, start_offset=0)
    topics = [AlterShareGroupOffsetsRequestTopic(topic_name="dogs", partitions=[place])]
    asked = AlterShareGroupOffsetsRequest(group_id=LONG, topics=topics)
    return client.ask(asked, 0, AlterShareGroupOffsetsResponse).error_code


def stream(client: RawClient, group: str = "g", member: str = "m") -> int:
    asked = StreamsGroupHeartbeatRequest(
        group_id=group, member_id=member, member_epoch=0, endpoint_information_epoch=0,
        rebalance_timeout_ms=10_000, topology=Topology(epoch=0, subtopologies=[]),
        process_id="p", active_tasks=[], standby_tasks=[], warmup_tasks=[], client_tags=[],
    )  # fmt: skip
    return client.ask(asked, 0, StreamsGroupHeartbeatResponse).error_code


def commit(client: RawClient) -> int:
    place = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=None
    )
    topics = [OffsetCommitRequestTopic(name="dogs", partitions=[place])]
    asked = OffsetCommitRequest(
        group_id=LONG, generation_id_or_member_epoch=-1, member_id="", topics=topics
    )
    return client.ask(asked, 9, OffsetCommitResponse).topics[0].partitions[0].error_code


def initiate(client: RawClient) -> int:
    asked = InitProducerIdRequest(transactional_id=LONG, transaction_timeout_ms=1000)
    return client.ask(asked, 4, InitProducerIdResponse).error_code


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: join(client, group=LONG),
        lambda client: join(client, instance=LONG),
        lambda client: join(client, instance="i" * 32_767),  # and an id behind it
        lambda client: join(client, kind=LONG),
        lambda client: join(client, name=LONG),
        lambda client: beat(client, group=LONG),
        lambda client: beat(client, member=LONG),
        lambda client: beat(client, regex=LONG),
        share,
        move_share,
        lambda client: stream(client, group=LONG),
        lambda client: stream(client, member=LONG),
        commit,
        initiate,
    ],
)
def test_what_cannot_be_kept_is_refused(client: RawClient, ask: Callable[[RawClient], int]) -> None:
    assert ask(client) == REFUSED
    asked = ListGroupsRequest(states_filter=[], types_filter=[])
    assert client.ask(asked, 5, ListGroupsResponse).groups == []


def test_the_longest_name_is_kept() -> None:
    check_kept(None, "", "n" * 32_767, "ö" * 16_383)
    for name in ("n" * 32_768, LONG):
        with pytest.raises(BrokerError, match="more than 32767 bytes"):
            check_kept("n", name)
