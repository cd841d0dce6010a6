"""The search for garbage leaves out what a worker has loaded, from its second task on."""

import gc
from collections.abc import Iterator

import pytest

from barnabas.spark.workers.worker_process import Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    gc.unfreeze()
    yield Worker()
    gc.unfreeze()


def test_the_second_task_exempts_what_was_loaded_by_then(worker: Worker) -> None:
    worker.begin_task()
    assert gc.get_freeze_count() == 0
    worker.begin_task()
    assert gc.get_freeze_count() > 0


def test_what_later_tasks_leave_is_still_looked_for(worker: Worker) -> None:
    worker.begin_task()
    worker.begin_task()
    frozen = gc.get_freeze_count()
    cycle: list[object] = []
    cycle.append(cycle)
    worker.begin_task()
    # Fewer where something that was frozen has gone meanwhile, as objects of other threads may.
    assert gc.get_freeze_count() <= frozen
    del cycle
    assert gc.collect() >= 1
