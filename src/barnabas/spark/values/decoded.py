"""Decoded: a column of decoded values, and the bad ones with their reasons.

Imports pyarrow only when it runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql.types import DataType


@dataclass(frozen=True, slots=True)
class Decoded:
    """`column`: a `pyarrow.Array` of the format's type, null where a value was null or is bad.

    `bad`: the rows that are not in the format, ascending. `why`: the reason of one of them.
    """

    column: Any
    bad: Sequence[int]
    why: Callable[[int], str]


class ValueFormat(Protocol):
    """A format of values. Pickled into tasks."""

    @property
    def type(self) -> DataType:
        """What the column has."""
        ...

    def decode(self, values: Any) -> Decoded:
        """Values (a `pyarrow.BinaryArray`) as the format's type."""
        ...


def assembled(parts: Sequence[tuple[Any, Any]], count: int, arrow_type: Any) -> Any:
    """One array of `count` values out of parts, each rows (int64) and the array of their values."""
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
    """`bad` and `why` of a `Decoded`, of reasons by row."""
    return sorted(given), given.__getitem__
