"""Limits on what clients' compressed data may decompress to; Kafka has none.

A batch of 32 KB can hold 32 MB of zeros, which cost its reader memory, and all others time. So each
batch has a limit, and so has each request for data beyond the usual compression ratio: many such
batches in a request cost no more than two.
"""

from barnabas.errors import ErrorCode
from barnabas.records.batches.refused_records import RefusedRecords

UNPACKED_LEAST = 32 << 20
"""The decompressed bytes that any batch may have, however small it is."""
UNPACKED_MOST = 128 << 20
"""The most that a produced batch may decompress to: it is decompressed as a whole."""
REQUEST_MOST = 256 << 20
"""The most that all batches of a Produce may decompress to, in one turn of the loop."""
_USUAL_RATIO = 16
"""Unpacked over packed size that a batch of any size may have, and that no request is charged for."""
_MUCH = 1 << 20
"""Beyond the usual: what takes so long that others should be served in between."""
_LONG = 4 << 20
"""The same of the usual."""
_LONG_TO_COMPRESS = 32 << 10
"""The same of what is compressed, at the highest levels."""
_CHARGED_RATIO = 4096
"""The assumed ratio, up to its limit, of data that failed to decompress."""


def unpacked_bytes_max(packed: int) -> int:
    """The maximum decompressed size of a batch or message set of so many bytes, for writes and reads."""
    return max(UNPACKED_LEAST, _USUAL_RATIO * packed)


def produced_bytes_max(packed: int) -> int:
    """The maximum decompressed size of a produced batch or message set of so many bytes."""
    return min(UNPACKED_MOST, unpacked_bytes_max(packed))


def usual_bytes_max(packed: int) -> int:
    """The usual limit of what so many bytes decompress to."""
    return max(_MUCH, _USUAL_RATIO * packed)


class Unpacking:
    """The bytes that the compressed records of one request may still decompress to beyond the usual.

    `room`: the total that they may still decompress to. `compressed`: the bytes that were recompressed,
    because their codec was not the topic's.
    """

    __slots__ = ("_most", "compressed", "left", "room")

    def __init__(self, most: int = 1 << 62) -> None:
        """`most`: what a request may unpack to in all."""
        self._most = most
        self.begin()

    def begin(self) -> None:
        """Reset the counters: another request starts."""
        self.left = UNPACKED_LEAST
        self.room = self._most
        self.compressed = 0

    def check(self) -> None:
        """Refuse to unpack more, once the request has had its share.

        Raises:
            RefusedRecords: MESSAGE_TOO_LARGE, on which clients send smaller batches.
        """
        if self.left <= 0 or self.room <= 0:
            raise RefusedRecords(
                ErrorCode.MESSAGE_TOO_LARGE,
                "the compressed records of this request unpack to too much in all",
            )

    @property
    def is_much(self) -> bool:
        """Whether the work was so much that other clients should be served before the next request."""
        is_much = self.left < UNPACKED_LEAST - _MUCH or self._most - self.room > _LONG
        return is_much or self.compressed > _LONG_TO_COMPRESS

    def took(self, packed: int, unpacked: int) -> None:
        """Count the decompressed size of so many bytes."""
        self.left -= max(0, unpacked - _USUAL_RATIO * packed)
        self.room -= unpacked

    def failed(self, packed: int, limit: int) -> None:
        """Count what could not be unpacked, or only to more than `limit`."""
        self.took(packed, min(limit, _CHARGED_RATIO * packed))
