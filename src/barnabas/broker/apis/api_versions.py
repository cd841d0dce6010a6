"""ApiVersions (key 18): which versions of which API this broker serves, as its profile says.

Does: a version that nobody knows is answered in version 0 with UNSUPPORTED_VERSION and the range of
    ApiVersions itself (KIP-511); names and versions of clients must be printable. Clients are asked
    for their metrics from the first subscription on (KIP-714).
Ignores: `cluster_id` and `node_id` (KIP-1242): there is one broker.
    Features: transaction.version, by which Java's producers go by KIP-890, group.version, share.version,
    streams.version and metadata.version; what the others stand for is between brokers, or not served.
Versions: 1 throttle time · 3 flexible, client name and version · 4 features that may be at level 0, which
    clients of version 3 take for a mistake (KIP-1022) · 5 target node
"""

import re
from collections.abc import Mapping

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.properties.features import features_of
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.properties.telemetry_match import Software
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)
from barnabas.versions import VersionRange, VersionTable

_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?")
_OF_METRICS = frozenset({ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, ApiKey.PUSH_TELEMETRY})
_MUST_BE_NAMED = VersionTable({0: False, 3: True})
_LEAST_LEVEL = VersionTable({0: 1, 4: 0})


def handle(
    broker: Broker, context: RequestContext, request: ApiVersionsRequest | None
) -> ApiVersionsResponse:
    """All that is served, or why the question was wrong; None stands for one nobody can read."""
    profile = broker.profile
    if request is None:
        own = {ApiKey.API_VERSIONS: profile.served[ApiKey.API_VERSIONS]}
        return ApiVersionsResponse(
            error_code=ErrorCode.UNSUPPORTED_VERSION,
            api_keys=_rows(own if profile.tells_its_range else {}),
        )
    must_be_named = _MUST_BE_NAMED[context.api_version]
    named = _NAME.fullmatch(request.client_software_name) and _NAME.fullmatch(
        request.client_software_version
    )
    if must_be_named and not named:
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST, api_keys=[])
    if must_be_named:
        broker.software[context.connection] = Software(
            request.client_software_name, request.client_software_version
        )
    advertised = profile.advertised
    if not broker.client_resources.names(ResourceKind.CLIENT_METRICS):
        advertised = {key: one for key, one in advertised.items() if key not in _OF_METRICS}
    features = features_of(profile)
    return ApiVersionsResponse(
        error_code=ErrorCode.NONE,
        api_keys=_rows(advertised),
        supported_features=[
            SupportedFeatureKey(name=one.name, min_version=one.least, max_version=one.most)
            for one in features
            if one.least >= _LEAST_LEVEL[context.api_version]
        ],
        finalized_features_epoch=0 if features else -1,
        finalized_features=[
            FinalizedFeatureKey(
                name=one.name, max_version_level=one.level, min_version_level=one.level
            )
            for one in features
        ],
    )


def _rows(versions: Mapping[ApiKey, VersionRange]) -> list[ApiVersion]:
    return [
        ApiVersion(api_key=key, min_version=one.first, max_version=one.last)
        for key, one in sorted(versions.items())
    ]
