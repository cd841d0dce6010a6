"""Records of the metadata log about controllers and the log itself."""

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


@message(versions="0", flexible="0+")
class RegisterControllerRecord:
    """Type 27: a controller started (KIP-919)."""

    controller_id: Int32
    incarnation_id: Uuid
    zk_migration_ready: Bool
    end_points: Array[ControllerEndpoint]
    features: Array[ControllerFeature]


@struct
class ControllerEndpoint:
    """Where it is reached."""

    name: String
    host: String
    port: Uint16
    security_protocol: Int16


@struct
class ControllerFeature:
    """The levels that it could run at."""

    name: String
    min_supported_version: Int16
    max_supported_version: Int16


@message(versions="0", flexible="0+")
class UnregisterControllerRecord:
    """Type 29: it will not come back (KIP-1312)."""

    controller_id: Int32


@message(versions="0", flexible="0+")
class ProducerIdsRecord:
    """Type 15: a broker has the producer ids before this one (KIP-730)."""

    broker_id: Int32
    broker_epoch: Int64 = on(default=-1)
    next_producer_id: Int64


@message(versions="0", flexible="0+")
class FeatureLevelRecord:
    """Type 12: the cluster runs at this level (KIP-584); 0: the feature is gone."""

    name: String
    feature_level: Int16


@message(versions="0", flexible="0+")
class RemoveFeatureLevelRecord:
    """Type 16: the cluster runs without this feature; level 0 of FeatureLevelRecord now."""

    name: String


@message(versions="0", flexible="0+")
class ZkMigrationRecord:
    """Type 21: how far the migration from ZooKeeper is (KIP-866)."""

    zk_migration_state: Int8


@message(versions="0", flexible="0+")
class BeginTransactionRecord:
    """Type 23: what follows counts all or not at all (KIP-868)."""

    name: String | None = on(default=None, tag=0)


@message(versions="0", flexible="0+")
class EndTransactionRecord:
    """Type 24: all of it counts."""


@message(versions="0", flexible="0+")
class AbortTransactionRecord:
    """Type 25: none of it counts."""

    reason: String | None = on(default=None, tag=0)


@message(versions="0", flexible="0+")
class NoOpRecord:
    """Type 20: nothing happened; that the log goes on is a sign of life (KIP-835)."""
