"""DescribeConfigs (key 32): properties of resources, and where they came from (KIP-133).

Resource types: 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group.
Sources: 0 unknown, 1 topic, 2 broker (dynamic), 3 all brokers (dynamic), 4 broker (static),
5 default, 6 broker logger, 7 client metrics, 8 group.
Types (3+): 0 unknown, 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class,
9 password.

Versions: 1 sources, synonyms (KIP-226) · 3 types, documentation (KIP-569) · 4 flexible
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


@message(key=32, versions="0-4", flexible="4+")
class DescribeConfigsRequest:
    """Ask for the properties of resources."""

    resources: Array[DescribeConfigsResource]
    include_synonyms: Bool = on("1+", default=False)
    include_documentation: Bool = on("3+", default=False)


@struct
class DescribeConfigsResource:
    """One resource, and which of its properties (None: all)."""

    resource_type: Int8
    resource_name: String
    configuration_keys: Array[String] | None


@message(key=32, versions="0-4", flexible="4+")
class DescribeConfigsResponse:
    """The properties."""

    throttle_time_ms: Int32 = on(default=0)
    results: Array[DescribeConfigsResult]


@struct
class DescribeConfigsResult:
    """One resource."""

    error_code: Int16
    error_message: String | None
    resource_type: Int8
    resource_name: String
    configs: Array[DescribeConfigsResourceResult]


@struct
class DescribeConfigsResourceResult:
    """One property in force. `is_default` is version 0's; later the source says it."""

    name: String
    value: String | None
    read_only: Bool
    is_default: Bool = on("0", default=False)
    config_source: Int8 = on("1+", default=-1)
    is_sensitive: Bool
    synonyms: Array[DescribeConfigsSynonym] = on("1+", factory=list)
    config_type: Int8 = on("3+", default=0)
    documentation: String | None = on("3+", default=None)


@struct
class DescribeConfigsSynonym:
    """One place where the value could come from, the one in force first."""

    name: String
    value: String | None
    source: Int8
