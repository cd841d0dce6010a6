"""A value as a person can read it."""

import pytest

from barnabas.console.decoding.value_view import ValueDecoder, hex_view


@pytest.mark.parametrize(
    ("data", "text", "shown_as"),
    [
        (b'{"a": 1}', '{"a": 1}', "JSON"),
        (b"{no json", "{no json", "text"),
        (b"plain", "plain", "text"),
        (b"", "", "text"),
        (b"almost \xff text", "almost \\xff text", "text"),
        (bytes(4), "00000000  00 00 00 00                                      ....", "hex"),
        ("ä".encode() * 1000, "ä" * 100, "text"),
    ],
)
def test_a_format_is_found(data: bytes, text: str, shown_as: str) -> None:
    found = ValueDecoder().view(data, 100)
    assert found is not None
    assert (found.text, found.shown_as, found.size) == (text, shown_as, len(data))
    assert found.is_cut == (len(data) > 100)


def test_null_is_no_value() -> None:
    assert ValueDecoder().view(None, 100) is None


def test_what_is_no_json_says_where() -> None:
    found = ValueDecoder("json").view(b'{"a": }', 100)
    assert found is not None
    assert found.problem.startswith("not JSON: ")
    assert found.text == '{"a": }'


def test_indents_do_not_make_a_page_of_a_million_lines() -> None:
    # 500 levels around a list, whose items would each be indented by a thousand spaces.
    deep = b"[" * 500 + b",".join([b"1"] * 100_000) + b"]" * 500
    found = ValueDecoder("json").view(deep, 10_000, pretty=True)
    assert found is not None
    assert len(found.text) == 10_000
    assert found.is_cut


def test_what_is_nested_too_deeply_is_text() -> None:
    found = ValueDecoder("json").view(b"[" * 100_000 + b"]" * 100_000, 50, pretty=True)
    assert found is not None
    assert found.shown_as == "text"
    assert "deeply" in found.problem


def test_hexadecimal_has_offsets_and_letters() -> None:
    found = hex_view(b"0123456789abcdefXY", 1000)
    assert found.text.splitlines() == [
        "00000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef",
        "00000010  58 59                                            XY",
    ]
    assert hex_view(bytes(1000), 100).is_cut
