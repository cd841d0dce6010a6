"""The search for garbage leaves out what a worker has loaded, also by later kinds of tasks."""

import gc
from collections.abc import Iterator

import pytest
from pyspark.sql.types import BinaryType, StructField, StructType

from barnabas.spark import source
from barnabas.spark.sink import writers
from barnabas.spark.workers.worker_process import Worker

SINK = {"kafka.bootstrap.servers": "h:1", "topic": "dogs"}
ROWS = StructType([StructField("value", BinaryType())])


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


def test_what_later_kinds_of_tasks_have_loaded_is_exempt_as_well(worker: Worker) -> None:
    for _ in range(3):
        worker.begin_task()
    gc.collect()
    loaded: list[object] = [[] for _ in range(20_000)]
    before = gc.get_freeze_count()
    worker.begin_task()
    assert gc.get_freeze_count() >= before + len(loaded) // 2


def test_to_plan_or_commit_a_micro_batch_is_a_task(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "THIS_WORKER", worker)
    for number in range(2):  # As Spark's process that commits: a writer for each batch.
        assert gc.get_freeze_count() == 0
        source.stream_writer(SINK, ROWS).commit([], number)
    assert gc.get_freeze_count() > 0


def test_to_plan_or_commit_a_batch_is_a_task(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "THIS_WORKER", worker)
    source.batch_writer(SINK, ROWS, overwrite=False)
    writer = source.batch_writer(SINK, ROWS, overwrite=False)
    assert gc.get_freeze_count() > 0
    gc.unfreeze()
    monkeypatch.setattr(writers, "THIS_WORKER", Worker())
    writer.commit([])
    assert gc.get_freeze_count() == 0
    writer.commit([])
    assert gc.get_freeze_count() > 0
