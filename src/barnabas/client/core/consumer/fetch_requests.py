"""The Fetch requests of a consumer: what it asks of one broker, as the protocol words it."""

from collections.abc import Mapping
from dataclasses import dataclass

from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.fetch_session import PartitionFetch, SessionRequest
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class PlannedFetch:
    """One pending fetch: broker, partitions and turns."""

    node_id: int
    request: FetchRequest
    turns: dict[TopicPartition, tuple[int, int]]
    """For each partition the turn of its position, and the requested offset."""
    by_id: bool


def fetch_request(part: SessionRequest, options: ConsumerOptions) -> FetchRequest:
    """The request for what the session says has changed."""
    topics: dict[tuple[str, bytes], list[FetchPartition]] = {}
    for where, wish in part.changed.items():
        row = FetchPartition(
            partition=where.partition,
            current_leader_epoch=wish.leader_epoch,
            fetch_offset=wish.offset,
            last_fetched_epoch=wish.last_epoch,
            partition_max_bytes=wish.max_bytes,
        )
        topics.setdefault((where.topic, wish.topic_id), []).append(row)
    return FetchRequest(
        max_wait_ms=int(options.max_wait_s * 1000),
        min_bytes=options.min_bytes,
        max_bytes=options.max_bytes,
        isolation_level=int(options.committed_only),
        session_id=part.session_id,
        session_epoch=part.epoch,
        topics=[
            FetchTopic(topic=name, topic_id=topic_id, partitions=rows)
            for (name, topic_id), rows in topics.items()
        ],
        forgotten_topics_data=_forgotten(part.forgotten),
        rack_id=options.rack,
    )


def _forgotten(partitions: Mapping[TopicPartition, PartitionFetch]) -> list[ForgottenTopic]:
    topics: dict[tuple[str, bytes], list[int]] = {}
    for where, wish in partitions.items():
        topics.setdefault((where.topic, wish.topic_id), []).append(where.partition)
    return [
        ForgottenTopic(topic=name, topic_id=topic_id, partitions=rows)
        for (name, topic_id), rows in topics.items()
    ]


def last_request(part: SessionRequest) -> FetchRequest:
    """The request that ends a session (KIP-227)."""
    return FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=0,
        session_id=part.session_id,
        session_epoch=part.epoch,
        topics=[],
        forgotten_topics_data=[],
    )
