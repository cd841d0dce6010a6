"""How much may come out of what a client has compressed: bounds that Kafka does not have.

A batch of 32 KB can hold 32 MB of zeros, which cost their reader memory, and everybody else the
time. So what one batch may hold is bounded, and what one request may hold in all beyond what records
usually are compressed to: many such batches in a request cost no more than two.
"""

from barnabas.errors import ErrorCode
from barnabas.records.batches.refused import RefusedRecords

UNPACKED_LEAST = 32 << 20
"""What a batch may unpack to, however small it is."""
_USUAL_RATIO = 16
"""Unpacked over packed size that a batch of any size may have, and that no request is charged for."""
_CHARGED_RATIO = 4096
"""What data is taken to have unpacked to, up to its limit, that was found to be bad on the way."""


def unpacked_bytes_max(packed: int) -> int:
    """What a batch or message set of so many bytes may unpack to, on its way in and out."""
    return max(UNPACKED_LEAST, _USUAL_RATIO * packed)


class Unpacking:
    """What the compressed records of one request may still unpack to beyond the usual, in bytes."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = UNPACKED_LEAST

    def begin(self) -> None:
        """Forget what was unpacked: another request begins."""
        self.left = UNPACKED_LEAST

    def check(self) -> None:
        """Refuse to unpack more, once the request has had its share.

        Raises:
            RefusedRecords: MESSAGE_TOO_LARGE, on which clients send smaller batches.
        """
        if self.left <= 0:
            raise RefusedRecords(
                ErrorCode.MESSAGE_TOO_LARGE,
                "the compressed records of this request unpack to too much in all",
            )

    def took(self, packed: int, unpacked: int) -> None:
        """Count what so many bytes were unpacked to."""
        self.left -= max(0, unpacked - _USUAL_RATIO * packed)

    def failed(self, packed: int, limit: int) -> None:
        """Count what could not be unpacked, or only to more than `limit`."""
        self.took(packed, min(limit, _CHARGED_RATIO * packed))
