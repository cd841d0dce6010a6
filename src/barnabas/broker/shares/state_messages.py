"""Requests about share group states (KIP-932) to their coordinator, and its responses."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_partition.spans import DeliveryState, Span
from barnabas.coordinators.share_state.leaders import AS_BEFORE, StateUpdate
from barnabas.coordinators.share_state.states import ShareState, StateKey
from barnabas.errors import ErrorCode
from barnabas.protocol import (
    delete_share_group_state,
    initialize_share_group_state,
    read_share_group_state,
    read_share_group_state_summary,
    write_share_group_state,
)
from barnabas.protocol.api_keys import ApiKey

Answers = Mapping[TopicIdPartition, tuple[ErrorCode, ShareState]]


class Shape(NamedTuple):
    """The messages of one API: its version, and how a partition is asked about and answered."""

    version: int
    request: Callable[..., Any]
    topic: Callable[..., Any]
    row: Callable[[int, Any], Any]
    response: type
    found: Callable[[Any], ShareState]


def request_of(api: ApiKey, group_id: str, asked: Mapping[StateKey, Any]) -> object:
    """One request about partitions of a group; what is asked about each goes by the API."""
    shape, topics = SHAPES[api], dict[bytes, list[Any]]()
    for key, detail in asked.items():
        topic_id, index = key.topic_partition
        topics.setdefault(topic_id, []).append(shape.row(index, detail))
    rows = [shape.topic(topic_id=topic_id, partitions=of) for topic_id, of in topics.items()]
    return shape.request(group_id=group_id, topics=rows)


def answers_of(api: ApiKey, response: object) -> Answers:
    """What a response says of each partition; empty if it is none."""
    shape = SHAPES[api]
    if not isinstance(response, shape.response):
        return {}
    results: Sequence[Any] = response.results  # type: ignore[attr-defined]  # Each of them has it.
    return {
        TopicIdPartition(bytes(topic.topic_id), row.partition): (
            ErrorCode.of(row.error_code),
            shape.found(row),
        )
        for topic in results
        for row in topic.partitions
    }


def _update_row(index: int, update: StateUpdate) -> write_share_group_state.PartitionData:
    return write_share_group_state.PartitionData(
        partition=index,
        state_epoch=update.state_epoch,
        leader_epoch=update.leader_epoch,
        start_offset=update.start,
        delivery_complete_count=update.done,
        state_batches=[
            write_share_group_state.StateBatch(
                first_offset=one.first,
                last_offset=one.last,
                delivery_state=one.state,
                delivery_count=one.count,
            )
            for one in update.spans
        ],
    )


def _begin_row(index: int, begun: tuple[int, int]) -> initialize_share_group_state.PartitionData:
    epoch, start = begun
    return initialize_share_group_state.PartitionData(
        partition=index, state_epoch=epoch, start_offset=start
    )


def _state(row: read_share_group_state.PartitionResult) -> ShareState:
    spans = tuple(
        Span(
            one.first_offset, one.last_offset, DeliveryState(one.delivery_state), one.delivery_count
        )
        for one in row.state_batches
    )
    return ShareState(row.start_offset, spans, row.state_epoch)


def _summary(row: read_share_group_state_summary.PartitionResult) -> ShareState:
    return ShareState(
        row.start_offset,
        state_epoch=row.state_epoch,
        leader_epoch=row.leader_epoch,
        done=row.delivery_complete_count,
    )


def _nothing(_row: object) -> ShareState:
    return ShareState()


SHAPES: Mapping[ApiKey, Shape] = {
    ApiKey.READ_SHARE_GROUP_STATE: Shape(
        0,
        read_share_group_state.ReadShareGroupStateRequest,
        read_share_group_state.ReadStateData,
        lambda index, epoch: read_share_group_state.PartitionData(
            partition=index, leader_epoch=epoch
        ),
        read_share_group_state.ReadShareGroupStateResponse,
        _state,
    ),
    ApiKey.WRITE_SHARE_GROUP_STATE: Shape(
        1,
        write_share_group_state.WriteShareGroupStateRequest,
        write_share_group_state.WriteStateData,
        _update_row,
        write_share_group_state.WriteShareGroupStateResponse,
        _nothing,
    ),
    ApiKey.INITIALIZE_SHARE_GROUP_STATE: Shape(
        0,
        initialize_share_group_state.InitializeShareGroupStateRequest,
        initialize_share_group_state.InitializeStateData,
        _begin_row,
        initialize_share_group_state.InitializeShareGroupStateResponse,
        _nothing,
    ),
    ApiKey.DELETE_SHARE_GROUP_STATE: Shape(
        0,
        delete_share_group_state.DeleteShareGroupStateRequest,
        delete_share_group_state.DeleteStateData,
        lambda index, _none: delete_share_group_state.PartitionData(partition=index),
        delete_share_group_state.DeleteShareGroupStateResponse,
        _nothing,
    ),
    ApiKey.READ_SHARE_GROUP_STATE_SUMMARY: Shape(
        1,
        read_share_group_state_summary.ReadShareGroupStateSummaryRequest,
        read_share_group_state_summary.ReadStateSummaryData,
        lambda index, _none: read_share_group_state_summary.PartitionData(
            partition=index, leader_epoch=AS_BEFORE
        ),
        read_share_group_state_summary.ReadShareGroupStateSummaryResponse,
        _summary,
    ),
}
"""By API. Source: KIP-932, KIP-1226."""
