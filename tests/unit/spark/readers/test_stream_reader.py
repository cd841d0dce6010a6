"""Stopping a stream: connections go, and where Spark has left, so does the process, quietly."""

import os
from typing import Any

import pytest

from barnabas.spark.errors import OffsetsError
from barnabas.spark.options.read_options import read_options
from barnabas.spark.readers.schema import project, source_schema
from barnabas.spark.readers.stream_reader import StreamReader


@pytest.fixture
def reader() -> StreamReader:
    options = read_options({"kafka.bootstrap.servers": "h:1", "subscribe": "t"}, "stream")
    return StreamReader(options, project(source_schema(include_headers=False, columns=None)))


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The codes that the process would have ended with."""
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    return codes


def stop_after(error: Exception, reader: StreamReader) -> None:
    """What Spark does when `error` came up: stop the reader, then tell Java of the error."""
    try:
        raise error
    finally:
        reader.stop()


def test_the_process_ends_where_spark_closed_its_socket(
    reader: StreamReader, ended: list[int]
) -> None:
    with pytest.raises(EOFError):
        stop_after(EOFError(), reader)
    assert ended == [0]


def test_an_error_still_goes_to_spark(reader: StreamReader, ended: list[int]) -> None:
    with pytest.raises(ValueError, match="what went wrong"):
        stop_after(ValueError("what went wrong"), reader)
    reader.stop()
    assert not ended


@pytest.mark.parametrize("kept", [{"logOffset": 0}, {"0": {"value": None}}, 7, "earliest"])
def test_a_checkpoint_of_another_source_is_refused(reader: StreamReader, kept: Any) -> None:
    with pytest.raises(OffsetsError, match="no offsets of topics: it is the checkpoint of another"):
        reader.partitions(kept, kept)
