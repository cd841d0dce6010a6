import traceback
from typing import Any, cast

import pytest

from barnabas.errors import DecodeError, LocalProtocolError
from barnabas.ports import File
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import Array, Int32, String, message
from barnabas.wire.send import FileSlice, RecordData, Send
from tests.unit.wire.shapes import Child, Cursor, Everything, Point

RECORDS = bytes(range(256)) * 8


def an_object(records: RecordData | None = RECORDS) -> Everything:
    return Everything(
        flag=True,
        tiny=-3,
        ratio=0.5,
        name="näme",
        alias="",
        data=b"\x00\x01",
        numbers=[1, -2, 3],
        maybe_names=["a", "b" * 200],
        points=[Point(x=1, y=2), Point(x=3, y=4)],
        children=[Child(name="c", records=records, points=[Point(x=5, y=6)])],
    )


@pytest.mark.parametrize("version", range(4))
def test_what_is_written_is_read_back(version: int) -> None:
    codec = Codec.of(Everything, version)
    written = codec.encode(an_object())
    read, end = codec.decode(b"before" + written, 6)
    assert end == len(written) + 6
    assert read == an_object()


def test_bytes_of_a_classic_version() -> None:
    small = Everything(
        flag=True, tiny=1, ratio=1.0, name="n", alias="a", data=b"d", numbers=[7],
        maybe_names=None, points=[Point(x=1, y=2)], children=None,
    )  # fmt: skip
    assert Codec.of(Everything, 0).encode(small).hex(" ", 1) == (
        "01 01 3f f0 00 00 00 00 00 00 "  # flag, tiny, ratio
        "00 01 6e 00 01 61 00 00 00 01 64 "  # name, alias, data
        "00 00 00 01 00 00 00 07 ff ff ff ff "  # numbers, maybe_names
        "00 00 00 01 00 00 00 01 00 02 ff ff ff ff"  # points, children
    )


def test_bytes_of_a_flexible_version() -> None:
    small = Everything(
        flag=False, tiny=1, port=2, ratio=1.0, name="n", alias=None, data=b"d", numbers=[7],
        maybe_names=None, points=[Point(x=1, y=2)], children=None,
        cursor=Cursor(name="c", index=1), limit=9, leader=Point(x=3, y=4, mark=5),
    )  # fmt: skip
    assert Codec.of(Everything, 3).encode(small).hex(" ", 1) == (
        "00 01 00 02 3f f0 00 00 00 00 00 00 "  # flag, tiny, port, ratio
        "02 6e 00 02 64 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "  # name, alias, data, id
        "02 00 00 00 07 00 01 "  # numbers, maybe_names, ids
        "02 00 00 00 01 00 02 00 00 "  # points, children
        "01 02 63 00 00 00 01 00 "  # cursor
        "02 01 08 00 00 00 00 00 00 00 09 "  # two tagged fields: limit
        "02 11 00 00 00 03 00 04 01 00 08 00 00 00 00 00 00 00 05"  # leader
    )


def test_records_are_views_of_what_was_read() -> None:
    codec = Codec.of(Everything, 3)
    frame = bytearray(codec.encode(an_object()))
    read, _ = codec.decode(frame)
    assert read.children is not None
    records = read.children[0].records
    assert isinstance(records, memoryview)
    assert records.obj is frame


def test_records_are_handed_over_not_copied() -> None:
    regions: list[bytes | FileSlice] = [RECORDS, FileSlice(cast("File", object()), 3, 4000)]
    send = Send()
    codec = Codec.of(Everything, 2)
    codec.write(an_object(regions), send)
    assert [part for part in send.parts if part in regions] == regions
    assert len(send) == len(codec.encode(an_object(bytes(len(RECORDS) + 4000))))
    with pytest.raises(LocalProtocolError, match="region of a file"):
        codec.encode(an_object(regions))


@pytest.mark.parametrize("version", [2, 3])
def test_unknown_tagged_fields_are_kept_at_every_level(version: int) -> None:
    codec = Codec.of(Everything, version)
    whole = an_object()
    assert whole.children is not None
    parts: list[Any] = [whole, whole.points[1], whole.children[0], whole.children[0].points[0]]
    for part in parts:
        part.unknown_tags = {9: b"nine", 1000: b""}
    read, _ = codec.decode(codec.encode(whole))
    assert read == whole
    assert read.points[1].unknown_tags == {9: b"nine", 1000: b""}  # type: ignore[attr-defined]
    assert codec.encode(read) == codec.encode(whole)


@pytest.mark.parametrize("version", range(4))
def test_a_cut_message_is_refused_at_every_byte(version: int) -> None:
    codec = Codec.of(Everything, version)
    written = codec.encode(an_object(b"rec"))
    for size in range(len(written)):
        with pytest.raises(DecodeError):
            codec.decode(written[:size])


@message(versions="0-1", flexible="1+")
class Listed:
    names: Array[String]
    rows: "Array[Row]"


@message(versions="0-1", flexible="1+")
class Row:
    index: Int32
    name: String


@pytest.mark.parametrize(
    ("version", "frame", "where", "offset", "expected"),
    [
        (0, "00000000 00000001 0000", "rows", 8, "a length that 2 more"),
        (0, "00000000 00000001 00000007 000961", "rows[0].name", 14, "a length that 1 more"),
        (0, "00000001 ffff 00000000", "names[0]", 6, "a value, not null"),
        (0, "00000001 fffe 00000000", "names[0]", 6, "a length, not -2"),
        (0, "00000002 000161 0002c328", "names[1]", 9, "UTF-8"),
        (0, "7fffffff 0000", "names", 4, "a length that 2 more bytes can hold, not 2147483647"),
        (0, "ffffffff", "names", 4, "a value, not null"),
        (1, "00", "names", 1, "a value, not null"),
        (1, "ffffffff7f", "names", 1, "an unsigned varint of at most 32 bits"),
        (1, "ffffffff0f", "names", 5, "a length that 0 more bytes can hold, not 4294967294"),
        (1, "01 02 00000007 0261 01 05 09", "rows[0].tagged fields", 9, "a length that 0 more"),
        (0, "0000", "names", 0, "more bytes; 2 are left"),
    ],
)
def test_errors_name_the_field_and_the_byte(
    version: int, frame: str, where: str, offset: int, expected: str
) -> None:
    with pytest.raises(DecodeError) as caught:
        Codec.of(Listed, version).decode(bytes.fromhex(frame))
    assert (caught.value.where, caught.value.offset) == (where, offset)
    assert caught.value.expected.startswith(expected)


def test_a_tagged_field_must_fill_its_size() -> None:
    codec = Codec.of(Everything, 3)
    whole: Any = an_object(b"")
    whole.unknown_tags = {1: bytes(9)}
    with pytest.raises(DecodeError, match=r"limit at byte \d+: a tagged field that ends at byte"):
        codec.decode(codec.encode(whole))


def test_values_that_do_not_fit_are_named() -> None:
    codec = Codec.of(Everything, 0)
    whole = an_object()
    whole.points[1].y = 70000
    with pytest.raises(LocalProtocolError, match=r"Everything v0 encode|write: .*points\[1\]\.y"):
        codec.encode(whole)
    whole = an_object()
    whole.alias = None
    with pytest.raises(LocalProtocolError, match="alias"):
        codec.encode(whole)


def test_versions_that_are_not_declared_are_refused() -> None:
    with pytest.raises(LocalProtocolError, match="Everything has no version 4"):
        Codec.of(Everything, 4)


def test_tracebacks_show_the_generated_line() -> None:
    whole = an_object()
    whole.tiny = "x"  # type: ignore[assignment]
    try:
        Codec.of(Everything, 0).encode(whole)
    except LocalProtocolError as caught:
        shown = "".join(traceback.format_exception(caught))
        assert "o0.flag, o0.tiny, o0.ratio" in shown
    else:
        pytest.fail("a string went into an int8")


def test_a_list_that_is_none_is_refused_behind_one_that_was_written() -> None:
    whole = an_object()
    assert whole.children is not None
    wrong: Any = True
    whole.children.append(Child(name="d", records=None, points=wrong))
    with pytest.raises(LocalProtocolError, match=r"children\[1\]\.points"):
        Codec.of(Everything, 1).encode(whole)
