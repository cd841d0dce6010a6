"""Shared code of all group descriptions: the group, and its partitions by topic."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.stepping import Steps, grown
from barnabas.broker.requests.authorized_operations import ON_GROUPS
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, by_topic
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import Topic

GroupT = TypeVar("GroupT")


class AnyDescribeRequest(Protocol):
    """A request for groups of one kind."""

    @property
    def group_ids(self) -> Sequence[str]:
        """The groups to describe."""
        ...

    @property
    def include_authorized_operations(self) -> bool:
        """Whether the response lists the allowed operations."""
        ...


class AnyDescribedGroup(Protocol):
    """A group in a response."""

    error_code: int
    authorized_operations: int


DescribedT = TypeVar("DescribedT", bound=AnyDescribedGroup)


def described_each(
    group_ids: Iterable[str], describe: Callable[[str], DescribedT], *, operations: bool
) -> Steps[list[DescribedT]]:
    """Each group; with `operations`, also which operations are allowed on those that exist."""

    def described(group_id: str) -> DescribedT:
        group = describe(group_id)
        if operations and not group.error_code:
            group.authorized_operations = ON_GROUPS
        return group

    # The metadata of one group's members may be megabytes.
    return grown(group_ids, described, few=1)


def described_by_kind(
    request: AnyDescribeRequest,
    describe: Callable[[str], DescribedT],
    layout: Callable[..., DescribedT],
) -> Steps[list[DescribedT]]:
    """Each group, in the order in which Kafka describes groups that are not classic: nameless ones first.

    A BrokerError of `describe` is returned in a group of this `layout` that has nothing else.
    """

    def described(group_id: str) -> DescribedT:
        try:
            return describe(group_id)
        except BrokerError as error:
            return layout(
                error_code=error.code,
                error_message=error.why or None,
                group_id=group_id,
                group_state="",
                group_epoch=0,
                assignment_epoch=0,
                members=[],
            )

    operations = request.include_authorized_operations
    return described_each(sorted(request.group_ids, key=bool), described, operations=operations)


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
    """Partitions by their topic, without topics that do not exist any more."""
    for topic_id, indexes in by_topic(places).items():
        topic = broker.topics.by_id(topic_id)
        if topic is not None:
            yield topic, indexes
