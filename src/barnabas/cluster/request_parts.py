"""Split a controller's long work and requests into parts, so that clients are served in between.

A request of usual length is one part. The brokers that live are in each part, as their list is complete.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any, Protocol, TypeVar

from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from barnabas.types import TopicPartition

PARTITIONS = 200
"""Of a part, which takes some 20 ms; a topic without partitions counts as one."""

DECIDED_AT_ONCE = 100
"""Partitions: to decide on them and write them down takes some 10 ms."""

Item = TypeVar("Item")
Led = TypeVar("Led", LeaderAndIsrRequest, UpdateMetadataRequest)


class _Topic(Protocol):
    partition_states: list[Any]


TopicT = TypeVar("TopicT", bound=_Topic)


def some_at_a_time(places: Sequence[TopicPartition]) -> Iterator[tuple[TopicPartition, ...]]:
    """What is decided in one step; for nothing there is one step, too."""
    for first in range(0, max(len(places), 1), DECIDED_AT_ONCE):
        yield tuple(places[first : first + DECIDED_AT_ONCE])


def split_request(request: Led, most: int = PARTITIONS) -> Iterator[Led]:
    """A LeaderAndIsr or UpdateMetadata as requests of `most` partitions; one at least."""
    ungrouped, topics = request.ungrouped_partition_states, request.topic_states
    if len(ungrouped) <= most and sum(max(len(one.partition_states), 1) for one in topics) <= most:
        yield request
        return
    for rows in _slices(ungrouped, most):
        yield _with(request, ungrouped_partition_states=rows, topic_states=[])
    for some in _grouped(topics, most):
        yield _with(request, ungrouped_partition_states=[], topic_states=some)


def new_replicas(request: LeaderAndIsrRequest) -> set[TopicPartition]:
    """The replicas that the controller has just placed on the broker."""
    grouped = ((one.topic_name, one.partition_states) for one in request.topic_states)
    ungrouped = ((row.topic_name, [row]) for row in request.ungrouped_partition_states)
    return {
        TopicPartition(topic, row.partition_index)
        for topic, rows in (*grouped, *ungrouped)
        for row in rows
        if row.is_new
    }


def stop_parts(request: StopReplicaRequest, most: int = PARTITIONS) -> Iterator[StopReplicaRequest]:
    """A StopReplica likewise."""
    bare = _with(request, ungrouped_partitions=[], topics=[], topic_states=[])
    found = False
    for rows in _slices(request.ungrouped_partitions, most):
        yield _with(bare, ungrouped_partitions=rows)
        found = True
    for topic in request.topics:
        for numbers in _slices(topic.partition_indexes, most):
            yield _with(bare, topics=[_with(topic, partition_indexes=numbers)])
            found = True
    for states in _grouped(request.topic_states, most):
        yield _with(bare, topic_states=states)
        found = True
    if not found:
        yield request


def _grouped(topics: Iterable[TopicT], most: int) -> Iterator[list[TopicT]]:
    """Topics whose partitions are `most` at most; a larger one comes several times."""
    part: list[TopicT] = []
    size = 0
    for topic in topics:
        for rows in _slices(topic.partition_states, most) if topic.partition_states else [[]]:
            count = max(len(rows), 1)
            if size + count > most:
                yield part
                part, size = [], 0
            part.append(_with(topic, partition_states=rows))
            size += count
    if part:
        yield part


def _slices(rows: list[Item], most: int) -> Iterator[list[Item]]:
    return (rows[first : first + most] for first in range(0, len(rows), most))


def _with(message: Item, **changes: object) -> Item:
    """A message of the same kind, and these values in it."""
    made = copy(message)
    for name, value in changes.items():
        setattr(made, name, value)
    return made
