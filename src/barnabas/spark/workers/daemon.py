"""Spark's daemon, which forks the Python processes of tasks and of planning, without its tracebacks.

Spark closes the socket of a process that it no longer needs: it has its result, the query needs only the
first rows, or a timeout has passed. Spark's own daemon and workers then print a BrokenPipeError although the
result is right. The daemon runs as `python -m pyspark_barnabas.daemon MODULE`.
"""

import os
import sys
import traceback
from typing import Final

from pyspark import daemon

WORKER: Final = "pyspark_barnabas.worker"
WORKER_MODULE: Final = "BARNABAS_SPARK_WORKER"
"""The environment variable that names the module for `worker` to run."""

_LEFT: Final = (BrokenPipeError, ConnectionResetError)


class Tracebacks:
    """The part of `traceback` that the daemon uses."""

    format_exc = staticmethod(traceback.format_exc)

    @staticmethod
    def print_exc() -> None:
        """Print the present exception, unless it only means that Spark has closed the socket."""
        if not isinstance(sys.exc_info()[1], _LEFT):
            traceback.print_exc()


def main() -> None:
    """Run Spark's daemon until Spark closes stdin; `sys.argv[1]` names the module of the workers."""
    os.environ[WORKER_MODULE] = sys.argv[1]
    sys.argv[1] = WORKER
    vars(daemon)["traceback"] = Tracebacks
    daemon.manager()
