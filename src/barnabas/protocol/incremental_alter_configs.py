"""IncrementalAlterConfigs (key 44): change single properties of resources (KIP-339).

Operations: 0 set, 1 delete, 2 append to a list, 3 subtract from a list.

Versions: 1 flexible
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


@message(key=44, versions="0-1", flexible="1+")
class IncrementalAlterConfigsRequest:
    """Change properties, or only say whether one could."""

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
    """One property and what to do to it."""

    name: String
    config_operation: Int8
    value: String | None


@message(key=44, versions="0-1", flexible="1+")
class IncrementalAlterConfigsResponse:
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
