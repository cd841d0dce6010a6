"""Ranges of API versions, and data chosen by version. Knows no API."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self, TypeVar

Row = TypeVar("Row")

_OPEN = 32767


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Versions `first` to `last`, inclusive; `last` may be open ("3+")."""

    first: int
    last: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read Kafka's notation: "3+", "0-12", "7", or "none" for no version at all.

        Raises:
            ValueError: the text is none of these.
        """
        if text == "none":
            return cls(0, -1)
        if text.endswith("+"):
            return cls(int(text[:-1]), _OPEN)
        first, dash, last = text.partition("-")
        return cls(int(first), int(last) if dash else int(first))

    def __contains__(self, version: int) -> bool:
        return self.first <= version <= self.last

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))

    def __str__(self) -> str:
        if self.last < self.first:
            return "none"
        if self.last == _OPEN:
            return f"{self.first}+"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    def intersection(self, other: "VersionRange") -> "VersionRange":
        """The versions in both; may be empty (`last < first`)."""
        return VersionRange(max(self.first, other.first), min(self.last, other.last))

    @property
    def is_empty(self) -> bool:
        """Whether it contains no version."""
        return self.last < self.first


class VersionTable(dict[int, Row]):
    """Rows of data, each valid from its version up to the next row's.

    After the first lookup of a version, the dict itself finds it, without a call.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: Mapping[int, Row]) -> None:
        assert rows, "a version table needs at least one row"
        super().__init__()
        self._rows = sorted(rows.items(), reverse=True)

    def __missing__(self, version: int) -> Row:
        for since, row in self._rows:
            if version >= since:
                self[version] = row
                return row
        raise KeyError(version)
