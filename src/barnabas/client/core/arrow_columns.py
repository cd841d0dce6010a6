"""The columns of an Arrow table that make records, by what they are for. Encodes nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from barnabas.errors import LocalProtocolError


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Which columns hold what. All but one of key and value may be missing from the data.

    `partition` is the name of a column of partition numbers, or one number for all, or None.
    """

    key: str = "key"
    value: str = "value"
    headers: str = "headers"
    timestamp: str = "timestamp"
    partition: str | int | None = None

    def chunks(self, data: Any) -> Iterator[dict[str, Any]]:
        """The columns of each record batch of a pyarrow Table or RecordBatch.

        Raises:
            LocalProtocolError: there is neither key nor value, or no such partition column.
        """
        import pyarrow as pa

        batches = [data] if isinstance(data, pa.RecordBatch) else data.to_batches()
        for batch in batches:
            if batch.num_rows:
                yield self._chosen(batch)

    def _chosen(self, batch: Any) -> dict[str, Any]:
        import pyarrow as pa

        there = set(batch.schema.names)
        wanted = {
            "key": self.key,
            "value": self.value,
            "headers": self.headers,
            "timestamp": self.timestamp,
        }
        found = {role: batch.column(name) for role, name in wanted.items() if name in there}
        if not {"key", "value"} & found.keys():
            what = f"no column {self.value!r} or {self.key!r}; there are {sorted(there)}"
            raise LocalProtocolError(f"records need a value or a key, but there is {what}")
        if isinstance(self.partition, int):
            found["partition"] = pa.repeat(pa.scalar(self.partition, pa.int32()), batch.num_rows)
        elif self.partition is not None:
            if self.partition not in there:
                raise LocalProtocolError(f"there is no column {self.partition!r} of partitions")
            found["partition"] = batch.column(self.partition)
        return found
