"""Acknowledgements of many partitions: others are served between them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

from barnabas.broker.shares.acknowledgements import Acknowledger, acknowledge_all
from barnabas.broker.shares.partitions import SharePartitions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_partition.partition import Acknowledge, Acknowledged
from barnabas.coordinators.share_state.states import StateKey
from barnabas.errors import ErrorCode

ALL = [Acknowledged(0, 9, [Acknowledge.ACCEPT])]
PLACES = [TopicIdPartition(bytes(16), index) for index in range(5)]


def test_one_partition_is_acknowledged_in_a_step() -> None:
    done: list[Callable[[ErrorCode], None]] = []

    def acknowledge(
        _live: object,
        _member: str,
        _batches: Sequence[Acknowledged],
        on_kept: Callable[[ErrorCode], None],
    ) -> None:
        done.append(on_kept)

    def in_hand(key: StateKey) -> StateKey:
        return key

    partitions = cast(
        "SharePartitions",
        SimpleNamespace(in_hand=in_hand, locks=SimpleNamespace(acknowledge=acknowledge)),
    )
    given = dict.fromkeys(PLACES, ALL)
    steps = acknowledge_all(partitions, Acknowledger("g", "m", renews=False), given)
    for count in range(1, 6):
        assert next(steps) is None
        assert len(done) == count
    kept = cast("Any", next(steps))
    for on_kept in reversed(done):
        assert not kept.is_done
        on_kept(ErrorCode.NONE)
    assert list(kept.outcome) == PLACES
    with suppress(StopIteration):
        steps.send(kept.outcome)
        raise AssertionError("nothing is left to do")
