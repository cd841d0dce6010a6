"""UpdateFeatures (key 57): levels of the cluster's features (KIP-584). None can be changed here.

Does: refuses every level of every feature with INVALID_UPDATE_VERSION, as Kafka does with features
    that it does not know.
Ignores: `timeout_ms`, `validate_only` and the kind of change: nothing is changed.
Versions: 1 kinds of change (KIP-778) · 2 one error for all (KIP-1022)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.update_features import UpdateFeaturesRequest, UpdateFeaturesResponse


def handle(
    broker: Broker, context: RequestContext, request: UpdateFeaturesRequest
) -> UpdateFeaturesResponse:
    """Refuse, if anything is asked for."""
    del broker, context
    if not request.feature_updates:
        return UpdateFeaturesResponse(error_code=ErrorCode.NONE)
    names = ", ".join(sorted({one.feature for one in request.feature_updates}))
    return UpdateFeaturesResponse(
        error_code=ErrorCode.INVALID_UPDATE_VERSION,
        error_message=f"this broker has no feature called {names} whose level can be changed",
    )
