import re

import pytest

from barnabas.client.core.where import partition_at, partitions_at, partitions_to
from barnabas.types import TopicPartition


def test_a_pair_names_a_partition() -> None:
    assert partition_at(("t", 3)) == TopicPartition("t", 3)
    assert partition_at(TopicPartition("t", 0)) == TopicPartition("t", 0)


@pytest.mark.parametrize("odd", ["odd", "t0", ("t",), ("t", "0"), (0, "t"), None, ("t", 0, 5)])
def test_what_names_none_is_said(odd: object) -> None:
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
