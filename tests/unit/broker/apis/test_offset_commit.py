"""Commits that come together are written together; requests after them see all of them."""

from collections.abc import Iterator

import pytest

from barnabas.errors import ErrorCode
from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

A_QUOTA = AlterClientQuotasRequest(
    entries=[
        AlteredEntity(
            entity=[EntityData(entity_type="client-id", entity_name="raw")],
            ops=[OpData(key="request_percentage", value=200.0, remove=False)],
        )
    ],
    validate_only=False,
)
"""From then on requests are taken one by one."""


def a_client(**properties: str) -> Iterator[RawClient]:
    config = {name.replace("_", "."): value for name, value in properties.items()}
    with EmbeddedBroker(config) as broker, RawClient(broker.port) as client:
        topic = CreatableTopic(
            name="dogs", num_partitions=2, replication_factor=1, assignments=[], configs=[]
        )
        client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=1000), 4, CreateTopicsResponse)
        yield client


@pytest.fixture(params=["written", "synced", "metered"])
def client(request: pytest.FixtureRequest) -> Iterator[RawClient]:
    """Of a broker as it is, of one that syncs each record first, and of one that has quotas."""
    match request.param:
        case "synced":
            yield from a_client(log_flush_interval_messages="1")
        case "metered":
            for client in a_client():
                client.ask(A_QUOTA, 1, AlterClientQuotasResponse)
                yield client
        case _:
            yield from a_client()


def commit(offset: int, partition: int = 0) -> OffsetCommitRequest:
    asked = OffsetCommitRequestPartition(
        partition_index=partition, committed_offset=offset, committed_metadata=""
    )
    topic = OffsetCommitRequestTopic(name="dogs", partitions=[asked])
    return OffsetCommitRequest(group_id="kennel", topics=[topic])


def fetch() -> OffsetFetchRequest:
    topic = OffsetFetchRequestTopic(name="dogs", partition_indexes=[0])
    return OffsetFetchRequest(group_id="kennel", topics=[topic])


def code_of(answer: OffsetCommitResponse) -> int:
    return answer.topics[0].partitions[0].error_code


def test_each_is_answered_in_its_order_and_seen_by_what_follows(client: RawClient) -> None:
    asked: list[OffsetCommitRequest | OffsetFetchRequest] = []
    for offset in range(1, 6):
        asked += [commit(offset), commit(offset + 100, partition=7), fetch(), commit(offset + 1000)]
    versions = {OffsetCommitRequest: 9, OffsetFetchRequest: 5}
    client.send(b"".join(client.frame(one, versions[type(one)]) for one in asked))
    for offset in range(1, 6):
        assert code_of(client.receive(OffsetCommitResponse)) == ErrorCode.NONE
        missing = client.receive(OffsetCommitResponse)
        assert code_of(missing) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        reported = client.receive(OffsetFetchResponse).topics[0].partitions[0]
        assert reported.committed_offset == offset
        assert code_of(client.receive(OffsetCommitResponse)) == ErrorCode.NONE
    (last,) = client.ask(fetch(), 5, OffsetFetchResponse).topics
    assert last.partitions[0].committed_offset == 1005


@pytest.mark.parametrize("version", [2, 4])
def test_offsets_may_be_kept_for_longer_than_there_is_time(client: RawClient, version: int) -> None:
    asked = commit(5)
    asked.retention_time_ms = 2**63 - 1
    assert code_of(client.ask(asked, version, OffsetCommitResponse)) == ErrorCode.NONE
    (reported,) = client.ask(fetch(), 5, OffsetFetchResponse).topics
    assert reported.partitions[0].committed_offset == 5


def test_commits_before_a_frame_that_is_none_are_answered(client: RawClient) -> None:
    good = b"".join(client.frame(commit(offset), 9) for offset in (1, 2))
    client.send(good + b"\0\0\0\4none")
    for _ in range(2):
        assert code_of(client.receive(OffsetCommitResponse)) == ErrorCode.NONE
