"""ControllerRegistration (key 70): a controller that starts tells the leader (KIP-919)."""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int16,
    Int32,
    String,
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(key=70, versions="0", flexible="0+")
class ControllerRegistrationRequest:
    """A controller's identity; `incarnation_id` is new at each start."""

    controller_id: Int32
    incarnation_id: Uuid
    zk_migration_ready: Bool
    listeners: Array[Listener]
    features: Array[Feature]


@struct
class Listener:
    """Where it is reached."""

    name: String
    host: String
    port: Uint16
    security_protocol: Int16


@struct
class Feature:
    """The levels that it could run at."""

    name: String
    min_supported_version: Int16
    max_supported_version: Int16


@message(key=70, versions="0", flexible="0+")
class ControllerRegistrationResponse:
    """Whether it is entered."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
