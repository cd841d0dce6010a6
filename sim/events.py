"""Responses that clients received, and what happened to the broker: the input of the checkers.

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
    """A producer received an acknowledgement of its records, with the first one at `base_offset`."""

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
    """A correct producer received an error."""

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
    """A member received, at `answered`, its partitions of a generation; a static `owner` keeps its name."""

    mark: int
    answered: int
    group: str
    generation: int
    owner: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Committed:
    """A member's commit was acknowledged, at the later mark `answered` and the time `at`.

    `by_place`: its group has consumer members, who go from epoch to epoch each at its own time.
    """

    mark: int
    answered: int
    at: float
    group: str
    generation: int
    owner: str
    positions: Mapping[Place, int]
    by_place: bool


@dataclass(frozen=True, slots=True)
class Holds:
    """A member has these for its own at the time `at`, and surely until a time, if it wants them.

    The response arrived at `answered`. Until then its session cannot end, nor the time in which it must give
    something back.
    """

    mark: int
    answered: int
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
    answered: int
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
    """A description of a streams group, received at the later mark `answered`."""

    mark: int
    answered: int
    group: str
    state: str
    epoch: int
    assignment_epoch: int
    build: Build | None
    """By its topology."""
    members: Mapping[str, DescribedMember]


@dataclass(frozen=True, slots=True)
class Beaten:
    """The response to a heartbeat in a streams group, at the later mark `answered`.

    `joins`: it may not have been a member before. `is_stale`: its topology is older than the group's.
    `ended_by`: the status that names the member that shuts down the application, if any.
    """

    mark: int
    answered: int
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
    """A member of a streams group requests a shutdown of all; or (`answered`) got the response."""

    mark: int
    answered: int | None
    group: str
    owner: str


@dataclass(frozen=True, slots=True)
class LetsGo:
    """A member owns nothing any more, whatever it received."""

    group: str
    owner: str


@dataclass(frozen=True, slots=True)
class Positions:
    """Offsets that a member fetched; -1: none. `is_stable`: no transaction can change them."""

    mark: int
    group: str
    positions: Mapping[Place, int]
    is_stable: bool


@dataclass(frozen=True, slots=True)
class Remembered:
    """An empty group's positions: those that a request found, and those that it should have kept."""

    group: str
    kept: Mapping[Place, int]
    found: Mapping[Place, int]


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
    answered: int
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
class AcknowledgeSent:
    """A member of a share group is about to say what became of records, by their offsets."""

    mark: int
    group: str
    owner: str
    place: Place
    kinds: Mapping[int, Acknowledge]


@dataclass(frozen=True, slots=True)
class AcknowledgeDone:
    """The response, at `answered` and the time `at`: all of it is kept, or (`refused`) nothing."""

    mark: int
    answered: int
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
    | AcknowledgeDone
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
    | AcknowledgeSent
    | Disturbed
    | PowerCut
    | WholeLog
    | WholeCopy
)
