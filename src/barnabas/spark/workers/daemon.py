"""Spark's daemon, which forks the Python processes of tasks and of planning, without its tracebacks.

Spark closes the socket of a process that it needs no more: it has what it asked for, the query wants
only the first rows, or it did not wait any longer. Spark's own daemon and workers then print a
BrokenPipeError beside a right result. The daemon runs as `python -m pyspark_barnabas.daemon MODULE`.
"""

import os
import sys
import traceback
from typing import Final

from pyspark import daemon

WORKER: Final = "pyspark_barnabas.worker"
WORKER_MODULE: Final = "BARNABAS_SPARK_WORKER"
"""The variable in which `worker` finds the module that Spark wanted to run."""

_LEFT: Final = (BrokenPipeError, ConnectionResetError)


class Tracebacks:
    """What the daemon uses of `traceback`."""

    format_exc = staticmethod(traceback.format_exc)

    @staticmethod
    def print_exc() -> None:
        """Print the exception that is handled, unless it says that Spark is gone."""
        if not isinstance(sys.exc_info()[1], _LEFT):
            traceback.print_exc()


def main() -> None:
    """Be Spark's daemon until Spark closes our stdin; `sys.argv[1]` names the module of workers."""
    os.environ[WORKER_MODULE] = sys.argv[1]
    sys.argv[1] = WORKER
    vars(daemon)["traceback"] = Tracebacks
    daemon.manager()
