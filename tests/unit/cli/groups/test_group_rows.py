from typing import Any, cast

from barnabas import Admin, CommittedOffset, MemberDescription, ShareOffset, TopicPartition
from barnabas.cli.groups.group_rows import listed, positions
from barnabas.client.core.admin.descriptions import OffsetAndTimestamp
from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.client.core.cluster.cluster_view import PartitionView, TopicView

LED, LEADERLESS, GONE = (TopicPartition("dogs", number) for number in range(3))


class SentFrame:
    """What an Admin gets for a topic one of whose partitions has no leader."""

    def __init__(self) -> None:
        parts = (PartitionView("dogs", 0, 1), PartitionView("dogs", 1, -1))
        self.topics = {"dogs": TopicView("dogs", partitions=parts)}
        self.groups = [
            GroupDescription(name, "Empty", "classic", "", 1) for name in ("both", "dark", "gone")
        ]

    def survey_groups(self, **_: Any) -> list[GroupDescription]:
        return self.groups

    def survey_offsets(self, _: object) -> dict[str, dict[TopicPartition, CommittedOffset]]:
        at = CommittedOffset(3)
        return {"both": {LED: at, LEADERLESS: at}, "dark": {LEADERLESS: at}, "gone": {GONE: at}}

    def survey_share_offsets(self, _: object) -> dict[str, dict[TopicPartition, ShareOffset]]:
        return {}

    def describe_topics(self) -> dict[str, TopicView]:
        return self.topics

    def list_offsets(self, wanted: dict[TopicPartition, int]) -> dict[TopicPartition, Any]:
        assert list(wanted) == [LED], "nobody knows the end of the others"
        return {LED: OffsetAndTimestamp(10)}


def test_partitions_without_a_leader_keep_no_lag_from_being_shown() -> None:
    rows = listed(cast("Admin", SentFrame()), (), lag=True)
    assert [(row[0], row[-1]) for row in rows] == [("both", 7), ("dark", None), ("gone", None)]


class Shared(SentFrame):
    """The same of share groups: of the first one the broker says how far behind it is."""

    def __init__(self) -> None:
        super().__init__()
        members = tuple(MemberDescription(one, f"c-{one}", "h", None, (LED,)) for one in "ab")
        self.groups = [
            GroupDescription("reported", "Stable", "share", "simple", 1, members),
            GroupDescription("unreported", "Empty", "share", "", 1),
        ]

    def survey_offsets(self, _: object) -> dict[str, dict[TopicPartition, CommittedOffset]]:
        return {}

    def survey_share_offsets(self, _: object) -> dict[str, dict[TopicPartition, ShareOffset]]:
        return {
            "reported": {LED: ShareOffset(3, 5), LEADERLESS: ShareOffset(None, None)},
            "unreported": {LED: ShareOffset(3, None)},
        }


def test_the_lag_of_a_share_group_is_what_its_broker_says() -> None:
    reported = Shared()
    rows = listed(cast("Admin", reported), (), lag=True)
    assert [(row[0], row[-1]) for row in rows] == [("reported", 5), ("unreported", None)]
    assert positions(cast("Admin", reported), reported.groups[0]) == [
        ("dogs", 0, 3, 10, 5, "a,b", "h,h", "c-a,c-b"),
        ("dogs", 1, None, None, None, None, None, None),
    ]
    assert positions(cast("Admin", reported), reported.groups[1]) == [
        ("dogs", 0, 3, 10, None, None, None, None)
    ]
