"""PartitionEnds: end offsets of partitions that other brokers lead, for share group lag (KIP-1226)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_queues import Exchange, PeerQueues
from barnabas.ports import Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from barnabas.types import TopicPartition

UNKNOWN: Final = -1
_CONSUMER, _LATEST = -1, -1
_MOST_AT_ONCE = 1000


class _Question(NamedTuple):
    """About one partition."""

    place: TopicPartition
    respond: Callable[[int], None]


class PartitionEnds:
    """For one thread."""

    def __init__(self, member: ClusterMember, timers: Timers) -> None:
        self._member = member
        self._queues = PeerQueues(member, timers, self._begin)

    def ask(self, place: TopicPartition, respond: Callable[[int], None]) -> None:
        """The high watermark of a partition, from its leader; UNKNOWN: it does not answer."""
        state = self._member.image.partition(place)
        if state is None or not self._queues.add(state.leader, _Question(place, respond)):
            respond(UNKNOWN)

    def _begin(self, waiting: list[_Question]) -> Exchange:
        asked, waiting[:] = waiting[:_MOST_AT_ONCE], waiting[_MOST_AT_ONCE:]
        topics: dict[str, list[ListOffsetsPartition]] = {}
        for topic, index in {one.place for one in asked}:
            row = ListOffsetsPartition(partition_index=index, timestamp=_LATEST)
            topics.setdefault(topic, []).append(row)
        request = ListOffsetsRequest(
            replica_id=_CONSUMER,
            topics=[ListOffsetsTopic(name=name, partitions=of) for name, of in topics.items()],
        )
        version = self._member.versions.list_offsets
        return Exchange(ApiKey.LIST_OFFSETS, version, request, partial(self._answered, asked))

    @staticmethod
    def _answered(asked: Sequence[_Question], response: object) -> None:
        ends: dict[TopicPartition, int] = {}
        if isinstance(response, ListOffsetsResponse):
            ends = {
                TopicPartition(topic.name, row.partition_index): row.offset
                for topic in response.topics
                for row in topic.partitions
                if not row.error_code
            }
        for one in asked:
            one.respond(ends.get(one.place, UNKNOWN))
