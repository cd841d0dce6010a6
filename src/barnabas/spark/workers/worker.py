"""Spark's Python worker, which ends quietly when Spark no longer needs it.

A query that needs only the first rows (`show`, `limit`) closes the sockets of its workers. Spark's own worker
then tries to report that over the closed socket, and prints a traceback that looks as if the query had
failed. This module is for the setting `spark.python.worker.module`. Spark's daemon forks the process, and
accepts only modules whose names start with "pyspark".
"""

import os
from importlib import import_module
from types import ModuleType
from typing import BinaryIO

from barnabas.spark.workers.daemon import WORKER, WORKER_MODULE


def main(infile: BinaryIO, outfile: BinaryIO) -> None:
    """Run one task like Spark's own worker; end the process if Spark has closed the socket.

    Args:
        infile: a buffered reader of the socket, over which one process gets many tasks.
        outfile: a buffered writer of the socket.
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
    """Spark's module that does the work: for tasks, or for planning."""
    name = os.environ.get(WORKER_MODULE, WORKER)
    return import_module("pyspark.worker" if name == WORKER else name)
