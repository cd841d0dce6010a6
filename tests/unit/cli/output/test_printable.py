import pytest

from barnabas.cli.output.printable import printable, printable_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("Größe 狗", "Größe 狗"),
        ("e\x1b[31mred\tt", r"e\x1b[31mred\tt"),
        ("a\nb\r", r"a\nb\r"),
        ("half \ud83d", r"half \ud83d"),
        ("it's \x07", r"it's \x07"),
        ("left\u202eright", r"left\u202eright"),
    ],
)
def test_what_cannot_be_seen_is_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_lines_of_ours_stay_lines() -> None:
    assert printable_lines("one\n\x1btwo\n") == "one\n\\x1btwo\n"
