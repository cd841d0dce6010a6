"""Decode decimals from the bytes of their unscaled values, many at a time.

Source: the Avro 1.12 specification, "Decimal": two's complement, the highest byte first.
"""

from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import DecimalType

Numbers = npt.NDArray[np.int64]

_WIDTH: Final = 16
"""Bytes of a decimal in Arrow, little-endian."""


def decimals(
    data: npt.NDArray[np.uint8], begins: Numbers, sizes: Numbers, kind: DecimalType
) -> tuple[Any, npt.NDArray[np.bool_]]:
    """A `pyarrow.Decimal128Array`, and which values fit the digits of `kind`; other values are 0.

    Args:
        data: all bytes.
        begins: the position of each decimal in `data`.
        sizes: the number of bytes of each; none is 0.
        kind: the type, with precision and scale.
    """
    back = np.arange(_WIDTH)
    there = back < sizes[:, None]
    raw = data[np.where(there, (begins + sizes - 1)[:, None] - back, 0)]
    sign = np.where((sizes > 0) & (data[begins] >= 0x80), 0xFF, 0).astype(np.uint8)
    raw = np.where(there, raw, sign[:, None])
    fits = (raw[:, -1] >= 0x80) == (sign != 0)
    for row in np.flatnonzero(sizes > _WIDTH):
        above = data[begins[row] : begins[row] + sizes[row] - _WIDTH]
        fits[row] &= bool(np.all(above == sign[row]))
    raw[~fits] = 0
    buffers = [None, pa.py_buffer(np.ascontiguousarray(raw))]
    array = pa.Decimal128Array.from_buffers(
        pa.decimal128(kind.precision, kind.scale), len(sizes), buffers
    )
    limit = pa.scalar(
        Decimal(10).scaleb(kind.precision - kind.scale - 1), pa.decimal256(76, kind.scale)
    )
    wide = array.cast(pa.decimal256(76, kind.scale))
    small = pc.and_(pc.less(wide, limit), pc.greater(wide, pc.negate(limit)))
    fits &= small.to_numpy(zero_copy_only=False)
    return pc.if_else(pa.array(fits), array, pa.scalar(Decimal(0), array.type)), fits
