"""What differs as a sentence."""

from typing import Any

import pytest

from barnabas.pipelines.comparisons.comparison import ComparedTopic, Comparison, compare
from barnabas.pipelines.comparisons.differences import Difference
from barnabas.pipelines.errors import PipelineRefused, RecordsDiffer
from barnabas.pipelines.sides import TopicSide
from barnabas.pipelines.topic_frames import ClusterAddress


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


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        (["a"], ["a", "b"], "^a, b at x:1 has b as well, and a at x:1 has not"),
        (["a", "b"], ["a"], "^a at x:1 has no topic b"),
        (["a", "b"], ["a", "c"], "^a, c at x:1 has no topic b"),
    ],
)
def test_a_topic_that_one_side_has_alone_is_refused(
    source: list[str], target: list[str], words: str
) -> None:
    nothing: Any = None
    cluster = ClusterAddress(bootstrap_servers="x:1")
    with pytest.raises(PipelineRefused, match=words):
        compare(nothing, TopicSide(cluster, source), TopicSide(cluster, target))
