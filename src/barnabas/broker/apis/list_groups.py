"""ListGroups (key 16): the groups that this broker coordinates.

Does: groups with committed offsets, which have no members and so are Empty and classic; filters by state
    (4+) and type (5+), whatever their case.
Ignores: nothing. Groups with members are not served yet.
Versions: 1 throttle time · 4 states (KIP-518) · 5 types (KIP-848)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse

_STATE = "Empty"
_TYPE = "classic"


def handle(
    broker: Broker, context: RequestContext, request: ListGroupsRequest
) -> ListGroupsResponse:
    """List them; nothing if one of the partitions that hold them cannot be read."""
    del context
    if not (_is_among(_STATE, request.states_filter) and _is_among(_TYPE, request.types_filter)):
        return ListGroupsResponse(error_code=ErrorCode.NONE, groups=[])
    try:
        names = broker.offsets.groups()
    except BrokerError as error:
        return ListGroupsResponse(error_code=error.code, groups=[])
    return ListGroupsResponse(
        error_code=ErrorCode.NONE,
        groups=[
            ListedGroup(group_id=name, protocol_type="", group_state=_STATE, group_type=_TYPE)
            for name in names
        ],
    )


def _is_among(word: str, words: list[str]) -> bool:
    return not words or word.lower() in (one.lower() for one in words)
