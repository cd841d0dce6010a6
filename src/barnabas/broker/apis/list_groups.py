"""ListGroups (key 16): the groups that this broker coordinates.

Does: groups with members or with committed offsets, all of them classic; filters by state (4+) and
    type (5+), whatever their case.
Ignores: nothing.
Versions: 1 throttle time · 4 states (KIP-518) · 5 types (KIP-848)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse

_TYPE = "classic"


def handle(
    broker: Broker, context: RequestContext, request: ListGroupsRequest
) -> ListGroupsResponse:
    """List them; nothing if one of the partitions that hold them cannot be read."""
    del context
    if not _is_among(_TYPE, request.types_filter):
        return ListGroupsResponse(error_code=ErrorCode.NONE, groups=[])
    try:
        groups = [group for held in broker.groups.all() for group in held.shard.views()]
    except BrokerError as error:
        return ListGroupsResponse(error_code=error.code, groups=[])
    return ListGroupsResponse(
        error_code=ErrorCode.NONE,
        groups=[
            ListedGroup(
                group_id=group.group_id,
                protocol_type=group.protocol_type or "",
                group_state=group.state.value,
                group_type=_TYPE,
            )
            for group in sorted(groups, key=lambda group: group.group_id)
            if _is_among(group.state.value, request.states_filter)
        ],
    )


def _is_among(word: str, words: list[str]) -> bool:
    return not words or word.lower() in (one.lower() for one in words)
