"""Decode formatted values into a typed column; a bad value fails, becomes null, or goes to a topic."""

from collections.abc import Mapping
from typing import Any, Protocol

from barnabas.spark.errors import BadValue
from barnabas.spark.options.formats import Formats
from barnabas.spark.values.decoded import Decoded
from barnabas.types import TopicPartition


class BadRecordSink(Protocol):
    """Takes bad records; `dead_letters` sends them to a topic."""

    def send(self, columns: Mapping[str, Any], decoded: Decoded) -> None:
        """Store the records of all bad rows; return when they are stored."""
        ...


class Decoding:
    """Decodes the values of one partition; `letters` is set if bad records go to a topic."""

    def __init__(
        self, formats: Formats, where: TopicPartition, letters: BadRecordSink | None
    ) -> None:
        assert formats.values is not None, "there is something to decode"
        self._format = formats.values
        self._letters = letters
        self._fails = formats.bad == "fail"
        self._where = where

    def decode(self, columns: Mapping[str, Any], count: int) -> tuple[Mapping[str, Any], int]:
        """Return the columns with decoded values, and the number of remaining rows.

        Raises:
            BadValue: a value is invalid, and that is an error; the message names the first one.
            WriteRefused, Unreachable: bad records could not be sent.
        """
        decoded = self._format.decode(columns["value"])
        done = {**columns, "value": decoded.column}
        if not decoded.bad:
            return done, count
        if self._fails:
            first = decoded.bad[0]
            place = f"{self._where.topic}-{self._where.partition}"
            offset = columns["offset"][first].as_py()
            raise BadValue(f"{place}, offset {offset}: {decoded.why(first)}")
        if self._letters is None:
            return done, count
        self._letters.send(columns, decoded)
        return _without(done, decoded.bad, count)


def _without(columns: Mapping[str, Any], rows: Any, count: int) -> tuple[Mapping[str, Any], int]:
    import numpy as np
    import pyarrow as pa

    left = np.delete(np.arange(count), list(rows))
    index = pa.array(left)
    return {name: each.take(index) for name, each in columns.items()}, len(left)
