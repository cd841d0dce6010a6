import re

import pytest

from barnabas.client.core.arguments.list_arguments import chosen, listed, mapped
from barnabas.errors import InvalidArgument


def test_anything_that_can_be_gone_through_is_a_list() -> None:
    assert listed("x", (name for name in "ab"), str, "['a']") == ["a", "b"]
    assert listed("x", {"a"}, str, "['a']") == ["a"]
    assert mapped("x", {"a": 1}, "{'a': 1}", int) == {"a": 1}


@pytest.mark.parametrize("odd", ["ab", b"ab", 5, None, {"a": 1}])
def test_one_text_is_not_a_list_of_its_letters(odd: object) -> None:
    with pytest.raises(TypeError, match=re.escape(f"x takes a list, as ['a'], not {odd!r}")):
        listed("x", odd, str, "['a']")  # type: ignore[arg-type]


def test_what_a_list_may_not_hold_is_named() -> None:
    with pytest.raises(TypeError, match="not 5"):
        listed("x", ["a", 5], str, "['a']")
    with pytest.raises(TypeError, match=r"x takes a mapping, as \{'a': 1\}, not \['a'\]"):
        mapped("x", ["a"], "{'a': 1}")  # type: ignore[arg-type]


@pytest.mark.parametrize("odd", ["3", None, True, 3.0])
def test_values_of_another_kind_are_refused(odd: object) -> None:
    with pytest.raises(TypeError, match="for 'a'"):
        mapped("x", {"a": odd}, "{'a': 1}", int)


def test_words_that_there_are_may_be_written_in_any_case() -> None:
    assert chosen("x", "state", ["empty", "STABLE"], ("Stable", "Empty")) == ["Empty", "Stable"]
    assert chosen("x", "state", (), ("Stable",)) == []
    with pytest.raises(
        InvalidArgument, match="^x: 'Emty' is not a state; expected one of Stable, Empty$"
    ):
        chosen("x", "state", ["stable", "Emty"], ("Stable", "Empty"))
    with pytest.raises(TypeError, match=re.escape("x takes a list, as ['Stable'], not 'Empty'")):
        chosen("x", "state", "Empty", ("Stable", "Empty"))
