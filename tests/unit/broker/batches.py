"""Record batches as bytes, made by hand: what a producer would send."""

from struct import pack

from barnabas.records.checksums import crc32c


def varint(number: int) -> bytes:
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def record(value: bytes, delta: int) -> bytes:
    body = b"\0\0" + varint(delta) + varint(-1) + varint(len(value)) + value + varint(0)
    return varint(len(body)) + body


def batch(*values: bytes, attributes: int = 0, timestamp: int = 1_700_000_000_000) -> bytes:
    """One batch of magic 2 with these values."""
    count = len(values)
    records = b"".join(record(value, delta) for delta, value in enumerate(values))
    tail = (
        pack(">hiqqqhii", attributes, count - 1, timestamp, timestamp, -1, -1, -1, count) + records
    )
    return pack(">qiibI", 0, 9 + len(tail), -1, 2, crc32c(tail)) + tail
