"""In which format keys and values are, and what becomes of a value that is not in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec

from pyspark.sql.types import DataType, StringType

from barnabas.spark.errors import OptionError
from barnabas.spark.options.option_values import Options
from barnabas.spark.values.avro_format import AvroFormat
from barnabas.spark.values.avro_schema import avro_schema

NAMES = ("keyFormat", "valueFormat", "valueSchema", "valueSchemaId", "badRecords")
_OF_AVRO = NAMES[2:]


@dataclass(frozen=True, slots=True)
class Formats:
    """`types`: of columns that are not binary. `avro`: how values are decoded, if they are."""

    types: Mapping[str, DataType] = field(default_factory=dict)
    avro: AvroFormat | None = None


def read_formats(options: Options) -> Formats:
    """The formats of keys and values.

    Raises:
        OptionError: one that is not known, or a schema that is missing or cannot be decoded.
    """
    types: dict[str, DataType] = {}
    if _format(options, "keyFormat", "binary", "text") == "text":
        types["key"] = StringType()
    value = _format(options, "valueFormat", "binary", "text", "avro")
    if value != "avro":
        if alone := options.given(_OF_AVRO):
            raise OptionError(alone[0], "needs 'valueFormat' = avro")
        if value == "text":
            types["value"] = StringType()
        return Formats(types)
    avro = _avro(options)
    return Formats(types | {"value": avro.schema.type}, avro)


def _avro(options: Options) -> AvroFormat:
    if find_spec("numpy") is None:
        raise OptionError("valueFormat", "avro needs the package numpy: pip install numpy")
    text = options.text("valueSchema")
    if not text:
        raise OptionError(
            "valueSchema", "is missing; 'valueFormat' = avro needs the schema as JSON"
        )
    try:
        schema = avro_schema(text)
    except ValueError as problem:
        raise OptionError("valueSchema", f"cannot be decoded: {problem}") from None
    schema_id = options.integer("valueSchemaId", least=0, most=2**31 - 1)
    bad = _format(options, "badRecords", "fail", "null")
    return AvroFormat(schema, schema_id, bad_is_null=bad == "null")


def _format(options: Options, name: str, *known: str) -> str:
    """One of the words `known`, the first where none was given."""
    value = (options.text(name) or known[0]).lower()
    if value not in known:
        raise OptionError(name, f"must be {', '.join(known[:-1])} or {known[-1]}, not '{value}'")
    return value
