"""Paths to a part of a document, and comparisons with it."""

import pytest
from starlette.exceptions import HTTPException

from barnabas.console.records.value_condition import condition_of

DOCUMENT = {
    "weight": 300,
    "name": "rex",
    "number": "5",
    "count": 5,
    "ok": True,
    "none": None,
    "when": "2024-05-01",
    "b.c": 2,
    "list": [{"x": 1}, [7]],
    "two words": 1,
}


@pytest.mark.parametrize(
    "text",
    [
        "weight", "weight=300", "weight = 300", "weight==300", "weight>290", "weight>=300",
        "weight<300.5", "weight<=300", "weight!=299", "$.weight=300", "name=rex", 'name="rex"',
        "name!=tom", "name>red", "number=5", 'number="5"', "count=5", "ok=true", "none=null",
        "when>2024-04-30", 'when<"2024-06"', '["b.c"]=2', "['b.c']=2", '$["b.c"]>1',
        "list[0].x=1", "list.0.x=1", "list[1][0]=7", "two words=1", "name>5",
    ],
)  # fmt: skip
def test_a_part_that_fits(text: str) -> None:
    assert condition_of(text).fits(DOCUMENT)


@pytest.mark.parametrize(
    "text",
    [
        "weight>300", "weight=29", "weight>heavy", "name<5", "ok=1", "count=true", 'count="5"',
        "list[2]", "list[0].y", "b.c=2", "none>0", "absent", "absent!=1", "ok>0",
    ],
)  # fmt: skip
def test_a_part_that_does_not(text: str) -> None:
    assert not condition_of(text).fits(DOCUMENT)


@pytest.mark.parametrize(
    "text",
    ["a..b", ".", "a.", "=1", "a[x]=1", "a[0", "a!1", "a~1[", '["a', '["\\x"]=1', "a b[0]c=1"],
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(HTTPException) as refused:
        condition_of(text)
    assert refused.value.detail.startswith("json")
