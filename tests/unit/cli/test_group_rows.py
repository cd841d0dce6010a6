from typing import Any, cast

from barnabas import Admin, CommittedOffset, TopicPartition
from barnabas.cli.group_rows import listed
from barnabas.client.core.cluster_view import PartitionView, TopicView
from barnabas.client.core.descriptions import OffsetAndTimestamp
from barnabas.client.core.group_descriptions import GroupDescription

LED, LEADERLESS, GONE = (TopicPartition("dogs", number) for number in range(3))


class Told:
    """What an Admin is told of a topic one of whose partitions has no leader."""

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

    def describe_topics(self) -> dict[str, TopicView]:
        return self.topics

    def list_offsets(self, wanted: dict[TopicPartition, int]) -> dict[TopicPartition, Any]:
        assert list(wanted) == [LED], "nobody knows the end of the others"
        return {LED: OffsetAndTimestamp(10)}


def test_partitions_without_a_leader_keep_no_lag_from_being_told() -> None:
    rows = listed(cast("Admin", Told()), (), lag=True)
    assert [(row[0], row[-1]) for row in rows] == [("both", 7), ("dark", None), ("gone", None)]
