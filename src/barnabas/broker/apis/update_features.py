"""UpdateFeatures (key 57): levels of the cluster's features (KIP-584). None can be changed here.

Does: takes the level that a feature has, as the upgrade tools ask for it; refuses every other level of every
    feature, all of a request, with INVALID_UPDATE_VERSION: what a feature stands for is always served.
Ignores: `timeout_ms`, `validate_only` and `allow_downgrade`: nothing is changed.
Versions: 1 kinds of change (KIP-778) · 2 one error for all (KIP-1022)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.properties.features import features_of
from barnabas.errors import ErrorCode
from barnabas.protocol.update_features import (
    FeatureUpdateKey,
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)

_KINDS = (1, 2, 3)


def handle(
    broker: Broker, context: RequestContext, request: UpdateFeaturesRequest
) -> UpdateFeaturesResponse:
    """Accept levels that are in force already; refuse everything if another one is requested."""
    del context
    levels = {one.name: one.level for one in features_of(broker.profile)}
    for wanted in request.feature_updates:
        why = _why_not(wanted, levels.get(wanted.feature))
        if why:
            return UpdateFeaturesResponse(
                error_code=ErrorCode.INVALID_UPDATE_VERSION, error_message=why
            )
    return UpdateFeaturesResponse(
        error_code=ErrorCode.NONE,
        results=[
            UpdatableFeatureResult(
                feature=wanted.feature, error_code=ErrorCode.NONE, error_message="NONE"
            )
            for wanted in request.feature_updates
        ],
    )


def _why_not(wanted: FeatureUpdateKey, level: int | None) -> str:
    """Why a level is refused; empty if it is the one that the feature has."""
    name, asked = wanted.feature, wanted.max_version_level
    if level is None:
        return f"this broker has no feature called {name}"
    if wanted.upgrade_type not in _KINDS:
        return f"{name}: there is no kind of change {wanted.upgrade_type}"
    if asked != level:
        return f"{name} has level {level}, and cannot get level {asked}: no level can be changed"
    return ""
