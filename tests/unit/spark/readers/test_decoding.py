from typing import Any

import pyarrow as pa
import pytest

from barnabas.spark.errors import BadValue
from barnabas.spark.options.formats import Formats
from barnabas.spark.readers.decoding import Decoding
from barnabas.spark.values.avro_format import AvroFormat
from barnabas.spark.values.avro_schema import avro_schema
from barnabas.types import TopicPartition

INTS = AvroFormat(avro_schema('"int"'))
COLUMNS: dict[str, Any] = {
    "offset": pa.array([10, 11, 13, 17]),
    "value": pa.array([b"\2", b"", None, b"\4"], pa.binary()),
}
WHERE = TopicPartition("dogs", 3)


class Letters:
    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, columns: Any, decoded: Any) -> None:
        self.sent += [(columns["offset"][row].as_py(), decoded.why(row)) for row in decoded.bad]


def test_the_first_bad_value_is_an_error_that_names_its_place() -> None:
    says = r"BARNABAS_VALUE. dogs-3, offset 11: the value \(0 bytes\) is not what 'valueSchema'"
    with pytest.raises(BadValue, match=says):
        Decoding(Formats(values=INTS), WHERE, None).decode(COLUMNS, 4)


def test_bad_values_are_null() -> None:
    columns, count = Decoding(Formats(values=INTS, bad="null"), WHERE, None).decode(COLUMNS, 4)
    assert (columns["value"].to_pylist(), count) == ([1, None, None, 2], 4)


def test_bad_records_are_put_aside_and_leave_no_row() -> None:
    letters = Letters()
    formats = Formats(values=INTS, bad="topic", bad_topic="bad")
    columns, count = Decoding(formats, WHERE, letters).decode(COLUMNS, 4)
    assert (columns["value"].to_pylist(), count) == ([1, None, 2], 3)
    assert columns["offset"].to_pylist() == [10, 13, 17]
    assert letters.sent == [(11, "the value (0 bytes) is not what 'valueSchema' says")]
