"""ApiVersions (key 18): which versions of which API the broker serves.

The response header is always version 0, so that a client can read it before it knows anything. A
version that the broker lacks is answered in version 0, with UNSUPPORTED_VERSION and the range of
this API itself.

Versions: 1 throttle time · 3 flexible, client name and version (KIP-511), features (KIP-584) · 4
    feature ranges may start at 0 · 5 the cluster and node the client means to talk to (KIP-1242)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int16,
    Int32,
    Int64,
    String,
    message,
    on,
    struct,
)


@message(key=18, versions="0-5", flexible="3+")
class ApiVersionsRequest:
    """Ask what is served.

    Name and version must match `[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?`.
    """

    client_software_name: String = on("3+", default="")
    client_software_version: String = on("3+", default="")
    cluster_id: String | None = on("5+", default=None)
    node_id: Int32 = on("5+", default=-1)


@message(key=18, versions="0-5", flexible="3+")
class ApiVersionsResponse:
    """What is served."""

    error_code: Int16
    api_keys: Array[ApiVersion]
    throttle_time_ms: Int32 = on("1+", default=0)
    supported_features: Array[SupportedFeatureKey] = on("3+", factory=list, tag=0)
    finalized_features_epoch: Int64 = on("3+", default=-1, tag=1)
    finalized_features: Array[FinalizedFeatureKey] = on("3+", factory=list, tag=2)
    zk_migration_ready: Bool = on("3+", default=False, tag=3)


@struct
class ApiVersion:
    """The versions of one API, both ends included."""

    api_key: Int16
    min_version: Int16
    max_version: Int16


@struct
class SupportedFeatureKey:
    """The levels of a feature that the broker could run at."""

    name: String
    min_version: Int16
    max_version: Int16


@struct
class FinalizedFeatureKey:
    """The levels of a feature that the cluster runs at."""

    name: String
    max_version_level: Int16
    min_version_level: Int16
