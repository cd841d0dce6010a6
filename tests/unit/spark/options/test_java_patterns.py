"""Patterns of Java's for names of topics. `tests/spark/batch/test_java_regex.py` asks Java itself."""

import re

import pytest

from barnabas.spark.options.java_patterns import python_pattern


@pytest.mark.parametrize(
    ("java", "names", "others"),
    [
        (r"\p{Alpha}+", ["abc", "Z"], ["a1", "a-b", ""]),
        (r"\P{Alpha}+", ["12", "1_2.3"], ["1a"]),
        (r"[\p{Upper}\d]+", ["A1", "7"], ["a", "-"]),
        (r"[^\p{Digit}]+", ["a-b"], ["a1"]),
        (r"\pL\p{IsDigit}*", ["x12"], ["12"]),
        (r"a\p{Space}?b", ["ab"], ["a.b"]),
        (r"\Qa.b\E[.]c", ["a.b.c"], ["axb.c"]),
        (r"(?<kind>dog|cat)-\k", [], []),
        (r"(?<kind>dog|cat)s", ["dogs"], ["cows"]),
        (r"[]a]+|[^]]b", ["a", "xb"], ["b"]),
        (r"flights-\d{4}\z", ["flights-2013"], ["flights-13"]),
        (r"a*+b", ["aab"], ["aac"]),
    ],
)
def test_what_java_matches_python_matches(java: str, names: list[str], others: list[str]) -> None:
    if r"\k" in java:
        with pytest.raises(re.error):
            python_pattern(java)
        return
    pattern = re.compile(python_pattern(java))
    assert [name for name in names if not pattern.fullmatch(name)] == []
    assert [name for name in others if pattern.fullmatch(name)] == []


@pytest.mark.parametrize(
    ("java", "says"),
    [
        ("[a-z&&[^b]]", "no && within"),
        ("[a[bc]]", r"no \[ within"),
        (r"\p{Greek}+", "class 'Greek' is not known here; there are Lower, Upper"),
        (r"\p{}", "class '' is not known"),
        ("(", "missing|unterminated"),
        (r"\h", "bad escape"),
    ],
)
def test_what_python_would_read_otherwise_is_refused(java: str, says: str) -> None:
    with pytest.raises((ValueError, re.error), match=says):
        python_pattern(java)
