"""Values with the header of a schema registry: Avro, Protocol Buffers, JSON.

Source: Confluent's wire format: 0, the id of the schema in four bytes, then the value.
"""

import base64
import binascii
import io
import json
from functools import lru_cache
from typing import Any, Final, Protocol

from barnabas.ports import Clock
from barnabas.runtime.registries.message_indexes import message_indexes
from barnabas.runtime.registries.schema_registry import (
    RegistryUnanswered,
    SchemaMissing,
    SchemaRegistryClient,
    StoredSchema,
)

_HEADER: Final = 5
_MOST_IDS: Final = 1000
_REMEMBERED_S: Final = 10.0
"""So long a registry is not asked again for what it did not give: a page has hundreds of values."""
_UNFIT: Final = (
    *(ValueError, LookupError, ArithmeticError),
    *(EOFError, TypeError, RecursionError),
)
"""The errors of the libraries for bytes that do not match a schema."""


def plain(document: Any) -> Any:
    """A document as a page shows it: without what schemas have and JSON has not."""
    return json.loads(json.dumps(document, default=otherwise))


def otherwise(value: object) -> object:
    """Convert types that JSON lacks: bytes, decimals, times."""
    return value.hex() if isinstance(value, bytes) else str(value)


class SchemaUnusable(Exception):
    """Why a value cannot be read by its schema."""


class _Reads(Protocol):
    def __call__(self, raw: bytes, begin: int, /) -> Any: ...


class SchemaReader:
    """Decodes values by the schemas of one registry. It waits for the registry: not for a loop."""

    def __init__(self, registry: SchemaRegistryClient, clock: Clock) -> None:
        self._registry = registry
        self._clock = clock
        self._reads = lru_cache(_MOST_IDS)(self._reader)
        self._silent: tuple[float, str] | None = None
        """When the registry did not answer, and how."""
        self._missing: dict[int, tuple[float, str]] = {}
        """When it had no such schema, and its message."""

    @staticmethod
    def is_framed(raw: bytes) -> bool:
        """Whether a value may have such a header."""
        return len(raw) > _HEADER and raw[0] == 0

    def decode(self, raw: bytes) -> tuple[Any, str]:
        """The value as JSON would have it, and the name of its format.

        Raises:
            SchemaUnusable: the value has no header, or its schema cannot be had, or does not fit.
        """
        if not self.is_framed(raw):
            raise SchemaUnusable("the value does not begin with 0 and the id of a schema")
        number = int.from_bytes(raw[1:_HEADER], "big")
        for refused in (self._silent, self._missing.get(number)):
            if refused is not None and self._clock.monotonic() - refused[0] < _REMEMBERED_S:
                raise SchemaUnusable(f"schema {number}: {refused[1]}")
        try:
            kind, reads = self._reads(number)
            return reads(raw, _HEADER), f"{kind}, schema {number}"
        except (RegistryUnanswered, SchemaMissing) as error:
            self._remember(number, error)
            raise SchemaUnusable(f"schema {number}: {error}") from None
        except ImportError as error:
            raise SchemaUnusable(
                f"schema {number} needs a package: pip install {error.name}"
            ) from None
        except _UNFIT as error:
            raise SchemaUnusable(f"the value does not fit schema {number}: {error}") from None

    def _remember(self, number: int, error: RegistryUnanswered | SchemaMissing) -> None:
        refused = self._clock.monotonic(), str(error)
        if isinstance(error, RegistryUnanswered):
            self._silent = refused
            return
        if len(self._missing) >= _MOST_IDS:
            self._missing.clear()
        self._missing[number] = refused

    def _reader(self, number: int) -> tuple[str, _Reads]:
        stored = self._registry.by_id(number)
        match stored.kind or "AVRO":
            case "AVRO":
                return "Avro", _avro(self._registry, stored)
            case "PROTOBUF":
                serialized = self._registry.by_id(number, serialized=True)
                return "Protocol Buffers", _protobuf(self._registry, serialized)
            case "JSON":
                return "JSON", lambda raw, begin: json.loads(raw[begin:])
            case other:
                raise SchemaUnusable(f"schema {number} is of the kind {other}")


def _avro(registry: SchemaRegistryClient, stored: StoredSchema) -> _Reads:
    import fastavro
    from fastavro.schema import SchemaParseException

    named: dict[str, Any] = {}

    def parsed(of: StoredSchema) -> Any:
        for each in of.references:
            parsed(registry.version(each))
        try:
            return fastavro.parse_schema(json.loads(of.text), named)
        except SchemaParseException as error:
            raise SchemaUnusable(f"its schema cannot be parsed: {error}") from None

    schema = parsed(stored)

    def reads(raw: bytes, begin: int) -> Any:
        # fastavro would begin at the start of the buffer.
        return fastavro.schemaless_reader(io.BytesIO(raw[begin:]), schema, None)

    return reads


def _protobuf(registry: SchemaRegistryClient, stored: StoredSchema) -> _Reads:
    from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
    from google.protobuf.message import DecodeError

    pool = descriptor_pool.DescriptorPool()
    added: set[str] = set()

    def add(of: StoredSchema, name: str) -> Any:
        for each in of.references:
            if each.name not in added:
                added.add(each.name)
                add(registry.version(each, serialized=True), each.name)
        try:
            file = descriptor_pb2.FileDescriptorProto.FromString(
                base64.b64decode(of.text, validate=True)
            )
        except (binascii.Error, DecodeError):
            raise SchemaUnusable("the registry gives the schema as text only") from None
        file.name = name or file.name or "default.proto"
        for needed in file.dependency:
            _add_well_known(pool, needed)
        pool.Add(file)
        return file

    top = add(stored, "")
    package = [top.package] if top.package else []

    def reads(raw: bytes, begin: int) -> Any:
        way, begin = message_indexes(raw, begin)
        place, names = top, list(package)
        for step, index in enumerate(way):
            inner = place.nested_type if step else place.message_type
            if not 0 <= index < len(inner):
                raise ValueError(f"it has no message {list(way)}")
            place = inner[index]
            names.append(place.name)
        kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(".".join(names)))
        try:
            message = kind.FromString(raw[begin:])
        except DecodeError as error:
            raise ValueError(str(error)) from None
        return json_format.MessageToDict(message, preserving_proto_field_name=True)

    return reads


def _add_well_known(pool: Any, name: str) -> None:
    """Add a file of google/protobuf, which registries leave out."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    # Imported so that the default pool has them.
    from google.protobuf import any_pb2, duration_pb2, struct_pb2, timestamp_pb2, wrappers_pb2  # noqa: F401  # isort: skip

    try:
        found = descriptor_pool.Default().FindFileByName(name)
    except KeyError:
        return
    file = descriptor_pb2.FileDescriptorProto()
    found.CopyToProto(file)
    pool.Add(file)
