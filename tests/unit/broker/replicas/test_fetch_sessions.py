"""Fetch sessions by themselves: epochs, what is news, whose turn it is, who is evicted."""

import tracemalloc

import pytest

from barnabas.broker.quotas.client_memory import ClientMemory
from barnabas.broker.replicas.fetch_sessions import FetchPlan, FetchSession, FetchSessions
from barnabas.dialects.commands import Fetch, Fetched, FetchOutcome, Forgotten, Read
from barnabas.errors import ErrorCode
from barnabas.wire.send import FileSlice
from tests.unit.runtime.connections.test_connection import BytesFile

NO_ID = bytes(16)
EXISTING = range(10)
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

    def __init__(self, slots: int = 10, limit_bytes: int = 1 << 20) -> None:
        self.clock = SetClock()
        self.memory = ClientMemory(limit_bytes, self.clock)
        self.sessions = FetchSessions(slots, EXISTING, self.memory, self.clock, Counting())

    def fetch(
        self,
        session: tuple[int, int],
        partitions: str = "",
        *,
        forgotten: str = "",
        by_id: bool = False,
        connection: int = 1,
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
        plan = self.sessions.begin(fetch, connection)
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


def test_a_session_ends_with_the_connection_that_opened_it() -> None:
    told = Told()
    told.fetch((0, 0), "0", connection=1)
    told.fetch((0, 0), "0", connection=2)
    told.fetch((0, 0), "1", connection=1)
    told.sessions.disconnected(1)
    assert len(told.sessions) == 1
    assert partitions(told.fetch((2, 1), connection=2)) == []
    told.sessions.disconnected(1)
    told.sessions.disconnected(2)
    assert len(told.sessions) == 0
    assert told.memory.passing_bytes == 0


def test_what_sessions_take_is_charged_and_given_back() -> None:
    told = Told()
    told.fetch((0, 0), "012")
    three = told.memory.passing_bytes
    told.fetch((1, 1), "3")
    four = told.memory.passing_bytes
    assert three < four < three * 4 / 3
    told.fetch((1, 2), "3", forgotten="0")
    assert told.memory.passing_bytes == three
    told.fetch((1, -1))
    assert told.memory.passing_bytes == 0


def test_no_less_is_charged_than_a_session_takes() -> None:
    tracemalloc.start()
    try:
        reads = [Read("t", NO_ID, index, 1000 + index, 1 << 20) for index in range(1000, 5000)]
        session = FetchSession(1, a_fetch(reads), 1, 0)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken <= session.held_bytes < 1.5 * taken


def test_who_comes_when_the_memory_is_full_gets_no_session() -> None:
    told = Told(limit_bytes=2500)
    told.fetch((0, 0), "01")
    told.clock.now_ms += 1000
    refused = told.fetch((0, 0), "01")
    assert isinstance(refused, FetchOutcome)
    assert (refused.session_id, partitions(refused)) == (0, [0, 1])
    told.clock.now_ms += 120_000
    assert told.fetch((0, 0), "01") != refused
    assert told.fetch((1, 1)) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert len(told.sessions) == 1


def test_a_session_that_grows_over_the_limit_ends() -> None:
    told = Told(limit_bytes=2500)
    told.fetch((0, 0), "01")
    assert told.fetch((1, 1), "2345") is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert told.memory.passing_bytes == 0


@pytest.mark.parametrize("count", [1001, 1011])
def test_what_mostly_fails_has_no_session(count: int) -> None:
    """Of the second it is clear before anything is read."""
    told = Told()
    reads = [Read("none", NO_ID, index, 0, 100) for index in range(count)]
    plan = told.sessions.begin(a_fetch(reads), 1)
    assert isinstance(plan, FetchPlan)
    failed = [Fetched(*read[:3], ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) for read in reads]
    assert plan.answer(failed) == FetchOutcome(ErrorCode.NONE, 0, failed)
    assert len(told.sessions) == 0


def test_partitions_that_fail_end_the_session_they_are_added_to() -> None:
    told = Told()
    told.fetch((0, 0), "0")
    reads = [Read("none", NO_ID, index, 0, 100) for index in range(1011)]
    added = told.sessions.begin(a_fetch(reads, session=(1, 1)), 1)
    assert added is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert len(told.sessions) == 0


def a_fetch(reads: list[Read], session: tuple[int, int] = (0, 0)) -> Fetch:
    return Fetch(-1, 0, 1, 1000, False, *session, False, reads, [])  # noqa: FBT003
