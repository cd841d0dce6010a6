"""BrokerRegistration (key 62): a broker that starts enters itself with the controller (KIP-631).

Versions: 1 a broker with ZooKeeper that migrates (KIP-866) · 2 log directories (KIP-858) · 3 its
    epoch before a clean stop (KIP-966) · 4 features from level 0 (KIP-1022)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int16,
    Int32,
    Int64,
    String,
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(key=62, versions="0-4", flexible="0+")
class BrokerRegistrationRequest:
    """A broker's identity; `incarnation_id` is new at each start."""

    broker_id: Int32
    cluster_id: String
    incarnation_id: Uuid
    listeners: Array[Listener]
    features: Array[Feature]
    rack: String | None
    is_migrating_zk_broker: Bool = on("1+", default=False)
    log_dirs: Array[Uuid] = on("2+", factory=list)
    previous_broker_epoch: Int64 = on("3+", default=-1)


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


@message(key=62, versions="0-4", flexible="0+")
class BrokerRegistrationResponse:
    """The epoch that it has from now on."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    broker_epoch: Int64 = on(default=-1)
