"""What a test asks of a client: write these records, read that partition."""

from collections.abc import Sequence
from typing import Protocol

from tests.interop.samples import Sample

READ_SECONDS = 60.0


class ReadTooFew(Exception):
    """The records did not all come in time."""


class Client(Protocol):
    """A producer and a consumer of one library, bound to no broker."""

    name: str

    def write(
        self,
        address: str,
        topic: str,
        samples: Sequence[Sample],
        *,
        codec: str = "none",
        idempotent: bool = False,
    ) -> list[int]:
        """Send to partition 0, wait for all acknowledgements; the offsets, in order of sending."""
        ...

    def read(self, address: str, topic: str, count: int, *, start: int = 0) -> list[Sample]:
        """The first `count` records of partition 0 from offset `start`, by assignment.

        Raises:
            ReadTooFew: they did not come within READ_SECONDS.
        """
        ...


class Finder(Client, Protocol):
    """A client that also finds offsets of partition 0."""

    def ends(self, address: str, topic: str) -> tuple[int, int]:
        """The first offset, and the next to be written."""
        ...

    def at_time(self, address: str, topic: str, time_ms: int) -> int:
        """The offset of the first record with that time or a later one."""
        ...
