"""Spark's worker as we start it: quiet at the end, otherwise Spark's own."""

import io
import os
import socket
from typing import BinaryIO

import pytest
from pyspark import worker as sparks_own

from barnabas.spark.workers import worker


class Ended(BaseException):
    """The process would be gone."""


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_code: int) -> None:
        raise Ended

    monkeypatch.setattr(os, "_exit", end)


def test_a_closed_socket_ends_the_process_and_no_task_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[object] = []
    monkeypatch.setattr(sparks_own, "main", lambda *files: begun.append(files))
    with pytest.raises(Ended):
        worker.main(io.BufferedReader(io.BytesIO(b"")), io.BytesIO())
    assert not begun


def test_a_task_gets_all_bytes_and_its_errors_come_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def task(infile: BinaryIO, outfile: BinaryIO) -> None:
        outfile.write(infile.read())
        raise SystemExit(255)

    monkeypatch.setattr(sparks_own, "main", task)
    written = io.BytesIO()
    with pytest.raises(SystemExit):
        worker.main(io.BufferedReader(io.BytesIO(b"task")), written)
    assert written.getvalue() == b"task"


def test_nobody_left_to_read_the_answer_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparks_own, "main", lambda _, outfile: outfile.write(b"answer"))
    here, there = socket.socketpair()
    there.close()
    with here, here.makefile("wb") as outfile:
        with pytest.raises(Ended):
            worker.main(io.BufferedReader(io.BytesIO(b"task")), outfile)
        with pytest.raises(BrokenPipeError):
            outfile.close()
