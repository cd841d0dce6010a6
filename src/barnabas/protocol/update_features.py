"""UpdateFeatures (key 57): raise or lower the levels of the cluster's features (KIP-584).

Versions: 1 kinds of change, trial (KIP-778) · 2 one error for all (KIP-1022)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Int8, Int16, Int32, String, message, on, struct


@message(key=57, versions="0-2", flexible="0+")
class UpdateFeaturesRequest:
    """The levels that are wanted."""

    timeout_ms: Int32 = on(default=60000)
    feature_updates: Array[FeatureUpdateKey]
    validate_only: Bool = on("1+", default=False)


@struct
class FeatureUpdateKey:
    """One feature; level 0 takes it out.

    Kinds: 1 upgrade, 2 a downgrade that loses nothing, 3 any downgrade.
    """

    feature: String
    max_version_level: Int16
    allow_downgrade: Bool = on("0", default=False)
    upgrade_type: Int8 = on("1+", default=1)


@message(key=57, versions="0-2", flexible="0+")
class UpdateFeaturesResponse:
    """What became of it."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    results: Array[UpdatableFeatureResult] = on("0-1", factory=list)


@struct
class UpdatableFeatureResult:
    """One feature, to version 1."""

    feature: String
    error_code: Int16
    error_message: String | None = on(default=None)
