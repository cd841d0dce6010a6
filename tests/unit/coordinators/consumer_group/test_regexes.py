import gc
import sys

import pytest

from barnabas.coordinators.consumer_group.regexes import Expression, compiled, long_work, matching
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


@pytest.mark.parametrize(
    ("regex", "found"),
    [
        (r"(?P<n>d)(?<m>o)(gs)", "dogs"),
        (r"(?P<n>[](?P<m>]*C)(at)", "Cat"),
        (r"(?P<n>[[:alpha:](?<m>]+)ts", "cats"),
        (r"(?P<n>a)\\\QC\E(?<m>)", r"a\C"),
        (r"\Q(?P<n>\E(?P<n>x)", "(?P<n>x"),
        (r"\(\?P<n>x", "(?P<n>x"),
        (r"[\](?P<n>]\?(?P<é>P<n>)x", "(?P<n>x"),
    ],
)
def test_groups_may_have_names(regex: str, found: str) -> None:
    names = [*NAMES, "(?P<n>x"]
    assert matching(regex, names) == {found}


@pytest.mark.parametrize("regex", ["(?P<n>a)(?P<n>b)", "(?<n>a)(b)(?P<m>c)(?P<n>)"])
def test_two_groups_of_one_name_are_no_expression(regex: str) -> None:
    with pytest.raises(BrokerError, match="two groups have the same name"):
        matching(regex, NAMES)


@pytest.mark.parametrize(
    ("regex", "why"),
    [
        ("[a-z]" * 20_000, "it has 100000 characters, and 65536 are the most"),
        (r"\pL" * 257, "it has 257 classes of Unicode and counted repeats, and 256 are the most"),
        ("(" * 60_000, "missing"),
    ],
)
def test_what_is_too_much_is_refused_and_not_quoted_whole(regex: str, why: str) -> None:
    with pytest.raises(BrokerError, match=why) as refused:
        compiled(regex)
    assert refused.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert len(str(refused.value)) < 600


def test_what_is_refused_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    no_expression = "(refused|twice"
    with pytest.raises(BrokerError) as first:
        compiled(no_expression)
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(BrokerError) as again:
        compiled(no_expression)
    assert str(again.value) == str(first.value)
    assert again.value is not first.value


def test_groups_are_not_followed_through_the_text() -> None:
    named = "".join(f"(?P<n{number}>" for number in range(2000))
    for groups in "(" * 2000, named:
        assert compiled(groups + ")" * 2000).at_once == compiled("").at_once


def test_only_new_names_are_matched(monkeypatch: pytest.MonkeyPatch) -> None:
    expression = compiled("(c|d)o.*")
    assert expression.among(frozenset({"cow", "cat"})) == {"cow"}
    seen: list[str] = []

    def matches(_self: object, name: str) -> bool:
        seen.append(name)
        return False

    monkeypatch.setattr(Expression, "matches", matches)
    assert expression.among(frozenset({"cow", "cat"})) == {"cow"}
    assert expression.among(frozenset({"cow", "dog"})) == {"cow"}
    assert seen == ["dog"]
    assert expression.among(frozenset({"dog"})) == set()
    assert expression.among(frozenset()) == set()


def test_what_takes_long_is_matched_in_steps() -> None:
    slow = "(?:.?){1000}s"
    names = frozenset(f"{number}s" for number in range(50))
    assert long_work(["d.*", "("], names) is None
    work = long_work(["(", slow], names)
    assert work is not None
    steps = work.steps()
    next(steps)
    # Somebody else asks meanwhile.
    assert compiled(slow).among(frozenset({"0s", "dog"})) == {"0s"}
    assert 3 < len(list(steps)) < 50
    assert long_work([slow], names) is None
    assert matching(slow, names) == names


def test_what_was_learned_is_kept_though_the_cache_has_others_now() -> None:
    slow = "(?:.?){1000}t"
    names = frozenset(f"{number}t" for number in range(20))
    work = long_work([slow], names)
    assert work is not None
    for number, _ in enumerate(work.steps()):
        for other in range(300):
            compiled(f"{number} {other}")
    assert compiled(slow) is work.expressions[0]
    assert long_work([slow], names) is None


def test_few_programs_are_kept_for_many_expressions() -> None:
    """Of each 0.3 MB were kept, so that 300 groups with an expression each took 73 MB."""
    kept = [compiled(f"kept{number}.*") for number in range(200)]
    gc.collect()
    programs = [one for one in gc.get_objects() if type(one).__qualname__ == "_Regexp"]
    assert len(programs) < 50
    names = frozenset(f"kept{number}" for number in range(200))
    assert all(f"kept{number}" in one.among(names) for number, one in enumerate(kept))
