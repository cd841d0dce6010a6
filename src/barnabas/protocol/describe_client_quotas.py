"""DescribeClientQuotas (key 48): how much clients may use (KIP-546).

Versions: 1 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Float64,
    Int8,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=48, versions="0-1", flexible="1+")
class DescribeClientQuotasRequest:
    """Whose; an entity may have other parts than these unless `strict`."""

    components: Array[ComponentData]
    strict: Bool


@struct
class ComponentData:
    """A part of an entity: 0 of this name, 1 the default's, 2 any that has a name."""

    entity_type: String
    match_type: Int8
    match: String | None


@message(key=48, versions="0-1", flexible="1+")
class DescribeClientQuotasResponse:
    """The quotas that match; None if it failed."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    entries: Array[EntryData] | None


@struct
class EntryData:
    """The quotas of one entity."""

    entity: Array[EntityData]
    values: Array[ValueData]


@struct
class EntityData:
    """A part of an entity, such as a user or client id; None is the default's."""

    entity_type: String
    entity_name: String | None


@struct
class ValueData:
    """One quota."""

    key: String
    value: Float64
