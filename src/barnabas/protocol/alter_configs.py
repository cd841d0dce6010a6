"""AlterConfigs (key 33): replace all properties of resources (KIP-133).

IncrementalAlterConfigs supersedes it.

Versions: 2 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int8,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=33, versions="0-2", flexible="2+")
class AlterConfigsRequest:
    """Replace properties, or only say whether one could.

    What is not named falls back to its default.
    """

    resources: Array[AlterConfigsResource]
    validate_only: Bool


@struct
class AlterConfigsResource:
    """One resource; types as in DescribeConfigs."""

    resource_type: Int8
    resource_name: String
    configs: Array[AlterableConfig]


@struct
class AlterableConfig:
    """One property."""

    name: String
    value: String | None


@message(key=33, versions="0-2", flexible="2+")
class AlterConfigsResponse:
    """What became of each resource."""

    throttle_time_ms: Int32 = on(default=0)
    responses: Array[AlterConfigsResourceResponse]


@struct
class AlterConfigsResourceResponse:
    """One resource."""

    error_code: Int16
    error_message: String | None
    resource_type: Int8
    resource_name: String
