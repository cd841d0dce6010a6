"""Spark's Python worker, which ends quietly when Spark needs no more of it.

A query that needs only the first rows (`show`, `limit`) closes the socket of its workers. Spark's
own worker then tries to report that over the closed socket, and prints a traceback that looks as
if the query had failed. For the setting `spark.python.worker.module`; its process is forked by
Spark's daemon, which takes only modules whose names start with "pyspark".
"""

import os
from importlib import import_module
from types import ModuleType
from typing import BinaryIO

from barnabas.spark.workers.daemon import WORKER, WORKER_MODULE


def main(infile: BinaryIO, outfile: BinaryIO) -> None:
    """Run one task, as Spark's own worker; ends the process where nobody reads what it writes.

    Args:
        infile: what Spark sends, a buffered reader; a process does many tasks over one socket.
        outfile: what Spark reads, a buffered writer.
    """
    if not infile.peek(1):  # type: ignore[attr-defined]
        os._exit(0)
    try:
        _module().main(infile, outfile)
    finally:
        try:
            outfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            os._exit(0)


def _module() -> ModuleType:
    """The module of Spark's that does the work: of tasks, or of planning."""
    name = os.environ.get(WORKER_MODULE, WORKER)
    return import_module("pyspark.worker" if name == WORKER else name)
