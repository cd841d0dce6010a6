"""RoutedMarkers: the ends of transactions, in partitions whose leaders may be other brokers.

Those of this broker are written at once. Others are asked by WriteTxnMarkers, with all markers that wait
for the same broker in one request; what fails is tried again for a while, at whoever leads then.

Source: Kafka's TransactionMarkerChannelManager.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_connection import Address, PeerConnection, address_of
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

_PATIENCE_SECONDS = 30.0
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
        self._waiting: list[_Marker] = []
        self._is_due = False
        self._connections: dict[Address, PeerConnection] = {}
        member.on_close.append(self._close)

    def is_written(self, place: TopicPartition, ending: Ending) -> bool:
        """As `TransactionMarkers.is_written`, of partitions that this broker leads."""
        return self._leader(place) == self._member.node_id and self._local.is_written(place, ending)

    def write(
        self, place: TopicPartition, ending: Ending, on_written: Callable[[ErrorCode], None]
    ) -> None:
        """As `TransactionMarkers.write`."""
        self._take(_Marker(place, ending, on_written))

    def _close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _leader(self, place: TopicPartition) -> NodeId | None:
        state = self._member.image.partition(place)
        return state.leader if state is not None else None

    def _take(self, marker: _Marker) -> None:
        if self._leader(marker.place) == self._member.node_id:
            self._local.write(marker.place, marker.ending, lambda code: self._written(marker, code))
            return
        self._waiting.append(marker)
        self._send_soon()

    def _written(self, marker: _Marker, code: ErrorCode) -> None:
        """Answer, or try again. Only where ZooKeeper has no such topic, its partitions are gone."""
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

    def _send_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._timers.soon(self._send)

    def _send(self) -> None:
        """Send what waits; what waits for a broker that has not answered yet waits on."""
        self._is_due = False
        waiting, self._waiting = self._waiting, []
        by_address: dict[Address, list[_Marker]] = {}
        for marker in waiting:
            leader = self._leader(marker.place)
            if leader is None:
                self._written(marker, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
                continue
            broker = self._member.image.brokers.get(leader)
            if broker is None:
                self._written(marker, ErrorCode.LEADER_NOT_AVAILABLE)
                continue
            by_address.setdefault(address_of(broker), []).append(marker)
        for address, markers in by_address.items():
            connection = self._connections.get(address)
            if connection is None:
                connection = self._connections[address] = self._member.connect(address)
            if connection.is_busy:
                self._waiting += markers
                continue
            self._waiting += markers[_MARKERS_A_REQUEST:]
            self._ask(connection, markers[:_MARKERS_A_REQUEST])

    def _ask(self, connection: PeerConnection, markers: Sequence[_Marker]) -> None:
        request = WriteTxnMarkersRequest(markers=[_row(one) for one in markers])

        def answered(response: object) -> None:
            codes = _codes(response) if isinstance(response, WriteTxnMarkersResponse) else {}
            for marker in markers:
                key = marker.ending.producer_id, marker.place
                self._written(marker, codes.get(key, ErrorCode.NETWORK_EXCEPTION))
            self._local.flush()
            if self._waiting:
                self._send_soon()

        version = self._member.versions.write_txn_markers
        connection.ask(ApiKey.WRITE_TXN_MARKERS, version, request, _PATIENCE_SECONDS, answered)


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
