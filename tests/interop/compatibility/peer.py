"""A client of another project: how it is started, and what it can do."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from tests.interop import samples
from tests.interop.clients.client import Finder
from tests.interop.samples import Sample

NO_ZSTD = ("none", "gzip", "snappy", "lz4")
NO_LZ4 = ("none", "gzip", "snappy")
ALL_CODECS = (*NO_ZSTD, "zstd")


def any_samples() -> list[Sample]:
    """Every corner of the format, and enough to fill a batch."""
    return samples.awkward() + samples.many(300)


@dataclass(frozen=True, slots=True)
class Peer:
    """One client of one version. `writes` and `reads` are the codecs, none included."""

    client: str
    version: str
    start: Callable[[], AbstractContextManager[Finder]]
    writes: tuple[str, ...] = ALL_CODECS
    reads: tuple[str, ...] = ALL_CODECS
    times: bool = True  # its records have timestamps
    headers: bool = True
    sets_times: bool = True  # otherwise it sends the time of sending
    tells_empty: bool = True  # otherwise it reads null where there are no bytes
    tells_offsets: bool = True
    finds_ends: bool = True
    finds_times: bool = True
    idempotent: bool = False
    makes_topics: bool = False
    samples: Callable[[], list[Sample]] = any_samples
    note: str = ""
    in_ci: bool = False

    @property
    def name(self) -> str:
        """As a test is named."""
        return f"{self.client} {self.version}".replace(" ", "-").lower()

    def sent(self) -> list[Sample]:
        """What it is given to write, less what it has no place for."""
        return self.seen(self.samples())

    def seen(self, records: list[Sample]) -> list[Sample]:
        """Records as they look in this client."""

        def content(given: bytes | None) -> bytes | None:
            return given if self.tells_empty else given or None

        return [
            replace(
                each,
                key=content(each.key),
                value=content(each.value),
                timestamp=each.timestamp if self.times else -1,
                headers=tuple((name, content(reported)) for name, reported in each.headers)
                if self.headers
                else (),
            )
            for each in records
        ]
