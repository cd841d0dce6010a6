"""Spark's daemon as we start it: silent when Spark leaves, not when something is wrong."""

import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRWPair
from typing import IO

import pytest

from barnabas.spark.workers.daemon import Tracebacks

SECONDS = 60
RESET = struct.pack("ii", 1, 0)


def number_from(stream: IO[bytes] | BufferedRWPair) -> int:
    """What Spark's `write_int` has written."""
    number: int = struct.unpack(">i", stream.read(4))[0]
    return number


@contextmanager
def daemon(module: str, worker: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A daemon, and the port at which Spark would ask it for processes."""
    hidden = {"PYTHON_UNIX_DOMAIN_ENABLED", "SPARK_PREFER_IPV6"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    process = subprocess.Popen(
        [sys.executable, "-m", module, worker],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment | {"PYTHON_WORKER_FACTORY_SECRET": "secret"},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            yield process, number_from(process.stdout)
        finally:
            process.stdin.close()
            process.wait(SECONDS)


def printed_where_spark_leaves(module: str) -> str:
    """What is printed where Spark closes the connection before the process has planned anything."""
    with daemon(module, "pyspark.sql.worker.plan_data_source_read") as (process, port):
        assert process.stderr is not None
        with socket.create_connection(("127.0.0.1", port)) as spark, spark.makefile("rwb") as both:
            number = number_from(both)
            both.write(struct.pack(">i", 6) + b"secret")
            both.flush()
            assert both.read(number_from(both)) == b"ok"
            spark.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        wait_for_the_end_of(number)
        assert process.stdin is not None
        process.stdin.close()
        return process.stderr.read().decode()


def wait_for_the_end_of(number: int) -> None:
    deadline = time.monotonic() + SECONDS
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.kill(number, 0)
            time.sleep(0.01)
        raise AssertionError(f"process {number} has not ended")


def test_nothing_is_printed_where_spark_needs_a_process_no_more() -> None:
    assert printed_where_spark_leaves("pyspark_barnabas.daemon") == ""
    assert "Traceback" in printed_where_spark_leaves("pyspark.daemon"), (
        "ours is not needed any more"
    )


def test_what_else_goes_wrong_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for error in (BrokenPipeError(), ConnectionResetError(), ValueError("a mistake")):
        try:
            raise error
        except type(error):
            Tracebacks.print_exc()
    reported = capsys.readouterr().err
    assert reported.count("Traceback") == 1
    assert "ValueError: a mistake" in reported
