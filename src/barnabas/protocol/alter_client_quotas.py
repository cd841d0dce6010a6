"""AlterClientQuotas (key 49): change how much clients may use (KIP-546).

Versions: 1 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Float64, Int16, Int32, String, message, on, struct


@message(key=49, versions="0-1", flexible="1+")
class AlterClientQuotasRequest:
    """The changes, or a trial of them."""

    entries: Array[AlteredEntity]
    validate_only: Bool


@struct
class AlteredEntity:
    """Changes for one entity."""

    entity: Array[EntityData]
    ops: Array[OpData]


@struct
class EntityData:
    """A part of an entity, such as a user or client id; None is the default's."""

    entity_type: String
    entity_name: String | None


@struct
class OpData:
    """Set one quota, or remove it."""

    key: String
    value: Float64
    remove: Bool


@message(key=49, versions="0-1", flexible="1+")
class AlterClientQuotasResponse:
    """What became of each entity."""

    throttle_time_ms: Int32 = on(default=0)
    entries: Array[AlteredEntityResult]


@struct
class AlteredEntityResult:
    """One entity."""

    error_code: Int16
    error_message: String | None = on(default=None)
    entity: Array[EntityData]
