"""A sample of brokers that are too old for part of it, or refuse it."""

from typing import Any, cast

import pytest

from barnabas import Admin, BrokerError, ErrorCode, PartitionView, TopicPartition, TopicView
from barnabas.cli.top.sample import take_sample
from barnabas.client.core.admin.descriptions import (
    ClusterDescription,
    LogDirectory,
    OffsetAndTimestamp,
)
from barnabas.runtime.clock import SystemClock

LED = TopicPartition("dogs", 0)


class OldCluster:
    """An Admin of a cluster with a topic without a leader for one partition, and an internal one."""

    def __init__(self, code: ErrorCode) -> None:
        self.refusal = BrokerError(code, "not here")

    def describe_cluster(self) -> ClusterDescription:
        return ClusterDescription(None, -1, ())

    def describe_topics(self) -> dict[str, TopicView]:
        parts = (PartitionView("dogs", 0, 1), PartitionView("dogs", 1, -1))
        return {
            "dogs": TopicView("dogs", partitions=parts),
            "__x": TopicView("__x", internal=True, partitions=(PartitionView("__x", 0, 1),)),
        }

    def list_offsets(self, wanted: dict[TopicPartition, int]) -> dict[TopicPartition, Any]:
        return {where: OffsetAndTimestamp(7) for where in wanted}

    def describe_log_dirs(self) -> dict[int, list[LogDirectory]]:
        raise self.refusal

    def survey_groups(self) -> list[Any]:
        raise self.refusal


class SizedCluster(OldCluster):
    """It reports sizes, of a follower too."""

    def describe_log_dirs(self) -> dict[int, list[LogDirectory]]:
        return {
            node_id: [LogDirectory("/logs", ErrorCode.NONE, {LED: size})]
            for node_id, size in ((2, 5), (1, 70))
        }


def test_what_is_not_reported_is_named() -> None:
    admin = cast("Admin", OldCluster(ErrorCode.UNSUPPORTED_VERSION))
    sample = take_sample(admin, SystemClock(), internal=False)
    assert sample.ends == {LED: 7}
    assert (sample.sizes, sample.groups, sample.positions) == (None, None, {})
    assert [one.split(":")[0] for one in sample.problems] == ["no sizes", "no groups"]


def test_another_error_is_not_hidden() -> None:
    admin = cast("Admin", OldCluster(ErrorCode.UNKNOWN_SERVER_ERROR))
    with pytest.raises(BrokerError, match="not here"):
        take_sample(admin, SystemClock(), internal=False)


def test_a_partition_is_as_large_as_at_its_leader() -> None:
    admin = cast("Admin", SizedCluster(ErrorCode.UNSUPPORTED_VERSION))
    sample = take_sample(admin, SystemClock(), internal=True)
    assert sample.sizes == {LED: 70}
    assert TopicPartition("__x", 0) in sample.ends
