"""Assemble decoded columns into Spark's record batches: order, types, size. No I/O.

Imports pyarrow only when it runs.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from barnabas.records.columns.arrow import int_scalar, text_scalar
from barnabas.spark.errors import SchemaError
from barnabas.spark.readers.decoding import Decoding
from barnabas.spark.readers.schema import Projection


class Assembler:
    """Builds the batches of one partition.

    Columns with one value for the whole partition are built once, with the size of the largest batch.
    """

    def __init__(
        self,
        projection: Projection,
        topic: str,
        partition: int,
        *,
        batch_rows: int,
        decoding: Decoding | None = None,
    ) -> None:
        self._schema = projection.arrow_schema()
        self._rows = batch_rows
        self._decoding = decoding
        self._scalars: dict[str, Any] = {
            "topic": text_scalar(topic),
            "partition": int_scalar(partition),
        }
        self._constants: dict[str, Any] = {}

    def batches(self, columns: Mapping[str, Any], count: int) -> Iterator[Any]:
        """Yield `pyarrow.RecordBatch`es of at most `batch_rows` rows; none if `count` is 0.

        Args:
            columns: `pyarrow.Array`s of `count` values by column name, as `records.columns.arrow` has them.
            count: the number of records, which is all there is if no column was decoded.

        Raises:
            SchemaError: a column that was declared "not null" has a null.
            BadValue, WriteRefused, Unreachable: as `Decoding`.
        """
        import pyarrow as pa

        if self._decoding is not None:
            columns, count = self._decoding.decode(columns, count)
        decoded = {
            field.name: self._typed(columns[field.name], field)
            for field in self._schema
            if field.name not in self._scalars
        }
        for start in range(0, count, self._rows):
            rows = min(self._rows, count - start)
            arrays = [
                self._constant(name, rows)
                if name in self._scalars
                else decoded[name].slice(start, rows)
                for name in self._schema.names
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _typed(self, array: Any, field: Any) -> Any:
        """The array with the field's type, without copying or reading its bytes."""
        if field.name == "headers":
            array = _null_where_empty(array)
        if array.null_count and not field.nullable:
            raise SchemaError(f"column {field.name} has a null, but the schema says not null")
        return array if array.type.equals(field.type) else array.cast(field.type, safe=False)

    def _constant(self, name: str, rows: int) -> Any:
        import pyarrow as pa

        whole = self._constants.get(name)
        if whole is None or len(whole) < rows:
            whole = self._constants[name] = pa.repeat(self._scalars[name], rows)
        return whole if len(whole) == rows else whole.slice(0, rows)


def _null_where_empty(headers: Any) -> Any:
    """Replace empty lists by null, as Spark's own source has it for records without headers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    empty = pc.equal(pc.list_value_length(headers), pa.scalar(0))
    if not pc.any(empty).as_py():
        return headers
    return pa.ListArray.from_arrays(headers.offsets, headers.values, mask=empty)
