"""Divergence: where two logs part."""

import pytest

from barnabas.errors import ErrorCode
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.replication.divergence import EpochEnd, Truncation, divergence, truncation
from tests.memory_disk import MemoryDisk


def history(*entries: tuple[int, int]) -> LeaderEpochs:
    epochs = LeaderEpochs(MemoryDisk(), "epochs")
    epochs.replace(entries)
    return epochs


@pytest.mark.parametrize(
    ("last_epoch", "offset", "found"),
    [
        (6, 25, None),
        (6, 30, None),
        (4, 20, None),
        (4, 21, EpochEnd(4, 20)),  # longer in that epoch
        (5, 20, EpochEnd(4, 20)),  # an epoch that the leader has nothing of
        (6, 31, EpochEnd(6, 30)),
        (7, 30, ErrorCode.OFFSET_OUT_OF_RANGE),
    ],
)
def test_a_leader_compares(
    last_epoch: int, offset: int, found: EpochEnd | ErrorCode | None
) -> None:
    assert divergence(history((3, 0), (4, 10), (6, 20)), 30, last_epoch, offset) == found


@pytest.mark.parametrize(
    ("leader", "found"),
    [
        (EpochEnd(-1, -1), Truncation(12, is_complete=True)),  # A: to the watermark
        (EpochEnd(-1, 25), Truncation(25, is_complete=True)),  # B
        (EpochEnd(-1, 99), Truncation(30, is_complete=True)),
        (EpochEnd(6, 25), Truncation(25, is_complete=True)),  # C
        (EpochEnd(4, 25), Truncation(20, is_complete=True)),
        (EpochEnd(5, 25), Truncation(20, is_complete=False)),  # D
    ],
)
def test_a_follower_cuts(leader: EpochEnd, found: Truncation) -> None:
    assert truncation(history((3, 0), (4, 10), (6, 20)), 30, 12, leader) == found


def test_a_follower_that_knows_no_such_epoch_takes_the_leaders_word() -> None:
    assert truncation(history((3, 0)), 30, 12, EpochEnd(5, 25)) == Truncation(25, is_complete=True)
