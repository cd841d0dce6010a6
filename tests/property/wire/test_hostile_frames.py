"""Bytes from a stranger: every decoder takes them or refuses them in the way it promises."""

import random
import tracemalloc
import zlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.errors import CorruptRecord, DecodeError
from barnabas.records.codecs.compression import Codec, compress, decompress
from barnabas.wire.framing import FrameSplitter
from fuzz.mutations import mutate
from fuzz.targets import TARGETS, Target

MEGABYTE = 1 << 20


each_target = pytest.mark.parametrize("target", TARGETS.values(), ids=lambda each: each.name)


@each_target
@given(seed=st.integers(0, 2**32))
def test_what_is_valid_is_taken_and_what_is_wrong_is_refused(target: Target, seed: int) -> None:
    chance = random.Random(seed)
    valid = target.start(chance)
    assert target.survives(valid)
    for _ in range(10):
        target.survives(mutate(valid, chance))


@each_target
@given(data=st.binary(max_size=300))
def test_noise_never_raises_anything_else(target: Target, data: bytes) -> None:
    target.survives(data)


@given(
    sizes=st.lists(st.integers(-2, 40), max_size=8),
    cuts=st.sets(st.integers(0, 300)),
)
def test_frames_are_the_same_however_the_bytes_arrive(sizes: list[int], cuts: set[int]) -> None:
    stream = b"".join(size.to_bytes(4, "big", signed=True) + bytes(max(size, 0)) for size in sizes)
    edges = sorted({0, len(stream)} | {cut for cut in cuts if cut < len(stream)})
    pieces = [stream[first:last] for first, last in pairwise(edges)]
    good = next((index for index, size in enumerate(sizes) if size < 0), len(sizes))
    assert frames_of(pieces) == ([bytes(size) for size in sizes[:good]], good < len(sizes))


def frames_of(pieces: list[bytes]) -> tuple[list[bytes], bool]:
    """The frames that came out before the end or a bad size, and whether there was a bad size."""
    splitter, held = FrameSplitter(MEGABYTE), b""
    found: list[bytes] = []
    for piece in pieces:
        held += piece
        taken = 0
        try:
            for frame in splitter.feed(memoryview(held)):
                found.append(bytes(frame))
                taken += len(frame) + 4
        except DecodeError:
            return found, True
        held = held[taken:]
    return found, False


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD])
def test_a_bomb_is_refused_before_it_takes_the_memory(codec: Codec) -> None:
    bomb = bytes(compress(codec, bytes(64 * MEGABYTE)))
    assert len(bomb) < 4 * MEGABYTE
    tracemalloc.start()
    try:
        with pytest.raises(CorruptRecord):
            decompress(codec, bomb, MEGABYTE)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * MEGABYTE


def test_a_bomb_of_many_gzip_members_is_refused_too() -> None:
    one = zlib.compressobj(wbits=31)
    member = one.compress(bytes(MEGABYTE // 2)) + one.flush()
    with pytest.raises(CorruptRecord):
        decompress(Codec.GZIP, member * 200, MEGABYTE)
