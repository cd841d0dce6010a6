"""Values in Avro, as the options of a query describe them. Imports pyarrow only when it decodes."""

from dataclasses import dataclass
from typing import Any, Final

from barnabas.spark.errors import BadValue
from barnabas.spark.values.avro_schema import AvroNode

HEADER: Final = 5
"""Bytes that clients of a schema registry put before a value: 0, then the id of its schema.

Source: Confluent's wire format.
"""


@dataclass(frozen=True, slots=True)
class AvroFormat:
    """`schema_id`: what the header of each value says; None where there is none.

    `bad_is_null`: values that cannot be decoded become null; else they are an error.
    """

    schema: AvroNode
    schema_id: int | None = None
    bad_is_null: bool = False

    def decode(self, values: Any, offsets: Any, where: str) -> Any:
        """Values (a `pyarrow.BinaryArray`) as the schema's type.

        Args:
            values: of one partition.
            offsets: theirs, an array of int64.
            where: the partition, for messages.

        Raises:
            BadValue: one is not what the schema says; names the first.
        """
        from barnabas.spark.values.avro_values import AvroValues

        decoding = AvroValues(values, 0 if self.schema_id is None else HEADER)
        if self.schema_id is not None:
            decoding.expect(b"\0" + self.schema_id.to_bytes(4, "big"))
        decoded = decoding.decode(self.schema)
        first = decoding.first_bad
        if first is not None and not self.bad_is_null:
            raise BadValue(f"{where}, offset {offsets[first].as_py()}: {self._why(values[first])}")
        return decoded

    def _why(self, value: Any) -> str:
        raw: bytes = value.as_py()
        if self.schema_id is not None and (len(raw) < HEADER or raw[0]):
            return "the value does not begin with 0 and the id of a schema"
        if self.schema_id is not None and raw[1:HEADER] != self.schema_id.to_bytes(4, "big"):
            found = int.from_bytes(raw[1:HEADER], "big")
            return f"the value has schema {found}, 'valueSchemaId' says {self.schema_id}"
        return f"the value ({len(raw)} bytes) is not what 'valueSchema' says"
