import pytest

from barnabas.config.property_files import (
    PropertyText,
    file_properties,
    format_properties,
    merge,
    overrides,
    parse_properties,
    values,
)
from barnabas.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("a=b", ("a", "b")),
        ("  a : b ", ("a", "b ")),
        ("a b c", ("a", "b c")),
        ("a", ("a", "")),
        (r"a\ b\=c=d", ("a b=c", "d")),
        ("a=one,\\\n   two", ("a", "one,two")),
        (r"a=tab\tline\nback\\slash", ("a", "tab\tline\nback\\slash")),
        (r"a=\u0041\z", ("a", "Az")),
        ("a=b\\", ("a", "b")),
    ],
)
def test_entries_as_java_reads_them(text: str, entry: tuple[str, str]) -> None:
    assert [(key, value) for key, value, _ in parse_properties(text)] == [entry]


def test_comments_and_blank_lines_are_skipped_and_lines_counted() -> None:
    text = "# one\n\n! two = 2\na=\\\n  1\nb=2\n"
    assert list(parse_properties(text)) == [("a", "1", 4), ("b", "2", 6)]


def test_a_broken_escape_names_its_line() -> None:
    with pytest.raises(
        ConfigError, match=r"server.properties: line 2: \\u must be followed by four"
    ):
        file_properties("a=1\nb=\\u12", "server.properties")


def test_a_later_layer_wins_and_each_value_keeps_its_source() -> None:
    file = file_properties("log.dirs=x\nnode.id=1", "server.properties")
    merged = merge(file, overrides(["node_id=2"]))
    assert merged == {
        "log.dirs": PropertyText("x", "server.properties:1"),
        "node.id": PropertyText("2", "--set"),
    }
    assert values(merged) == {"log.dirs": "x", "node.id": "2"}


@pytest.mark.parametrize("pair", ["a", "=1", ""])
def test_an_override_needs_a_name_and_a_value(pair: str) -> None:
    with pytest.raises(ConfigError, match="name=value"):
        overrides([pair])


def test_what_is_written_is_parsed_again() -> None:
    given = {
        "plain": "localhost:9092",
        "a key = : # !": "",
        "blanks": "  before\tand after \x0c",
        "lines": "one\ntwo\r\n\u2028three\x85",
        "folder": "C:\\new\\",
        "comment": "#none",
        "jaas": 'Module required username="zoë" password="\N{PILE OF POO}";',
    }
    text = format_properties(given)
    assert {name: one.value for name, one in file_properties(text, "f").items()} == given
