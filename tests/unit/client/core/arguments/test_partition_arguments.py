import re

import pytest

from barnabas.client.core.arguments.partition_arguments import (
    offset_at,
    offsets_to,
    partition_at,
    partitions_at,
    partitions_to,
)
from barnabas.errors import KafkaError
from barnabas.types import TopicPartition


def test_a_pair_names_a_partition() -> None:
    assert partition_at(("t", 3)) == TopicPartition("t", 3)
    assert partition_at(TopicPartition("t", 0)) == TopicPartition("t", 0)


@pytest.mark.parametrize("odd", ["odd", "t0", ("t",), ("t", "0"), (0, "t"), None, ("t", 0, 5)])
def test_what_names_none_is_an_error(odd: object) -> None:
    words = f"a topic and a number, as ('flights', 0), not {odd!r}"
    with pytest.raises(TypeError, match=re.escape(words)):
        partition_at(odd)  # type: ignore[arg-type]


def test_partitions_are_given_in_a_list_or_a_mapping() -> None:
    pair = TopicPartition("t", 0)
    assert partitions_at([("t", 0), ["t", 1]]) == [pair, TopicPartition("t", 1)]  # type: ignore[list-item]
    assert partitions_to("commit", {("t", 0): 5}) == {pair: 5}
    for odd in ("t", ("t", 0), pair, None):
        with pytest.raises(TypeError, match=re.escape(f"as [('flights', 0)], not {odd!r}")):
            partitions_at(odd)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="commit takes a mapping"):
        partitions_to("commit", [("t", 0)])  # type: ignore[arg-type]


def test_offsets_are_numbers_that_a_log_can_have() -> None:
    pair = TopicPartition("t", 0)
    assert offsets_to("commit", {("t", 0): 2**63 - 1}) == {pair: 2**63 - 1}
    assert offset_at(pair, -1, -1) == -1
    for odd in ("5", 5.0, None):
        with pytest.raises(TypeError, match=f"an offset must be a number, not {odd!r}"):
            offset_at(pair, odd)


@pytest.mark.parametrize("kind", [ValueError, KafkaError])
def test_what_is_no_offset_is_an_error_with_its_partition(kind: type[Exception]) -> None:
    for offset, least, words in (
        (-3, 0, "t-0: an offset must be 0 or more, not -3"),
        (-2, -1, "t-0: an offset must be -1 or more, not -2"),
        (2**63, 0, "t-0: an offset must be less than 2^63, not 9223372036854775808"),
    ):
        with pytest.raises(kind, match=f"^{re.escape(words)}$"):
            offsets_to("commit", {("t", 0): offset}, least)
