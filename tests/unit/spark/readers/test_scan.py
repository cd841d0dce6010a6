"""Errors of a task: one sentence with a code, whatever was wrong below."""

from collections.abc import Iterator
from typing import Any

import pytest

from barnabas.errors import CorruptRecord, DecodeError, KafkaError, RequestTimeout
from barnabas.spark.errors import DamagedRecords, Unreachable
from barnabas.spark.options.read_options import read_options
from barnabas.spark.planner.ranges import ScanRange
from barnabas.spark.readers import scan
from barnabas.spark.readers.schema import project, source_schema


@pytest.mark.parametrize("lenient", ["true", "false"])
@pytest.mark.parametrize(
    ("error", "shown", "says"),
    [
        (
            CorruptRecord("batch at offset 51: its CRC is wrong"),
            DamagedRecords,
            r"\[BARNABAS_CORRUPT\] t-3: batch at offset 51: its CRC is wrong\. .*'endingOffsets'",
        ),
        (DecodeError("batch.length", 8, "49 or more"), DamagedRecords, r"\[BARNABAS_CORRUPT\] t-3"),
        (RequestTimeout("no answer"), Unreachable, r"\[BARNABAS_UNREACHABLE\] no answer"),
    ],
)
def test_what_cannot_be_read_is_a_sentence_with_a_code_and_is_never_skipped(
    monkeypatch: pytest.MonkeyPatch,
    error: KafkaError,
    shown: type[KafkaError],
    says: str,
    lenient: str,
) -> None:
    class Failing:
        def __init__(self, *_: Any, **__: Any) -> None: ...

        def read(self, *_: Any) -> Iterator[Any]:
            yield from ()
            raise error

    monkeypatch.setattr(scan, "RangeReader", Failing)
    given = {"kafka.bootstrap.servers": "h:1", "subscribe": "t", "failondataloss": lenient}
    schema = project(source_schema(include_headers=False, columns=None))
    reader = scan.Scan(read_options(given, "batch"), schema)
    with pytest.raises(shown, match=says):
        list(reader.read(ScanRange("t", 3, 0, 9)))
