import logging

import pytest
from pyspark.errors import PySparkException

from barnabas.demo.run import again_where_busy


class Queries:
    """Fail with these, one at each run."""

    def __init__(self, *failures: str) -> None:
        self.failures = list(failures)
        self.runs = 0

    def __call__(self) -> None:
        self.runs += 1
        if self.failures:
            raise PySparkException(self.failures.pop(0))


BUSY = "[STREAM_FAILED] Query terminated: Python worker failed to connect back."


def test_a_worker_that_came_too_late_is_waited_for_again(caplog: pytest.LogCaptureFixture) -> None:
    queries = Queries(BUSY)
    with caplog.at_level(logging.WARNING):
        again_where_busy(queries)
    assert queries.runs == 2
    (record,) = caplog.records
    assert "the machine is busy" in record.getMessage()


@pytest.mark.parametrize(
    ("failures", "runs"), [((BUSY, BUSY), 2), (("no such topic",), 1), ((), 1)], ids=str
)
def test_once_more_and_not_for_other_reasons(failures: tuple[str, ...], runs: int) -> None:
    queries = Queries(*failures)
    if failures:
        with pytest.raises(PySparkException, match=failures[-1].split("]")[-1].strip()):
            again_where_busy(queries)
    else:
        again_where_busy(queries)
    assert queries.runs == runs
