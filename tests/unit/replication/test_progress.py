"""FollowerProgress: when a follower was caught up."""

from barnabas.replication.progress import NEVER, FollowerProgress


def test_who_has_all_is_caught_up_now() -> None:
    progress = FollowerProgress().fetched(10, 0, 10, 500, 7)
    assert (progress.log_end, progress.caught_up_ms, progress.broker_epoch) == (10, 500, 7)
    assert progress.is_caught_up(12, 600, 100)
    assert not progress.is_caught_up(12, 601, 100)
    assert progress.is_caught_up(10, 9999, 100)


def test_who_has_what_there_was_at_its_last_fetch_was_caught_up_then() -> None:
    progress = FollowerProgress().fetched(4, 0, 10, 500, 7)
    assert progress.caught_up_ms == NEVER
    progress = progress.fetched(10, 0, 20, 600, 7)
    assert progress.caught_up_ms == 500
    assert progress.fetched(19, 0, 30, 700, 7).caught_up_ms == 500


def test_the_first_fetch_of_all_behind_is_not_caught_up() -> None:
    assert FollowerProgress().fetched(0, 0, 10, 500, 7).caught_up_ms == NEVER
