"""What clients were told, and what happened to the broker: what checkers judge by.

`mark` counts questions: it is of the moment at which a client asked for what the event tells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from barnabas.coordinators.share_partition.partition import Acknowledge
from sim.build import Build

Place = tuple[str, int]
"""Topic and partition."""

StreamsTask = tuple[str, int]
"""Subtopology and partition."""


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
class AllOnTheirWay:
    """A producer has sent as many batches as may be unanswered."""

    who: str
    place: Place


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
    """A member was told that its positions are kept, at the later mark `told` and the time `at`.

    `by_place`: its group has consumer members, who go from epoch to epoch each at its own time.
    """

    mark: int
    told: int
    at: float
    group: str
    generation: int
    owner: str
    positions: Mapping[Place, int]
    by_place: bool


@dataclass(frozen=True, slots=True)
class Holds:
    """A member has these for its own at the time `at`, and surely until a time, if it wants them.

    It was told so at `told`. Until then its session cannot end, nor the time in which it must give
    something back.
    """

    mark: int
    told: int
    at: float
    group: str
    owner: str
    places: tuple[Place, ...]
    until: float


@dataclass(frozen=True, slots=True)
class Does:
    """A member of a streams group does these tasks, surely until a time: as `Holds`.

    `process`: where; others of it share its state.
    """

    mark: int
    told: int
    at: float
    group: str
    owner: str
    process: str
    active: tuple[StreamsTask, ...]
    standby: tuple[StreamsTask, ...]
    until: float


@dataclass(frozen=True, slots=True)
class DescribedMember:
    """What the broker says of a member: what it does, what it is to do."""

    process: str
    epoch: int
    topology_epoch: int
    active: tuple[StreamsTask, ...]
    standby: tuple[StreamsTask, ...]
    active_wanted: tuple[StreamsTask, ...]
    standby_wanted: tuple[StreamsTask, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """Somebody was told how a streams group stands, at the later mark `told`."""

    mark: int
    told: int
    group: str
    state: str
    epoch: int
    assignment_epoch: int
    build: Build | None
    """By its topology."""
    members: Mapping[str, DescribedMember]


@dataclass(frozen=True, slots=True)
class Beaten:
    """A member of a streams group was answered to a heartbeat, at the later mark `told`.

    `joins`: it was not surely a member before. `is_stale`: it is told that its topology is older
    than the group's. `ended_by`: what it is told of who ends the whole application, if it is.
    """

    mark: int
    told: int
    group: str
    owner: str
    joins: bool
    build: Build
    is_stale: bool
    ended_by: str


@dataclass(frozen=True, slots=True)
class BuildRefused:
    """Somebody may not join a streams group, as its topology is another one than the group's."""

    mark: int
    group: str
    build: Build


@dataclass(frozen=True, slots=True)
class EndsAll:
    """A member of a streams group is about to ask that all end; or (`told`) it was answered."""

    mark: int
    told: int | None
    group: str
    owner: str


@dataclass(frozen=True, slots=True)
class LetsGo:
    """A member has nothing for its own any more, whatever was told to it."""

    group: str
    owner: str


@dataclass(frozen=True, slots=True)
class Positions:
    """A member was told these; -1: there is none. `is_stable`: no transaction can change them."""

    mark: int
    group: str
    positions: Mapping[Place, int]
    is_stable: bool


@dataclass(frozen=True, slots=True)
class Remembered:
    """A group that nobody is in has the positions `told`; `kept` are those that it is to have."""

    group: str
    kept: Mapping[Place, int]
    told: Mapping[Place, int]


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
class OffsetsEnded:
    """What is known of positions that are to count when a transaction commits; as above."""

    mark: int
    group: str
    positions: Mapping[Place, int]
    committed: bool | None


@dataclass(frozen=True, slots=True)
class Delivered:
    """A member of a share group has records for its own, at the time `at`.

    Surely until a time. `counts`: by offset, how often the record was delivered, this time too.
    """

    mark: int
    told: int
    at: float
    group: str
    owner: str
    place: Place
    counts: Mapping[int, int]
    until: float


@dataclass(frozen=True, slots=True)
class FetchLost:
    """A member of a share group got no answer: there may have been records in it."""

    group: str


@dataclass(frozen=True, slots=True)
class Says:
    """A member of a share group is about to say what became of records, by their offsets."""

    mark: int
    group: str
    owner: str
    place: Place
    kinds: Mapping[int, Acknowledge]


@dataclass(frozen=True, slots=True)
class Said:
    """It was answered at `told`, at the time `at`: all of it is kept, or (`refused`) nothing."""

    mark: int
    told: int
    at: float
    group: str
    owner: str
    place: Place
    kinds: Mapping[int, Acknowledge]
    refused: bool


@dataclass(frozen=True, slots=True)
class Disturbed:
    """The broker came back, or connections break: what was in hand may be another one's."""

    mark: int


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


@dataclass(frozen=True, slots=True)
class WholeCopy:
    """What counts, at the end, of the copy that was made of a partition, in its order."""

    place: Place
    values: Sequence[bytes]


Asked = (
    Acknowledged
    | Fetched
    | Synced
    | Committed
    | Positions
    | Holds
    | Does
    | Described
    | Beaten
    | BuildRefused
    | EndsAll
    | Delivered
    | Said
)
"""What a client asked for at a mark."""

Event = (
    Asked
    | Remembered
    | TransactionEnded
    | OffsetsEnded
    | AllOnTheirWay
    | ProducerRefused
    | LetsGo
    | FetchLost
    | Says
    | Disturbed
    | PowerCut
    | WholeLog
    | WholeCopy
)
