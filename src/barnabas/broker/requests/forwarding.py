"""Forwarding: a member sends requests on to its controller, and returns its response."""

import logging
from typing import TYPE_CHECKING

from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.errors import ConnectionFailed, KafkaError
from barnabas.protocol.api_keys import ApiKey

if TYPE_CHECKING:
    from barnabas.broker.cluster.member import ClusterMember

log = logging.getLogger(__name__)


def forward(member: "ClusterMember", context: RequestContext, request: object) -> Pending:
    """The controller's response in the version that the client speaks.

    Where there is none the client's connection ends: it asks again, or another broker.
    """
    pending = Pending()
    key = ApiKey(context.api_key)
    if member.image.controller == member.node_id:
        # It was the controller, or is about to be: it would ask itself for ever.
        pending.fail(ConnectionFailed("the cluster has no controller now"))
        return pending

    def answered(response: object | KafkaError) -> None:
        if isinstance(response, KafkaError):
            log.warning(
                "the controller does not answer", extra={"api": key.name, "error": response}
            )
            pending.fail(response)
        else:
            pending.complete(response)

    member.to_controller.ask(key, context.api_version, request, answered)
    return pending
