"""Records to send through anybody: the awkward ones by name, the many by a seed."""

import random
from dataclasses import dataclass

Headers = tuple[tuple[str, bytes | None], ...]

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
START_MS = 1_700_000_000_000


@dataclass(frozen=True, slots=True)
class Sample:
    """What a record must look like when it comes back; the timestamp is in milliseconds."""

    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers = ()


def awkward() -> list[Sample]:
    """One record for each corner of the format."""
    bodies: list[tuple[bytes | None, bytes | None, Headers]] = [
        (b"key", b"value", ()),
        (None, b"no key", ()),
        (b"", b"empty key", ()),
        (b"tombstone", None, ()),
        (b"empty value", b"", ()),
        (b"\x00\xff" * 9, bytes(range(256)), ()),
        ("ключ".encode(), "価値".encode(), (("naïve", "é".encode()),)),
        (b"h1", b"one header", (("a", b"1"),)),
        (b"h2", b"same name twice", (("a", b"1"), ("a", b"2"), ("b", b""))),
        (b"h3", b"a nameless header", (("", b"empty name"),)),
        (b"h4", b"many", tuple((f"n{i}", bytes([i]) * i) for i in range(40))),
    ]
    return [
        Sample(key, value, START_MS + 1000 * index, headers)
        for index, (key, value, headers) in enumerate(bodies)
    ]


def rare() -> list[Sample]:
    """What only some clients let one send: nothing at all, and a header without a value."""
    return [
        Sample(None, None, START_MS),
        Sample(b"k", b"v", START_MS + 1, (("gone", None), ("", b"empty name"))),
    ]


def many(count: int, *, seed: int = 1, largest: int = 200) -> list[Sample]:
    """`count` records of random sizes up to `largest`, half of them compressible."""
    chance = random.Random(seed)
    made = []
    for index in range(count):
        size = chance.randrange(largest)
        body = chance.randbytes(size) if chance.random() < 0.5 else b"abcd" * (size // 4)
        key = b"key-%d" % chance.randrange(97) if chance.random() < 0.8 else None
        made.append(Sample(key, b"%d:" % index + body, START_MS + index))
    return made


def large(size: int = 1_000_000) -> list[Sample]:
    """Three records of `size` bytes of value that do not compress, with a small one between."""
    chance = random.Random(size)
    return [
        Sample(b"first", chance.randbytes(size), START_MS),
        Sample(b"between", b"small", START_MS + 1),
        Sample(b"second", chance.randbytes(size), START_MS + 2),
        Sample(None, chance.randbytes(size), START_MS + 3),
    ]
