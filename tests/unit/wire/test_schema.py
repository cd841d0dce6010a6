import pickle
from typing import cast

import pytest

from barnabas.wire.schema import maker
from tests.unit.wire.shapes import Everything, Point


def test_objects_are_made_with_keywords_and_have_defaults() -> None:
    assert Point(x=1, y=2).mark == 7
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'y'"):
        Point(x=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(x=1, y=2, z=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("make", [Point, maker(Point)])
def test_a_maker_makes_what_the_class_does(make: type[Point]) -> None:
    made = make(x=1, y=2)
    assert type(made) is Point
    assert made == Point(x=1, y=2, mark=7)
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'y'"):
        make(x=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        make(x=1, y=2, z=3)  # type: ignore[call-arg]


def test_objects_have_only_their_fields() -> None:
    with pytest.raises(AttributeError):
        cast("Everything", Point(x=1, y=2)).tiny = 1


def test_objects_compare_by_value_and_say_what_they_hold() -> None:
    assert Point(x=1, y=2) == Point(x=1, y=2)
    assert Point(x=1, y=2) != Point(x=1, y=3)
    assert repr(Point(x=1, y=2)) == "Point(x=1, y=2, mark=7)"
    assert pickle.loads(pickle.dumps(Point(x=1, y=2))) == Point(x=1, y=2)


def test_lists_made_by_default_are_not_shared() -> None:
    def one() -> Everything:
        return Everything(
            flag=True, tiny=0, ratio=0, name="", alias="", data=b"", numbers=[], maybe_names=None,
            points=[], children=None,
        )  # fmt: skip

    first, second = one(), one()
    first.ids.append(bytes(16))
    assert second.ids == []
    made = maker(Everything)(
        flag=True, tiny=0, ratio=0, name="", alias="", data=b"", numbers=[], maybe_names=None,
        points=[], children=None,
    )  # fmt: skip
    assert made == second
    assert made.ids is not second.ids
