"""A leader and its followers under random schedules: nothing that was committed is lost.

Messages are dropped, delayed and overtaken; brokers are killed, lose the end of their log, and come
back; leaders change; records are deleted. Planted mistakes show that the checks find what they are for.
"""

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barnabas.replication import follower, leader
from barnabas.replication.divergence import EpochEnd, EpochHistory, Truncation
from barnabas.replication.leader import Leader
from barnabas.types import NodeId
from tests.replicated_partition import ReplicatedPartition

Step = tuple[str, int, int]
"""Its name, and two numbers below 4."""

STEPS: dict[str, tuple[int, Callable[[ReplicatedPartition, NodeId, int, int], None]]] = {
    "deliver": (24, lambda it, _, one, other: it.deliver(one if other < 2 else 0)),
    "fetch": (10, lambda it, node, *_: it.fetch(node)),
    "produce": (6, lambda it, *_: it.produce()),
    "pump": (2, lambda it, *_: it.pump()),
    "drop": (1, lambda it, _, one, __: it.drop(one)),
    "tick": (2, lambda it, _, one, __: it.tick((1, 10, 60, 200)[one])),
    "crash": (2, lambda it, node, _, other: it.crash(node, other)),
    "start": (5, lambda it, node, *_: it.start(node)),
    "expire": (2, lambda it, node, *_: it.expire(node)),
    "elect": (3, lambda it, node, *_: it.elect(node)),
    "checkpoint": (1, lambda it, node, *_: it.save_checkpoint(node)),
    "delete": (1, lambda it, node, *_: it.delete_records(node)),
    "reassign": (1, lambda it, node, *_: it.reassign(node)),
}
"""How often each comes, and what it does to the partition, or to one of its brokers."""

DECK = [name for name, (weight, _) in STEPS.items() for _ in range(weight)]
SCHEDULES = st.lists(
    st.tuples(st.sampled_from(DECK), st.integers(0, 3), st.integers(0, 3)), max_size=150
)


def run(partition: ReplicatedPartition, schedule: list[Step]) -> None:
    for name, one, other in schedule:
        STEPS[name][1](partition, NodeId(one + 1), one, other)
        partition.check()


@given(
    schedule=SCHEDULES,
    min_isr=st.integers(1, 2),
    in_fetch=st.booleans(),
    tells_epochs=st.booleans(),
)
@settings(max_examples=150)
def test_nothing_committed_is_lost(
    schedule: list[Step], min_isr: int, *, in_fetch: bool, tells_epochs: bool
) -> None:
    partition = ReplicatedPartition(
        min_isr=min_isr, truncates_in_fetch=in_fetch, tells_epochs=tells_epochs
    )
    run(partition, schedule)
    partition.settle()
    partition.check()


def shuffled(seed: int, length: int) -> list[Step]:
    chance = random.Random(seed)
    return [(chance.choice(DECK), chance.randrange(4), chance.randrange(4)) for _ in range(length)]


def seeded(seeds: range, length: int) -> Iterator[tuple[int, ReplicatedPartition]]:
    """Partitions after a schedule each, healed and checked."""
    for seed in seeds:
        partition = ReplicatedPartition(
            min_isr=1 + seed % 2, truncates_in_fetch=bool(seed & 2), tells_epochs=bool(seed & 4)
        )
        run(partition, shuffled(seed, length))
        partition.settle()
        partition.check()
        yield seed, partition


def test_long_schedules() -> None:
    acknowledged = sum(len(partition.acknowledged) for _, partition in seeded(range(80), 400))
    assert acknowledged > 500


def no_truncation(_: EpochHistory, log_end: int, mark: int, leaders: EpochEnd) -> Truncation:
    return Truncation(log_end, is_complete=True)


def to_the_watermark(_: EpochHistory, log_end: int, mark: int, leaders: EpochEnd) -> Truncation:
    """As before KIP-101."""
    return Truncation(min(mark, log_end), is_complete=True)


def to_the_leaders_end(_: EpochHistory, log_end: int, mark: int, leaders: EpochEnd) -> Truncation:
    """As before KIP-279."""
    return Truncation(min(max(leaders.end_offset, 0), log_end), is_complete=True)


def early_watermark(current: int, leader_end: int, follower_ends: list[int]) -> int:
    return max(current, leader_end)


def stale_isr(self: Leader, node_id: NodeId) -> bool:
    """A follower joins with what is committed, and lacks what came in earlier epochs."""
    has = self._followers.progress[node_id].log_end
    in_sync = self._proposals.pending is None and node_id not in self.isr
    return in_sync and has >= self.high_watermark and self._followers.is_eligible(node_id)


@pytest.mark.parametrize(
    ("owner", "name", "mistake"),
    [
        (follower, "truncation", no_truncation),
        (follower, "truncation", to_the_watermark),
        (follower, "truncation", to_the_leaders_end),
        (leader, "committed", early_watermark),
        (Leader, "_may_join", stale_isr),
    ],
    ids=[
        "no truncation",
        "to the watermark",
        "to the leader's end",
        "early watermark",
        "stale ISR",
    ],
)
def test_planted_mistakes_are_found(
    owner: object, name: str, mistake: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, mistake)
    with pytest.raises((AssertionError, IndexError)):
        for _ in seeded(range(100), 400):
            pass
