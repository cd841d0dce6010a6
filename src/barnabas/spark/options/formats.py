"""The formats of keys and values, and what happens to bad values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pyspark.sql.types import DataType, StringType

from barnabas.spark.errors import OptionError
from barnabas.spark.options.option_values import Options
from barnabas.spark.options.value_formats import (
    NAMES_OF_AVRO,
    NAMES_OF_BOTH,
    NAMES_OF_PROTOBUF,
    avro_format,
    protobuf_format,
)
from barnabas.spark.values.decoded import ValueFormat

_BAD = ("badRecords", "badRecordsTopic")
_OF_DECODED = (*NAMES_OF_AVRO, *NAMES_OF_PROTOBUF, *NAMES_OF_BOTH, *_BAD)
NAMES = ("keyFormat", "valueFormat", *_OF_DECODED)

BadRecords = Literal["fail", "null", "topic"]


@dataclass(frozen=True, slots=True)
class Formats:
    """How keys and values are read.

    `types`: the types of columns that are not binary. `values`: the format of values, if they are decoded.
    `bad`: the result of a value that cannot be decoded: an error, null, or a record in `bad_topic` in place
    of the row.
    """

    types: Mapping[str, DataType] = field(default_factory=dict)
    values: ValueFormat | None = None
    bad: BadRecords = "fail"
    bad_topic: str | None = None


def read_formats(options: Options) -> Formats:
    """The formats of keys and values. Sends requests to the schema registry, if the options name one.

    Raises:
        OptionError: a format is unknown, or a schema is missing or cannot be decoded.
        Unreachable: the schema registry does not respond.
    """
    types: dict[str, DataType] = {}
    if options.word("keyFormat", "binary", "text") == "text":
        types["key"] = StringType()
    name = options.word("valueFormat", "binary", "text", "avro", "protobuf")
    if name in ("binary", "text"):
        if alone := options.given(_OF_DECODED):
            raise OptionError(alone[0], f"needs 'valueFormat' = {_needed(alone[0])}")
        if name == "text":
            types["value"] = StringType()
        return Formats(types)
    other = NAMES_OF_PROTOBUF if name == "avro" else NAMES_OF_AVRO
    if alone := options.given(other):
        raise OptionError(alone[0], f"is for 'valueFormat' = {_needed(alone[0])}; remove it")
    values = avro_format(options) if name == "avro" else protobuf_format(options)
    bad, topic = _bad_records(options)
    return Formats(types | {"value": values.type}, values, bad, topic)


def _needed(name: str) -> str:
    if name in NAMES_OF_AVRO:
        return "avro"
    return "protobuf" if name in NAMES_OF_PROTOBUF else "avro or protobuf"


def _bad_records(options: Options) -> tuple[BadRecords, str | None]:
    what = options.word("badRecords", "fail", "null", "topic")
    topic = options.text("badRecordsTopic")
    if what == "topic":
        if not topic:
            raise OptionError("badRecordsTopic", "is missing; 'badRecords' = topic needs its name")
        return "topic", topic
    if topic is not None:
        raise OptionError("badRecordsTopic", "needs 'badRecords' = topic")
    return ("null" if what == "null" else "fail"), None
