"""Values in Protocol Buffers, as the options of a query describe them. Imports protobuf only to decode."""

import base64
import binascii
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pyspark.sql.types import DataType

from barnabas.spark.values.decoded import Decoded, reasons
from barnabas.spark.values.framing import HEADER, NO_HEADER, NULL, UNFRAMED
from barnabas.spark.values.protobuf_schema import (
    ProtobufMessage,
    descriptor_pool,
    protobuf_message,
)
from barnabas.spark.values.registry import (
    MOST_KEPT,
    Reference,
    SchemaMissing,
    SchemaRegistry,
    StoredSchema,
)


@dataclass(frozen=True, slots=True)
class ProtobufFormat:
    """How values are decoded.

    `descriptors`: a `FileDescriptorSet` with the message `name`. `type`: the type of the column.
    `framed`: each value has a header; `schema_id`: the id in it, None for any id. `registry`: has the
    schemas with which values were written, which determine the message. `recursion`: see
    `protobuf_message`.
    """

    descriptors: bytes
    name: str
    type: DataType
    framed: bool = False
    schema_id: int | None = None
    registry: SchemaRegistry | None = None
    recursion: int = 0

    def decode(self, values: Any) -> Decoded:
        """Decode values (a `pyarrow.BinaryArray`) to the message's fields.

        Raises:
            Unreachable: the registry is needed and does not respond.
        """
        from google.protobuf.message import DecodeError

        from barnabas.spark.values.protobuf_values import columns_of

        message = _message(self.descriptors, self.name, self.recursion)
        read, bad = message.made.FromString, dict[int, str]()
        messages: list[Any] = [None] * len(values)
        raws = self._messages(values, bad) if self.framed else values.to_pylist()
        for row, raw in enumerate(raws):
            if raw is None:
                continue
            try:
                messages[row] = read(raw)
            except DecodeError:
                bad[row] = f"the value ({len(raw)} bytes) is no message {self.name}"
        column, wrong = columns_of(messages, message)
        bad |= dict.fromkeys(wrong, "the value has text that is no UTF-8, or a time out of range")
        return Decoded(column, *reasons(bad))

    def _messages(self, values: Any, bad: dict[int, str]) -> list[bytes | None]:
        """The values without headers, None for null and bad ones; reasons go into `bad`."""
        from barnabas.runtime.registries.message_indexes import message_indexes
        from barnabas.spark.values.framing import schema_ids

        found: list[bytes | None] = []
        reasons_of: dict[tuple[int, tuple[int, ...]], str] = {}
        for row, (schema_id, raw) in enumerate(
            zip(schema_ids(values).tolist(), values.to_pylist(), strict=True)
        ):
            found.append(None)
            if schema_id == NULL:
                continue
            if schema_id == UNFRAMED:
                bad[row] = NO_HEADER
                continue
            try:
                way, begin = message_indexes(raw, HEADER)
            except ValueError as problem:
                bad[row] = str(problem)
                continue
            if (schema_id, way) not in reasons_of:
                reasons_of[schema_id, way] = self._refused(schema_id, way)
            if why := reasons_of[schema_id, way]:
                bad[row] = why
            else:
                found[-1] = raw[begin:]
        return found

    def _refused(self, schema_id: int, way: tuple[int, ...]) -> str:
        """Why a message of this schema cannot be read; empty if it can."""
        if self.registry is None:
            if self.schema_id in (None, schema_id):
                return ""
            return f"the value has schema {schema_id}, 'valueSchemaId' says {self.schema_id}"
        try:
            written = _written(self.registry, schema_id, way)
        except (SchemaMissing, ValueError) as problem:
            return f"the value has schema {schema_id}, which cannot be read by: {problem}"
        return "" if written == self.name else f"the value is a message {written}, not {self.name}"


def registered(registry: SchemaRegistry, stored: StoredSchema) -> bytes:
    """The descriptor set of a schema in a registry; the schema itself is the last file.

    Raises:
        SchemaMissing: it is not of Protocol Buffers, or imports a missing schema.
        ValueError: the registry returns only its text.
        Unreachable: the registry does not respond.
    """
    from google.protobuf import descriptor_pb2

    imported: dict[Reference, Any] = {}

    def collect(of: StoredSchema) -> None:
        for each in of.references:
            if each not in imported:
                found = registry.version(each, serialized=True)
                collect(found)
                imported[each] = _file(found)
                imported[each].name = each.name

    collect(stored)
    file = _file(stored)
    file.name = file.name or "default.proto"
    return bytes(
        descriptor_pb2.FileDescriptorSet(file=[*imported.values(), file]).SerializeToString()
    )


def _file(stored: StoredSchema) -> Any:
    from google.protobuf import descriptor_pb2
    from google.protobuf.message import DecodeError

    if stored.kind not in (None, "PROTOBUF"):
        raise SchemaMissing(f"it is of the kind {stored.kind}, not PROTOBUF")
    try:
        raw = base64.b64decode(stored.text, validate=True)
        return descriptor_pb2.FileDescriptorProto.FromString(raw)
    except (binascii.Error, DecodeError):
        raise ValueError(
            "the registry gives it as text and not serialized; set 'descFilePath' and 'messageName' "
            "and, in place of the registry, 'valueSchemaId' = any"
        ) from None


@lru_cache(MOST_KEPT)
def _message(descriptors: bytes, name: str, recursion: int) -> ProtobufMessage:
    return protobuf_message(descriptors, name, recursion)


@lru_cache(MOST_KEPT)
def _written(registry: SchemaRegistry, schema_id: int, way: tuple[int, ...]) -> str:
    """The full name of the message at the end of a path."""
    stored = registry.by_id(schema_id, serialized=True)
    _, files = descriptor_pool(registered(registry, stored))
    place, names = files[-1], [files[-1].package] if files[-1].package else []
    for step, index in enumerate(way):
        inner = place.nested_type if step else place.message_type
        if not 0 <= index < len(inner):
            raise ValueError(f"it has no message {list(way)}")
        place = inner[index]
        names.append(place.name)
    return ".".join(names)
