"""The options of values in Avro and Protocol Buffers: a schema, or its registry."""

from importlib.util import find_spec
from typing import Final

from barnabas.errors import StorageError
from barnabas.runtime.files.read_only import ReadOnlyDisk
from barnabas.spark.errors import OptionError
from barnabas.spark.options.option_values import Options
from barnabas.spark.options.selection import Topics, read_selection
from barnabas.spark.values import avro_format as avro
from barnabas.spark.values import protobuf_format as protobuf
from barnabas.spark.values.avro_format import AvroFormat
from barnabas.spark.values.avro_node import AvroNode
from barnabas.spark.values.avro_schema import avro_schema
from barnabas.spark.values.protobuf_format import ProtobufFormat
from barnabas.spark.values.protobuf_schema import DescriptorsUnusable, protobuf_message
from barnabas.spark.values.registry import SchemaMissing, SchemaRegistry, StoredSchema

NAMES_OF_AVRO: Final = ("valueSchema",)
NAMES_OF_PROTOBUF: Final = ("descFilePath", "messageName", "recursive.fields.max.depth")
NAMES_OF_BOTH: Final = (
    "valueSchemaId",
    "schemaRegistryUrl",
    "schemaRegistryLogin",
    "valueSubject",
)

_ANY_ID: Final = "any"
_DEEPEST_PROTOBUF: Final = 10
"""As in Spark: a message that contains itself twice doubles in size with each level."""


def avro_format(options: Options) -> AvroFormat:
    """The format of values in Avro.

    Raises:
        OptionError: the schema is missing, or cannot be decoded.
        Unreachable: the schema registry does not respond.
    """
    if find_spec("numpy") is None:
        raise OptionError("valueFormat", "avro needs the package numpy: pip install numpy")
    registry, text = _registry(options), options.text("valueSchema")
    if text:
        return AvroFormat(_avro_schema(text), _schema_id(options), registry)
    if registry is None:
        raise OptionError(
            "valueSchema",
            "is missing; 'valueFormat' = avro needs the schema as JSON, or 'schemaRegistryUrl'",
        )
    subject, stored = _latest(options, registry, serialized=False)
    try:
        schema = avro.registered(registry, stored)
    except (SchemaMissing, ValueError) as problem:
        raise OptionError("valueSubject", f"'{subject}' cannot be decoded: {problem}") from None
    return AvroFormat(schema, registry=registry)


def protobuf_format(options: Options) -> ProtobufFormat:
    """The format of values in Protocol Buffers; errors as from `avro_format`."""
    if find_spec("google") is None or find_spec("google.protobuf") is None:
        raise OptionError(
            "valueFormat", "protobuf needs the package protobuf: pip install 'barnabas[protobuf]'"
        )
    registry, path = _registry(options), options.text("descFilePath")
    name = options.text("messageName")
    if path:
        if not name:
            raise OptionError("messageName", f"is missing; name a message of {path}")
        source, descriptors = "messageName", _file(path)
    elif registry is not None:
        subject, stored = _latest(options, registry, serialized=True)
        source = "messageName" if name else "valueSubject"
        try:
            descriptors = protobuf.registered(registry, stored)
        except (SchemaMissing, ValueError) as problem:
            raise OptionError("valueSubject", f"'{subject}' cannot be decoded: {problem}") from None
    else:
        raise OptionError(
            "descFilePath",
            "is missing; 'valueFormat' = protobuf needs the file that protoc --descriptor_set_out "
            "writes, and 'messageName', or 'schemaRegistryUrl'",
        )
    recursion = options.integer("recursive.fields.max.depth", least=-1, most=_DEEPEST_PROTOBUF)
    recursion = max(0, recursion or 0)
    try:
        message = protobuf_message(descriptors, name, recursion)
    except DescriptorsUnusable as problem:
        source = "descFilePath" if path else "valueSubject"
        raise OptionError(source, f"cannot be used: {problem}") from None
    except ValueError as problem:
        raise OptionError(source, f"cannot be decoded: {problem}") from None
    any_id = (options.text("valueSchemaId") or "").lower() == _ANY_ID
    schema_id = None if any_id else _schema_id(options)
    framed = any_id or schema_id is not None or registry is not None
    return ProtobufFormat(
        descriptors, message.name, message.root.type, framed, schema_id, registry, recursion
    )


def _avro_schema(text: str) -> AvroNode:
    try:
        return avro_schema(text)
    except ValueError as problem:
        raise OptionError("valueSchema", f"cannot be decoded: {problem}") from None


def _schema_id(options: Options) -> int | None:
    return options.integer("valueSchemaId", least=0, most=2**32 - 1)


def _registry(options: Options) -> SchemaRegistry | None:
    address = options.text("schemaRegistryUrl")
    if address is None:
        if alone := options.given(NAMES_OF_BOTH[2:]):
            raise OptionError(alone[0], "needs 'schemaRegistryUrl'")
        return None
    if options.has("valueSchemaId"):
        raise OptionError("valueSchemaId", "is for values without a registry, which has all ids")
    try:
        return SchemaRegistry.at(address, options.text("schemaRegistryLogin"))
    except ValueError as problem:
        raise OptionError("schemaRegistryUrl", str(problem)) from None


def _latest(
    options: Options, registry: SchemaRegistry, *, serialized: bool
) -> tuple[str, StoredSchema]:
    """The subject of the values, and its latest schema."""
    subject = options.text("valueSubject")
    if not subject:
        selection = read_selection(options)
        if not isinstance(selection, Topics) or len(selection.names) != 1:
            raise OptionError(
                "valueSubject", "is missing; it has a default only where one topic is subscribed to"
            )
        subject = f"{next(iter(selection.names))}-value"
    try:
        return subject, registry.latest(subject, serialized=serialized)
    except SchemaMissing as problem:
        raise OptionError("valueSubject", f"no subject '{subject}': {problem}") from None


def _file(path: str) -> bytes:
    try:
        return ReadOnlyDisk().read_file(path.removeprefix("file://"))
    except StorageError as error:
        raise OptionError("descFilePath", f"cannot be read on the driver: {error}") from None
