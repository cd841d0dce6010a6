"""DeleteGroups (key 42): delete groups without members, with their offsets (KIP-229).

Does: answers when that is written.
Refuses: groups with members.
Versions: 3 messages (KIP-1043), of which there are none
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps
from barnabas.errors import ErrorCode
from barnabas.protocol.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: DeleteGroupsRequest
) -> Steps[DeleteGroupsResponse]:
    """Delete each."""
    del context
    codes = yield from broker.group_removal.delete_groups(request.groups_names)
    results = yield from grown(codes.items(), _result)
    return DeleteGroupsResponse(results=results)


def _result(row: tuple[str, ErrorCode]) -> DeletableGroupResult:
    group_id, code = row
    return DeletableGroupResult(group_id=group_id, error_code=code)
