"""DescribeShareGroupOffsets (key 90): where share groups are (KIP-932).

Does: the offset below which all records are done, of the requested partitions or of all that a group has
    read; how many records it has not done with yet.
Ignores: leader epochs, which are 0.
Versions: 1 lag (KIP-1226)
"""

from collections.abc import Mapping, Sequence
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import (
    Steps,
    grown_in_steps,
    in_steps_while_connected,
)
from barnabas.broker.shares.offsets import ShareProgress
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
)
from barnabas.versions import VersionTable

_LAG = VersionTable({0: False, 1: True})


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeShareGroupOffsetsRequest
) -> Steps[DescribeShareGroupOffsetsResponse]:
    """Describe each group."""
    lag = _LAG[context.api_version]
    groups = yield from grown_in_steps(request.groups, partial(_group, broker, lag=lag))
    return DescribeShareGroupOffsetsResponse(groups=groups)


def _group(
    broker: Broker, asked: DescribeShareGroupOffsetsRequestGroup, *, lag: bool
) -> Steps[DescribeShareGroupOffsetsResponseGroup]:
    group_id = asked.group_id
    wanted: Mapping[str, Sequence[int]] = {}
    try:
        group = broker.shares.offsets.find(group_id)
        if asked.topics is not None:
            wanted = {one.topic_name: one.partitions for one in asked.topics}
        elif group is not None:
            wanted = broker.shares.offsets.read_by(group)
    except BrokerError as error:
        return DescribeShareGroupOffsetsResponseGroup(
            group_id=group_id, topics=[], error_code=error.code, error_message=error.why
        )
    describe = partial(_topic, broker, group_id, lag=lag)
    topics = yield from grown_in_steps(wanted.items(), describe)
    return DescribeShareGroupOffsetsResponseGroup(
        group_id=group_id, topics=topics, error_code=ErrorCode.NONE
    )


def _topic(
    broker: Broker, group_id: str, asked: tuple[str, Sequence[int]], *, lag: bool
) -> Steps[DescribeShareGroupOffsetsResponseTopic]:
    name, indexes = asked
    topic = broker.topics.get(name)

    def described(index: int) -> Steps[DescribeShareGroupOffsetsResponsePartition]:
        found = yield from broker.shares.offsets.of(group_id, topic, index)
        return _partition(index, found if lag else found._replace(lag=-1))

    partitions = yield from grown_in_steps(indexes, described)
    return DescribeShareGroupOffsetsResponseTopic(
        topic_name=name,
        topic_id=bytes(16) if topic is None else topic.topic_id,
        partitions=partitions,
    )


def _partition(index: int, found: ShareProgress) -> DescribeShareGroupOffsetsResponsePartition:
    return DescribeShareGroupOffsetsResponsePartition(
        partition_index=index,
        start_offset=found.start,
        leader_epoch=0,
        lag=found.lag,
        error_code=found.code,
    )
