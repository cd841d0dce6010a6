"""A batch of magic 2: its header, its CRC, and its contents, decompressed if necessary.

Source: KIP-98 "Message Format", KIP-534 (delete horizon), KIP-110 (zstd).
"""

from functools import partial

from barnabas.lens.contents.checksums import ChecksumRange, check_crc
from barnabas.lens.contents.records import read_all
from barnabas.lens.contents.unpacking import codec_text, unpack
from barnabas.lens.walks.lengths import read_length
from barnabas.lens.walks.walk import Walk
from barnabas.lens.walks.words import time_text
from barnabas.records.batches import batch as layout

_LEAST = layout.HEADER_SIZE - layout.PREFIX_SIZE
_FLAGS = {
    layout.LOG_APPEND_TIME: "log append time",
    layout.TRANSACTIONAL: "transactional",
    layout.CONTROL: "control",
    layout.DELETE_HORIZON: "delete horizon",
}
_KNOWN_BITS = layout.CODEC_MASK | sum(_FLAGS)


def read_batch(walk: Walk, path: str, *, cut: bool) -> bool:
    """Read the batch at the walk's position; return False if it is truncated.

    Raises:
        UnreadableBytes: its length is impossible.
    """
    start = walk.position
    if walk.left < layout.HEADER_SIZE:
        if not cut:
            walk.fault(path, f"61 bytes of header expected, {walk.left} left")
        walk.rest(path, "the beginning of a batch")
        return False
    walk.number("q", f"{path}.base_offset", "Offset of the first record; the broker writes it.")
    size = read_length(walk, f"{path}.length", _LEAST, cut=cut)
    inner = walk.within(size)
    whole = size <= walk.left
    walk.number("i", f"{path}.leader_epoch", "Of the leader that appended it; outside the CRC.")
    walk.number("b", f"{path}.magic", "The format: 2 since 0.11.")
    walk.number("I", f"{path}.crc", "CRC-32C of the rest of the batch.")
    if whole:
        _check_crc(walk, start, inner.end)
    attributes = _attributes(walk, path)
    count = _numbers(walk, path, attributes)
    inner.position = walk.position
    if whole:
        _records(inner, path, attributes, count)
        walk.leave(inner, path, "not understood")
    else:
        walk.rest(path, "records that were cut off: brokers cut where a limit falls")
    return whole


def _check_crc(walk: Walk, start: int, end: int) -> None:
    """Verify the CRC, read last, of the batch from `start` to `end`."""
    at = start + layout.CRC_AT
    others = (
        ChecksumRange("the batch from its magic", start + layout.MAGIC_AT, end),
        ChecksumRange("the batch from its leader epoch", start + layout.PREFIX_SIZE, end),
        ChecksumRange("the whole batch", start, end),
        ChecksumRange("the records only", start + layout.HEADER_SIZE, end),
        ChecksumRange("the CRC too", at, end),
    )
    check_crc(walk, "CRC-32C", ChecksumRange("", start + layout.CRC_FROM, end), others)


def _attributes(walk: Walk, path: str) -> int:
    at = walk.position
    attributes = walk.number("h", f"{path}.attributes")
    codec = attributes & layout.CODEC_MASK
    words = [codec_text(codec)]
    words += [text for bit, text in _FLAGS.items() if attributes & bit]
    walk.parts[-1] = walk.parts[-1]._replace(meaning=", ".join(words))
    if attributes & ~_KNOWN_BITS:
        bits = attributes & ~_KNOWN_BITS
        walk.fault(f"{path}.attributes", f"no release has given bits {bits:#x} a meaning", at)
    return attributes


def _numbers(walk: Walk, path: str, attributes: int) -> int:
    """Read the rest of the header; return the number of records."""
    last = walk.number(
        "i", f"{path}.last_offset_delta", "Of the last record, from the base offset."
    )
    base = walk.number("q", f"{path}.base_timestamp")
    horizon = attributes & layout.DELETE_HORIZON
    words = "When tombstones may be removed: " if horizon else ""
    walk.parts[-1] = walk.parts[-1]._replace(meaning=words + time_text(base))
    largest = walk.number("q", f"{path}.max_timestamp")
    words = "All records have the broker's time: " if attributes & layout.LOG_APPEND_TIME else ""
    walk.parts[-1] = walk.parts[-1]._replace(meaning=words + time_text(largest))
    walk.number("q", f"{path}.producer_id", "Of an idempotent producer; -1 none.")
    walk.number("h", f"{path}.producer_epoch", "-1 none.")
    walk.number(
        "i", f"{path}.base_sequence", "Counts this producer's records in the partition; -1 none."
    )
    at = walk.position
    count = walk.number("i", f"{path}.count", "Records in this batch.")
    if count < 0:
        walk.fault(f"{path}.count", f"a count cannot be {count}", at)
    elif count > last + 1:
        walk.fault(f"{path}.count", f"{count} records do not fit a last offset delta of {last}", at)
    return count


def _records(walk: Walk, path: str, attributes: int, count: int) -> None:
    control = bool(attributes & layout.CONTROL)
    codec = attributes & layout.CODEC_MASK
    if not codec:
        read_all(walk, path, count, control=control)
        return
    if walk.left:
        reader = partial(read_all, path=path, count=count, control=control)
        unpack(walk, f"{path}.records", codec, reader)
