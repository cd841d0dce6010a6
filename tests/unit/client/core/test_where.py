import re

import pytest

from barnabas.client.core.where import partition_at
from barnabas.types import TopicPartition


def test_a_pair_names_a_partition() -> None:
    assert partition_at(("t", 3)) == TopicPartition("t", 3)
    assert partition_at(TopicPartition("t", 0)) == TopicPartition("t", 0)


@pytest.mark.parametrize("odd", ["odd", "t0", ("t",), ("t", "0"), (0, "t"), None, ("t", 0, 5)])
def test_what_names_none_is_said(odd: object) -> None:
    words = f"a topic and a number, as ('flights', 0), not {odd!r}"
    with pytest.raises(TypeError, match=re.escape(words)):
        partition_at(odd)  # type: ignore[arg-type]
