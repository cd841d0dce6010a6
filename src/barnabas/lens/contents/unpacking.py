"""Decompress the contents of a batch or message; they have positions of their own."""

from collections.abc import Callable

from barnabas.errors import CorruptRecord
from barnabas.lens.walks.part import DecompressedPart
from barnabas.lens.walks.walk import Walk, counted_bytes
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec, decompress
from barnabas.records.codecs.lz4_frames import rightly_summed
from barnabas.types import Buffer

UNPACKED_MAX = 64 << 20
"""The largest decompressed size of a batch or message, in bytes."""


def codec_text(codec: int) -> str:
    """The name of a codec."""
    return Codec(codec).name.lower() if codec <= HIGHEST_CODEC else f"unknown codec {codec}"


def unpack(walk: Walk, path: str, codec: int, reader: Callable[[Walk], None]) -> None:
    """Decompress the rest of a walk and read it; positions inside start at 0."""
    start, data = walk.position, walk.data[walk.position : walk.end]
    try:
        unpacked = bytes(decompress(codec, _mended(codec, data), UNPACKED_MAX))
    except CorruptRecord as error:
        walk.fault(path, f"{codec_text(codec)} expected: {error}", start)
        walk.rest(path, f"not {codec_text(codec)}, or damaged")
        return
    inside = Walk(unpacked)
    reader(inside)
    for fault in inside.faults:
        text = f"byte {fault.position} of what was decompressed: {fault.text}"
        walk.fault(fault.path, text, start, fault.guess)
    words = f"{codec_text(codec)}: {counted_bytes(len(unpacked))} when decompressed"
    walk.add(len(data), path, "bytes", data, words, DecompressedPart(unpacked, tuple(inside.parts)))


def _mended(codec: int, data: bytes) -> Buffer:
    """Repair the checksum of lz4's header, which clients of magic 0 computed wrong (KIP-57)."""
    return rightly_summed(data) if codec == Codec.LZ4 else data
