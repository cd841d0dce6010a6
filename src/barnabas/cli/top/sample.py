"""A sample of a cluster: ends and sizes of partitions, positions of groups.

Brokers do not report rates to clients: they follow from two samples.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from barnabas import Admin
from barnabas.client.core.admin.descriptions import LATEST, ClusterDescription
from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock
from barnabas.types import TopicPartition

_Answer = TypeVar("_Answer")
_NOT_ANSWERED = (
    ErrorCode.UNSUPPORTED_VERSION,
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
)


@dataclass(frozen=True, slots=True)
class ClusterSample:
    """What a cluster reported at about `at`, in monotonic seconds.

    `ends`: the next offset of each partition with a leader. `sizes`: the bytes of its log at the
    leader, None if the brokers do not report them. `positions`: by group and partition.
    `share_lag`: of share groups, whose brokers count it. `groups`: None if they are not reported.
    `problems`: what is missing, and why.
    """

    at: float
    cluster: ClusterDescription
    topics: Mapping[str, TopicView]
    ends: Mapping[TopicPartition, int]
    sizes: Mapping[TopicPartition, int] | None
    groups: tuple[GroupDescription, ...] | None
    positions: Mapping[tuple[str, TopicPartition], int]
    share_lag: Mapping[str, int]
    problems: tuple[str, ...] = ()


def take_sample(admin: Admin, clock: Clock, *, internal: bool) -> ClusterSample:
    """Ask the cluster; `internal`: internal topics too.

    Raises:
        KafkaError: topics, or the ends of partitions, are not reported.
    """
    problems: list[str] = []
    cluster = admin.describe_cluster()
    topics = {
        name: view
        for name, view in admin.describe_topics().items()
        if internal or not view.internal
    }
    leaders = {
        TopicPartition(name, one.partition): one.leader
        for name, view in topics.items()
        for one in view.partitions
        if one.leader >= 0
    }
    found = admin.list_offsets(dict.fromkeys(leaders, LATEST)) if leaders else {}
    at = clock.monotonic()
    sizes = _if_reported("sizes", lambda: _sizes(admin, leaders), problems)
    groups = _if_reported("groups", admin.survey_groups, problems)
    saved = admin.survey_offsets(groups) if groups else {}
    shared = admin.survey_share_offsets(groups) if groups else {}
    return ClusterSample(
        at,
        cluster,
        topics,
        {where: each.offset for where, each in found.items()},
        sizes,
        None if groups is None else tuple(groups),
        {
            (group, where): one.offset
            for group, each in saved.items()
            for where, one in each.items()
        },
        {group: sum(one.lag or 0 for one in each.values()) for group, each in shared.items()},
        tuple(problems),
    )


def _sizes(admin: Admin, leaders: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    return {
        where: size
        for node_id, directories in admin.describe_log_dirs().items()
        for directory in directories
        for where, size in directory.sizes.items()
        if leaders.get(where) == node_id
    }


def _if_reported(what: str, question: Callable[[], _Answer], problems: list[str]) -> _Answer | None:
    """The answer; None, and a problem, if brokers are too old for it or refuse it to this user."""
    try:
        return question()
    except BrokerError as error:
        if error.code not in _NOT_ANSWERED:
            raise
        problems.append(f"no {what}: {error.why}")
        return None
