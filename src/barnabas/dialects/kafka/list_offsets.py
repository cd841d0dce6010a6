"""ListOffsets between Kafka's messages and the neutral command."""

from collections.abc import Sequence
from itertools import groupby

from barnabas.dialects.commands import FoundOffset, ListOffsets, Lookup
from barnabas.protocol.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

_READ_COMMITTED = 1


def list_offsets_command(request: ListOffsetsRequest, *, by_segment: bool) -> ListOffsets:
    """The command that a request stands for; `by_segment` is what version 0 asks for."""
    return ListOffsets(
        request.replica_id,
        request.isolation_level == _READ_COMMITTED,
        [
            Lookup(
                topic.name,
                one.partition_index,
                one.current_leader_epoch,
                one.timestamp,
                one.max_num_offsets if by_segment else None,
            )
            for topic in request.topics
            for one in topic.partitions
        ],
    )


def list_offsets_response(
    command: ListOffsets, found: Sequence[FoundOffset]
) -> ListOffsetsResponse:
    """The reply, in the order of the request."""
    rows = zip(command.lookups, found, strict=True)
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=name,
                partitions=[
                    ListOffsetsPartitionResponse(
                        partition_index=lookup.partition,
                        error_code=one.error,
                        old_style_offsets=list(one.offsets),
                        timestamp=one.timestamp,
                        offset=one.offset,
                        leader_epoch=one.leader_epoch,
                    )
                    for lookup, one in group
                ],
            )
            for name, group in groupby(rows, lambda row: row[0].topic)
        ]
    )
