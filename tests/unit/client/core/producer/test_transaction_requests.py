from barnabas.client.core.cluster.topic_ids import BY_NAME, TopicIds
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.transaction_requests import (
    PreparedTransaction,
    ProducerIdentity,
    refused_offsets,
    refused_partitions,
)
from barnabas.errors import ErrorCode
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopicResult,
)
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from barnabas.types import TopicPartition
from barnabas.wire.compiler import Codec

ME = ProducerIdentity("x", 7, 3)
A, B, C = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 4)


def test_a_new_producer_names_no_id() -> None:
    asked = ProducerIdentity("x").init(1000)
    assert (asked.transactional_id, asked.transaction_timeout_ms) == ("x", 1000)
    assert (asked.producer_id, asked.producer_epoch) == (-1, -1)
    assert (ME.init(1000).producer_id, ME.init(1000).producer_epoch) == (7, 3)


def test_partitions_are_added_topic_by_topic() -> None:
    codec = Codec.of(AddPartitionsToTxnRequest, 3)
    asked, _ = codec.decode(codec.encode(ME.add_partitions({C, B, A})))
    topics = [(one.name, one.partitions) for one in asked.v3_and_below_topics]
    assert topics == [("t", [0, 1]), ("u", [4])]
    assert asked.v3_and_below_transactional_id == "x"
    assert (asked.v3_and_below_producer_id, asked.v3_and_below_producer_epoch) == (7, 3)


def test_offsets_are_a_members_since_version_3() -> None:
    group = GroupMetadata("g", 9, "m", "i")
    asked = ME.commit_offsets(group, {A: 5, C: 6}, BY_NAME)
    for version in (2, 3):
        codec = Codec.of(TxnOffsetCommitRequest, version)
        reported, _ = codec.decode(codec.encode(asked))
        member = (
            reported.generation_id_or_member_epoch,
            reported.member_id,
            reported.group_instance_id,
        )
        assert member == ((9, "m", "i") if version == 3 else (-1, "", None))
        rows = [
            (topic.name, row.partition_index, row.committed_offset)
            for topic in reported.topics
            for row in topic.partitions
        ]
        assert rows == [("t", 0, 5), ("u", 4, 6)]


def test_metadata_goes_with_each_offset() -> None:
    asked = ME.commit_offsets(GroupMetadata("g"), {A: 5, B: 6}, BY_NAME, "why")
    rows = [row for topic in asked.topics for row in topic.partitions]
    assert [row.committed_metadata for row in rows] == ["why", "why"]


def test_what_is_prepared_is_ended_by_the_version_that_it_was_begun_by() -> None:
    newer = PreparedTransaction("x", 7, 3, begun=True, implicit=True)
    older = PreparedTransaction("x", 7, 3, begun=True, implicit=False)
    assert newer.identity == older.identity == ME
    assert (newer.end_at_most, older.end_at_most) == (None, 4)


def test_the_partition_that_was_refused_is_distinguished_from_those_that_suffered_for_it() -> None:
    codes = [ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 0]
    rows = [
        AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=code)
        for index, code in enumerate(codes)
    ]
    topic = AddPartitionsToTxnTopicResult(name="t", results_by_partition=rows)
    reply = AddPartitionsToTxnResponse(results_by_topic_v3_and_below=[topic])
    assert list(refused_partitions(reply)) == [(B, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]


def test_offsets_that_were_refused() -> None:
    rows = [
        TxnOffsetCommitResponsePartition(partition_index=0, error_code=0),
        TxnOffsetCommitResponsePartition(partition_index=1, error_code=25),
    ]
    reply = TxnOffsetCommitResponse(
        topics=[TxnOffsetCommitResponseTopic(name="t", partitions=rows)]
    )
    assert list(refused_offsets(reply, BY_NAME)) == [(B, 25)]


def test_offsets_by_the_ids_of_their_topics_since_version_6() -> None:
    ids = TopicIds({"t": b"T" * 16, "u": b"U" * 16}, ["t", "u"])
    codec = Codec.of(TxnOffsetCommitRequest, 6)
    asked = ME.commit_offsets(GroupMetadata("g"), {A: 5, C: 6}, ids)
    reported, _ = codec.decode(codec.encode(asked))
    assert [(topic.name, topic.topic_id) for topic in reported.topics] == [
        ("", b"T" * 16),
        ("", b"U" * 16),
    ]
    row = TxnOffsetCommitResponsePartition(partition_index=4, error_code=100)
    refused = TxnOffsetCommitResponseTopic(topic_id=b"U" * 16, partitions=[row])
    reply = TxnOffsetCommitResponse(topics=[refused])
    assert list(refused_offsets(reply, ids)) == [(C, ErrorCode.UNKNOWN_TOPIC_ID)]
