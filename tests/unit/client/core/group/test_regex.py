import re

import pytest

from barnabas.client.core.group.regex import regex_of


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (re.compile("animals-.*"), "animals-.*"),
        (re.compile("a.b", re.IGNORECASE | re.DOTALL), "(?is)a.b"),
        (re.compile("(?m)^a$"), "(?m)(?m)^a$"),
    ],
)
def test_flags_go_before_the_pattern(pattern: "re.Pattern[str]", text: str) -> None:
    assert regex_of(pattern) == text


def test_what_re2_cannot_express_is_refused() -> None:
    with pytest.raises(ValueError, match=r"re\.VERBOSE"):
        regex_of(re.compile("a b", re.VERBOSE))
