"""Fetch sessions by themselves: epochs, what is news, whose turn it is, who is evicted."""

import pytest

from barnabas.broker.fetch_sessions import FetchPlan, FetchSessions
from barnabas.dialects.commands import Fetch, Fetched, FetchOutcome, Forgotten, Read
from barnabas.errors import ErrorCode
from barnabas.wire.send import FileSlice
from tests.unit.runtime.test_connection import BytesFile

NO_ID = bytes(16)
RECORDS = FileSlice(BytesFile(b"records"), 0, 7)


class SetClock:
    def __init__(self) -> None:
        self.now_ms = 1_000_000

    def monotonic(self) -> float:
        return self.now_ms / 1000

    def time_ms(self) -> int:
        return self.now_ms

    def time_ns(self) -> int:
        return self.now_ms * 1_000_000


class Counting:
    """Chance that counts up, so that session numbers are 1, 2, 3."""

    def __init__(self) -> None:
        self.next = 0

    def below(self, bound: int) -> int:
        self.next += 1
        return (self.next - 1) % bound

    def fraction(self) -> float:
        return 0.0

    def uuid(self) -> bytes:
        return NO_ID


class Told:
    """Sessions, and a log that says what is in each partition."""

    def __init__(self, slots: int = 10) -> None:
        self.clock = SetClock()
        self.sessions = FetchSessions(slots, self.clock, Counting())

    def fetch(
        self,
        session: tuple[int, int],
        partitions: str = "",
        *,
        forgotten: str = "",
        by_id: bool = False,
        **found: FileSlice | ErrorCode | int,
    ) -> FetchOutcome | ErrorCode:
        """Ask for partitions (digits) of topic t; `p0=` and so on say what is found in one."""
        reads = [Read("t", NO_ID, int(index), 5, 100) for index in partitions]
        forget = [Forgotten("t", NO_ID, int(index)) for index in forgotten]
        fetch = Fetch(
            replica_id=-1,
            max_wait_ms=0,
            min_bytes=1,
            max_bytes=1000,
            committed_only=False,
            session_id=session[0],
            session_epoch=session[1],
            by_topic_id=by_id,
            reads=reads,
            forgotten=forget,
        )
        plan = self.sessions.begin(fetch)
        if not isinstance(plan, FetchPlan):
            return plan
        return plan.answer([self._found(read, found) for read in plan.reads])

    def _found(self, read: Read, found: dict[str, FileSlice | ErrorCode | int]) -> Fetched:
        what = found.get(f"p{read.partition}")
        place = ("t", NO_ID, read.partition)
        if isinstance(what, FileSlice):
            return Fetched(*place, ErrorCode.NONE, 5, 5, 0, what)
        if isinstance(what, ErrorCode):
            return Fetched(*place, what)
        return Fetched(*place, ErrorCode.NONE, what or 5, 5, 0)


def partitions(outcome: FetchOutcome | ErrorCode) -> list[int]:
    assert isinstance(outcome, FetchOutcome)
    return [one.partition for one in outcome.fetched]


def test_without_a_session_everything_is_told_each_time() -> None:
    told = Told()
    for _ in range(2):
        outcome = told.fetch((0, -1), "01")
        assert partitions(outcome) == [0, 1]
    assert len(told.sessions) == 0


def test_a_session_starts_whole_and_goes_on_with_news() -> None:
    told = Told()
    assert told.fetch((0, 0), "012") == FetchOutcome(
        ErrorCode.NONE, 1, [Fetched("t", NO_ID, n, ErrorCode.NONE, 5, 5, 0) for n in range(3)]
    )
    assert partitions(told.fetch((1, 1))) == []
    assert partitions(told.fetch((1, 2), p1=RECORDS, p2=9)) == [1, 2]
    assert partitions(told.fetch((1, 3), p2=9)) == []
    assert partitions(told.fetch((1, 4), "3", forgotten="0", p2=9)) == [3]


def test_an_error_is_told_again_and_its_end_too() -> None:
    told = Told()
    told.fetch((0, 0), "0")
    wrong = ErrorCode.OFFSET_OUT_OF_RANGE
    assert partitions(told.fetch((1, 1), p0=wrong)) == [0]
    assert partitions(told.fetch((1, 2), p0=wrong)) == [0]
    assert partitions(told.fetch((1, 3))) == [0]
    assert partitions(told.fetch((1, 4))) == []


def test_who_was_served_goes_to_the_end() -> None:
    told = Told()
    told.fetch((0, 0), "012")
    told.fetch((1, 1), p0=RECORDS)
    assert partitions(told.fetch((1, 2), p0=RECORDS, p1=RECORDS, p2=RECORDS)) == [1, 2, 0]


@pytest.mark.parametrize(
    ("session", "named_by", "code"),
    [
        ((7, 1), "name", ErrorCode.FETCH_SESSION_ID_NOT_FOUND),
        ((1, 2), "name", ErrorCode.INVALID_FETCH_SESSION_EPOCH),
        ((1, 1), "id", ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR),
    ],
)
def test_wrong_sessions_have_their_codes(
    session: tuple[int, int], named_by: str, code: ErrorCode
) -> None:
    told = Told()
    told.fetch((0, 0), "0")
    assert told.fetch(session, by_id=named_by == "id") is code


def test_a_session_ends_when_asked_or_empty() -> None:
    told = Told()
    told.fetch((0, 0), "0")
    told.fetch((1, -1), "0")
    assert len(told.sessions) == 0
    told.fetch((0, 0), "0")
    assert told.fetch((2, 1), forgotten="0") == FetchOutcome(ErrorCode.NONE, 0, [])
    assert len(told.sessions) == 0


def test_the_epoch_begins_again_after_the_greatest() -> None:
    told = Told()
    told.fetch((0, 0), "0")
    told.sessions._sessions[1].epoch = 2**31 - 1
    told.fetch((1, 2**31 - 1))
    assert partitions(told.fetch((1, 1), p0=RECORDS)) == [0]


def test_a_full_cache_evicts_the_long_unused_then_the_smaller_old() -> None:
    told = Told(slots=2)
    told.fetch((0, 0), "0")
    told.fetch((0, 0), "01")
    assert told.fetch((0, 0), "0123") == told.fetch((0, -1), "0123")  # Both are too young.
    told.clock.now_ms += 120_001
    told.fetch((2, 1))
    told.fetch((0, 0), "0")
    assert told.fetch((1, 1)) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    told.clock.now_ms += 120_001
    told.fetch((2, 2))
    told.fetch((3, 1))
    told.fetch((0, 0), "012")
    assert told.fetch((3, 2)) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert partitions(told.fetch((2, 3), p0=RECORDS)) == [0]
