"""Shared code of all group descriptions: the group, and its partitions by topic."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.stepping import Steps, grown
from barnabas.broker.requests.authorized_operations import ON_GROUPS
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, by_topic
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import Topic

GroupT = TypeVar("GroupT")


class AnyDescribedGroup(Protocol):
    """A group in an answer."""

    error_code: int
    authorized_operations: int


DescribedT = TypeVar("DescribedT", bound=AnyDescribedGroup)


def described_each(
    group_ids: Iterable[str], describe: Callable[[str], DescribedT], *, operations: bool
) -> Steps[list[DescribedT]]:
    """Each group; of those that are there also what may be done with them, if that is asked for."""

    def described(group_id: str) -> DescribedT:
        group = describe(group_id)
        if operations and not group.error_code:
            group.authorized_operations = ON_GROUPS
        return group

    # Members of one may say megabytes.
    return grown(group_ids, described, few=1)


def described_nameless_first(
    group_ids: Iterable[str], describe: Callable[[str], DescribedT], *, operations: bool
) -> Steps[list[DescribedT]]:
    """The same in the order in which Kafka describes groups that are not classic."""
    return described_each(sorted(group_ids, key=bool), describe, operations=operations)


def group_of_kind(
    broker: Broker, group_id: str, kind: str, of: Callable[[GroupShard], GroupT | None]
) -> GroupT:
    """The group as its shard has it.

    Raises:
        BrokerError: INVALID_GROUP_ID; GROUP_ID_NOT_FOUND: there is none, or it is of another kind;
            COORDINATOR_NOT_AVAILABLE.
    """
    if not group_id:
        raise BrokerError(ErrorCode.INVALID_GROUP_ID)
    held = broker.groups.find(group_id)
    group = of(held.shard) if held else None
    if group is None:
        there = held is not None and held.shard.kind_of(group_id) is not None
        what = f"is not a {kind} group" if there else "not found"
        raise BrokerError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} {what}.")
    return group


def partitions_by_topic(
    broker: Broker, places: Iterable[TopicIdPartition]
) -> Iterator[tuple[Topic, list[int]]]:
    """Partitions with the topics that they are of, without those that are gone."""
    for topic_id, indexes in by_topic(places).items():
        topic = broker.topics.by_id(topic_id)
        if topic is not None:
            yield topic, indexes
