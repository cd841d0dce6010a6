"""The record behind which so many are left, where transactions and compaction left gaps."""

from array import array
from collections.abc import Iterator

import pytest

from barnabas.errors import BrokerError, ErrorCode
from barnabas.pipelines.mirrors.group_positions import nth_from_end, save_forward
from barnabas.records.columns.columns import ColumnSelection, RecordColumns
from barnabas.types import TopicPartition

WHERE = TopicPartition("t", 0)


class Reader:
    """Records at the given offsets, returned in parts of three."""

    def __init__(self, offsets: range) -> None:
        self.offsets = offsets

    def read(
        self, _topic: str, _partition: int, start: int, end: int, wanted: ColumnSelection
    ) -> Iterator[RecordColumns]:
        assert wanted is ColumnSelection.OFFSET
        there = [each for each in self.offsets if start <= each < end]
        for at in range(0, len(there), 3):
            part = there[at : at + 3]
            yield RecordColumns(len(part), part[-1] + 1, memoryview(array("q", part)))


@pytest.mark.parametrize(
    ("count", "found"), [(0, 50_000), (1, 49_996), (2, 49_992), (4_000, 34_000), (12_500, 0)]
)
def test_the_nth_record_from_the_end(count: int, found: int) -> None:
    reader = Reader(range(0, 50_000, 4))
    assert nth_from_end(reader, WHERE, 0, 50_000, count) == found  # type: ignore[arg-type]


def test_fewer_records_than_asked_for_is_the_beginning() -> None:
    reader = Reader(range(90, 100))
    assert nth_from_end(reader, WHERE, 80, 100, 11) == 80  # type: ignore[arg-type]


class Admin:
    """A group with one saved position, which may have members."""

    def __init__(self, error: ErrorCode | None = None) -> None:
        self.error = error
        self.saved: dict[object, int] = {}

    def list_group_offsets(self, _group: str) -> dict[TopicPartition, "Saved"]:
        return {WHERE: Saved()}

    def alter_group_offsets(self, _group: str, offsets: dict[object, int]) -> None:
        if self.error is not None:
            raise BrokerError(self.error, "g")
        self.saved |= offsets


class Saved:
    offset = 10


OTHER = TopicPartition("t", 1)


def states(admin: Admin) -> list[str]:
    rows = [(WHERE, 3, 9), (OTHER, 4, 4)]
    return [each.state for each in save_forward(admin, "g", rows)]  # type: ignore[arg-type]


def test_a_position_only_moves_forward() -> None:
    admin = Admin()
    assert states(admin) == ["kept", "moved"]
    assert admin.saved == {OTHER: 4}


def test_a_group_with_members_is_refused() -> None:
    assert states(Admin(ErrorCode.UNKNOWN_MEMBER_ID)) == ["kept", "refused"]
    with pytest.raises(BrokerError):
        states(Admin(ErrorCode.GROUP_AUTHORIZATION_FAILED))
