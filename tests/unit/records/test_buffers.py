"""Memory for what is decoded, and for what is looked up."""

from collections.abc import Callable

import pytest

from barnabas.records.buffers import fresh, scattered


@pytest.mark.parametrize("allocate", [fresh, scattered])
@pytest.mark.parametrize("size", [0, 1, 4095, (1 << 20) - 1, 1 << 20, 5_000_000])
def test_a_buffer_is_zeros_that_can_be_written(
    allocate: Callable[[int], memoryview], size: int
) -> None:
    buffer = allocate(size)
    assert (len(buffer), bytes(buffer[:100]), bytes(buffer[-100:])) == (
        size,
        bytes(min(size, 100)),
        bytes(min(size, 100)),
    )
    buffer[size // 2 :] = b"x" * (size - size // 2)
    assert bytes(buffer[-1:]) == b"x"[:size]
