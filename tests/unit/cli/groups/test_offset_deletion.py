"""The report of what a group has forgotten."""

from typing import Any, cast

import pytest

from barnabas import Admin, BrokerError, CommittedOffset, ErrorCode, ShareOffset, TopicPartition
from barnabas.cli.groups.offset_deletion import forget
from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.client.core.cluster.cluster_view import PartitionView, TopicView

DOGS, MORE_DOGS = TopicPartition("dogs", 0), TopicPartition("dogs", 1)


class SentFrame:
    """An Admin of one group `g`, in two partitions of dogs."""

    def __init__(self, kind: str, saved: dict[TopicPartition, Any], code: int = 0) -> None:
        self.found = GroupDescription("g", "Empty", kind, "", 1)
        self.saved, self.code = saved, code
        self.gone: list[Any] = []

    def list_groups(self, kinds: tuple[str, ...] = ()) -> list[GroupDescription]:
        return [self.found] if not kinds or self.found.kind in kinds else []

    def describe_groups(self, _: object) -> dict[str, GroupDescription]:
        return {"g": self.found}

    def describe_topics(self) -> dict[str, TopicView]:
        parts = (PartitionView("dogs", 0, 1), PartitionView("dogs", 1, 1))
        return {"dogs": TopicView("dogs", partitions=parts)}

    def survey_share_offsets(self, _: object) -> dict[str, dict[TopicPartition, Any]]:
        return {"g": self.saved}

    def list_group_offsets(
        self, _: str, places: object = None, *, require_stable: bool = True, **__: object
    ) -> dict[TopicPartition, Any]:
        if require_stable and self.code:
            raise BrokerError(self.code, "group g: no")
        return self.saved

    def delete_group_offsets(self, _: str, places: list[TopicPartition]) -> None:
        self.gone += places

    def delete_share_group_offsets(self, _: str, topics: list[str]) -> None:
        self.gone += topics


def test_of_a_share_group_only_what_had_begun_is_counted() -> None:
    reported = SentFrame("share", {DOGS: ShareOffset(3, 0), MORE_DOGS: ShareOffset(None, None)})
    assert forget(cast("Admin", reported), "g", ("dogs",)) == "1 position"
    assert reported.gone == ["dogs"]


def test_what_is_undecided_goes_with_what_is_not() -> None:
    reported = SentFrame("classic", {DOGS: CommittedOffset(3)}, ErrorCode.UNSTABLE_OFFSET_COMMIT)
    assert forget(cast("Admin", reported), "g", ("dogs",)) == "1 position"
    assert reported.gone == [DOGS, MORE_DOGS]


def test_what_is_undecided_goes_alone() -> None:
    reported = SentFrame("classic", {}, ErrorCode.UNSTABLE_OFFSET_COMMIT)
    what = "positions that an open transaction had saved"
    assert forget(cast("Admin", reported), "g", ("dogs:1",)) == what
    assert reported.gone == [MORE_DOGS]


def test_whether_something_is_undecided_may_not_be_known() -> None:
    reported = SentFrame("classic", {}, ErrorCode.GROUP_AUTHORIZATION_FAILED)
    with pytest.raises(BrokerError, match="GROUP_AUTHORIZATION_FAILED"):
        forget(cast("Admin", reported), "g", ("dogs",))
    assert not reported.gone
