"""Arrays of signed 64-bit numbers for kernels that are not compiled; `longs.pxd` is the same for the others."""

from array import array


def add(numbers: "array[int]", number: int) -> None:
    """Append a number to an array of type `q`."""
    numbers.append(number)
