import json
from types import SimpleNamespace

import pytest

from barnabas.errors import ConfigError
from barnabas.records.record_json import RecordToSend, from_json, to_json


def test_what_is_written_can_be_sent_again() -> None:
    record = SimpleNamespace(
        topic="dogs",
        partition=3,
        offset=17,
        timestamp=1_700_000_000_000,
        key="Häuptling".encode(),
        value=b"\xff\x00",
        headers=[("trace", b"1"), ("gone", None)],
    )
    line = to_json(record)
    assert json.loads(line)["offset"] == 17
    assert from_json(line.encode(), 1) == RecordToSend(
        record.key, record.value, record.headers, record.partition, record.timestamp
    )


def test_what_people_write_by_hand() -> None:
    line = b'{"value": {"name": "rex", "age": 3}, "headers": {"a": "b"}}'
    assert from_json(line, 1) == RecordToSend(None, b'{"name":"rex","age":3}', [("a", b"b")])
    assert from_json(b'{"key": "k", "value": null}', 1) == RecordToSend(b"k", None, [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "line 7 is not JSON"),
        (b"[1]", "line 7 must be an object"),
        (b'{"headers": 5}', "line 7: "),
        (b'{"headers": ["abc"]}', "line 7: "),
        (b'{"partition": "1"}', "line 7: partition must be a whole number"),
        (b'{"timestamp": true}', "line 7: timestamp must be a whole number"),
        (b'{"value": {"base64": "???"}}', "line 7: base64 must be"),
        (b'{"partition": -1}', "line 7: partition must be between 0 and 2147483647, not -1"),
        (b'{"timestamp": 9223372036854775808}', "line 7: timestamp must be between"),
        (b'{"headers": {"\\ud800": "v"}}', "line 7: .*surrogates not allowed"),
        (b'{"valu": "5"}', "line 7: a record has no field valu: did you mean value?"),
        (b'{"header": {"a": "b"}}', "line 7: a record has no field header: did you mean headers?"),
        (b'{"a": 1}', "line 7: a record has no field a: expected headers, key, offset"),
        (b"[" * 100_000, "line 7 is nested too deeply"),
    ],
)
def test_wrong_lines_are_named(line: bytes, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        from_json(line, 7)
