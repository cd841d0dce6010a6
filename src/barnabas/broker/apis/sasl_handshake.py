"""SaslHandshake (key 17): choose a SASL mechanism (KIP-43). No listener has any.

Does: returns an error and an empty list of mechanisms, as Kafka does on a listener without SASL.
Refuses: every mechanism.
Versions: 1 tokens would follow in SaslAuthenticate (KIP-152)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse


def handle(
    broker: Broker, context: RequestContext, request: SaslHandshakeRequest
) -> SaslHandshakeResponse:
    """Refuse to begin."""
    del broker, context, request
    return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE, mechanisms=[])
