"""What differs as a sentence."""

import pytest

from barnabas.pipelines.comparison import ComparedTopic, Comparison
from barnabas.pipelines.differences import Difference
from barnabas.pipelines.errors import RecordsDiffer


def test_equal_sides_pass() -> None:
    Comparison("a", "b", [ComparedTopic("t", 0, 3, 3, equal=True)], []).check()


def test_counts_and_first_records_are_named() -> None:
    parts = [
        ComparedTopic("t", 0, 3, 2, equal=False),
        ComparedTopic("t", 1, 3, 3, equal=False),
        ComparedTopic("t", 2, 3, 3, equal=True),
    ]
    differences = [
        Difference("t", "missing", 0, 7, None, None, b"k"),
        Difference("t", "order", 1, 1, 1, 2, None),
    ]
    with pytest.raises(RecordsDiffer) as raised:
        Comparison("the archive a", "t at b:1", parts, differences).check()
    assert str(raised.value) == (
        "t at b:1 differs from the archive a: t-0 has 2 of 3 records; the source's t-0 offset 7 is "
        "missing; the source's t-1 offset 1 has another record in its place, at t-1 offset 2. "
        "`barnabas compare` lists more"
    )
