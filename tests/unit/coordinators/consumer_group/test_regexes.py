import pytest

from barnabas.coordinators.consumer_group.regexes import matching
from barnabas.errors import BrokerError, ErrorCode

NAMES = ["cats", "dogs", r"a\C", "Cat"]


@pytest.mark.parametrize("regex", [r"\C", r"d\Cgs", r"\\\C", r"\Qd\E\C.*", r"[\C]"])
def test_a_byte_of_a_character_is_no_expression(regex: str) -> None:
    with pytest.raises(BrokerError) as caught:
        matching(regex, NAMES)
    assert caught.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION


@pytest.mark.parametrize(
    ("regex", "found"),
    [(r"a\\C", r"a\C"), (r"\Qa\C\E", r"a\C"), (r"\Qa\C", r"a\C"), ("C.*", "Cat"), ("d.*", "dogs")],
)
def test_what_only_looks_like_it_is_one(regex: str, found: str) -> None:
    assert matching(regex, NAMES) == {found}
