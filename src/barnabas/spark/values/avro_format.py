"""Values in Avro, as the options of a query describe them. Imports pyarrow only when it decodes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from pyspark.sql.types import DataType

from barnabas.spark.values.arrow_types import arrow_type
from barnabas.spark.values.avro_node import AvroNode
from barnabas.spark.values.avro_schema import avro_schema
from barnabas.spark.values.decoded import Decoded, assembled, reasons
from barnabas.spark.values.registry import (
    MOST_KEPT,
    Reference,
    SchemaMissing,
    SchemaRegistry,
    StoredSchema,
)

BadRows = dict[int, str]
"""The rows of bad values, ascending, and the field of each at which that was found."""

_GIVEN: Final = "'valueSchema'"


@dataclass(frozen=True, slots=True)
class AvroFormat:
    """How values are decoded.

    `schema`: the schema of the column. `schema_id`: the id in the header of each value; None without
    headers, or if `registry` has the schemas with which values were written.
    """

    schema: AvroNode
    schema_id: int | None = None
    registry: SchemaRegistry | None = None

    @property
    def type(self) -> DataType:
        """That of the schema."""
        return self.schema.type

    def decode(self, values: Any) -> Decoded:
        """Values (a `pyarrow.BinaryArray`) as the schema's type.

        Raises:
            Unreachable: the registry is needed and does not answer.
        """
        if self.registry is None and self.schema_id is None:
            column, bad = _decoded(values, 0, self.schema)
            return Decoded(column, list(bad), lambda row: _not_so(values[row], _GIVEN, bad[row]))
        return self._framed(values)

    def _framed(self, values: Any) -> Decoded:
        import numpy as np
        import pyarrow as pa

        from barnabas.spark.values.framing import HEADER, NO_HEADER, NULL, UNFRAMED, schema_ids

        ids = schema_ids(values)
        parts: list[tuple[Any, Any]] = []
        bad: dict[int, str] = dict.fromkeys(np.flatnonzero(ids == UNFRAMED).tolist(), NO_HEADER)
        for schema_id in np.unique(ids).tolist():
            if schema_id in (NULL, UNFRAMED):
                continue
            rows = np.flatnonzero(ids == schema_id)
            read = self._reader(schema_id)
            if isinstance(read, str):
                bad |= dict.fromkeys(rows.tolist(), read)
                continue
            some = values if len(rows) == len(values) else values.take(pa.array(rows))
            try:
                column, wrong = read(some, HEADER)
            except ValueError as problem:
                why = (
                    f"the value has schema {schema_id}, which 'valueSchema' cannot read: {problem}"
                )
                bad |= dict.fromkeys(rows.tolist(), why)
                continue
            for each, at in wrong.items():
                row = int(rows[each])
                bad[row] = _not_so(values[row], f"schema {schema_id}", at)
            parts.append((rows, column))
        column = assembled(parts, len(values), arrow_type(self.schema.type))
        return Decoded(column, *reasons(bad))

    def _reader(self, schema_id: int) -> Callable[[Any, int], tuple[Any, BadRows]] | str:
        """The decoder for values of this schema, or the reason that there is none."""
        if self.registry is None:
            if schema_id != self.schema_id:
                return f"the value has schema {schema_id}, 'valueSchemaId' says {self.schema_id}"
            return lambda values, header: _decoded(values, header, self.schema)
        try:
            writer = _written_by(self.registry, schema_id)
        except (SchemaMissing, ValueError) as problem:
            return f"the value has schema {schema_id}, which cannot be read by: {problem}"
        return lambda values, header: _resolved(values, header, writer, self.schema)


def registered(registry: SchemaRegistry, stored: StoredSchema) -> AvroNode:
    """The tree of a schema that a registry has.

    Raises:
        SchemaMissing: it is not Avro, or one that it needs is not there.
        ValueError, Unreachable: as `avro_schema` and the registry.
    """
    if stored.kind not in (None, "AVRO"):
        raise SchemaMissing(f"it is of the kind {stored.kind}, not AVRO")
    imported: dict[Reference, str] = {}

    def collect(of: StoredSchema) -> None:
        for each in of.references:
            if each not in imported:
                found = registry.version(each)
                collect(found)
                imported[each] = found.text

    collect(stored)
    return avro_schema(stored.text, list(imported.values()))


@lru_cache(MOST_KEPT)
def _written_by(registry: SchemaRegistry, schema_id: int) -> AvroNode:
    return registered(registry, registry.by_id(schema_id))


def _decoded(values: Any, header: int, schema: AvroNode) -> tuple[Any, BadRows]:
    from barnabas.spark.values.avro_values import AvroValues

    decoding = AvroValues(values, header)
    column = decoding.decode(schema)
    return column, dict(sorted(decoding.fields.items()))


def _resolved(values: Any, header: int, writer: AvroNode, reader: AvroNode) -> tuple[Any, BadRows]:
    from barnabas.spark.values.avro_resolution import resolved

    column, bad = _decoded(values, header, writer)
    return resolved(column, writer, reader), bad


def _not_so(value: Any, what: str, field: str) -> str:
    place = f", at field {field}" if field else ""
    return f"the value ({len(value.as_py())} bytes) is not what {what} says{place}"
