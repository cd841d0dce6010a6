import struct

import pytest

from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_partition.spans import DeliveryState, Span
from barnabas.coordinators.share_state.states import ShareState, ShareStates, StateKey
from barnabas.errors import DecodeError
from barnabas.protocol.internal import share_state_records as layouts
from barnabas.wire.compiler import Codec

KEY = StateKey("g", TopicIdPartition(b"t" * 16, 3))
DONE, FREE = DeliveryState.ACKNOWLEDGED, DeliveryState.AVAILABLE


def update(start: int, *spans: Span) -> tuple[bytes, bytes]:
    """What Kafka writes between two snapshots."""
    key = layouts.ShareUpdateKey(group_id="g", topic_id=b"t" * 16, partition=3)
    batches = [
        layouts.StateBatch(
            first_offset=one.first,
            last_offset=one.last,
            delivery_state=one.state,
            delivery_count=one.count,
        )
        for one in spans
    ]
    value = layouts.ShareUpdateValue(
        snapshot_epoch=1, leader_epoch=0, start_offset=start, state_batches=batches
    )
    return (
        struct.pack(">h", 1) + Codec.of(layouts.ShareUpdateKey, 0).encode(key),
        struct.pack(">h", 0) + Codec.of(layouts.ShareUpdateValue, 0).encode(value),
    )


def test_a_snapshot_is_what_was_kept() -> None:
    states = ShareStates()
    spans = (Span(5, 7, DONE, 1), Span(8, 9, FREE, 2))
    states.replay(*states.snapshot(KEY, ShareState(4, spans), 1000))
    kept = states.get(KEY)
    assert kept is not None
    assert (kept.start, kept.spans, kept.created_ms) == (4, spans, 1000)
    states.replay(*states.snapshot(KEY, ShareState(10, state_epoch=7), 2000))
    kept = states.get(KEY)
    assert kept is not None
    assert (kept.start, kept.snapshot_epoch, kept.state_epoch, kept.created_ms) == (10, 2, 7, 1000)
    states.replay(*states.removal(KEY))
    assert states.get(KEY) is None


def test_updates_of_a_kafka_go_over_what_there_was() -> None:
    states = ShareStates()
    states.replay(*states.snapshot(KEY, ShareState(0, (Span(0, 9, FREE, 1),)), 0))
    states.replay(*update(2, Span(4, 5, DONE, 1), Span(8, 11, DONE, 2)))
    kept = states.get(KEY)
    assert kept is not None
    assert (kept.start, kept.spans) == (
        2,
        (Span(2, 3, FREE, 1), Span(4, 5, DONE, 1), Span(6, 7, FREE, 1), Span(8, 11, DONE, 2)),
    )


def test_damage_is_reported() -> None:
    with pytest.raises(DecodeError):
        ShareStates().replay(*update(0, Span(4, 3, DONE, 1)))
