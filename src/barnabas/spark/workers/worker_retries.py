"""Retry work that failed because a Python process was slow to start.

Spark gives a Python process ten seconds, and no setting changes that. On a machine that is busy a
query fails by it that would do well a moment later: a stream goes on from its checkpoint, a batch
read reads again. A write that is no stream is not for this: its rows could be written twice.
"""

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

log = logging.getLogger(__name__)

WORKER_LATE: Final = "Python worker failed to connect back"
"""What Spark says where a Python process needs more than the fixed ten seconds to start."""

STARTS: Final = 3

_Result = TypeVar("_Result")


def despite_late_workers(work: Callable[[], _Result], starts: int = STARTS) -> _Result:
    """What `work` returns, which is called again where a Python process was late, and only there.

    Args:
        work: starts a query and waits for its end; it has a checkpoint, or only reads.
        starts: how often it is called at most.

    Raises:
        PySparkException, Py4JJavaError: as `work`, for another reason or for the last time.
    """
    for start in range(1, starts):
        try:
            return work()
        except (PySparkException, Py4JJavaError) as error:
            if WORKER_LATE not in str(error):
                raise
            log.warning(
                "the machine is too busy to start Python within Spark's ten seconds: "
                "starting again, %d of %d", start + 1, starts,
            )  # fmt: skip
    return work()
