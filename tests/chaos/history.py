"""What clients of a cluster did and were answered, and what its logs have at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

Place = tuple[str, int]
"""A topic and a partition."""

Log = Mapping[Place, Sequence[tuple[int, str]]]
"""Offset and value of all records of each partition, in the order in which they were read."""


class Value(NamedTuple):
    """The contents of a record: its producer, and its number among that producer's records."""

    writer: str
    number: int

    @classmethod
    def parse(cls, text: str) -> "Value":
        writer, _, number = text.partition(":")
        return cls(writer, int(number))

    def __str__(self) -> str:
        return f"{self.writer}:{self.number}"


class Sent(NamedTuple):
    """A record that was acknowledged."""

    place: Place
    offset: int
    value: str


class Outcome(Enum):
    """How a transaction ended, as far as its writer knows."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    UNKNOWN = "unknown"


@dataclass
class Transaction:
    """What one transaction appended, by place in the order of sending, and how it ended."""

    name: str
    appended: dict[Place, list[str]] = field(default_factory=dict)
    outcome: Outcome = Outcome.UNKNOWN


class Read(NamedTuple):
    """A record that a reader was given."""

    place: Place
    offset: int
    value: str


@dataclass
class Run:
    """What one reader read in one go: each partition onwards, nothing left out."""

    reader: str
    committed_only: bool
    records: list[Read] = field(default_factory=list)


@dataclass
class History:
    """All that clients know."""

    sent: list[Sent] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    """Records that were not acknowledged, and never will be: they may be there or not."""
    transactions: list[Transaction] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    """What no client may be answered, whatever happens to brokers."""
    ended: list[str] = field(default_factory=list)
    """Why librdkafka ended transactional producers for good, which may happen: others went on for them."""


class Logs(NamedTuple):
    """What is there at the end, all of it and without what was aborted."""

    all: Log
    committed: Log
