"""RoutedMarkers: writes transaction markers to partitions that other brokers may lead.

Those of this broker are written at once. Others are asked by WriteTxnMarkers, with all markers that wait
for the same broker in one request; failed ones are retried for a while, at the leader of that time.

Source: Kafka's TransactionMarkerChannelManager.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_queues import Exchange, PeerQueues
from barnabas.broker.transactions.markers import Ending, TransactionMarkers
from barnabas.coordinators.transaction.transaction import VERSION_2
from barnabas.errors import ErrorCode
from barnabas.ports import Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from barnabas.types import NodeId, TopicPartition

log = logging.getLogger(__name__)

_AGAIN_SECONDS = 0.1
_TRIES = 100
_MARKERS_A_REQUEST = 1000
_PASSING = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)
"""What another leader, or the same one a moment later, may not answer."""


@dataclass(frozen=True, slots=True)
class _Marker:
    """One partition's."""

    place: TopicPartition
    ending: Ending
    on_written: Callable[[ErrorCode], None]
    tries_left: int = _TRIES


class RoutedMarkers:
    """Writes markers wherever their partitions are led."""

    def __init__(self, local: TransactionMarkers, member: ClusterMember, timers: Timers) -> None:
        self._local = local
        self._member = member
        self._timers = timers
        self._queues = PeerQueues(member, timers, self._begin)

    def is_written(self, place: TopicPartition, ending: Ending) -> bool:
        """As `TransactionMarkers.is_written`, of partitions that this broker leads."""
        return self._leader(place) == self._member.node_id and self._local.is_written(place, ending)

    def write(
        self, place: TopicPartition, ending: Ending, on_written: Callable[[ErrorCode], None]
    ) -> None:
        """As `TransactionMarkers.write`."""
        self._take(_Marker(place, ending, on_written))

    def _leader(self, place: TopicPartition) -> NodeId | None:
        state = self._member.image.partition(place)
        return state.leader if state is not None else None

    def _take(self, marker: _Marker) -> None:
        leader = self._leader(marker.place)
        if leader is None:
            self._written(marker, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        elif leader == self._member.node_id:
            self._local.write(marker.place, marker.ending, partial(self._written, marker))
        elif not self._queues.add(leader, marker):
            self._written(marker, ErrorCode.LEADER_NOT_AVAILABLE)

    def _written(self, marker: _Marker, code: ErrorCode) -> None:
        """Respond, or try again. Partitions count as deleted only if ZooKeeper has no such topic."""
        if code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            self._answer(marker, code)
            return

        def known(is_deleted: bool) -> None:  # noqa: FBT001 - a callback
            self._answer(marker, code if is_deleted else ErrorCode.LEADER_NOT_AVAILABLE)

        self._member.topics.when_deleted(marker.place.topic, known)

    def _answer(self, marker: _Marker, code: ErrorCode) -> None:
        if code:
            fields = {**marker.place._asdict(), "error": code.name, "left": marker.tries_left}
            log.info("marker not written", extra=fields)
        if code not in _PASSING or not marker.tries_left:
            marker.on_written(code)
            return
        again = replace(marker, tries_left=marker.tries_left - 1)
        self._timers.after(_AGAIN_SECONDS, lambda: self._take_again(again))

    def _take_again(self, marker: _Marker) -> None:
        self._take(marker)
        self._local.flush()

    def _begin(self, waiting: list[_Marker]) -> Exchange:
        markers, waiting[:] = waiting[:_MARKERS_A_REQUEST], waiting[_MARKERS_A_REQUEST:]
        request = WriteTxnMarkersRequest(markers=[_row(one) for one in markers])
        version = self._member.versions.write_txn_markers
        answered = partial(self._answered, markers)
        return Exchange(ApiKey.WRITE_TXN_MARKERS, version, request, answered)

    def _answered(self, markers: Sequence[_Marker], response: object) -> None:
        codes = _codes(response) if isinstance(response, WriteTxnMarkersResponse) else {}
        for marker in markers:
            key = marker.ending.producer_id, marker.place
            self._written(marker, codes.get(key, ErrorCode.NETWORK_EXCEPTION))
        self._local.flush()


def _codes(response: WriteTxnMarkersResponse) -> dict[tuple[int, TopicPartition], ErrorCode]:
    """The error of each producer's marker in a partition. Kafka's brokers keep no order of them."""
    return {
        (marker.producer_id, TopicPartition(topic.name, row.partition_index)): ErrorCode.of(
            row.error_code
        )
        for marker in response.markers
        for topic in marker.topics
        for row in topic.partitions
    }


def _row(marker: _Marker) -> WritableTxnMarker:
    topic, index = marker.place
    ending = marker.ending
    return WritableTxnMarker(
        producer_id=ending.producer_id,
        producer_epoch=ending.epoch,
        transaction_result=ending.marker.committed,
        topics=[WritableTxnMarkerTopic(name=topic, partition_indexes=[index])],
        coordinator_epoch=ending.marker.coordinator_epoch,
        transaction_version=VERSION_2 if ending.bumped else 0,
    )
