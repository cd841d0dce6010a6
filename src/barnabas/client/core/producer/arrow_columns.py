"""The columns of an Arrow table that form records, by role. Encodes nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from barnabas.client.core.arguments.arrow_module import arrow_module
from barnabas.errors import LocalProtocolError


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The name of each column. All except one of key and value may be missing from the data.

    `partition` is the name of a column of partition numbers, or one number for all, or None.
    """

    key: str = "key"
    value: str = "value"
    headers: str = "headers"
    timestamp: str = "timestamp"
    partition: str | int | None = None

    def chunks(self, data: Any) -> Iterator[dict[str, Any]]:
        """Yield the columns of each record batch of a pyarrow Table or RecordBatch.

        Raises:
            LocalProtocolError: there is neither key nor value, or no such partition column.
            TypeError: the data is neither, or a column has an unsuitable type.
            ConfigError: pyarrow is not installed.
        """
        pa = arrow_module("send_arrow")
        if not isinstance(data, pa.RecordBatch | pa.Table):
            what = f"send_arrow takes a pyarrow.Table or RecordBatch, not {type(data).__name__}"
            raise TypeError(f"{what}: pyarrow.table(...) makes one of a dict or a DataFrame")
        batches = [data] if isinstance(data, pa.RecordBatch) else data.to_batches()
        for batch in batches:
            if batch.num_rows:
                yield self._chosen(batch)

    def highest_partition(self, data: Any) -> int | None:
        """The highest partition that the data name; None where they name none, or `chunks` refuses them."""
        if not isinstance(self.partition, str):
            return self.partition
        import pyarrow as pa
        import pyarrow.compute as pc

        known = isinstance(data, pa.RecordBatch | pa.Table) and self.partition in data.schema.names
        if not known or not pa.types.is_integer(data.schema.field(self.partition).type):
            return None
        highest: int | None = pc.max(data.column(self.partition)).as_py()
        return highest

    def _chosen(self, batch: Any) -> dict[str, Any]:
        import pyarrow as pa

        from barnabas.records.columns.arrow import int_scalar

        there = set(batch.schema.names)
        wanted = {
            "key": self.key,
            "value": self.value,
            "headers": self.headers,
            "timestamp": self.timestamp,
        }
        found = {role: batch.column(name) for role, name in wanted.items() if name in there}
        for role, column in found.items():
            _check(role, wanted[role], column.type)
        if not {"key", "value"} & found.keys():
            what = f"no column {self.value!r} or {self.key!r}; there are {sorted(there)}"
            raise LocalProtocolError(f"records need a value or a key, but there is {what}")
        if isinstance(self.partition, int):
            found["partition"] = pa.repeat(int_scalar(self.partition), batch.num_rows)
        elif self.partition is not None:
            if self.partition not in there:
                raise LocalProtocolError(f"there is no column {self.partition!r} of partitions")
            found["partition"] = batch.column(self.partition)
            _check("partition", self.partition, found["partition"].type)
        return found


def _check(role: str, name: str, kind: Any) -> None:
    """Refuse a column whose type does not fit its role."""
    from pyarrow import types

    if types.is_null(kind):
        return
    inner = kind.value_type if types.is_dictionary(kind) else kind
    if role in {"key", "value"}:
        fits = (
            types.is_binary(inner)
            or types.is_string(inner)
            or types.is_large_binary(inner)
            or types.is_large_string(inner)
            or types.is_fixed_size_binary(inner)
            or types.is_binary_view(inner)
            or types.is_string_view(inner)
        )
        meant = "bytes or text: cast it, or encode it, as JSON for example"
    elif role == "timestamp":
        fits = types.is_timestamp(kind) or types.is_date(kind) or types.is_integer(kind)
        meant = "timestamps, or integers that are milliseconds since the epoch"
    elif role == "headers":
        fits = types.is_nested(kind)
        meant = "lists of structs of key and value, or maps"
    else:
        fits, meant = types.is_integer(kind), "integers"
    if not fits:
        raise TypeError(f"column {name!r} is {kind}; for {role} it must be {meant}")
