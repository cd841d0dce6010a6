from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.errors import DecodeError
from barnabas.wire.framing import SIZE_BYTES, FrameSplitter, LargeFrameCheck


def framed(frames: list[bytes]) -> bytes:
    return b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)


@given(st.lists(st.binary(max_size=9)), st.lists(st.integers(0, 120), max_size=6))
def test_the_frames_are_the_same_however_the_bytes_are_cut(
    frames: list[bytes], cuts: list[int]
) -> None:
    stream = framed(frames)
    splitter = FrameSplitter(max_bytes=9)
    held, given_out = b"", []
    for start, end in pairwise(sorted({0, len(stream), *(c for c in cuts if c < len(stream))})):
        held += stream[start:end]
        found = [bytes(frame) for frame in splitter.feed(memoryview(held))]
        given_out += found
        held = held[sum(len(frame) + SIZE_BYTES for frame in found) :]
    assert given_out == frames
    assert held == b""


@pytest.mark.parametrize("size", [-1, -(2**31), 101, 2**31 - 1])
def test_a_size_that_cannot_be_is_refused_before_the_frame_is_there(size: int) -> None:
    stream = framed([b"fine"]) + size.to_bytes(4, "big", signed=True)
    frames = FrameSplitter(max_bytes=100).feed(memoryview(stream))
    assert bytes(next(frames)) == b"fine"
    with pytest.raises(DecodeError, match=f"frame at byte 8: a size from 0 to 100, not {size}"):
        next(frames)


def test_how_many_bytes_a_frame_needs() -> None:
    splitter = FrameSplitter(max_bytes=100)
    assert splitter.needed(memoryview(b"\0\0\0")) == 4
    assert splitter.needed(memoryview(b"\0\0\0\x07ab")) == 11


def test_a_large_frame_is_asked_about_as_soon_as_it_says_what_it_is() -> None:
    asked: list[tuple[bytes, int]] = []

    def check(head: memoryview, size: int) -> None:
        asked.append((bytes(head), size))
        if bytes(head[:2]) != b"\0\0":
            raise DecodeError("frame", 0, "a smaller one")

    splitter = FrameSplitter(1000, LargeFrameCheck(100, check))
    for kind, size in ((b"\0\3\0\1", 100), (b"\0\0\0\1", 101)):
        frame = size.to_bytes(4, "big") + kind
        assert splitter.needed(memoryview(frame)) == 4 + size
    assert asked == [(b"\0\0\0\1", 101)]
    large = b"xx" + (101).to_bytes(4, "big") + b"\0\3\0\1"
    assert splitter.needed(memoryview(large)[:9], 2) == 105
    with pytest.raises(DecodeError, match="a smaller one"):
        splitter.needed(memoryview(large), 2)
