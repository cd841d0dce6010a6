"""Markers at other brokers: each request gets its own response, in whatever order responses come."""

from functools import partial
from types import SimpleNamespace
from typing import cast

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_connection import OnAnswer
from barnabas.broker.transactions.markers import Ending, TransactionMarkers
from barnabas.broker.transactions.routed_markers import RoutedMarkers
from barnabas.cluster.image import (
    Broker,
    BrokerEndpoint,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)
from barnabas.records.batches.control import Marker
from barnabas.types import NodeId, TopicPartition
from tests.unit.runtime.manual_timers import ManualTimers

OTHER = NodeId(2)


class Asked:
    """A connection that keeps the answer's receiver."""

    is_busy = False
    answer: OnAnswer

    def ask(
        self, key: ApiKey, version: int, message: object, seconds: float, on_answer: OnAnswer
    ) -> None:
        del key, version, message, seconds
        self.answer = on_answer


def marker_rows(codes: dict[tuple[int, int], ErrorCode]) -> WriteTxnMarkersResponse:
    """An answer with these codes by producer and partition of dogs, in this order."""
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(
                producer_id=producer_id,
                topics=[
                    WritableTxnMarkerTopicResult(
                        name="dogs",
                        partitions=[
                            WritableTxnMarkerPartitionResult(partition_index=index, error_code=code)
                        ],
                    )
                ],
            )
            for (producer_id, index), code in codes.items()
        ]
    )


def test_each_marker_gets_its_own_answer_and_one_without_is_sent_again() -> None:
    state = PartitionState(OTHER, 1, (OTHER,), (OTHER,))
    image = ClusterImage().apply(
        ImageDelta(
            brokers={OTHER: Broker(OTHER, (BrokerEndpoint("PLAINTEXT", "localhost", 1),))},
            topics={"dogs": TopicDelta(bytes(16), dict.fromkeys(range(3), state))},
        )
    )
    connection, timers = Asked(), ManualTimers()
    member = SimpleNamespace(
        node_id=NodeId(1), image=image, on_close=[], connect=lambda _address: connection,
        versions=SimpleNamespace(write_txn_markers=1),
    )  # fmt: skip
    local = SimpleNamespace(flush=lambda: None)
    markers = RoutedMarkers(
        cast("TransactionMarkers", local), cast("ClusterMember", member), timers
    )
    written: dict[int, ErrorCode] = {}
    ending = Ending(7, 0, Marker(committed=True, coordinator_epoch=0))
    for index in range(3):
        note = partial(written.__setitem__, index)
        markers.write(TopicPartition("dogs", index), ending, note)
    timers.run_soon()

    # The other way round, and without partition 1.
    codes = {(7, 2): ErrorCode.NOT_LEADER_OR_FOLLOWER, (7, 0): ErrorCode.NONE}
    connection.answer(marker_rows(codes))
    assert written == {0: ErrorCode.NONE}
    timers.advance(1)
    timers.run_soon()
    connection.answer(marker_rows({(7, 2): ErrorCode.NONE, (7, 1): ErrorCode.NONE}))
    assert written == dict.fromkeys(range(3), ErrorCode.NONE)
