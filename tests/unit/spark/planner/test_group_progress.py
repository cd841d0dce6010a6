import pytest

from barnabas.errors import BrokerError, ErrorCode, RequestTimeout
from barnabas.spark.errors import OptionError
from barnabas.spark.planner.group_progress import GroupProgress
from barnabas.types import TopicPartition
from tests.unit.spark.fake_cluster import FakeCluster

T0 = TopicPartition("t", 0)


def test_positions_are_saved_as_often_as_they_change() -> None:
    cluster = FakeCluster({})
    progress = GroupProgress("g", cluster.save)
    for at in (0, 0, 5, 5, 9):
        progress.finished({T0: at})
    progress.finished({})
    assert cluster.saved == [("g", {T0: 0}), ("g", {T0: 5}), ("g", {T0: 9})]


def test_without_a_group_nothing_is_saved() -> None:
    cluster = FakeCluster({})
    GroupProgress(None, cluster.save).finished({T0: 5})
    assert cluster.saved == []


def test_a_save_that_fails_for_the_moment_is_made_up_for(caplog: pytest.LogCaptureFixture) -> None:
    errors: list[Exception] = [RequestTimeout("late"), BrokerError(ErrorCode.NOT_COORDINATOR)]
    saved: list[dict[TopicPartition, int]] = []

    def save(_group: str, offsets: object) -> None:
        if errors:
            raise errors.pop()
        saved.append(dict(offsets))  # type: ignore[call-overload]

    progress = GroupProgress("g", save)
    for at in (5, 5, 5, 9):
        progress.finished({T0: at})
    assert saved == [{T0: 5}, {T0: 9}]
    assert caplog.text.count("offsets not committed to group g") == 2


@pytest.mark.parametrize(
    ("code", "says"),
    [(ErrorCode.UNKNOWN_MEMBER_ID, "has members"), (ErrorCode.INVALID_GROUP_ID, "cannot be")],
)
def test_a_group_that_cannot_be_used_is_an_error(code: ErrorCode, says: str) -> None:
    def save(_group: str, _offsets: object) -> None:
        raise BrokerError(code)

    with pytest.raises(OptionError, match=f"commitOffsetsToGroup.*'g' {says}"):
        GroupProgress("g", save).finished({T0: 5})
