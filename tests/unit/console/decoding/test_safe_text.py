"""What a browser would hide or obey is seen."""

import pytest

from barnabas.console.decoding.safe_text import is_text, text_of, visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Häuptling 犬 🐕\tx\n", "Häuptling 犬 🐕\tx\n"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2066b\u200b\ufeff", "a\\u2066b\\u200b\\ufeff"),
        ("\x00\x1b[31m\r", "\\x00\\x1b[31m\\x0d"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
    ],
)
def test_invisible_characters_are_escapes(text: str, seen: str) -> None:
    assert visible(text) == seen


@pytest.mark.parametrize(
    ("data", "most", "text"),
    [
        (b"rex", 10, "rex"),
        (b"\xffrex\xc3", 20, "\\xffrex\\xc3"),
        ("ä".encode() * 10, 3, "äää"),
        ("犬".encode() * 10, 4, "犬犬犬犬"),
        (b"a" * 50, 5, "aaaaa"),
    ],
)
def test_bytes_that_are_no_text_are_escapes(data: bytes, most: int, text: str) -> None:
    assert text_of(data, most) == text


def test_a_cut_goes_around_a_character() -> None:
    for size in range(1, 20):
        assert set(text_of("犬".encode() * 30, size)) == {"犬"}


@pytest.mark.parametrize("data", [b"", b"a\tb\n", "ä".encode()])
def test_text_is_what_people_write(data: bytes) -> None:
    assert is_text(data)


@pytest.mark.parametrize("data", [b"\xff", b"\0", b"a\x1b[0m"])
def test_control_characters_are_no_text(data: bytes) -> None:
    assert not is_text(data)
