"""Declarations that use everything the language has; no real API."""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Bool,
    Bytes,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    Records,
    String,
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(key=7, versions="0-3", flexible="2+")
class Everything:
    """Fields of every kind, in classic (0, 1) and flexible (2, 3) versions."""

    flag: Bool
    tiny: Int8
    port: Uint16 = on("1+", default=9092)
    ratio: Float64
    name: String
    alias: String | None = on(nullable="1+")
    data: Bytes
    maybe_data: Bytes | None = on("1-2", default=None)
    topic_id: Uuid = on("3+", default=NO_UUID)
    numbers: Array[Int32]
    maybe_names: Array[String] | None
    ids: Array[Uuid] = on("1+", factory=list)
    points: Array[Point]
    children: Array[Child] | None
    cursor: Cursor | None = on("2+", default=None)
    note: String | None = on("2+", tag=0, default=None)
    limit: Int64 = on("2+", tag=1, default=-1)
    leader: Point | None = on("3+", tag=2, default=None)
    extras: Array[Cursor] = on("2+", tag=5, factory=list)


@struct
class Point:
    """Of fixed size in every version."""

    x: Int32
    y: Int16
    mark: Int64 = on("3+", tag=0, default=7)


@struct
class Child:
    """With records, so that everything above has some."""

    name: String
    records: Records | None
    points: Array[Point]


@struct
class Cursor:
    """Nullable on the wire."""

    name: String
    index: Int32
