"""Follower: a replica of a partition that another broker leads, in one leader epoch; a state machine.

It says what to ask the leader, and what the answer does to the log. A new leader epoch is a new object.

Source: Kafka's AbstractFetcherThread; KIP-101, KIP-279, KIP-320, KIP-595.
"""

from dataclasses import dataclass
from enum import Enum, auto

from barnabas.errors import ErrorCode
from barnabas.replication.divergence import EpochEnd, EpochHistory, truncation
from barnabas.replication.requests import AskEpochEnd, AskOffsets, FetchNext, FollowerRequest
from barnabas.replication.watermark import LogOffsets, followed


class Phase(Enum):
    """What the follower is doing."""

    TRUNCATING = auto()
    """It asks where its log and the leader's part."""
    FETCHING = auto()
    """It copies records."""
    OUT_OF_RANGE = auto()
    """The leader's log does not have what would come next: it asks where that log begins and ends."""
    FENCED = auto()
    """There is a newer leader epoch. It waits for the controller to say so."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The answer to a Fetch.

    `next_offset` is after the last record of the answer; that of the request if there is none. What
    was received is known to be sound: whole batches that begin at the requested offset.
    """

    request: FetchNext
    next_offset: int
    high_watermark: int
    log_start: int
    now_ms: int
    diverging: EpochEnd | None = None


@dataclass(frozen=True, slots=True)
class EpochEndFound:
    """The answer to an OffsetForLeaderEpoch; the epoch is -1 in its version 0."""

    request: AskEpochEnd
    end: EpochEnd
    now_ms: int


@dataclass(frozen=True, slots=True)
class OffsetsFound:
    """The answer to ListOffsets: the leader's log is in [log_start, log_end)."""

    request: AskOffsets
    log_start: int
    log_end: int
    now_ms: int


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """A request was answered with `error`, or not at all."""

    request: FollowerRequest
    error: ErrorCode
    now_ms: int


FollowerEvent = Fetched | EpochEndFound | OffsetsFound | RequestFailed


@dataclass(frozen=True, slots=True)
class FollowerEffects:
    """What the caller must do with the log, in this order.

    1. `truncate_to`: delete all from there on, records and epochs.
    2. `start_anew_at`: delete all records, and let the empty log begin there.
    3. `append`: append the records of the answer, with their epochs.
    4. `high_watermark`: publish it.
    5. `log_start`: delete the records before.
    """

    truncate_to: int | None = None
    start_anew_at: int | None = None
    append: bool = False
    high_watermark: int | None = None
    log_start: int | None = None


IGNORED = FollowerEffects()
"""The answer to something else than the last request."""


class Follower:
    """A follower of the leader of one epoch.

    Invariant: log_start <= high_watermark <= end_offset.
    """

    __slots__ = (
        "_asked",
        "_back_off_ms",
        "_history",
        "_in_fetch",
        "_not_before_ms",
        "end_offset",
        "high_watermark",
        "is_caught_up",
        "leader_epoch",
        "log_start",
        "phase",
    )

    def __init__(
        self,
        leader_epoch: int,
        log: LogOffsets,
        history: EpochHistory,
        *,
        truncates_in_fetch: bool,
        back_off_ms: int = 1000,
    ) -> None:
        """Follow. `history` is the log's own: the effects of each step change it.

        Args:
            leader_epoch: of the leader that is followed.
            log: what is in the log, as of now.
            history: the epochs of the log.
            truncates_in_fetch: Fetch 12 or later is spoken, which finds where logs part (KIP-595).
            back_off_ms: `replica.fetch.backoff.ms`.
        """
        self.leader_epoch = leader_epoch
        self.log_start, self.end_offset, self.high_watermark = (
            log.start,
            log.end,
            log.high_watermark,
        )
        self._history = history
        self._in_fetch = truncates_in_fetch
        self._back_off_ms = back_off_ms
        self._not_before_ms: int | None = None
        self._asked: FollowerRequest | None = None
        self.phase = Phase.TRUNCATING
        self.is_caught_up = False
        """Whether it had all that was committed when the leader answered last."""

    def begin(self) -> FollowerEffects:
        """What to do before the first request.

        A log without epochs cannot be compared: what is not known to be committed goes (as before KIP-101).
        """
        self._compare()
        if self._history.latest >= 0 or self.end_offset == self.high_watermark:
            return FollowerEffects()
        return self._truncate(self.high_watermark)

    def next_request(self, now_ms: int) -> FollowerRequest | None:
        """What to ask the leader now; None: nothing, or not yet."""
        if self._not_before_ms is not None and now_ms < self._not_before_ms:
            return None
        self._not_before_ms = None
        self._asked = self._request()
        return self._asked

    def step(self, event: FollowerEvent) -> FollowerEffects:
        """Take in an answer, and say what to do with the log."""
        if event.request != self._asked:
            return IGNORED
        self._asked = None
        match event:
            case Fetched():
                if event.diverging is not None:
                    return self._cut(event.diverging)
                return self._on_records(event)
            case EpochEndFound():
                return self._cut(event.end)
            case OffsetsFound():
                return self._on_offsets(event)
            case RequestFailed():
                return self._on_failure(event)

    def _request(self) -> FollowerRequest | None:
        latest = self._history.latest
        match self.phase:
            case Phase.FENCED:
                return None
            case Phase.OUT_OF_RANGE:
                return AskOffsets(self.leader_epoch)
            case Phase.TRUNCATING if latest >= 0:
                return AskEpochEnd(self.leader_epoch, latest)
            case _:
                last_epoch = latest if self._in_fetch else -1
                return FetchNext(self.leader_epoch, self.end_offset, self.log_start, last_epoch)

    def _compare(self) -> None:
        """Have the next request find where the logs part."""
        self.phase = Phase.FETCHING if self._in_fetch else Phase.TRUNCATING

    def _on_records(self, event: Fetched) -> FollowerEffects:
        assert event.next_offset >= self.end_offset
        self.phase = Phase.FETCHING
        grows = event.next_offset > self.end_offset
        self.end_offset = event.next_offset
        self.is_caught_up = self.end_offset >= event.high_watermark
        watermark, start = self.high_watermark, self.log_start
        self.high_watermark = followed(watermark, event.high_watermark, self.end_offset)
        # A leader deletes only what is committed; one that says otherwise is not believed.
        self.log_start = max(start, min(event.log_start, self.high_watermark))
        return FollowerEffects(
            append=grows,
            high_watermark=self.high_watermark if self.high_watermark != watermark else None,
            log_start=self.log_start if self.log_start != start else None,
        )

    def _cut(self, leaders: EpochEnd) -> FollowerEffects:
        """Cut the log where it parts from the leader's, or nearer to that (KIP-279)."""
        found = truncation(self._history, self.end_offset, self.high_watermark, leaders)
        if found.is_complete:
            self.phase = Phase.FETCHING
        else:
            self._compare()
        return self._truncate(found.offset)

    def _truncate(self, offset: int) -> FollowerEffects:
        """Cut at `offset`, also where that is the end: a last epoch without records goes with it."""
        if offset < self.log_start:
            return self._start_anew(offset)
        self.end_offset = offset
        watermark, self.high_watermark = self.high_watermark, min(self.high_watermark, offset)
        changed = self.high_watermark != watermark
        return FollowerEffects(
            truncate_to=offset, high_watermark=self.high_watermark if changed else None
        )

    def _start_anew(self, offset: int) -> FollowerEffects:
        self.log_start = self.high_watermark = self.end_offset = offset
        return FollowerEffects(start_anew_at=offset, high_watermark=offset)

    def _on_offsets(self, event: OffsetsFound) -> FollowerEffects:
        """Go on where the leader's log can be followed.

        Case A: it begins behind the end of this one, or ends before this one's start: nothing here is
            of use.
        Case B: it ends before this one: what is behind is lost (an unclean election).
        Case C: it can be followed by now.
        """
        self._compare()
        if event.log_start > self.end_offset or event.log_end < self.log_start:
            return self._start_anew(event.log_start)  # Case A.
        if event.log_end < self.end_offset:
            return self._truncate(event.log_end)  # Case B.
        return FollowerEffects()  # Case C.

    def _on_failure(self, event: RequestFailed) -> FollowerEffects:
        if event.error is ErrorCode.FENCED_LEADER_EPOCH:
            self.phase = Phase.FENCED
        elif event.error is ErrorCode.OFFSET_OUT_OF_RANGE and isinstance(event.request, FetchNext):
            self.phase = Phase.OUT_OF_RANGE
        else:
            self._not_before_ms = event.now_ms + self._back_off_ms
        return FollowerEffects()
