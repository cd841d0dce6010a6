"""DeleteGroups (key 42): delete groups without members, with their offsets (KIP-229).

Does: answers when that is written.
Refuses: groups with members.
Versions: 3 messages (KIP-1043), of which there are none
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


def handle(broker: Broker, context: RequestContext, request: DeleteGroupsRequest) -> object:
    """Delete each."""
    del context

    def respond(codes: dict[str, ErrorCode]) -> DeleteGroupsResponse:
        return DeleteGroupsResponse(
            results=[
                DeletableGroupResult(group_id=group_id, error_code=code)
                for group_id, code in codes.items()
            ]
        )

    return broker.group_removal.delete_groups(request.groups_names, respond)
