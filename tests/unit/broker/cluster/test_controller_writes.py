"""What a controller has decided, as ZooKeeper gets it: no request is longer than ZooKeeper takes."""

from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from barnabas.broker.cluster.controller_election import Term
from barnabas.broker.cluster.controller_writes import write_all
from barnabas.errors import RegistryConflict, StorageError
from barnabas.ports import SharedRegistry
from barnabas.types import NodeWrite

MOST_BYTES = 0xFFFFF
"""Source: ZooKeeper's jute.maxbuffer."""


class Limited:
    """A registry that loses its connection on a long request, as ZooKeeper's."""

    def __init__(self, conflict_at: int = -1) -> None:
        self.commits: list[Sequence[NodeWrite]] = []
        self.requests: list[int] = []
        """How many transactions were sent before an answer was waited for."""
        self._conflict_at = conflict_at

    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int]) -> None:
        self.requests.append(1)
        self._commit(writes, checks)

    def replace_each(
        self, parts: Sequence[Sequence[NodeWrite]], checks: Mapping[str, int]
    ) -> list[bool]:
        self.requests.append(len(parts))
        made = []
        for part in parts:
            try:
                self._commit(part, checks)
            except RegistryConflict:
                made.append(False)
            else:
                made.append(True)
        return made

    def _commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int]) -> None:
        assert checks == {"/controller_epoch": 7}
        if sum(len(one.path) + len(one.data or b"") for one in writes) > MOST_BYTES:
            raise StorageError("connection loss")
        if len(self.commits) == self._conflict_at:
            raise RegistryConflict("another version")
        self.commits.append(writes)


def topics(count: int, size: int) -> list[NodeWrite]:
    return [NodeWrite(f"/brokers/topics/{number}", b"x" * size) for number in range(count)]


def write(limited: Limited, writes: Sequence[NodeWrite]) -> bool:
    return write_all(cast("SharedRegistry", limited), Term(1, 7), writes)


@pytest.mark.parametrize(("count", "size"), [(100, 100_000), (2, 1_000_000), (1000, 10), (0, 0)])
def test_long_nodes_are_written_in_several_requests(count: int, size: int) -> None:
    limited, writes = Limited(), topics(count, size)
    assert write(limited, writes)
    assert [one for part in limited.commits for one in part] == writes
    assert all(limited.commits)


def test_states_of_partitions_are_sent_together() -> None:
    limited = Limited()
    states = [NodeWrite(f"/states/{number}", b"x", 3) for number in range(1000)]
    assert write(limited, [*states, *topics(200, 10)])
    assert [one for part in limited.commits for one in part] == [*states, *topics(200, 10)]
    # What tells whether this is the controller; the states alone; then what must come after all of them.
    assert limited.requests == [1, 6, 1, 1, 1]


def test_a_conflict_among_states_that_were_sent_together_leaves_it_open_what_is_written() -> None:
    states = [NodeWrite(f"/states/{number}", b"x", 3) for number in range(1000)]
    limited = Limited(conflict_at=3)
    with pytest.raises(StorageError, match="a part of a decision is written"):
        write(limited, [*states, *topics(200, 10)])
    assert {one.path for part in limited.commits for one in part} < {one.path for one in states}


def test_a_conflict_is_known_for_what_it_is_only_in_the_first_request() -> None:
    assert not write(Limited(conflict_at=0), topics(3, 500_000))
    with pytest.raises(StorageError, match="a part of a decision is written"):
        write(Limited(conflict_at=1), topics(3, 500_000))
