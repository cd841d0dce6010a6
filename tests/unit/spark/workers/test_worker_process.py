"""The search for garbage leaves out what a worker has loaded, also by later kinds of tasks."""

import gc
from collections.abc import Iterator

import pytest
from pyspark.sql.types import StructType

from barnabas.spark import source
from barnabas.spark.options.write_options import write_options
from barnabas.spark.sink import writers
from barnabas.spark.sink.row_layout import RowLayout
from barnabas.spark.sink.writers import BatchWriter
from barnabas.spark.workers.worker_process import Worker

OPTIONS = {"kafka.bootstrap.servers": "h:1", "topic": "t"}


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


def test_a_process_that_prepares_each_micro_batch_of_a_sink_exempts_it_too(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "THIS_WORKER", worker)
    for _ in range(2):
        assert gc.get_freeze_count() == 0
        source.stream_writer(OPTIONS, StructType().add("value", "string"))
    assert gc.get_freeze_count() > 0


def test_a_process_that_commits_batch_writes_exempts_it_too(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "THIS_WORKER", worker)
    writer = BatchWriter(write_options(OPTIONS), RowLayout("t", ("value",)))
    for _ in range(2):
        assert gc.get_freeze_count() == 0
        writer.commit([])
    assert gc.get_freeze_count() > 0
