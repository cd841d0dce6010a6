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
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.coordinators.classic_group.protocols import CONSUMER
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.known_groups import GroupKind
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from barnabas.wire.growing import GrowingArray


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: ListGroupsRequest
) -> Steps[ListGroupsResponse]:
    """List them; nothing if one of the partitions that hold them cannot be read."""
    del context
    states = {word.lower() for word in request.states_filter}
    types = {word.lower() for word in request.types_filter}
    names: list[str] = []
    listed: GrowingArray[ListedGroup] = GrowingArray()
    try:
        for held in (yield from broker.groups.all()):
            for group_id in _names(held.shard):
                names.append(group_id)
                yield
        names.sort()
        for group_id in names:
            group = _listed(broker.groups.find(group_id), group_id)
            if (
                group is not None
                and (not states or group.group_state.lower() in states)
                and (not types or group.group_type.lower() in types)
            ):
                listed.add(group)
            yield listed
    except BrokerError as error:
        return ListGroupsResponse(error_code=error.code, groups=[])
    return ListGroupsResponse(error_code=ErrorCode.NONE, groups=listed.done())


def _names(shard: GroupShard) -> Iterator[str]:
    """The groups of all kinds. Only names are kept of them, for there may be very many."""
    for kind in (shard.views, shard.consumer.all, shard.share.all, shard.streams.all):
        for group in kind():
            yield group.group_id


def _listed(held: Held | None, group_id: str) -> ListedGroup | None:
    """A group as it is now, if it is there."""
    if held is None:
        return None
    shard = held.shard
    if (consumer := shard.consumer.get(group_id)) is not None:
        row = CONSUMER, consumer.state.value, GroupKind.CONSUMER
    elif (share := shard.share.get(group_id)) is not None:
        row = GroupKind.SHARE, share.state, GroupKind.SHARE
    elif (streams := shard.streams.get(group_id)) is not None:
        row = GroupKind.STREAMS, streams.state, GroupKind.STREAMS
    elif (classic := shard.view(group_id)) is not None:
        row = classic.protocol_type or "", classic.state.value, GroupKind.CLASSIC
    else:
        return None
    protocol_type, state, kind = row
    return ListedGroup(
        group_id=group_id, protocol_type=protocol_type, group_state=state, group_type=kind
    )
