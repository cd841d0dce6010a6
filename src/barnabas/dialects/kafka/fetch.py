"""Fetch between Kafka's messages and the neutral command."""

from itertools import groupby

from barnabas.dialects.commands import Fetch, Fetched, FetchOutcome, Forgotten, Read
from barnabas.dialects.kafka.rules import FETCH_CODES
from barnabas.protocol.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from barnabas.versions import VersionRange

_BY_TOPIC_ID = VersionRange.parse("13+")
_READ_COMMITTED = 1


def fetch_command(request: FetchRequest, version: int) -> Fetch:
    """The command that a request stands for."""
    replica = request.replica_id
    if request.replica_state is not None:
        replica = request.replica_state.replica_id
    return Fetch(
        replica,
        request.max_wait_ms,
        request.min_bytes,
        request.max_bytes,
        request.isolation_level == _READ_COMMITTED,
        request.session_id,
        request.session_epoch,
        version in _BY_TOPIC_ID,
        [
            Read(
                topic.topic,
                topic.topic_id,
                one.partition,
                one.fetch_offset,
                one.partition_max_bytes,
                one.current_leader_epoch,
                one.last_fetched_epoch,
            )
            for topic in request.topics
            for one in topic.partitions
        ],
        [
            Forgotten(topic.topic, topic.topic_id, index)
            for topic in request.forgotten_topics_data
            for index in topic.partitions
        ],
    )


def fetch_response(outcome: FetchOutcome, version: int) -> FetchResponse:
    """The reply, in the order of the outcome."""
    codes = FETCH_CODES[version]
    return FetchResponse(
        error_code=outcome.error,
        session_id=outcome.session_id,
        responses=[
            FetchableTopicResponse(
                topic=name,
                topic_id=topic_id,
                partitions=[_partition(one, codes.get(one.error, one.error)) for one in group],
            )
            for (name, topic_id), group in groupby(outcome.fetched, lambda one: one[:2])
        ],
    )


def _partition(one: Fetched, code: int) -> PartitionData:
    diverging = None
    if one.diverging_epoch >= 0:
        diverging = EpochEndOffset(epoch=one.diverging_epoch, end_offset=one.diverging_end_offset)
    return PartitionData(
        partition_index=one.partition,
        error_code=code,
        high_watermark=one.high_watermark,
        last_stable_offset=one.last_stable_offset,
        log_start_offset=one.log_start_offset,
        diverging_epoch=diverging,
        aborted_transactions=None
        if one.aborted is None
        else [
            AbortedTransaction(producer_id=each.producer_id, first_offset=each.first_offset)
            for each in one.aborted
        ],
        # Never null: librdkafka and others read a null record set as a protocol error.
        records=b"" if one.records is None else one.records,
    )
