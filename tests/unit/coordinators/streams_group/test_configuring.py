import pytest

from barnabas.coordinators.streams_group.configuring import configure
from barnabas.coordinators.streams_group.statuses import StatusCode
from barnabas.coordinators.streams_group.topology import read_topology
from barnabas.errors import BrokerError, ErrorCode
from tests.unit.coordinators.some_topics import SomeTopics
from tests.unit.coordinators.streams_group.a_topology import internal, part, topology

COUNTING = topology(
    part("0", "words", writes=["by-word"]),
    part("1", reads=[internal("by-word")], keeps=["counts"]),
)


def test_internal_topics_are_as_wide_as_what_is_written_into_them() -> None:
    found = configure(COUNTING, SomeTopics(words=4))
    assert found.problem is not None
    assert found.problem.code is StatusCode.MISSING_INTERNAL_TOPICS
    assert {one.info.name: one.partitions for one in found.missing} == {"by-word": 4, "counts": 4}
    ready = configure(COUNTING, SomeTopics(**{"words": 4, "by-word": 4, "counts": 4}))
    assert (ready.problem, ready.tasks) == (None, {"0": 4, "1": 4})


def test_a_chain_is_worked_out_from_its_source_on() -> None:
    chain = topology(
        part("2", reads=[internal("b")], keeps=["store"]),
        part("1", "other", reads=[internal("a")], writes=["b"]),
        part("0", "words", writes=["a"]),
    )
    found = configure(chain, SomeTopics(words=3, other=5))
    assert found.counts == {"a": 3, "b": 5, "store": 5}


def test_source_topics_that_are_missing_are_named() -> None:
    lacking = topology(part("0", "a", "b", "c", "d", "e"))
    found = configure(lacking, SomeTopics(c=1)).problem
    assert found == (
        StatusCode.MISSING_SOURCE_TOPICS,
        "Source topics a, b, d and 1 additional topics are missing.",
    )


@pytest.mark.parametrize(
    ("joined", "topics", "counts"),
    [
        (part("0", "a", "b", copartitioned=True), {"a": 2, "b": 2}, {}),
        (part("0", "a", "b", copartitioned=True), {"a": 2, "b": 3}, None),
        (part("0", "a", reads=[internal("r")], copartitioned=True), {"a": 2}, {"r": 2}),
        (part("0", "a", reads=[internal("r", 3)], copartitioned=True), {"a": 2}, None),
        (part("0", "a", keeps=["s"]), {"a": 2, "s": 3}, None),
    ],
)
def test_topics_that_belong_together_are_as_wide(
    joined: object, topics: dict[str, int], counts: dict[str, int] | None
) -> None:
    writing = part("1", "wide", writes=["r"])
    found = configure(topology(joined, writing), SomeTopics(wide=7, **topics))  # type: ignore[arg-type]
    if counts is None:
        assert found.problem is not None
        assert found.problem.code is StatusCode.INCORRECTLY_PARTITIONED_TOPICS
    else:
        assert found.counts == counts


@pytest.mark.parametrize(
    "wrong",
    [
        topology(part("0", "a"), part("0", "b")),
        topology(part("0")),
        topology(part("0", "a"), epoch=-1),
    ],
)
def test_a_topology_that_makes_no_sense_is_refused(wrong: object) -> None:
    with pytest.raises(BrokerError) as caught:
        read_topology(wrong)
    assert caught.value.code is ErrorCode.STREAMS_INVALID_TOPOLOGY


def test_what_nobody_writes_has_no_width() -> None:
    alone = topology(part("0", "words", reads=[internal("by-word")]))
    with pytest.raises(BrokerError) as caught:
        configure(alone, SomeTopics(words=4))
    assert caught.value.code is ErrorCode.STREAMS_INVALID_TOPOLOGY
