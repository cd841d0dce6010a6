"""Attacks by short requests whose answers are long: one thing named again and again, or all there is."""

import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from barnabas.protocol.describe_groups import DescribeGroupsRequest
from barnabas.protocol.describe_log_dirs import DescribeLogDirsRequest
from barnabas.protocol.describe_producers import DescribeProducersRequest, TopicRequest
from barnabas.protocol.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic,
)
from barnabas.protocol.describe_topic_partitions import DescribeTopicPartitionsRequest
from barnabas.protocol.headers import decode_response
from barnabas.protocol.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeStateData,
)
from barnabas.protocol.initialize_share_group_state import PartitionData as BegunPartition
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from barnabas.protocol.list_groups import ListGroupsRequest
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from barnabas.protocol.read_share_group_state import (
    PartitionData as ReadPartition,
)
from barnabas.protocol.read_share_group_state import (
    ReadShareGroupStateRequest,
    ReadStateData,
)
from barnabas.protocol.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from barnabas.protocol.write_share_group_state import (
    PartitionData as WrittenPartition,
)
from barnabas.protocol.write_share_group_state import (
    StateBatch,
    WriteShareGroupStateRequest,
    WriteStateData,
)
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.hostile.attacks.attack import Attack, Strike, Target
from tests.hostile.attacks.frames import MEGABYTE, frame_of, unread
from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw

_ANSWER_SECONDS = 120.0
_PARTITIONS = 5000
_TOPIC, _LATEST = 2, 4
Question = Callable[[Target], bytes]
"""Prepares a broker; gives the frame to send."""


def _answered(question: Question, connections: int = 1) -> Callable[[Target], Strike]:
    """Send it on each connection, and take what comes until all are answered or closed."""

    def prepare(broker: Target) -> Strike:
        frame = question(broker)
        host, port = broker.bootstrap_servers.split(":")

        def strike(attackers: ExitStack) -> None:
            asking = []
            for _ in range(connections):
                one = socket.create_connection((host, int(port)), _ANSWER_SECONDS)
                asking.append(attackers.enter_context(one))
                one.sendall(frame)
            for one in asking:
                _drain(one)

        return strike

    return prepare


def _drain(one: socket.socket) -> None:
    """Take an answer, and keep nothing of it."""
    taken = bytearray(MEGABYTE)
    head = b""
    with suppress(ConnectionResetError):
        while len(head) < 4 and (part := one.recv(4 - len(head))):
            head += part
        left = int.from_bytes(head, "big") if len(head) == 4 else 0
        while left and (received := one.recv_into(taken, min(left, MEGABYTE))):
            left -= received


def _unread(question: Question, connections: int) -> Callable[[Target], Strike]:
    return lambda broker: unread(broker, question(broker), connections)


def _ask(broker: Target, message: object, version: int) -> object:
    """What a broker answers, for what has to be there before."""
    frame = frame_of(message, version)
    with Raw(broker.bootstrap_servers, _ANSWER_SECONDS) as connection:
        answer = connection.ask(frame)
    assert answer is not None
    key = ApiKey(int.from_bytes(frame[4:6], "big"))
    return decode_response(key, version, answer)[1]


def _large_topic(broker: Target) -> tuple[str, bytes]:
    name = InteropBroker(broker).new_topic(partitions=_PARTITIONS)
    asked = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
    reported = _ask(broker, asked, 12)
    assert isinstance(reported, MetadataResponse)
    return name, bytes(reported.topics[0].topic_id)


def _configs(count: int) -> Question:
    def question(broker: Target) -> bytes:
        topic = InteropBroker(broker).new_topic()
        resource = DescribeConfigsResource(
            resource_type=_TOPIC, resource_name=topic, configuration_keys=None
        )
        request = DescribeConfigsRequest(
            resources=[resource] * count, include_synonyms=True, include_documentation=True
        )
        return frame_of(request, _LATEST)

    return question


def _groups(broker: Target) -> bytes:
    """DescribeGroups of a group with one member of 900 KB."""
    protocol = JoinGroupRequestProtocol(name="range", metadata=bytes(900_000))
    joining = JoinGroupRequest(
        group_id="group", session_timeout_ms=300_000, rebalance_timeout_ms=300_000, member_id="",
        protocol_type="consumer", protocols=[protocol],
    )  # fmt: skip
    joined = _ask(broker, joining, 3)
    assert isinstance(joined, JoinGroupResponse)
    own = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"")
    syncing = SyncGroupRequest(
        group_id="group", generation_id=joined.generation_id, member_id=joined.member_id,
        assignments=[own],
    )  # fmt: skip
    _ask(broker, syncing, 3)
    return frame_of(DescribeGroupsRequest(groups=["group"] * 10_000), 4)


def _offsets(broker: Target) -> bytes:
    """OffsetFetch of all that a group has, named again and again."""
    topic, _ = _large_topic(broker)
    partitions = [
        OffsetCommitRequestPartition(
            partition_index=index, committed_offset=1, committed_metadata="m" * 100
        )
        for index in range(_PARTITIONS)
    ]
    committed = OffsetCommitRequestTopic(name=topic, partitions=partitions)
    _ask(broker, OffsetCommitRequest(group_id="group", topics=[committed]), 7)
    asked = OffsetFetchRequestGroup(group_id="group", topics=None)
    return frame_of(OffsetFetchRequest(groups=[asked] * 10_000), 8)


def _producers(broker: Target) -> bytes:
    """DescribeProducers of one partition with 5,000 of them."""
    topic = InteropBroker(broker).new_topic()
    place = [WritableTxnMarkerTopic(name=topic, partition_indexes=[0])]
    markers = [
        WritableTxnMarker(
            producer_id=10**6 + number, producer_epoch=0, transaction_result=True, topics=place,
            coordinator_epoch=0,
        )
        for number in range(5000)
    ]  # fmt: skip
    _ask(broker, WriteTxnMarkersRequest(markers=markers), 1)
    asked = TopicRequest(name=topic, partition_indexes=[0] * 100_000)
    return frame_of(DescribeProducersRequest(topics=[asked]), 0)


def _log_dirs(broker: Target) -> bytes:
    _large_topic(broker)
    return frame_of(DescribeLogDirsRequest(topics=None), 4)


def _metadata(broker: Target) -> bytes:
    _large_topic(broker)
    return frame_of(MetadataRequest(topics=None), 12)


def _list_offsets(broker: Target) -> bytes:
    topic, _ = _large_topic(broker)
    partitions = [
        ListOffsetsPartition(partition_index=number % _PARTITIONS, timestamp=-1)
        for number in range(200_000)
    ]
    topics = [ListOffsetsTopic(name=topic, partitions=partitions)]
    return frame_of(ListOffsetsRequest(replica_id=-1, topics=topics), 7)


def _pages(broker: Target) -> bytes:
    _large_topic(broker)
    request = DescribeTopicPartitionsRequest(topics=[], response_partition_limit=2000, cursor=None)
    return frame_of(request, 0)


def _listed(broker: Target) -> bytes:
    topic = InteropBroker(broker).new_topic()
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=""
    )
    committed = OffsetCommitRequestTopic(name=topic, partitions=[partition])
    with Raw(broker.bootstrap_servers, _ANSWER_SECONDS) as connection:
        for number in range(20_000):
            name = f"{number:05d}" + "n" * 40
            connection.ask(frame_of(OffsetCommitRequest(group_id=name, topics=[committed]), 7))
    return frame_of(ListGroupsRequest(), 5)


def _begun(broker: Target) -> tuple[str, bytes]:
    topic, topic_id = _large_topic(broker)
    begun = [
        BegunPartition(partition=index, state_epoch=0, start_offset=0)
        for index in range(_PARTITIONS)
    ]
    data = InitializeStateData(topic_id=topic_id, partitions=begun)
    _ask(broker, InitializeShareGroupStateRequest(group_id="group", topics=[data]), 0)
    return topic, topic_id


def _states_read(broker: Target) -> bytes:
    _, topic_id = _begun(broker)
    partitions = [
        ReadPartition(partition=number % _PARTITIONS, leader_epoch=0) for number in range(100_000)
    ]
    data = ReadStateData(topic_id=topic_id, partitions=partitions)
    return frame_of(ReadShareGroupStateRequest(group_id="group", topics=[data]), 0)


def _states_written(broker: Target) -> bytes:
    _, topic_id = _begun(broker)
    batch = StateBatch(first_offset=0, last_offset=0, delivery_state=2, delivery_count=1)
    partitions = [
        WrittenPartition(
            partition=number % _PARTITIONS, state_epoch=0, leader_epoch=0, start_offset=0,
            state_batches=[batch],
        )
        for number in range(60_000)
    ]  # fmt: skip
    data = WriteStateData(topic_id=topic_id, partitions=partitions)
    return frame_of(WriteShareGroupStateRequest(group_id="group", topics=[data]), 0)


def _share_offsets(broker: Target) -> bytes:
    topic, _ = _large_topic(broker)
    named = DescribeShareGroupOffsetsRequestTopic(
        topic_name=topic, partitions=[number % _PARTITIONS for number in range(200_000)]
    )
    asked = DescribeShareGroupOffsetsRequestGroup(group_id="group", topics=[named])
    return frame_of(DescribeShareGroupOffsetsRequest(groups=[asked]), 1)


ATTACKS = (
    Attack("configs", "DescribeConfigs of one topic 100,000 times", _answered(_configs(100_000))),
    Attack(
        "configs-together",
        "the same 1,000 times on 50 connections",
        _answered(_configs(1000), 50),
    ),
    Attack(
        "described-groups",
        "DescribeGroups of one group with a member of 900 KB 10,000 times",
        _answered(_groups),
    ),
    Attack(
        "committed-offsets",
        "OffsetFetch of all 5,000 offsets of a group 10,000 times",
        _answered(_offsets),
    ),
    Attack(
        "producers",
        "DescribeProducers of one partition with 5,000 producers 100,000 times",
        _answered(_producers),
    ),
    Attack(
        "log-dirs",
        "DescribeLogDirs of 5,000 partitions on 100 connections, unread",
        _unread(_log_dirs, 100),
    ),
    Attack(
        "metadata",
        "Metadata of 5,000 partitions on 100 connections, unread",
        _unread(_metadata, 100),
    ),
    Attack(
        "pages",
        "DescribeTopicPartitions of 2,000 partitions on 100 connections, unread",
        _unread(_pages, 100),
    ),
    Attack(
        "listed-groups", "ListGroups of 20,000 groups on 50 connections", _answered(_listed, 50)
    ),
    Attack("list-offsets", "ListOffsets of 200,000 partitions", _answered(_list_offsets)),
    Attack("states-read", "ReadShareGroupState of 100,000 partitions", _answered(_states_read)),
    Attack(
        "states-written", "WriteShareGroupState of 60,000 partitions", _answered(_states_written)
    ),
    Attack(
        "share-offsets",
        "DescribeShareGroupOffsets of 200,000 partitions",
        _answered(_share_offsets),
    ),
)
