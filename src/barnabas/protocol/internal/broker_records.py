"""Records of the metadata log about brokers (KIP-631).

Versions of a registration: 1 about to stop (KIP-841) · 2 migrates from ZooKeeper (KIP-866) · 3
    directories (KIP-858) · 4 those that take no new replicas (KIP-1066)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int8,
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


@message(versions="0-4", flexible="0+")
class RegisterBrokerRecord:
    """Type 0: a broker started; `fenced` means that it is out of service."""

    broker_id: Int32
    is_migrating_zk_broker: Bool = on("2+", default=False)
    incarnation_id: Uuid
    broker_epoch: Int64
    end_points: Array[BrokerEndpoint]
    features: Array[BrokerFeature]
    rack: String | None
    fenced: Bool = on(default=True)
    in_controlled_shutdown: Bool = on("1+", default=False)
    log_dirs: Array[Uuid] = on("3+", factory=list, tag=0)
    cordoned_log_dirs: Array[Uuid] | None = on("4+", default=None, tag=1)


@struct
class BrokerEndpoint:
    """Where it is reached."""

    name: String
    host: String
    port: Uint16
    security_protocol: Int16


@struct
class BrokerFeature:
    """The levels that it could run at."""

    name: String
    min_supported_version: Int16
    max_supported_version: Int16


@message(versions="0-3", flexible="0+")
class BrokerRegistrationChangeRecord:
    """Type 17: what changed of a broker.

    `fenced`: 1 out of service, -1 in service again, 0 as before; `in_controlled_shutdown`: 1 about
    to stop. Versions: 1 about to stop, 2 directories, 3 those that take no new replicas.
    """

    broker_id: Int32
    broker_epoch: Int64
    fenced: Int8 = on(default=0, tag=0)
    in_controlled_shutdown: Int8 = on("1+", default=0, tag=1)
    log_dirs: Array[Uuid] = on("2+", factory=list, tag=2)
    cordoned_log_dirs: Array[Uuid] | None = on("3+", default=None, tag=3)


@message(versions="0", flexible="0+")
class FenceBrokerRecord:
    """Type 7: out of service; replaced by BrokerRegistrationChangeRecord."""

    id: Int32
    epoch: Int64


@message(versions="0", flexible="0+")
class UnfenceBrokerRecord:
    """Type 8: in service; replaced by BrokerRegistrationChangeRecord."""

    id: Int32
    epoch: Int64


@message(versions="0", flexible="0+")
class UnregisterBrokerRecord:
    """Type 1: it will not come back."""

    broker_id: Int32
    broker_epoch: Int64
