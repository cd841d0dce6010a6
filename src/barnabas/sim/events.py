"""What clients were told, and what happened to the broker: what checkers judge by.

`mark` counts questions: it is of the moment at which a client asked for what the event tells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Place = tuple[str, int]
"""Topic and partition."""


class Violation(Exception):
    """Something happened that must not."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A producer was told that its records are there, the first one at `base_offset`."""

    mark: int
    place: Place
    base_offset: int
    values: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ProducerRefused:
    """A producer that did all right was told that it did not."""

    who: str
    error: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """A consumer was given these: values by offset. Nothing was behind `end`."""

    mark: int
    place: Place
    values: Mapping[int, bytes]
    end: int
    is_committed: bool
    """Whether only what counts was asked for."""


@dataclass(frozen=True, slots=True)
class Synced:
    """A member was told at `told` what it owns in a generation; a static `owner` keeps its name."""

    mark: int
    told: int
    group: str
    generation: int
    owner: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Committed:
    """A member was told that its positions are kept, at the later mark `told`."""

    mark: int
    told: int
    group: str
    generation: int
    positions: Mapping[Place, int]


@dataclass(frozen=True, slots=True)
class Positions:
    """A member was told these; -1: there is none."""

    mark: int
    group: str
    positions: Mapping[Place, int]


@dataclass(frozen=True, slots=True)
class TransactionEnded:
    """What is known of a transaction now; `committed` None: it was asked to commit, and no more.

    `sent` grows while it is open. The same `mark` comes again when more is known.
    """

    mark: int
    who: str
    sent: Mapping[Place, Sequence[bytes]]
    committed: bool | None


@dataclass(frozen=True, slots=True)
class PowerCut:
    """The power was cut. `loses`: what was acknowledged and not flushed may be gone."""

    loses: bool


@dataclass(frozen=True, slots=True)
class WholeLog:
    """All that is in a partition at the end: values by offset, and those of them that count."""

    place: Place
    values: Mapping[int, bytes]
    committed: Mapping[int, bytes]


Asked = Acknowledged | Fetched | Synced | Committed | Positions
"""What a client asked for at a mark."""

Event = Asked | TransactionEnded | ProducerRefused | PowerCut | WholeLog
