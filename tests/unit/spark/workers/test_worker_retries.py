import logging
from collections.abc import Callable

import pytest
from pyspark.errors import StreamingQueryException

from barnabas.spark.workers.worker_retries import STARTS, WORKER_LATE, despite_late_workers


def failing(*errors: str) -> tuple[Callable[[], int], list[int]]:
    """Fails with each of these and then returns how often it was called, which is kept."""
    called: list[int] = []
    left = list(errors)

    def work() -> int:
        called.append(len(called) + 1)
        if left:
            raise StreamingQueryException(left.pop(0))
        return len(called)

    return work, called


def test_work_is_started_again_where_a_worker_was_late(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    work, _ = failing(f"[STREAM_FAILED] {WORKER_LATE}.", WORKER_LATE)
    assert despite_late_workers(work) == STARTS
    assert caplog.text.count("too busy to start Python") == STARTS - 1
    assert f"{STARTS} of {STARTS}" in caplog.text


def test_the_last_failure_is_raised() -> None:
    work, called = failing(*[WORKER_LATE] * 10)
    with pytest.raises(StreamingQueryException, match=WORKER_LATE):
        despite_late_workers(work, 2)
    assert called == [1, 2]


def test_another_failure_is_raised_at_once() -> None:
    work, called = failing("[STREAM_FAILED] no such topic")
    with pytest.raises(StreamingQueryException, match="no such topic"):
        despite_late_workers(work)
    assert called == [1]
