"""ListConfigResources (key 74): what has settings of its own (KIP-714).

Known as ListClientMetricsResources in version 0, which lists nothing else.

Versions: 1 of all kinds (KIP-1142)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, String, message, on, struct


@message(key=74, versions="0-1", flexible="0+")
class ListConfigResourcesRequest:
    """Of which kinds; an empty list means all."""

    resource_types: Array[Int8] = on("1+", factory=list)


@message(key=74, versions="0-1", flexible="0+")
class ListConfigResourcesResponse:
    """The names."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    config_resources: Array[ConfigResource]


@struct
class ConfigResource:
    """One of them; 2 topic, 4 broker, 8 broker's logger, 16 client metrics, 32 group."""

    resource_name: String
    resource_type: Int8 = on("1+", default=16)
