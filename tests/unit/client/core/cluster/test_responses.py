import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.client.core.cluster.responses import BufferPool, ResponseReader
from barnabas.errors import DecodeError


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4) + body


def feed(reader: ResponseReader, data: bytes, step: int) -> list[bytes]:
    """Receive `data` in pieces of up to `step` bytes, as a socket would."""
    found: list[bytes] = []
    while data:
        target = reader.target()
        count = min(step, len(target), len(data))
        target[:count] = data[:count]
        data = data[count:]
        found += [bytes(frame) for frame in reader.received(count)]
    return found


@given(
    st.lists(st.integers(1, 90_000), min_size=1, max_size=6),
    st.integers(1, 100_000),
)
def test_responses_come_out_whole_however_they_arrive(sizes: list[int], step: int) -> None:
    bodies = [bytes([index + 1]) * size for index, size in enumerate(sizes)]
    reader = ResponseReader(100_000, BufferPool())
    assert feed(reader, b"".join(map(framed, bodies)), max(step, sum(sizes) // 50)) == bodies


@pytest.mark.parametrize("size", [0, -1, 1001])
def test_a_size_out_of_range_is_refused_before_anything_is_allocated(size: int) -> None:
    reader = ResponseReader(1000, BufferPool())
    reader.target()[:4] = size.to_bytes(4, signed=True)
    with pytest.raises(DecodeError, match="a size from 1 to 1000"):
        reader.received(4)


def test_what_a_response_claims_to_be_costs_nothing() -> None:
    size = 200 << 20
    reader = ResponseReader(size, BufferPool())
    assert feed(reader, size.to_bytes(4) + b"the rest never comes", 1000) == []
    assert len(reader.target()) <= 16 << 20


def test_a_large_response_comes_out_whole() -> None:
    body = bytes(range(250)) * (40 << 12)
    pool = BufferPool()
    for _ in range(2):
        assert feed(ResponseReader(len(body), pool), framed(body), 1 << 20) == [body]


def test_a_buffer_is_used_again_once_no_view_is_left() -> None:
    pool = BufferPool()
    first = pool.take(1000)
    place = id(first.obj)
    second = pool.take(1000)
    assert id(second.obj) != place
    kept = first[10:20]
    first.release()
    assert id(pool.take(1000).obj) != place
    kept.release()
    assert id(pool.take(500).obj) == place
