"""Decoded: a column of decoded values, and the bad ones with their reasons.

Imports pyarrow only when it runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql.types import DataType


@dataclass(frozen=True, slots=True)
class Decoded:
    """`column`: a `pyarrow.Array` of the format's type, null for null and bad values.

    `bad`: the rows with bad values, ascending. `why`: returns the reason for one of them.
    """

    column: Any
    bad: Sequence[int]
    why: Callable[[int], str]


class ValueFormat(Protocol):
    """A format of values. Pickled into tasks."""

    @property
    def type(self) -> DataType:
        """The type of the column."""
        ...

    def decode(self, values: Any) -> Decoded:
        """Decode values (a `pyarrow.BinaryArray`) to the format's type."""
        ...


def assembled(parts: Sequence[tuple[Any, Any]], count: int, arrow_type: Any) -> Any:
    """Join parts, each an array of rows (int64) and one of their values, to an array of `count` values."""
    import numpy as np
    import pyarrow as pa

    if len(parts) == 1 and len(parts[0][0]) == count:
        return parts[0][1]
    if not parts:
        return pa.nulls(count, arrow_type)
    index = np.full(count, -1, np.int64)
    rows = np.concatenate([rows for rows, _ in parts])
    index[rows] = np.arange(len(rows))
    joined = pa.concat_arrays([array for _, array in parts])
    return joined.take(pa.array(index, mask=index < 0))


def reasons(given: Mapping[int, str]) -> tuple[list[int], Callable[[int], str]]:
    """`bad` and `why` of a `Decoded`, from reasons by row."""
    return sorted(given), given.__getitem__
