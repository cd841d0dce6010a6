"""The limits of reading one page of records."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from barnabas.ports import Clock
from barnabas.records.columns.record import Record


@dataclass(slots=True)
class ScanBudget:
    """The limits of one page: seconds, records read, and their bytes."""

    clock: Clock
    seconds: float = 2.0
    records: int = 200_000
    bytes: int = 64 << 20
    scanned: int = 0
    _begun: float = field(init=False)
    _bytes: int = 0

    def __post_init__(self) -> None:
        self._begun = self.clock.monotonic()

    def take(self, polled: Iterable[Record]) -> None:
        """Count what was read."""
        for record in polled:
            self.scanned += 1
            self._bytes += len(record.value or b"") + len(record.key or b"")

    def renew(self) -> None:
        """Begin again, for another way."""
        self._begun, self._bytes = self.clock.monotonic(), 0

    @property
    def left(self) -> bool:
        """Whether more may be read."""
        return (
            self.scanned < self.records
            and self._bytes < self.bytes
            and self.clock.monotonic() - self._begun < self.seconds
        )
