"""Run a streaming query over the available records, with progress."""

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql.streaming.query import StreamingQuery

from barnabas.spark.monitoring import lag
from barnabas.spark.workers.worker_retries import despite_late_workers

POLL_S = 1


@dataclass(frozen=True, slots=True)
class PipelineProgress:
    """The progress of a pipeline. `left`: the number of remaining records, as far as known."""

    step: str
    batches: int
    records: int
    left: int = 0


OnProgress = Callable[[PipelineProgress], object]


def ignore(_progress: PipelineProgress) -> None:
    """Ignore the progress of a pipeline."""


def run_available(
    step: str, start: Callable[[], StreamingQuery], on_progress: OnProgress
) -> PipelineProgress:
    """Run a query to its end; from its checkpoint again where Spark gave up on a late worker.

    Args:
        step: what the query does, for its progress.
        start: starts the query with `trigger(availableNow=True)`.
        on_progress: called in this thread about once a second, and at the end.

    Raises:
        PySparkException: the query failed.
    """
    seen: dict[int, int] = {}

    def run() -> PipelineProgress:
        query = start()
        try:
            while not query.awaitTermination(POLL_S):
                on_progress(_progress(step, query, seen))
        finally:
            query.stop()
        return _progress(step, query, seen)

    done = despite_late_workers(run)
    on_progress(done)
    return done


def _progress(step: str, query: StreamingQuery, seen: dict[int, int]) -> PipelineProgress:
    """Sum up Spark's reports of each batch; Spark keeps only the last hundred."""
    for report in query.recentProgress:
        if report.numInputRows:
            seen[report.batchId] = report.numInputRows
    return PipelineProgress(step, len(seen), sum(seen.values()), sum(lag(query).values()))
