"""Frames of a stream, cut to their starts."""

from struct import pack

import pytest

from barnabas.lens.watching.frame_starts import FrameStarts

FRAMES = [b"one", b"", b"a longer one" * 10, b"x"]
STREAM = b"".join(pack(">i", len(each)) + each for each in FRAMES)


@pytest.mark.parametrize("step", [1, 3, 7, 1000])
def test_however_the_bytes_come(step: int) -> None:
    starts = FrameStarts()
    pieces = (STREAM[at : at + step] for at in range(0, len(STREAM), step))
    found = [each for piece in pieces for each in starts.feed(piece, 10)]
    assert found == [(each[:10], len(each)) for each in FRAMES]


def test_no_byte_is_kept_behind_one_that_was_not() -> None:
    starts = FrameStarts()
    frame = pack(">i", 9) + b"abcdefghi"
    assert list(starts.feed(frame[:8], 2)) == []
    assert list(starts.feed(frame[8:], 100)) == [(b"ab", 9)]


@pytest.mark.parametrize("size", [-1, 1 << 31 - 1])
def test_behind_an_impossible_size_nothing_is_known(size: int) -> None:
    starts = FrameStarts()
    assert list(starts.feed(pack(">I", size & 0xFFFFFFFF) + STREAM, 10)) == []
    assert list(starts.feed(STREAM, 10)) == []
