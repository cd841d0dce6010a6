"""Follower: its requests, and the effect of the responses on its log."""

from barnabas.errors import ErrorCode
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.replication.divergence import EpochEnd
from barnabas.replication.follower import (
    IGNORED,
    EpochEndFound,
    Fetched,
    Follower,
    FollowerEffects,
    OffsetsFound,
    Phase,
    RequestFailed,
)
from barnabas.replication.requests import AskEpochEnd, AskOffsets, FetchNext
from barnabas.replication.watermark import LogOffsets
from tests.memory_disk import MemoryDisk

LOG = LogOffsets(start=2, end=10, high_watermark=6)


def history(*entries: tuple[int, int]) -> LeaderEpochs:
    epochs = LeaderEpochs(MemoryDisk(), "epochs")
    epochs.replace(entries)
    return epochs


def follow(epochs: LeaderEpochs, log: LogOffsets = LOG, *, in_fetch: bool = True) -> Follower:
    follower = Follower(9, log, epochs, truncates_in_fetch=in_fetch)
    assert follower.begin() == FollowerEffects()
    return follower


def test_it_fetches_from_its_end_and_names_its_last_epoch() -> None:
    follower = follow(history((3, 2), (4, 7)))
    request = follower.next_request(0)
    assert request == FetchNext(leader_epoch=9, offset=10, log_start=2, last_epoch=4)
    assert isinstance(request, FetchNext)
    effects = follower.step(Fetched(request, 15, 12, 2, now_ms=1))
    assert effects == FollowerEffects(append=True, high_watermark=12)
    assert (follower.end_offset, follower.high_watermark) == (15, 12)


def test_the_watermark_stays_within_the_log_and_never_goes_back() -> None:
    follower = follow(history((3, 2)))
    request = follower.next_request(0)
    assert isinstance(request, FetchNext)
    assert follower.step(Fetched(request, 11, 99, 2, now_ms=1)).high_watermark == 11
    request = follower.next_request(2)
    assert isinstance(request, FetchNext)
    assert follower.step(Fetched(request, 12, 3, 2, now_ms=3)) == FollowerEffects(append=True)


def test_the_start_follows_the_leaders_as_far_as_is_committed() -> None:
    follower = follow(history((3, 2)))
    request = follower.next_request(0)
    assert isinstance(request, FetchNext)
    assert follower.step(Fetched(request, 10, 8, 5, now_ms=1)).log_start == 5
    request = follower.next_request(2)
    assert isinstance(request, FetchNext)
    assert follower.step(Fetched(request, 10, 8, 99, now_ms=1)).log_start == 8


def test_a_log_that_diverges_is_cut() -> None:
    epochs = history((3, 2), (4, 7))
    follower = follow(epochs)
    request = follower.next_request(0)
    assert isinstance(request, FetchNext)
    answer = Fetched(request, 10, 8, 2, 1, diverging=EpochEnd(3, 9))
    assert follower.step(answer) == FollowerEffects(truncate_to=7)
    epochs.truncate_end(7)
    assert follower.next_request(1) == FetchNext(9, 7, 2, last_epoch=3)


def test_an_epoch_without_records_is_forgotten_too() -> None:
    """It led, and nothing came: what is cut is nothing but the epoch."""
    epochs = history((3, 2), (5, 10))
    follower = follow(epochs)
    request = follower.next_request(0)
    assert isinstance(request, FetchNext)
    effects = follower.step(Fetched(request, 10, 8, 2, 1, diverging=EpochEnd(3, 12)))
    assert effects == FollowerEffects(truncate_to=10)
    epochs.truncate_end(10)
    assert follower.next_request(1) == FetchNext(9, 10, 2, last_epoch=3)


def test_older_versions_ask_until_they_know_where_the_logs_part() -> None:
    """KIP-279: the leader knows nothing of epoch 5, nor this log of epoch 4."""
    epochs = history((2, 2), (3, 4), (5, 7))
    follower = follow(epochs, in_fetch=False)
    asked = follower.next_request(0)
    assert asked == AskEpochEnd(leader_epoch=9, epoch=5)
    assert isinstance(asked, AskEpochEnd)
    assert follower.step(EpochEndFound(asked, EpochEnd(4, 8), 1)) == FollowerEffects(truncate_to=7)
    epochs.truncate_end(7)
    asked = follower.next_request(1)
    assert asked == AskEpochEnd(9, 3)
    assert isinstance(asked, AskEpochEnd)
    effects = follower.step(EpochEndFound(asked, EpochEnd(3, 5), 2))
    assert effects == FollowerEffects(truncate_to=5, high_watermark=5)
    epochs.truncate_end(5)
    assert follower.next_request(2) == FetchNext(9, 5, 2, last_epoch=-1)


def test_without_epochs_what_is_not_committed_goes() -> None:
    follower = Follower(9, LOG, history(), truncates_in_fetch=True)
    assert follower.begin() == FollowerEffects(truncate_to=6)
    assert follower.next_request(0) == FetchNext(9, 6, 2, -1)


def test_an_answer_to_something_else_is_ignored() -> None:
    follower = follow(history((3, 2)))
    request = follower.next_request(0)
    assert isinstance(request, FetchNext)
    assert follower.step(Fetched(FetchNext(8, 10, 2, 3), 12, 12, 2, 0)) is IGNORED
    answer = Fetched(request, 12, 12, 2, 0)
    assert follower.step(answer).append
    assert follower.step(answer) is IGNORED
    assert follower.end_offset == 12


def test_a_new_leader_epoch_is_waited_for() -> None:
    follower = follow(history((3, 2)))
    request = follower.next_request(0)
    assert request is not None
    follower.step(RequestFailed(request, ErrorCode.FENCED_LEADER_EPOCH, 0))
    assert follower.phase is Phase.FENCED
    assert follower.next_request(10_000) is None


def test_after_other_errors_it_waits_and_asks_again() -> None:
    follower = follow(history((3, 2)))
    request = follower.next_request(0)
    assert request is not None
    follower.step(RequestFailed(request, ErrorCode.UNKNOWN_LEADER_EPOCH, 500))
    assert follower.next_request(1499) is None
    assert follower.next_request(1500) == request


def out_of_range(follower: Follower) -> AskOffsets:
    request = follower.next_request(0)
    assert isinstance(request, FetchNext)
    follower.step(RequestFailed(request, ErrorCode.OFFSET_OUT_OF_RANGE, 0))
    asked = follower.next_request(0)
    assert isinstance(asked, AskOffsets)
    return asked


def test_what_the_leader_has_deleted_is_skipped() -> None:
    epochs = history((3, 2))
    follower = follow(epochs)
    effects = follower.step(OffsetsFound(out_of_range(follower), 40, 50, 0))
    assert effects == FollowerEffects(start_anew_at=40, high_watermark=40)
    epochs.replace([])
    assert follower.next_request(0) == FetchNext(9, 40, 40, -1)


def test_a_log_longer_than_the_leaders_is_cut_to_it() -> None:
    follower = follow(history((3, 2)))
    effects = follower.step(OffsetsFound(out_of_range(follower), 0, 5, 0))
    assert effects == FollowerEffects(truncate_to=5, high_watermark=5)


def test_a_log_behind_the_leaders_end_begins_where_the_leaders_begins() -> None:
    follower = follow(history((3, 2)))
    effects = follower.step(OffsetsFound(out_of_range(follower), 0, 1, 0))
    assert effects == FollowerEffects(start_anew_at=0, high_watermark=0)


def test_a_leader_that_can_be_followed_by_now_is_followed() -> None:
    follower = follow(history((3, 2)))
    assert follower.step(OffsetsFound(out_of_range(follower), 0, 10, 0)) == FollowerEffects()
    assert isinstance(follower.next_request(0), FetchNext)
