"""Fetch sessions by themselves: epochs, what is new, the order of partitions, which sessions are evicted."""

import tracemalloc
from collections.abc import Iterable

import pytest

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.replicas.fetch_rows import Fetched, Read, failed, reads_of
from barnabas.broker.replicas.fetch_sessions import FetchPlan, FetchSession, FetchSessions
from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import (
    EpochEndOffset,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
)
from barnabas.wire.send import FileSlice
from tests.unit.runtime.connections.test_connection import BytesFile

NO_TOPIC_ID = bytes(16)
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
        return NO_TOPIC_ID


class SessionReader:
    """Reads through sessions from a log of which each test says what is in it."""

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
        **found: FileSlice | ErrorCode | EpochEndOffset | int,
    ) -> FetchResponse | ErrorCode:
        """Ask for partitions (digits) of topic t; `p0=` and so on say what is found in one."""
        fetch = a_fetch("t", map(int, partitions), session)
        if forgotten:
            gone = ForgottenTopic(topic="t", partitions=[int(index) for index in forgotten])
            fetch.forgotten_topics_data = [gone]
        plan = self.sessions.begin(fetch, connection, by_topic_id=by_id)
        if not isinstance(plan, FetchPlan):
            return plan
        return plan.answer([self._found(read, found) for read in plan.reads])

    def _found(
        self, read: Read, found: dict[str, FileSlice | ErrorCode | EpochEndOffset | int]
    ) -> Fetched:
        what = found.get(f"p{read.asked.partition}")
        if isinstance(what, ErrorCode):
            return failed(read, what)
        data = some_data(read.asked.partition)
        if isinstance(what, FileSlice):
            data.records = what
        elif isinstance(what, EpochEndOffset):
            data.diverging_epoch = what
        elif what is not None:
            data.high_watermark = what
        return Fetched("t", NO_TOPIC_ID, data)


def a_fetch(
    topic: str, partitions: Iterable[int], session: tuple[int, int] = (0, 0)
) -> FetchRequest:
    """Of partitions of a topic, in a session of that number and epoch."""
    asked = [
        FetchPartition(partition=index, fetch_offset=1000 + index, partition_max_bytes=1 << 20)
        for index in partitions
    ]
    return FetchRequest(
        max_wait_ms=0,
        min_bytes=1,
        session_id=session[0],
        session_epoch=session[1],
        topics=[FetchTopic(topic=topic, partitions=asked)] if asked else [],
    )


def some_data(index: int) -> PartitionData:
    return PartitionData(
        partition_index=index,
        error_code=ErrorCode.NONE,
        high_watermark=5,
        last_stable_offset=5,
        log_start_offset=0,
        records=b"",
    )


def partitions(outcome: FetchResponse | ErrorCode) -> list[int]:
    assert isinstance(outcome, FetchResponse)
    return [one.partition_index for topic in outcome.responses for one in topic.partitions]


def test_without_a_session_everything_is_in_each_response() -> None:
    reader = SessionReader()
    for _ in range(2):
        outcome = reader.fetch((0, -1), "01")
        assert partitions(outcome) == [0, 1]
    assert len(reader.sessions) == 0


def test_a_session_starts_whole_and_goes_on_with_news() -> None:
    reader = SessionReader()
    begun = reader.fetch((0, 0), "012")
    assert isinstance(begun, FetchResponse)
    assert (begun.error_code, begun.session_id) == (ErrorCode.NONE, 1)
    (topic,) = begun.responses
    assert topic.partitions == [some_data(index) for index in range(3)]
    assert partitions(reader.fetch((1, 1))) == []
    assert partitions(reader.fetch((1, 2), p1=RECORDS, p2=9)) == [1, 2]
    assert partitions(reader.fetch((1, 3), p2=9)) == []
    assert partitions(reader.fetch((1, 4), "3", forgotten="0", p2=9)) == [3]


def test_an_error_is_sent_again_and_its_end_too() -> None:
    reader = SessionReader()
    reader.fetch((0, 0), "0")
    wrong = ErrorCode.OFFSET_OUT_OF_RANGE
    assert partitions(reader.fetch((1, 1), p0=wrong)) == [0]
    assert partitions(reader.fetch((1, 2), p0=wrong)) == [0]
    assert partitions(reader.fetch((1, 3))) == [0]
    assert partitions(reader.fetch((1, 4))) == []


def test_a_watermark_beside_a_log_that_parts_is_reported_again() -> None:
    reader = SessionReader()
    reader.fetch((0, 0), "0")
    parts = EpochEndOffset(epoch=1, end_offset=3)
    assert partitions(reader.fetch((1, 1), p0=parts)) == [0]
    assert partitions(reader.fetch((1, 2))) == [0]
    assert partitions(reader.fetch((1, 3))) == []


def test_who_was_served_goes_to_the_end() -> None:
    reader = SessionReader()
    reader.fetch((0, 0), "012")
    reader.fetch((1, 1), p0=RECORDS)
    assert partitions(reader.fetch((1, 2), p0=RECORDS, p1=RECORDS, p2=RECORDS)) == [1, 2, 0]


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
    reader = SessionReader()
    reader.fetch((0, 0), "0")
    assert reader.fetch(session, by_id=named_by == "id") is code


def test_a_session_ends_when_asked_or_empty() -> None:
    reader = SessionReader()
    reader.fetch((0, 0), "0")
    reader.fetch((1, -1), "0")
    assert len(reader.sessions) == 0
    reader.fetch((0, 0), "0")
    assert reader.fetch((2, 1), forgotten="0") == FetchResponse(responses=[])
    assert len(reader.sessions) == 0


def test_the_epoch_begins_again_after_the_greatest() -> None:
    reader = SessionReader()
    reader.fetch((0, 0), "0")
    reader.sessions._sessions[1].epoch = 2**31 - 1
    reader.fetch((1, 2**31 - 1))
    assert partitions(reader.fetch((1, 1), p0=RECORDS)) == [0]


def test_a_full_cache_evicts_the_long_unused_then_the_smaller_old() -> None:
    reader = SessionReader(slots=2)
    reader.fetch((0, 0), "0")
    reader.fetch((0, 0), "01")
    assert reader.fetch((0, 0), "0123") == reader.fetch((0, -1), "0123")  # Both are too young.
    reader.clock.now_ms += 120_001
    reader.fetch((2, 1))
    reader.fetch((0, 0), "0")
    assert reader.fetch((1, 1)) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    reader.clock.now_ms += 120_001
    reader.fetch((2, 2))
    reader.fetch((3, 1))
    reader.fetch((0, 0), "012")
    assert reader.fetch((3, 2)) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert partitions(reader.fetch((2, 3), p0=RECORDS)) == [0]


def test_a_session_ends_with_the_connection_that_opened_it() -> None:
    reader = SessionReader()
    reader.fetch((0, 0), "0", connection=1)
    reader.fetch((0, 0), "0", connection=2)
    reader.fetch((0, 0), "1", connection=1)
    reader.sessions.disconnected(1)
    assert len(reader.sessions) == 1
    assert partitions(reader.fetch((2, 1), connection=2)) == []
    reader.sessions.disconnected(1)
    reader.sessions.disconnected(2)
    assert len(reader.sessions) == 0
    assert reader.memory.passing_bytes == 0


def test_what_sessions_take_is_charged_and_given_back() -> None:
    reader = SessionReader()
    reader.fetch((0, 0), "012")
    three = reader.memory.passing_bytes
    reader.fetch((1, 1), "3")
    four = reader.memory.passing_bytes
    assert three < four < three * 4 / 3
    reader.fetch((1, 2), "3", forgotten="0")
    assert reader.memory.passing_bytes == three
    reader.fetch((1, -1))
    assert reader.memory.passing_bytes == 0


def test_no_less_is_charged_than_a_session_takes() -> None:
    tracemalloc.start()
    try:
        reads = reads_of(a_fetch("t", range(1000, 5000)))
        session = FetchSession(1, reads, 1, 0, by_topic_id=False)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken <= session.held_bytes < 1.5 * taken


def test_who_comes_when_the_memory_is_full_gets_no_session() -> None:
    reader = SessionReader(limit_bytes=2500)
    reader.fetch((0, 0), "01")
    reader.clock.now_ms += 1000
    refused = reader.fetch((0, 0), "01")
    assert isinstance(refused, FetchResponse)
    assert (refused.session_id, partitions(refused)) == (0, [0, 1])
    reader.clock.now_ms += 120_000
    assert reader.fetch((0, 0), "01") != refused
    assert reader.fetch((1, 1)) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert len(reader.sessions) == 1


def test_a_session_that_grows_over_the_limit_ends() -> None:
    reader = SessionReader(limit_bytes=2500)
    reader.fetch((0, 0), "01")
    assert reader.fetch((1, 1), "2345") is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert reader.memory.passing_bytes == 0


@pytest.mark.parametrize("count", [1001, 1011])
def test_what_mostly_fails_has_no_session(count: int) -> None:
    """Of the second it is clear before anything is read."""
    reader = SessionReader()
    plan = reader.sessions.begin(a_fetch("none", range(count)), 1, by_topic_id=False)
    assert isinstance(plan, FetchPlan)
    response = plan.answer(
        [failed(read, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) for read in plan.reads]
    )
    assert (response.session_id, partitions(response)) == (0, list(range(count)))
    assert len(reader.sessions) == 0


def test_partitions_that_fail_end_the_session_they_are_added_to() -> None:
    reader = SessionReader()
    reader.fetch((0, 0), "0")
    more = a_fetch("none", range(1011), (1, 1))
    added = reader.sessions.begin(more, 1, by_topic_id=False)
    assert added is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert len(reader.sessions) == 0
