"""ListGroups (key 16): the groups that this broker coordinates.

Does: groups with members or with committed offsets; filters by state (4+) and type (5+), whatever their
    case.
Ignores: nothing.
Versions: 1 throttle time · 4 states (KIP-518) · 5 types (KIP-848)
"""

from collections.abc import Iterator

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.groups.group_shards import Held
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_heard
from barnabas.coordinators.classic_group.protocols import CONSUMER
from barnabas.coordinators.groups_shard import GroupKind
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse


@in_steps_while_heard
def handle(
    broker: Broker, context: RequestContext, request: ListGroupsRequest
) -> Steps[ListGroupsResponse]:
    """List them; nothing if one of the partitions that hold them cannot be read."""
    del context
    states = {word.lower() for word in request.states_filter}
    types = {word.lower() for word in request.types_filter}
    groups: list[ListedGroup] = []
    try:
        for held in broker.groups.all():
            groups += [
                group
                for group in _listed(held)
                if (not states or group.group_state.lower() in states)
                and (not types or group.group_type.lower() in types)
            ]
            yield
    except BrokerError as error:
        return ListGroupsResponse(error_code=error.code, groups=[])
    groups.sort(key=lambda group: group.group_id)
    return ListGroupsResponse(error_code=ErrorCode.NONE, groups=groups)


def _listed(held: Held) -> Iterator[ListedGroup]:
    for classic in held.shard.views():
        yield ListedGroup(
            group_id=classic.group_id,
            protocol_type=classic.protocol_type or "",
            group_state=classic.state.value,
            group_type=GroupKind.CLASSIC,
        )
    for group in held.shard.consumer.all():
        yield ListedGroup(
            group_id=group.group_id,
            protocol_type=CONSUMER,
            group_state=group.state.value,
            group_type=GroupKind.CONSUMER,
        )
    for share in held.shard.share.all():
        yield ListedGroup(
            group_id=share.group_id,
            protocol_type=GroupKind.SHARE,
            group_state=share.state,
            group_type=GroupKind.SHARE,
        )
    for streams in held.shard.streams.all():
        yield ListedGroup(
            group_id=streams.group_id,
            protocol_type=GroupKind.STREAMS,
            group_state=streams.state,
            group_type=GroupKind.STREAMS,
        )
