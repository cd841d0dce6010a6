"""The two queries go on from their checkpoints where Spark gave up on a slow start of Python."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException

from barnabas.pipelines import flights
from barnabas.pipelines.flights import FlightsOptions, FlightsProgress
from barnabas.spark.workers.worker_retries import STARTS, WORKER_LATE

OPTIONS = FlightsOptions(bootstrap_servers="h:1", parquet=Path("p"), work=Path("w"))


@dataclass
class Query:
    """Ends at once, or fails."""

    name: str
    batches: list[int]
    error: str | None = None
    stopped: bool = False

    def awaitTermination(self, _seconds: float) -> bool:  # noqa: N802
        if self.error:
            raise StreamingQueryException(self.error)
        return True

    def stop(self) -> None:
        self.stopped = True

    @property
    def recentProgress(self) -> list[SimpleNamespace]:  # noqa: N802
        return [SimpleNamespace(batchId=each, numInputRows=10) for each in self.batches]


@dataclass
class Started:
    """Every query in the order of its start."""

    delays_fail: list[str | None]
    queries: list[Query] = field(default_factory=list)

    def parquet(self, *_: object) -> Query:
        self.queries.append(Query("parquet", [0, 1]))
        return self.queries[-1]

    def delays(self, *_: object) -> Query:
        self.queries.append(Query("delays", [1], self.delays_fail.pop(0)))
        return self.queries[-1]


Start = Callable[..., Started]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Start:
    def made(*delays_fail: str | None) -> Started:
        started = Started(list(delays_fail))
        monkeypatch.setattr(flights, "start_parquet", started.parquet)
        monkeypatch.setattr(flights, "start_delays", started.delays)
        return started

    return made


def run() -> list[FlightsProgress]:
    return flights.run(None, OPTIONS, lambda _progress: None)  # type: ignore[arg-type]


def test_a_late_worker_is_waited_for_once_more(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    started = start(f"[STREAM_FAILED] {WORKER_LATE}", None)
    assert run() == [FlightsProgress("parquet", 2, 20), FlightsProgress("delays", 1, 10)]
    assert [query.name for query in started.queries] == ["parquet", "delays"] * 2
    assert all(query.stopped for query in started.queries)
    assert "too busy" in caplog.text


@pytest.mark.parametrize("errors", [[WORKER_LATE] * STARTS, ["another"]])
def test_the_last_time_or_another_error_is_the_end(start: Start, errors: list[str]) -> None:
    started = start(*errors)
    with pytest.raises(StreamingQueryException):
        run()
    assert not started.delays_fail
    assert all(query.stopped for query in started.queries)


def test_one_that_cannot_start_stops_the_one_that_has(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = start()

    def refused(*_: object) -> Query:
        raise AnalysisException("no such topic")

    monkeypatch.setattr(flights, "start_delays", refused)
    with pytest.raises(AnalysisException):
        run()
    (parquet,) = started.queries
    assert parquet.stopped
