"""Retry work that failed because a Python process was slow to start.

Spark waits ten seconds for a Python process to start, and no setting changes that. On a busy machine this
makes a query fail that would succeed a moment later: a stream then continues from its checkpoint, and a batch
read starts over. Do not use this for a batch write: its rows could be written twice.
"""

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

log = logging.getLogger(__name__)

WORKER_LATE: Final = "Python worker failed to connect back"
"""Spark's message when a Python process needs more than ten seconds to start."""

STARTS: Final = 3

_Result = TypeVar("_Result")


def despite_late_workers(work: Callable[[], _Result], starts: int = STARTS) -> _Result:
    """Return the result of `work`; call it again if a Python process started too late.

    Args:
        work: starts a query and waits for its end; it has a checkpoint, or only reads.
        starts: how often it is called at most.

    Raises:
        PySparkException, Py4JJavaError: from `work`, for another reason, or after the last start.
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
