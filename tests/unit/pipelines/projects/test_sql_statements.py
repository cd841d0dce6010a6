"""Where a statement of SQL ends."""

import pytest

from barnabas.pipelines.projects.sql_statements import statements


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" ;; -- nothing; here\n", []),
        ("SELECT 1; SELECT 2 -- ; 3\n", ["SELECT 1", "SELECT 2"]),
        ("SELECT /* a; 'b */ 1", ["SELECT   1"]),
        ("SELECT /*+ BROADCAST(a) */ 1", ["SELECT /*+ BROADCAST(a) */ 1"]),
        ("SELECT ';--x'; SELECT 2", ["SELECT ';--x'", "SELECT 2"]),
        ('SELECT "a;\'--", `b;--`; SELECT 2', ['SELECT "a;\'--", `b;--`', "SELECT 2"]),
        (r"SELECT 'it\'s; --'; SELECT 'it''s;'", [r"SELECT 'it\'s; --'", "SELECT 'it''s;'"]),
        (r"SELECT r'\'; SELECT 2", [r"SELECT r'\'", "SELECT 2"]),
        ("SELECT 2 - -1, 4 / 2", ["SELECT 2 - -1, 4 / 2"]),
    ],
)
def test_statements(text: str, found: list[str]) -> None:
    assert list(statements(text)) == found
